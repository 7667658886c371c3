"""``(is Threatened ...)``: whether an enemy could move onto a piece's site.

Ludii lists all the enemy's moves to see whether one goes there. Here the moves of pieces are understood
beforehand as far as possible: a table says of every component whether it could come from one site to
another by itself, if nothing stands in between, or perhaps, and only the last is answered by listing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from crossplay.games.compiler.kinds import Kinds
from crossplay.games.compiler.ludemes.reach import CLEARLY, PERHAPS, SURELY, Reach, explore, judge, judge_of
from crossplay.games.compiler.ludemes.stepping import Parts
from crossplay.games.compiler.model import items, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, boolean
from crossplay.games.compiler.scope import CONTEXT, INSIDE, Scope, indent, lines
from crossplay.games.language import Ludeme, Node


@boolean("is", "Threatened")
def _is_threatened(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(is Threatened what [at:site] [generator])``: the piece, were it on the site or where it is now.

    Within the moves that are looked at for an answer nothing counts as threatened, as in Ludii.
    """
    at = node.named("at")
    match arguments_of(node, "at"):
        case [what]:
            generator = None
        case [what, generator] if c.knows("moves", generator):
            pass
        case _:
            refuse(node)
    if c.asking:
        return "False"
    attack = _attack(c, generator)
    component = c.integer(what, scope)
    ask = f"""
    if what < 1 or site < 0:
        return False
    owner = {c.owner_of("what")}
    if owner != 1 and owner != 2:
        return False
    mover, before = state[MOVER], state[PREV]
    state[MOVER], state[PREV] = 3 - owner, owner
    found = {attack}(state, site)
    state[MOVER], state[PREV] = mover, before
    return found
    """
    doc = "Whether an enemy could move onto the site, where a piece stands."
    threatened = c.function("threatened", "state, what, site", ask, doc)
    if at is None:
        find = "for s in range(BOARD_SITES):\n    if state[HEADER + s] == what:\n        return s\nreturn -1"
        found = c.function("first_site", "state, what", find, "The first site on the board with a component.")
        asked = c.function(
            "in_danger", "state, what", f"return {threatened}(state, what, {found}(state, what))"
        )
        return f"{asked}(state, {component})"
    body = f"""
    if what < 1 or site < 0:
        return False
    stands = state[HEADER + site]
    state[HEADER + site] = what
    found = {threatened}(state, what, site)
    state[HEADER + site] = stands
    return found
    """
    name = c.function("in_danger_at", "state, what, site", body, "The same for a piece put onto a site.")
    return f"{name}(state, {component}, {c.integer(at, scope)})"


@contextmanager
def _asking(c: Compiler) -> Iterator[None]:
    """Within: generators are compiled to be looked at, not to be played."""
    kinds, c.kinds = c.kinds, Kinds(c.source)
    c.asking = True
    yield
    c.asking = False
    c.kinds = kinds


def _attack(c: Compiler, generator: Node | None) -> str:
    """The function ``f(state, site)``: whether a move of the mover's, given or of the rules, goes there."""
    key = ("attack", generator)
    if key not in c.memo:
        with _asking(c):
            if generator is not None:
                body = _goes_there(c, generator)
            else:
                parts = [_goes_there(c, phase.play) for phase in c.model.phases]
                body = parts[0]
                if len(set(parts)) > 1:
                    tests = (f"if phase == {i}:\n{indent(part or 'pass')}" for i, part in enumerate(parts))
                    body = lines("phase = state[PHASE - 1 + state[MOVER]]", *tests)
        c.memo[key] = c.function(
            "attacked",
            "state, to",
            lines(body, "return False"),
            "Whether a move of the mover's goes to a site.",
        )
    return c.memo[key]


