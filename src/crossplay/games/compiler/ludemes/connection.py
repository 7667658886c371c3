"""Connection: chains of stones that join regions of the board, and rings."""

from __future__ import annotations

import numpy as np

from crossplay.games.board import Board
from crossplay.games.board.relations import RELATIONS
from crossplay.games.compiler.directions import is_direction
from crossplay.games.compiler.ludemes.chains import chains_of, has_chains, is_hexagonal_disc, only_adds
from crossplay.games.compiler.ludemes.groups import EXPLORATION, explore
from crossplay.games.compiler.ludemes.links import linked
from crossplay.games.compiler.ludemes.sites import static_sites
from crossplay.games.compiler.model import items, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, boolean
from crossplay.games.compiler.scope import CONTEXT, INSIDE, Scope, indent, lines
from crossplay.games.language import Array, Ludeme, Node, Number, Symbol

Sets = list[frozenset[int]]

_MOST_REGIONS = 15


@boolean("is", "Connected")
def _is_connected(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(is Connected [n] [type] [at:] [directions] {regions})``, or with a role, ``Sides``, ``Corners`` ...

    The stones of one component joined to the last move's site touch all the regions, or ``n`` of them.
    A role stands for that player's regions, and other players' stones join nothing for them.
    """
    ways, number, target = _arguments(c, node)
    role, per_player = _regions(c, target)
    at = node.named("at")
    relation = "Adjacent" if ways is None else ways.name if isinstance(ways, Symbol) else ""
    if at is None and relation in RELATIONS and only_adds(c):
        incremental = _by_chains(c, relation, number, role, per_player)
        if incremental is not None:
            return incremental
    needed = [number or len(regions) for regions in per_player]
    which = "0" if role is None else "player"
    sides = _sides(c, node, per_player)
    directions = c.directions(ways, INSIDE)
    enough = _enough(c, needed, which)
    body = lines(
        f"start = {'state[LAST_TO]' if at is None else c.integer(at, INSIDE)}",
        "if start < 0 or start >= BOARD_SITES or state[HEADER + start] == 0:\n    return False",
        "" if role is None else f"player = {role}",
        f"touched = {sides}[{which}, start]",
        "piece = state[HEADER + start]",
        "" if role is None else f"if {c.owner('start')} != player:\n    return {enough}",
        EXPLORATION,
        "seen[start] = 1\nmembers[0] = start\nsize = 1",
        explore(directions, "state[HEADER + t] == piece"),
        f"for i in range(size):\n    touched |= {sides}[{which}, members[i]]",
        f"return {enough}",
    )
    name = c.function("connected", CONTEXT, body, "Whether a stone's chain touches enough regions.")
    return f"{name}({scope.arguments})"


def _by_chains(
    c: Compiler, relation: str, number: int | None, role: str | None, per_player: list[Sets]
) -> str | None:
    """The same by chains that are kept from move to move; None if they cannot tell so many regions apart."""
    everywhere = all(number in (None, len(regions)) for regions in per_player[1:] or per_player)
    if everywhere and role in (None, "state[MOVER]") and not has_chains(c, relation):
        both = dict(enumerate(per_player[1:] if role else per_player * 2, 1))
        found = linked(c, relation, both, role or c.owner("site"))
        if found is not None:
            return found
    chains = chains_of(c, relation)
    masks = [chains.bits(regions) for regions in per_player]
    known = [mask for mask in masks if mask is not None]
    if len(known) < len(masks):
        return None
    needed = [number or len(regions) for regions in per_player]
    if role is None:
        mask, touched = str(known[0]), chains.sides("site")
    else:
        mask = f"{c.table('SIDES_OF_PLAYER', np.array(known))}[player]"
        touched = f"{chains.sides('site')} if {c.owner('site')} == player else {chains.own_sides('site')}"
    body = lines(
        "site = state[LAST_TO]",
        "if site < 0:\n    return False",
        "" if role is None else f"player = {role}",
        f"touched = ({touched}) & {mask}",
        f"return {_enough(c, needed, '0' if role is None else 'player')}",
    )
    name = c.function("connected", "state", body, "Whether the last stone's chain touches enough regions.")
    return f"{name}(state)"


def _enough(c: Compiler, needed: list[int], which: str) -> str:
    """Whether the mask ``touched`` has as many regions as are needed."""
    counts = set(needed[1:] if len(needed) > 1 else needed)
    if len(counts) != 1:
        bits = c.function(
            "count_bits",
            "mask",
            "count = 0\nwhile mask != 0:\n    mask &= mask - 1\n    count += 1\nreturn count",
        )
        return f"{bits}(touched) >= {c.table('NEEDED', np.array(needed))}[{which}]"
    fewer = counts.pop() - 1
    name = c.function(
        f"over_{fewer}_bits",
        "mask",
        lines(*(["mask &= mask - 1"] * fewer), "return mask != 0"),
        f"Whether more than {fewer} bits are set.",
    )
    return f"{name}(touched)"


@boolean("is", "Blocked")
def _is_blocked(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(is Blocked [type] [directions] role)``: that player's regions cannot be joined any more.

    They could be joined over empty sites and the player's own stones.
    """
    ways, number, target = _arguments(c, node)
    role, per_player = _regions(c, target)
    if role is None or number is not None:
        refuse(node)
    sides = f"{_sides(c, node, per_player)}[player, "
    joined = c.table("JOINED", np.array([(1 << len(regions)) - 1 for regions in per_player]))
    free = f"{c.what('{0}')} == 0 or {c.owner('{0}')} == player"
    search = lines(
        "seen[first] = 1\nmembers[0] = first\nsize = 1\ntouched = 0",
        explore(c.directions(ways, INSIDE), free.format("t")),
        f"for i in range(size):\n    touched |= {sides}members[i]]",
        f"if touched == {joined}[player]:\n    return False",
    )
    begins = f"{sides}first] & 1 != 0 and seen[first] == 0 and ({free.format('first')})"
    body = lines(
        f"player = {role}",
        EXPLORATION,
        f"for first in range(BOARD_SITES):\n    if {begins}:\n{indent(search, 2)}",
        "return True",
    )
    name = c.function("blocked", CONTEXT, body, "Whether a player's regions are cut off from each other.")
    return f"{name}({scope.arguments})"


def _sides(c: Compiler, node: Ludeme, per_player: list[Sets]) -> str:
    """A table of the regions, as bits, that every site is in."""
    if max(map(len, per_player)) > _MOST_REGIONS:
        refuse(node, f"with more than {_MOST_REGIONS} regions")
    masks = np.zeros((len(per_player), c.model.n_sites), np.int64)
    for player, regions in enumerate(per_player):
        for bit, region in enumerate(regions):
            masks[player, sorted(region)] |= 1 << bit
    return c.table("SIDES", masks)


def _arguments(c: Compiler, node: Ludeme) -> tuple[Node | None, int | None, Node]:
    """Directions, number and what is to be joined."""
    rest = arguments_of(node, "at")
    number: int | None = None
    ways: Node | None = None
    if rest and isinstance(rest[0], Number) and isinstance(rest[0].value, int) and rest[0].value > 0:
        number = rest[0].value
        rest.pop(0)
    if rest and isinstance(rest[0], Symbol) and rest[0].name == c.model.board.site_type:
        rest.pop(0)
    if len(rest) == 2 and is_direction(rest[0]):
        ways = rest.pop(0)
    if len(rest) != 1:
        refuse(node)
    return ways, number, rest[0]


def _regions(c: Compiler, target: Node) -> tuple[str | None, list[Sets]]:
    """A role's player, if one is named, and the regions: one list, or one per player number."""
    if isinstance(target, Array):
        return None, [[static_sites(c, member) for member in target]]
    if not isinstance(target, Symbol):
        refuse(target)
    if target.name in BOARD_REGIONS:
        return None, [[frozenset(sites) for sites in board_regions(c.model.board, target.name) if sites]]
    player = c.player(target, Scope())
    owned: list[Sets] = [[], [], []]
    for regions in c.model.regions:
        if regions.owner is not None:
            members = [part for member in regions.members for part in items(member)]
            owned[regions.owner] += [static_sites(c, member) for member in members]
    if not all(owned[1:]):
        refuse(target, "without regions of both players")
    return player, owned


BOARD_REGIONS = ("Corners", "Sides", "SidesNoCorners", "AllSites", "Columns", "Rows")


def board_regions(board: Board, name: str) -> list[tuple[int, ...]]:
    """Parts of a board that every board has, some of which may be empty."""
    corners = set(board.sets["corners"])
    sides = list(board.sides.values())
    parts: dict[str, list[tuple[int, ...]]] = {
        "Corners": [(site,) for site in board.sets["corners"]],
        "Sides": sides,
        "SidesNoCorners": [tuple(site for site in side if site not in corners) for side in sides],
        "AllSites": [tuple(range(board.n_sites))],
        "Columns": list(board.columns),
        "Rows": list(board.rows),
    }
    return parts[name]


@boolean("is", "Loop")
def _is_loop(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(is Loop)``: like stones, the last one among them, shut sites off from the edge of the board.

    As in Ludii a ring needs at least one site inside that is not of its own stones.
    """
    board = c.model.board
    if arguments_of(node):
        refuse(node)
    if board.site_type == "Vertex" and board.axial is None:
        refuse(node, "on vertices whose rings may have corners")
    if only_adds(c) and is_hexagonal_disc(board):
        return chains_of(c, "Orthogonal").closes_rings()
    edge = np.zeros(c.model.n_sites, np.int64)
    edge[list(board.sets["outer"])] = 1
    outer = c.table("OUTER", edge)
    around, ways = c.directions(None, INSIDE), c.directions(None, INSIDE, "Orthogonal")
    # Whoever meets the marks of an earlier search is as free as that one was.
    search = f"""
seen[first] = k + 1
members[0] = first
size = 1
i = 0
free = {outer}[first] != 0
while i < size and not free:
    here = members[i]
    i += 1
    for j in range({ways.count}):
        t = {ways.near}[0, here, j]
        if t < 0:
            break
        if state[HEADER + t] == piece or seen[t] == k + 1:
            continue
        if {outer}[t] != 0 or seen[t] != 0:
            free = True
            break
        seen[t] = k + 1
        members[size] = t
        size += 1
if not free:
    return True
"""
    each = f"first = {around.near}[0, start, k]\nif first < 0:\n    break"
    barred = f"if state[HEADER + first] == piece or {outer}[first] != 0 or seen[first] != 0:\n    continue"
    body = lines(
        "start = state[LAST_TO]",
        "if start < 0 or start >= BOARD_SITES or state[HEADER + start] == 0:\n    return False",
        "piece = state[HEADER + start]",
        EXPLORATION,
        f"for k in range({around.count}):\n{indent(lines(each, barred, search))}",
        "return False",
    )
    return f"{c.function('loop', CONTEXT, body)}({scope.arguments})"
