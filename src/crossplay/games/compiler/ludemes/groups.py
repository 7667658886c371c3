"""Groups of connected pieces: their number, size, liberties and territory, and capture by enclosing."""

from __future__ import annotations

from crossplay.games.compiler.directions import Directions, is_direction
from crossplay.games.compiler.ludemes.effects import attached_effect
from crossplay.games.compiler.model import only_labels, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, capped, effect, integer
from crossplay.games.compiler.scope import CONTEXT, INSIDE, Scope, indent, lines
from crossplay.games.language import Ludeme, Node, Symbol

# Every site is looked at once: ``seen`` marks it, ``members`` lists the group found so far.
EXPLORATION = """\
seen = stack_int16(BOARD_SITES)
members = stack_int16(BOARD_SITES)
for s in range(BOARD_SITES):
    seen[s] = 0"""


def _split(node: Ludeme, *labels: str) -> tuple[Node | None, list[Node]]:
    """A ludeme's directions, if it names any, and its other positional arguments."""
    ways: Node | None = None
    others: list[Node] = []
    for part in arguments_of(node, *labels):
        if ways is None and is_direction(part):
            ways = part
        else:
            others.append(part)
    return ways, others


def explore(ways: Directions, joins: str, beside: str = "") -> str:
    """Statements that grow the group in ``members`` to its full ``size``: a next site ``t`` joins or not.

    ``beside``, ``condition: statements``, is carried out once for sites that do not join; without it those
    stay unmarked.
    """
    grow = lines(
        f"t = {ways.near}[{ways.player}, here, k]",
        "if t < 0:\n    break",
        "if seen[t] != 0:\n    continue",
        "seen[t] = 1" if beside else "",
        f"if {joins}:",
        "" if beside else "    seen[t] = 1",
        "    members[size] = t\n    size += 1",
        f"elif {beside}" if beside else "",
    )
    step = lines("here = members[i]", "i += 1", f"for k in range({ways.count}):\n{indent(grow)}")
    return lines("i = 0", f"while i < size:\n{indent(step)}")


def _group_at(c: Compiler, node: Ludeme, default: str) -> tuple[Directions, str, str, str]:
    """What ``at:``, directions and ``if:`` say: ways, first site, whether it counts, which sites join it."""
    ways, others = _split(node, "at", "if")
    if others:
        refuse(others[0])
    at, condition = node.named("at"), node.named("if")
    start = default if at is None else c.integer(at, INSIDE)
    if condition is None:
        return c.directions(ways, INSIDE), start, "True", "state[HEADER + t] == piece"
    first = c.boolean(condition, INSIDE.with_(to="start"))
    joins = c.boolean(condition, INSIDE.with_(origin="start", to="t"))
    return c.directions(ways, INSIDE), start, first, joins


@capped("count", "Liberties")
@integer("count", "Liberties")
def _count_liberties(c: Compiler, node: Ludeme, scope: Scope, limit: int | None = None) -> str:
    """``(count Liberties [at:] [directions] [if:])``: empty sites beside a group, by default the last move's.

    A group is made of like pieces, or of the sites ``(to)`` that meet the condition.
    """
    ways, start, first, joins = _group_at(c, node, "state[LAST_TO]")
    stop = f"if liberties >= {limit}:\n    return liberties" if limit is not None else ""
    found = f"state[HEADER + t] == 0:\n{indent(lines('liberties += 1', stop))}"
    glance = ""
    if limit == 1 and first == "True":
        # Most groups have a liberty right beside the piece one looks at.
        glance = f"""
if piece != 0:
    for k in range({ways.count}):
        t = {ways.near}[{ways.player}, start, k]
        if t < 0:
            break
        if state[HEADER + t] == 0:
            return 1
"""
    body = lines(
        f"start = {start}",
        f"if start < 0 or start >= BOARD_SITES{_unless(first)}:\n    return 0",
        "piece = state[HEADER + start]",
        glance,
        EXPLORATION,
        "seen[start] = 1\nmembers[0] = start\nsize = 1\nliberties = 0",
        explore(ways, joins, found),
        "return liberties",
    )
    return f"{c.function('count_liberties', CONTEXT, body)}({scope.arguments})"


def _unless(first: str) -> str:
    return "" if first == "True" else f" or not ({first})"


