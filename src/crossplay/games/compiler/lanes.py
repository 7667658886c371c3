"""Which sites of each straight line of the board are occupied, as the bits of one word per line.

A piece's free run along a line is then a matter of two instructions, whatever its length.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from crossplay.games.compiler.scope import indent, lines

if TYPE_CHECKING:
    from crossplay.games.compiler.directions import Directions
    from crossplay.games.compiler.registry import Compiler

# A word is an int16 of the state: a line's sites from bit 1 on, between two bits that are always set.
_LONGEST = 13


@dataclass(frozen=True)
class Axis:
    """The lines along a direction and its opposite; all but ``section`` are names of tables.

    Attributes:
        section: where the words stand in the state.
        lane: the line of each site.
        position: the site's bit in the line's word.
        sites: ``[line, bit]``: the site there.
    """

    section: str
    lane: str
    position: str
    sites: str


def keep_lanes(c: Compiler, ways: Directions) -> list[Axis] | None:
    """Have the words kept for the lines along the directions.

    None where that cannot be: several pieces on a site, directions that depend on a facing or lack their
    opposites, lines that are too long or turn back into themselves.
    """
    if c.model.flags.stacking or c.model.flags.counts or ways.steps.shape[0] != 1:
        return None
    axes: list[list[list[int]]] = []
    left = list(range(ways.count))
    while left:
        forth = ways.steps[0, left.pop(0)]
        back = next((way for way in left if _opposite(forth, ways.steps[0, way])), None)
        if back is None:
            return None
        left.remove(back)
        lanes = _lanes(forth, ways.steps[0, back])
        if sum(map(len, lanes)) != len(forth) or max(map(len, lanes)) > _LONGEST:
            return None
        axes.append(lanes)
    return [_keep(c, lanes) for lanes in axes]


def _opposite(forth: np.ndarray, back: np.ndarray) -> bool:
    """Whether every step one way is taken back by a step the other way."""
    sites = np.arange(len(forth))
    return bool(
        (back[forth[forth >= 0]] == sites[forth >= 0]).all()
        and (forth[back[back >= 0]] == sites[back >= 0]).all()
    )


def _lanes(forth: np.ndarray, back: np.ndarray) -> list[list[int]]:
    lanes: list[list[int]] = []
    for first in np.flatnonzero(back < 0):
        lane = [int(first)]
        while forth[lane[-1]] >= 0:
            lane.append(int(forth[lane[-1]]))
        lanes.append(lane)
    return lanes


def _keep(c: Compiler, lanes: list[list[int]]) -> Axis:
    key = ("lanes", tuple(map(tuple, lanes)))
    if key not in c.memo:
        count = sum(isinstance(known, tuple) and known[0] == "lanes" for known in c.memo)
        section = c.memo[key] = f"LANES_{count + 1}"
        c.source.section(section, len(lanes))
        guards = c.table("LANE_ENDS", np.array([1 | 2 << len(lane) for lane in lanes]))
        c.at_start.append(f"for i in range({len(lanes)}):\n    state[{section} + i] ^= {guards}[i]")
        lane_of = _table(c, lanes, lambda lane, bit: lane)
        bits = _table(c, lanes, lambda lane, bit: 1 << bit)
        flip = f"state[{section} + {lane_of}[{{0}}]] ^= {bits}[{{0}}]"
        c.actions.placed.append(flip.format)
        c.actions.removed.append(flip.format)
    sites = np.full((len(lanes), max(map(len, lanes)) + 2), -1)
    for number, lane in enumerate(lanes):
        sites[number, 1 : len(lane) + 1] = lane
    return Axis(
        c.memo[key],
        _table(c, lanes, lambda lane, bit: lane),
        _table(c, lanes, lambda lane, bit: bit),
        c.table("LANE_SITES", sites),
    )


def _table(c: Compiler, lanes: list[list[int]], value: Callable[[int, int], int]) -> str:
    values = np.zeros(c.model.n_sites, np.int64)
    for number, lane in enumerate(lanes):
        for bit, site in enumerate(lane, 1):
            values[site] = value(number, bit)
    return c.table("LANE", values)


def count_runs(c: Compiler, axes: list[Axis]) -> str:
    """The name of a function: to how many sites empty sites lead from one, 0 if it is not on the board."""
    body = lines(
        "if site < 0 or site >= BOARD_SITES:\n    return 0",
        "total = 0",
        *(lines(_look(axis, "site"), f"total += {_AHEAD} + {_BEHIND}") for axis in axes),
        "return total",
    )
    return c.function("count_runs", "state, site", body, "To how many sites empty sites lead from one.")


def pick_along(axes: list[Axis], chosen: str) -> str:
    """Statements that do ``chosen`` with ``t`` the site number ``place`` among those that are free to go to.

    They start from ``start``, a site of the board.
    """
    found = []
    for axis in axes:
        for run, site in ((_AHEAD, "position + 1 + place"), (_BEHIND, "position - 1 - place")):
            take = lines(f"t = {axis.sites}[lane, {site}]", chosen, "return guessed")
            found.append(
                lines(
                    _look(axis, "start") if run == _AHEAD else "",
                    f"run = {run}",
                    f"if place < run:\n{indent(take)}",
                    "place -= run",
                )
            )
    return lines(*found)


_AHEAD = "trailing_zeros(word >> (position + 1))"
_BEHIND = "position - 1 - highest_bit(word & ((1 << position) - 1))"


def _look(axis: Axis, site: str) -> str:
    return lines(
        f"lane = {axis.lane}[{site}]",
        f"position = {axis.position}[{site}]",
        f"word = state[{axis.section} + lane]",
    )
