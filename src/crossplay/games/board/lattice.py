"""Small whole-number coordinates for boards whose rows are slanted or staggered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from crossplay.games.board.graph import dense_rank

# Steps to the six neighbours of a hexagon, clockwise from the first at or after north.
_STEPS = ((1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0), (0, 1))


def hexagonal_coordinates(
    steps: Mapping[str, np.ndarray], names: Sequence[str], near: Sequence[Sequence[int]]
) -> np.ndarray | None:
    """int32[n, 2]: column and row of every site on a lattice of hexagons, or None if it is none.

    Args:
        steps: compass name -> int32[n], the next site that way or -1.
        names: the six compass names of orthogonal steps, clockwise.
        near: every site's orthogonal neighbours.
    """
    if len(names) != len(_STEPS):
        return None
    places: list[tuple[int, int] | None] = [None] * len(near)
    places[0] = (0, 0)
    front = [0]
    while front:
        site = front.pop()
        for name, (dx, dy) in zip(names, _STEPS, strict=True):
            other = int(steps[name][site])
            if other < 0 or other not in near[site]:
                continue
            column, row = places[site] or (0, 0)
            place = (column + dx, row + dy)
            if places[other] is None:
                places[other] = place
                front.append(other)
            elif places[other] != place:
                return None
    known = [place for place in places if place is not None]
    if len(known) < len(places) or len(set(known)) < len(known):
        return None
    found = np.array(known, np.int32)
    return found - found.min(axis=0)


def strip_coordinates(centroids: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Column and row of triangles that stand in horizontal strips, or None where two would coincide.

    The triangles of a strip point up and down in turn, and their centres lie on two close levels.
    """
    columns, rows = dense_rank(centroids[:, 0]), dense_rank(centroids[:, 1]) // 2
    places = set(zip(columns.tolist(), rows.tolist(), strict=True))
    return (columns, rows) if len(places) == len(columns) else None
