"""Directions of moves and lines, absolute or relative to a player's facing, as step tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from crossplay.games.board.board import Board
from crossplay.games.board.compass import NAMES
from crossplay.games.board.relations import RELATIONS
from crossplay.games.compiler.model import ROLES, items, only_labels, refuse
from crossplay.games.language import Array, Ludeme, Node, Symbol

if TYPE_CHECKING:
    from crossplay.games.compiler.registry import Compiler

RELATIVE = (
    "Forward", "Backward", "Leftward", "Rightward", "Forwards", "Backwards", "Leftwards", "Rightwards",
    "FL", "FLL", "FLLL", "BL", "BLL", "BLLL", "FR", "FRR", "FRRR", "BR", "BRR", "BRRR",
)  # fmt: skip
OF_LAST_MOVE = ("SameDirection", "OppositeDirection")


@dataclass(frozen=True)
class Directions:
    """Directions as a table ``int16[players, count, sites]``: the next site that way, or -1.

    Attributes:
        table: the table's name.
        near: name of the same steps as ``int16[players, sites, count]``, packed to the front, -1 after.
        player: expression for the first index; ``"0"`` when the directions are always the same.
        count: how many directions there are.
        compass: the directions' names, per first index.
        steps: the numbers in the table.
    """

    table: str
    near: str
    player: str
    count: int
    compass: tuple[tuple[str, ...], ...]
    steps: np.ndarray

    def in_sight(self, first: int, site: int) -> list[tuple[int, int]]:
        """The sites that lie along the directions from one: which direction and how many steps on."""
        found = []
        for way in range(self.count):
            there, distance = int(self.steps[first, way, site]), 0
            while there >= 0 and there != site and distance < self.steps.shape[2]:
                found.append((way, distance))
                there, distance = int(self.steps[first, way, there]), distance + 1
        return found


def read_directions(c: Compiler, node: Node | None, default: str, site: str | None = None) -> Directions:
    """Directions of a symbol, a list of symbols or a ``(directions ...)`` ludeme; ``default`` if None.

    Relative ones are the mover's, or those of the piece on ``site`` where pieces face ways of their own.
    """
    names = direction_words(node, default)
    board = c.model.board
    if any(name in OF_LAST_MOVE for name, _ in names):
        if len(names) != 1 and node is not None:
            refuse(node)
        return _direction_of_last_move(c, back=names[0][0] == "OppositeDirection")
    relative = any(name in RELATIVE for name, _ in names)
    compass = []
    steps = dict(board.steps)
    if names and all(name in RELATIONS for name, _ in names):
        # On triangles a compass direction is orthogonal from one site and diagonal from the next.
        near = [board.ways(name) for name, _ in names]
        for way in {way for tables in near for way in tables}:
            steps[way] = np.max([tables[way] for tables in near if way in tables], axis=0)
    for player in (0, 1, 2) if relative else (0,):
        compass.append(compass_of(board, names, c.model.facings.get(player, "N")))
    found_ways = directions_from_compass(c, tuple(compass), steps)
    facings = {0: "N", **c.model.facings}
    alike = all(part.facing == facings.get(part.owner, "N") for part in c.model.components)
    if len(compass) == 1 or site is None or alike:
        return found_ways
    rows = {facing: player for player, facing in reversed(facings.items())}
    row_of = [0, *(rows[part.facing or "N"] for part in c.model.components)]
    return replace(found_ways, player=f"{c.table('FACING', np.array(row_of))}[{c.what(site)}]")


def directions_from_compass(
    c: Compiler, compass: tuple[tuple[str, ...], ...], steps: Mapping[str, np.ndarray] | None = None
) -> Directions:
    """The tables of directions given by name, one list per player number or one for all.

    ``steps`` are other tables than the board's to take the directions from.
    """
    board = c.model.board
    steps = board.steps if steps is None else steps
    count = max(1, *map(len, compass))
    rays = np.full((len(compass), count, board.n_sites), -1)
    near = np.full((len(compass), board.n_sites, count), -1)
    for player, names in enumerate(compass):
        for k, name in enumerate(names):
            rays[player, k] = steps[name]
        for site, ways in enumerate(rays[player].T.tolist()):
            there = [to for to in ways if to >= 0]
            near[player, site, : len(there)] = there
    return Directions(
        c.table("RAYS", rays),
        c.table("NEAR", near),
        "state[MOVER]" if len(compass) > 1 else "0",
        count,
        compass,
        rays,
    )


def _direction_of_last_move(c: Compiler, back: bool) -> Directions:
    """The one direction in which the last move went, or the way back; none if it was not along a line."""
    names = c.model.board.directions["Adjacent"]
    every = directions_from_compass(c, (names,))
    start, end = ("LAST_TO", "LAST_FROM") if back else ("LAST_FROM", "LAST_TO")
    way = c.function(
        "last_way",
        "state",
        f"""
        start, end = state[{start}], state[{end}]
        if 0 <= start < BOARD_SITES and 0 <= end < BOARD_SITES:
            for k in range({every.count}):
                site = {every.table}[0, k, start]
                while site >= 0:
                    if site == end:
                        return k
                    site = {every.table}[0, k, site]
        return {every.count}
        """,
        "Which of the directions leads from one end of the last move to the other.",
    )
    single = directions_from_compass(c, (*((name,) for name in names), ()))
    return replace(single, player=f"{way}(state)")


def compass_of(board: Board, words: list[tuple[str, Node | None]], facing: str) -> tuple[str, ...]:
    """The board's directions meant by words, each with where it stands, of one who faces that way."""
    found: list[str] = []
    for name, node in words:
        if name in RELATIONS:
            found += board.directions[name]
        elif name in RELATIVE:
            found += board.relative(facing, name)
        elif name in NAMES:
            found.append(name)
        else:
            assert node is not None
            refuse(node)
    return tuple(way for way in dict.fromkeys(found) if way in board.steps)


def direction_words(node: Node | None, default: str) -> list[tuple[str, Node | None]]:
    """The direction words of an argument, each with where it stands; ``default`` if there is none."""
    if node is None:
        return [(default, None)]
    if isinstance(node, Symbol):
        return [(node.name, node)]
    if isinstance(node, Ludeme):
        if node.name != "directions":
            refuse(node)
        only_labels(node)
        return [word for argument in node.positional for word in direction_words(argument, default)]
    if not isinstance(node, Array) or not node.items:
        refuse(node)
    return [word for item in node for word in direction_words(item, default)]


def is_direction(node: Node) -> bool:
    """Whether an argument names directions rather than anything else."""
    words = (*RELATIONS, *RELATIVE, *OF_LAST_MOVE, *NAMES)
    match node:
        case Symbol(name=name):
            return name in words and name not in ROLES
        case Ludeme(name=name):
            return name == "directions"
        case _:
            return bool(items(node)) and items(node) != (node,) and all(map(is_direction, items(node)))