def _goes_there(c: Compiler, node: Node) -> str:
    """Statements that return True if one of a generator's moves goes to ``to``; none if that cannot be."""
    match node:
        case Ludeme(name="or" | "and"):
            return lines(*(_goes_there(c, member) for part in arguments_of(node) for member in items(part)))
        case Ludeme(name="if"):
            condition, *branches = arguments_of(node)
            if len(branches) not in (1, 2):
                refuse(node)
            known = judge(condition)
            found = [_goes_there(c, branch) for branch in branches]
            yes, no = found[0], found[1] if len(found) > 1 else ""
            if known is not None or yes == no:
                return yes if known or yes == no else no
            code = f"if {c.boolean(condition, Scope())}:\n{indent(yes)}"
            return lines(code, f"else:\n{indent(no)}" if no else "")
        case Ludeme(name="do"):
            condition_after = node.named("ifAfterwards")
            match arguments_of(node, "ifAfterwards"):
                case [prior] if condition_after is not None and judge(condition_after):
                    return _goes_there(c, prior)
        case Ludeme(name="forEach", keyword="Piece") if not arguments_of(node):
            return _by_pieces(c)
        case Ludeme(name="move", keyword="Pass"):
            return ""
        case Ludeme(name="move", keyword="Slide"):
            parts = Parts(c, node)
            if parts.to is None and parts.between is not None and judge_of(parts.between, True) is False:
                return ""
        case Ludeme(name="move", keyword=None | "Add"):
            to = next(
                (part for part in node.positional if isinstance(part, Ludeme) and part.name == "to"), None
            )
            if to is not None and any(_only_empty(part) for part in to.positional):
                return ""
    return _listed(c, node, Scope())


def _only_empty(node: Node) -> bool:
    """Whether a region holds empty sites only."""
    if not isinstance(node, Ludeme):
        return False
    if node.name == "difference":
        return _only_empty(node.positional[0])
    return node.name == "sites" and node.keyword == "Empty"


def _listed(c: Compiler, node: Node, scope: Scope) -> str:
    """The same by listing the moves."""
    outside = c.kinds.count_filtered
    listed = c.moves(node, INSIDE)
    if c.kinds.count_filtered > outside:
        refuse(node, "within what (is Threatened ...) asks for")
    body = lines(
        c.question(listed),
        "for i in range(n):\n    if moves[i] >= 0 and moves[i] & 0xFFFF == target:\n        return True",
        "return False",
    )
    name = c.function("leads_to", f"{CONTEXT}, target", body, "Whether one of the moves goes to a site.")
    return f"if {name}({scope.arguments}, to):\n    return True"


def _by_pieces(c: Compiler) -> str:
    """Statements for ``(forEach Piece)``: look at every enemy piece that could perhaps come to the site."""
    model = c.model
    sites = model.board.n_sites
    tables = [np.zeros((sites, sites), np.int64)]
    for part in model.components:
        reach = Reach(sites)
        if part.ludeme is not None and part.owner in (1, 2):
            explore(c, part.ludeme, part.owner, reach)
        tables.append(reach.table())
    how = np.stack(tables, axis=-1)  # from, to, component
    sorts, which = np.unique(how.reshape(sites * sites, -1), axis=0, return_inverse=True)
    relation = c.table("RELATION", which.reshape(sites, sites).T)
    reaches = c.table("REACHES", sorts)
    answers = ["if how == 1:\n    return True"] if SURELY in how else []
    if CLEARLY in how:
        answers.append(f"if how == 2 and {_clear(c)}(state, s, to):\n    return True")
    if PERHAPS in how:
        listed = [
            f"if component == {part.index}:\n" + indent(_listed(c, part.ludeme, Scope(origin="s", site="s")))
            for part in model.components
            if part.ludeme is not None and (how[..., part.index] == PERHAPS).any()
        ]
        answers.append(f"if how == 3:\n{indent(lines(*listed))}")
    if not answers:
        return ""
    look = lines(
        f"component = {c.what('s')}",
        f"how = {reaches}[{relation}[to, s], component]",
        f"if how != 0 and {c.owner_of('component')} == state[MOVER]:\n{indent(lines(*answers))}",
    )
    return f"for s in range(BOARD_SITES):\n{indent(look)}"


def _clear(c: Compiler) -> str:
    """The function ``f(state, start, end)``: whether the line between two sites is empty."""
    board = c.model.board
    names = list(board.steps)
    ways = np.zeros((board.n_sites, board.n_sites), np.int64)
    for k, name in enumerate(names):
        for site in range(board.n_sites):
            ways[site, list(board.radial(site, name))] = k
    body = f"""
    way = {c.table("WAY", ways)}[start, end]
    site = {c.table("STEPS", np.array([board.steps[name] for name in names]))}[way, start]
    while site != end:
        if not ({c.empty("site")}):
            return False
        site = {c.table("STEPS", np.array([board.steps[name] for name in names]))}[way, site]
    return True
    """
    return c.function(
        "clear", "state, start, end", body, "Whether all sites between two on a line are empty."
    )
