"""Moves along lines: all the sites in sight of one, as tables."""

from __future__ import annotations

import numpy as np

from crossplay.games.compiler.directions import Directions
from crossplay.games.compiler.registry import Compiler
from crossplay.games.compiler.scope import indent, lines

_DISTANCE = 8  # bits of a distance where it is packed with a direction
_FIRST = 14  # the bit that marks the first site of a line where it is packed with the site


def reach(c: Compiler, ways: Directions) -> int:
    """How many sites at most can be seen from one along the directions."""
    return max(1, *(len(seen) for sites in _sight(ways) for seen in sites))


def _sight(ways: Directions) -> list[list[list[tuple[int, int]]]]:
    """For each first index and site what is in sight: direction and how many sites lie between."""
    players, _, sites = ways.steps.shape
    return [[ways.in_sight(first, site) for site in range(sites)] for first in range(players)]


def over_empty(c: Compiler, ways: Directions, move: str, allowed: str | None = None) -> str:
    """Statements that list a move from ``start`` to every ``t`` that empty sites lead to and is ``allowed``.

    Whether a site is empty cannot be foreseen, so that a branch on it would cost more than looking at
    all the sites in sight: each is written down, and counts if the line is open up to it.
    """
    sight = _sight(ways)
    seen = np.zeros((len(sight), len(sight[0]), reach(c, ways)))
    for first, sites in enumerate(sight):
        for site, found in enumerate(sites):
            at = site
            for place, (way, distance) in enumerate(found):
                at = int(ways.steps[first, way, site if distance == 0 else at])
                seen[first, site, place] = at | (distance == 0) << _FIRST
    counts = c.table("IN_SIGHT", np.array([[len(found) for found in sites] for sites in sight]))
    table = c.table("SITES_IN_SIGHT", seen)
    each = f"""
seen = {table}[{ways.player}, start, place]
t = seen & {(1 << _FIRST) - 1}
open_line = (open_line | seen >> {_FIRST}) & ({c.empty("t")})
moves[n] = {move}
n += {"open_line" if allowed is None else f"open_line & ({allowed})"}
"""
    return lines("open_line = 0", f"for place in range({counts}[{ways.player}, start]):", indent(each))


def along(c: Compiler, ways: Directions, go: str, stop: str | None, chosen: str) -> tuple[str, str]:
    """How many places there are along the directions from ``start``, and statements that try one.

    ``go`` is the condition for passing ``t``, ``stop`` for ending there; ``chosen`` takes the move to ``t``.
    """
    sight = _sight(ways)
    most = reach(c, ways)
    packed = np.full((len(sight), len(sight[0]), most), -1)
    for first, sites in enumerate(sight):
        for site, seen in enumerate(sites):
            packed[first, site, : len(seen)] = [way << _DISTANCE | distance for way, distance in seen]
    attempt = lines(
        f"if {stop}:\n    if distance == 0:\n{indent(chosen, 2)}\n    break" if stop is not None else "",
        f"if not ({go}):\n    break",
        f"if distance == 0:\n{indent(chosen)}\n    break",
        "distance -= 1",
        f"t = {ways.table}[{ways.player}, k, t]",
    )
    body = lines(
        f"seen = {c.table('SIGHT', packed)}[{ways.player}, start, place]",
        "if seen >= 0:",
        indent(
            lines(
                f"k = seen >> {_DISTANCE}",
                f"distance = seen & {(1 << _DISTANCE) - 1}",
                f"t = {ways.table}[{ways.player}, k, start]",
                f"while t >= 0:\n{indent(attempt)}",
            )
        ),
    )
    return str(most), body
