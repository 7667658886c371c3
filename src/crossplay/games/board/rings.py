"""Concentric boards, as for merels: rings of sites that are joined across."""

from __future__ import annotations

import math

import numpy as np

from crossplay.games.board.graph import Graph, assemble, by_rows, pair


def morris(rings: int, join_corners: bool = False) -> Graph:
    """Squares within squares, one apart, joined at the middles of their sides."""
    half = math.sqrt(0.5)
    graph = concentric(4, rings, join_corners=join_corners, cells=False)
    # Ludii 1.0.8 puts this one's corners on whole numbers.
    return Graph(graph.tiling, np.round(graph.vertices / half) + rings, graph.edges, graph.faces)


def concentric(
    sides: int,
    rings: int,
    midpoints: bool = True,
    join_midpoints: bool = True,
    join_corners: bool = False,
    cells: bool = True,
) -> Graph:
    """Regular polygons within each other; faces only where ``cells`` are played on.

    Args:
        sides: sides of each polygon.
        rings: number of polygons.
        midpoints: whether a site stands in the middle of each side.
        join_midpoints: whether these are joined from ring to ring.
        join_corners: whether the corners are.
        cells: whether the board is played on its cells.
    """
    arc = 2 * math.pi / sides
    start = math.pi / 2 + (arc / 2 if sides % 2 == 0 else 0)
    per_side = 2 if midpoints else 1
    per_ring = sides * per_side
    points: list[np.ndarray] = []
    edges = []
    for ring in range(rings):
        radius = 1 + ring * (2 if sides == 3 else 1)
        corners = [
            radius * np.array([math.cos(start + arc * k), math.sin(start + arc * k)]) for k in range(sides)
        ]
        base = len(points)
        for k, corner in enumerate(corners):
            points.append(corner)
            if midpoints:
                points.append((corner + corners[(k + 1) % sides]) / 2)
        edges += [pair(base + k, base + (k + 1) % per_ring) for k in range(per_ring)]
        if ring + 1 < rings:
            for k in range(sides):
                corner_ = base + k * per_side
                if join_corners:
                    edges.append((corner_, corner_ + per_ring))
                if midpoints and join_midpoints:
                    edges.append((corner_ + 1, corner_ + 1 + per_ring))
    graph = by_rows(assemble("concentric", np.array(points), edges))
    return graph if cells else Graph(graph.tiling, graph.vertices, graph.edges, ())