@integer("size", "Group")
def _size_group(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(size Group at:site [directions] [if:])``: sites of the group, as for ``count Liberties``."""
    if node.named("at") is None:
        refuse(node)
    ways, start, first, joins = _group_at(c, node, "")
    body = lines(
        f"start = {start}",
        f"if start < 0 or start >= BOARD_SITES{_unless(first)}:\n    return 0",
        "piece = state[HEADER + start]",
        EXPLORATION,
        "seen[start] = 1\nmembers[0] = start\nsize = 1",
        explore(ways, joins),
        "return size",
    )
    return f"{c.function('size_group', CONTEXT, body)}({scope.arguments})"


@capped("count", "Groups")
@integer("count", "Groups")
def _count_groups(c: Compiler, node: Ludeme, scope: Scope, limit: int | None = None) -> str:
    """``(count Groups [directions] [role | of:player] [min:])``: groups of a player's pieces.

    Without a player those of all pieces, which hold together whoever owns them.
    """
    ways_node, others = _split(node, "of", "min")
    of, least = node.named("of"), node.named("min")
    match others, of:
        case ([], None) | ([Symbol(name="All" | "Shared")], None):
            player = None
        case [role], None:
            player = c.player(role, INSIDE)
        case [], Ludeme() | Symbol() if of is not None:
            player = c.player(of, INSIDE)
        case _:
            refuse(node)
    ways = c.directions(ways_node, INSIDE)
    if player is None:
        starts, joins = f"0 < {c.owner('s')} < 3", "state[HEADER + t] != 0"
    else:
        starts, joins = f"{c.owner('s')} == player", f"{c.owner('t')} == player"
    counted = "groups += 1" if least is None else f"if size >= {c.integer(least, INSIDE)}:\n    groups += 1"
    stop = f"if groups >= {limit}:\n    return groups" if limit is not None else ""
    group = lines("seen[s] = 1\nmembers[0] = s\nsize = 1", explore(ways, joins), counted, stop)
    body = lines(
        f"player = {player}" if player is not None else "",
        EXPLORATION,
        "groups = 0",
        f"for s in range(BOARD_SITES):\n    if seen[s] == 0 and {starts}:\n{indent(group, 2)}",
        "return groups",
    )
    return f"{c.function('count_groups', CONTEXT, body)}({scope.arguments})"


@integer("size", "Territory")
def _size_territory(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(size Territory role [direction])``: empty sites that only the player's pieces enclose.

    As Ludii computes it: its list of neighbours is never cleared between sites, so that in effect all empty
    sites form one area, except for lone ones before the first two that touch; and each of those lone ones
    counts as touching all that touched any empty site before it. Areas that touch nobody's pieces but the
    player's are added up.
    """
    ways_node, others = _split(node)
    match others:
        case [role]:
            player = c.player(role, INSIDE)
        case _:
            refuse(node)
    ways = c.directions(ways_node, INSIDE, "Orthogonal")
    body = f"""
player = {player}
seen = stack_int16(BOARD_SITES)
for s in range(BOARD_SITES):
    seen[s] = 0
foreign = joined = False
first = BOARD_SITES
met = area = total = 0
for s in range(BOARD_SITES):
    if {c.owner("s")} != 0:
        continue
    lone = True
    for k in range({ways.count}):
        t = {ways.near}[{ways.player}, s, k]
        if t < 0:
            break
        owner = {c.owner("t")}
        if owner != 0:
            foreign |= owner != player
            continue
        lone = False
        if seen[t] == 0:
            seen[t] = 1
            met += 1
            first = min(first, t)
    joined |= first < s
    if joined or not lone:
        area += 1
    elif not foreign:
        total += 1 + met
return total if foreign else total + area
"""
    return f"{c.function('size_territory', CONTEXT, body)}({scope.arguments})"


@effect("enclose")
def _enclose(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(enclose [(from site)] [directions] [(between if: (apply ...))])``: remove enclosed enemies.

    Of the sites beside the one started from, those that meet the condition (by default enemies) belong to
    groups of such sites; the effect (by default removal) happens to all of a group that has no empty site
    beside it.
    """
    ways_node, others = _split(node)
    origin: Ludeme | None = None
    between: Ludeme | None = None
    for part in others:
        match part:
            case Ludeme(name="from", positional=(_,)) if origin is None:
                origin = part
            case Ludeme(name="between") if between is None:
                between = part
            case _:
                refuse(part)
    if origin is not None:
        only_labels(origin)
    condition = None
    if between is not None:
        only_labels(between, "if")
        condition = between.named("if")
    ways = c.directions(ways_node, INSIDE)
    start = INSIDE.origin if origin is None else c.integer(origin.positional[0], INSIDE)
    captured = attached_effect(c, between, INSIDE.with_(between="here")) or c.push("remove", "here")

    def target(site: str) -> str:
        if condition is None:
            return f"{c.owner(site)} == 3 - state[MOVER]"
        return c.boolean(condition, INSIDE.with_(between=site))

    step = f"{ways.near}[{ways.player}"
    # A group with a liberty is left at once. Whoever meets its marks later belongs to it and is free, too.
    body = f"""
start = {start}
if start < 0 or start >= BOARD_SITES or state[HEADER + start] == 0:
    return n
group = 0
seen = stack_int16(BOARD_SITES)
members = stack_int16(BOARD_SITES)
for k in range({ways.count}):
    first = {step}, start, k]
    if first < 0:
        break
    if not ({target("first")}):
        continue
    if group == 0:
        for s in range(BOARD_SITES):
            seen[s] = 0
    elif seen[first] != 0:
        continue
    group += 1
    seen[first] = group
    members[0] = first
    size = 1
    i = 0
    free = False
    while i < size and not free:
        here = members[i]
        i += 1
        for j in range({ways.count}):
            t = {step}, here, j]
            if t < 0:
                break
            if state[HEADER + t] == 0 or 0 < seen[t] < group:
                free = True
                break
            if seen[t] == 0 and ({target("t")}):
                seen[t] = group
                members[size] = t
                size += 1
    if not free:
        for i in range(size):
            here = members[i]
{indent(captured, 3)}
"""
    return c.collector("enclose", scope, body)
