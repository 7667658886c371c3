"""Boards that are cut from no tiling: wedges, polygons, and patterns of repeated polygons."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from crossplay.games.board.graph import Graph, assemble, by_rows, pair

_SAME = 0.01  # corners this close are one


def wedge(rows: int, columns: int) -> Graph:
    """Rows of ``columns`` vertices that spread downwards from a point; it has no faces."""
    middle = rows - 1
    points = [(float(middle), float(middle))]
    for row in range(1, rows):
        points += [(x, float(middle - row)) for x in np.linspace(middle - row, middle + row, columns)]
    edges = [(0, column + 1) for column in range(columns)] if rows > 1 else []
    for row in range(1, rows):
        first = (row - 1) * columns + 1
        edges += [(first + c, first + c + 1) for c in range(columns - 1)]
        if row < rows - 1:
            edges += [(first + c, first + c + columns) for c in range(columns)]
    return Graph("free", np.array(points), tuple(edges), ())


def regular(sides: int, star: bool, cells: bool) -> Graph:
    """A regular polygon, or with ``star`` the star on its corners; faces only if ``cells`` are played on."""
    start = math.pi / 4 if sides == 4 else math.pi / 2
    angles = start + 2 * math.pi * np.arange(sides) / sides
    points = sides / (2 * math.pi) * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    step = (sides - 1) // 2 if star else 1
    graph = assemble("free", points, [pair(n, (n + step) % sides) for n in range(sides)])
    return by_rows(graph if cells else Graph("free", graph.vertices, graph.edges, ()))


def repeat(
    rows: int, columns: int, steps: tuple[np.ndarray, np.ndarray], polygons: Sequence[np.ndarray]
) -> Graph:
    """Polygons (float64[k, 2] each) repeated along two steps, from column to column and from row to row."""
    points: list[np.ndarray] = []
    edges = []

    def vertex(point: np.ndarray) -> int:
        for index, other in enumerate(points):
            if np.abs(other - point).sum() < _SAME:
                return index
        points.append(point)
        return len(points) - 1

    for row in range(rows):
        for column in range(columns):
            for polygon in polygons:
                corners = [vertex(corner + column * steps[0] + row * steps[1]) for corner in polygon]
                edges += [
                    pair(*ends)
                    for ends in zip(corners, corners[1:] + corners[:1], strict=True)
                    if ends[0] != ends[1]
                ]
    return by_rows(assemble("free", np.array(points), edges))
