"""Where pieces stand and how many: counting, finding, and regions around sites."""

from __future__ import annotations

import numpy as np

from crossplay.games.compiler.directions import is_direction
from crossplay.games.compiler.model import malformed, refuse
from crossplay.games.compiler.regions import Region, union
from crossplay.games.compiler.registry import Compiler, arguments_of, boolean, capped, integer, region
from crossplay.games.compiler.scope import CONTEXT, INSIDE, Scope, indent, lines
from crossplay.games.language import Boolean, Ludeme, Node, Symbol, Text

_FEW = 2
# Whose sites ``(sites Around ...)`` keeps, as tests over an owner; 0 is nobody, or neutral.
_OCCUPANTS = {
    "Empty": "{0} == 0",
    "NotEmpty": "{0} != 0",
    "Own": "{0} == state[MOVER]",
    "NotOwn": "{0} != state[MOVER] and {0} <= 2",
    "Enemy": "{0} == 3 - state[MOVER]",
    "NotEnemy": "{0} == 0 or {0} == state[MOVER]",
    "AllPlayers": "True",
}


@integer("centrePoint")
def _centre_point(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """The board's central site, the first of several."""
    if node.arguments:
        refuse(node)
    return str(c.model.board.sets["centre"][0])


@integer("where")
def _where(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(where "Piece" role)``, ``(where component)``: the first board site with that piece, or ``Off``."""
    match arguments_of(node):
        case [Text(value=name), role]:
            player = c.player(role, scope)
            owned = c.model.likened(name, node)
            if player.isdigit():
                what = str(owned.get(int(player), -1))
            else:
                what = f"({owned.get(1, -1)} if {player} == 1 else {owned.get(2, -1)})"
        case [component]:
            what = c.integer(component, scope)
        case _:
            refuse(node)
    found = f"if {c.what('s')} == component:\n    return s"
    body = f"{_each_of(c, what) or 'for s in range(BOARD_SITES):'}\n{indent(found)}\nreturn -1"
    return f"{c.function('where', 'state, component', body)}(state, {what})"


@boolean("is", "Within")
def _is_within(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(is Within component [in:region | at:site])``: such a piece is there, by default on ``(last To)``."""
    match arguments_of(node, "in", "at"):
        case [component]:
            what = c.integer(component, scope)
        case _:
            refuse(node)
    inside, at = node.named("in"), node.named("at")
    if at is not None or inside is None:
        site = "state[LAST_TO]" if at is None else c.integer(at, scope)
        name = c.function("holds", "state, s, component", f"return s >= 0 and {c.what('s')} == component")
        return f"{name}(state, {site}, {what})"
    found = c.region(inside, INSIDE)
    same = f"{c.what('s')} == component"
    pieces = _each_of(c, what)
    if pieces and (found.static is None or len(found.static) > _FEW):
        test = f"if {same} and ({found.contains('s')}):\n    return True"
        body = f"{pieces}\n{indent(test)}"
    else:
        body = found.loop("s", f"if {same}:\n    return True")
    name = c.function("is_within", f"{CONTEXT}, component", f"{body}\nreturn False")
    return f"{name}({scope.arguments}, {what})"


def _each_of(c: Compiler, component: str) -> str:
    """The head of a loop over the sites ``s`` of the pieces of a component's owner, if these are listed."""
    owner = c.model.components[int(component) - 1].owner if component.isdigit() and component != "0" else 0
    if "OWNED" not in c.source.sections or owner not in (1, 2):
        return ""
    return f"for i in range(state[OWNED_COUNT + {owner}]):\n    s = state[OWNED + {owner} * BOARD_SITES + i]"


@capped("count", "Sites")
@integer("count", "Sites")
def _count_sites(c: Compiler, node: Ludeme, scope: Scope, limit: int | None = None) -> str:
    """``(count Sites in:region)``."""
    where = node.named("in")
    if arguments_of(node, "in") or where is None:
        refuse(node)
    found = c.region(where, INSIDE)
    if found.static is not None:
        return str(len(found.static))
    # Counting all is quicker than stopping early unless few are enough.
    stop = f"if n >= {limit}:\n    return n" if limit is not None and limit <= _FEW else ""
    body = f"n = 0\n{found.loop('s', lines('n += 1', stop))}\nreturn n"
    return f"{c.function('count_sites', CONTEXT, body)}({scope.arguments})"


@integer("count", "Pieces")
def _count_pieces(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(count Pieces [role | of:player] ["Name"] [in:region])``: pieces anywhere, hands included.

    Without a role those of both players. As in Ludii a name, which is the full one, counts whoever
    owns the pieces on the board, and a region counts its sites with a piece of that player's.
    """
    role = node.named("of")
    name: str | None = None
    for part in arguments_of(node, "of", "in"):
        match part:
            case Symbol() if role is None:
                role = part
            case Text(value=given) if name is None:
                name = given
            case _:
                refuse(part)
    everybody = role is None or (isinstance(role, Symbol) and role.name in ("All", "Any", "Shared"))
    player = "0" if role is None or everybody else c.player(role, scope)
    where = node.named("in")
    if where is not None:
        if everybody:
            refuse(node, "of everybody in a region")
        body = c.region(where, INSIDE).loop("s", f"if {c.owner('s')} == player:\n    n += 1")
        function = c.function("count_within", f"{CONTEXT}, player", f"n = 0\n{body}\nreturn n")
        return f"{function}({scope.arguments}, {player})"
    if name is not None:
        index = c.model.piece(name, node).index
        body = f"n = 0\nfor s in range(BOARD_SITES):\n    n += {c.what('s')} == {index}\nreturn n"
        return f"{c.function('count_named', 'state', body)}(state)"
    if "OWNED" in c.source.sections and not c.model.flags.counts and c.model.n_sites == c.model.board.n_sites:
        players = ("1", "2") if everybody else (player,)
        return "(" + " + ".join(f"state[OWNED_COUNT + {one}]" for one in players) + ")"
    one = "state[COUNT + s]" if c.model.flags.counts else "1"
    test = f"0 < {c.owner('s')} <= 2" if everybody else f"{c.owner('s')} == player"
    body = f"n = 0\nfor s in range(ALL_SITES):\n    if {test}:\n        n += {one}\nreturn n"
    return f"{c.function('count_pieces', 'state, player', body)}(state, {player})"


@region("forEach", None)
def _filter(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    """``(forEach region if:condition)``: those of the sites for which, as ``(site)``, the condition holds."""
    condition = node.named("if")
    match arguments_of(node, "if"):
        case [where] if condition is not None:
            return c.region(where, scope).filtered(lambda site: c.boolean(condition, scope.with_(site=site)))
    refuse(node)


@region("sites", "Around")
def _around(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    """``(sites Around where [occupants] [distance:n] [directions] [if:condition] [includeSelf:])``.

    The sites that lie ``distance`` away from a site, or from any site of a region, in straight lines;
    in the condition ``(from)`` is the former and ``(to)`` the site in question.
    """
    arguments = arguments_of(node, "distance", "if", "includeSelf")
    if not arguments:
        malformed(node, "(sites Around ...) needs a site or a region")
    place, kind, ways = arguments[0], None, None
    for part in arguments[1:]:
        if isinstance(part, Symbol) and part.name in _OCCUPANTS and kind is None:
            kind = part.name
        elif is_direction(part) and ways is None:
            ways = part
        else:
            refuse(part)
    condition = node.named("if")
    distance, include = node.named("distance"), node.named("includeSelf")
    steps = "1" if distance is None else c.integer(distance, scope)
    if not steps.isdigit():
        refuse(node, "distance:")
    if include is not None and not isinstance(include, Boolean):
        refuse(node, "includeSelf:")
    near = _near_lists(c, node, ways, int(steps))
    origin = c.region(place, scope)
    with_self = include is not None and include.value
    if origin.static is not None and kind is None and condition is None:
        found = {there for site in origin.static for there in near[site]}
        return Region.fixed(c, found | origin.static if with_self else found)
    around = _around_any(c, near, place, scope, condition)
    if kind is not None:
        occupied_by = _OCCUPANTS[kind]
        around = around.filtered(lambda site: occupied_by.format(c.owner(site)))
    return union(c, [around, origin]) if with_self else around


def _around_any(
    c: Compiler, sets: list[list[int]], place: Node, scope: Scope, condition: Node | None
) -> Region:
    """All sets of a place's sites; in the condition that site is ``(from)`` and the set's ``(to)``."""
    origin = c.region(place, scope)
    if origin.single is not None:
        around = Region.by_site(c, sets, origin.single)
        if condition is None:
            return around
        inner = scope.with_(origin=origin.single)
        return around.filtered(lambda site: c.boolean(condition, inner.with_(to=site)))
    behind = [[site for site, found in enumerate(sets) if there in found] for there in range(len(sets))]
    most = max(map(len, behind))
    listed = np.array([found + [-1] * (most + 1 - len(found)) for found in behind])
    tests = [c.region(place, INSIDE).contains("r")]
    if condition is not None:
        tests.append(c.boolean(condition, INSIDE.with_(origin="r", to="s")))
    each = lines(
        f"r = {c.table('SITES_BEHIND', listed)}[s, k]",
        "if r < 0:\n    break",
        f"if {' and '.join(f'({test})' for test in tests)}:\n    return True",
    )
    body = lines(f"for k in range({most}):\n{indent(each)}", "return False")
    name = c.function("near_any", f"{CONTEXT}, s", body)
    return Region.where(c, lambda site: f"{name}({scope.arguments}, {site})")


def _near_lists(c: Compiler, node: Ludeme, ways: Node | None, distance: int) -> list[list[int]]:
    """For every site those a straight way off."""
    directions = c.directions(ways, Scope())
    if len(directions.compass) != 1:
        refuse(node, "along relative directions")
    steps = c.model.board.steps
    found: list[list[int]] = []
    for site in range(c.model.board.n_sites):
        there = []
        for name in directions.compass[0]:
            at = site
            for _ in range(distance):
                at = int(steps[name][at]) if at >= 0 else -1
            if at >= 0 and at not in there:
                there.append(at)
        found.append(there)
    return found


@region("expand")
def _expand(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    """``(expand region | origin:site [steps:n] [direction])``: the sites and those up to n steps off."""
    rest = arguments_of(node, "origin", "steps")
    origin, count = node.named("origin"), node.named("steps")
    base = origin if origin is not None else rest.pop(0) if rest else None
    if base is None:
        malformed(node, "(expand ...) needs a region")
    ways = rest.pop(0) if rest and is_direction(rest[0]) else None
    steps = "1" if count is None else c.integer(count, scope)
    if rest:
        refuse(rest[0])
    if not steps.isdigit():
        refuse(node, "steps:")
    near = _near_lists(c, node, ways, 1)
    start = c.region(base, scope)
    if start.static is not None:
        return Region.fixed(c, _grown(start.static, near, int(steps)))
    grown = [sorted(_grown({site}, near, int(steps))) for site in range(len(near))]
    return _around_any(c, grown, base, scope, None)


def _grown(sites: set[int] | frozenset[int], near: list[list[int]], steps: int) -> set[int]:
    grown = set(sites)
    for _ in range(steps):
        grown |= {there for site in grown for there in near[site]}
    return grown
