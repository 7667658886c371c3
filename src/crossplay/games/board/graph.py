"""Planar graphs that boards are made of: corners, and the faces they enclose.

What it means for two sites to be neighbours is told by the graph alone: cells share a side or a
corner, vertices share an edge or a face.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

Pairs = set[tuple[int, int]]  # unordered: smaller index first

_CLOSE = 1e-5  # coordinates nearer than this are one, as in Ludii


@dataclass(frozen=True, slots=True)
class Graph:
    """Vertices and faces, both numbered from the bottom row up and from left to right in a row.

    Attributes:
        tiling: ``"square"`` or ``"hex"``.
        vertices: float64[v, 2], x and y.
        faces: the vertices around each face.
        face_grid: int32[f, 2], each face's column and row as its label gives them (A1 is 0, 0).
        vertex_grid: int32[v, 2], the same for vertices; None where the tiling gives them no labels.
        side_bearings: outward directions of the board's sides, degrees clockwise from north.
    """

    tiling: str
    vertices: np.ndarray
    faces: tuple[tuple[int, ...], ...]
    face_grid: np.ndarray
    vertex_grid: np.ndarray | None
    side_bearings: tuple[float, ...]

    @property
    def face_centroids(self) -> np.ndarray:
        """float64[f, 2]: means of the faces' vertices."""
        return np.array([self.vertices[list(face)].mean(axis=0) for face in self.faces])

    def edges(self) -> dict[tuple[int, int], list[int]]:
        """Every edge, smaller vertex first, with the one or two faces beside it."""
        found: dict[tuple[int, int], list[int]] = defaultdict(list)
        for index, face in enumerate(self.faces):
            for first, second in pairwise((*face, face[0])):
                found[_pair(first, second)].append(index)
        return found


def make_graph(
    tiling: str,
    polygons: Sequence[np.ndarray],
    face_grid: np.ndarray,
    side_bearings: tuple[float, ...],
    vertex_grid: np.ndarray | None = None,
) -> Graph:
    """Join polygons (float64[k, 2] each) at their common corners and number everything.

    ``vertex_grid`` lists the vertices in their final order.
    """
    corners = np.concatenate(polygons)
    keys = np.stack([dense_rank(corners[:, 0]), dense_rank(corners[:, 1])], axis=1)
    # np.unique sorts by the first column: by y, then by x.
    _, first, index = np.unique(keys[:, ::-1], axis=0, return_index=True, return_inverse=True)
    ends = np.cumsum([len(polygon) for polygon in polygons])
    faces = [tuple(int(v) for v in face) for face in np.split(index.ravel(), ends[:-1])]
    centroids = np.array([polygon.mean(axis=0) for polygon in polygons])
    order = np.lexsort((dense_rank(centroids[:, 0]), dense_rank(centroids[:, 1])))
    return Graph(
        tiling=tiling,
        vertices=corners[first],
        faces=tuple(faces[i] for i in order),
        face_grid=face_grid[order].astype(np.int32),
        vertex_grid=vertex_grid,
        side_bearings=side_bearings,
    )


def dense_rank(values: np.ndarray) -> np.ndarray:
    """int32[n]: for each value how many distinct smaller ones there are.

    As in Ludii a new value begins more than 1e-5 above the one that began the last.
    """
    order = np.argsort(values, kind="stable")
    ranks = np.empty(len(values), np.int32)
    rank, opened = -1, -np.inf
    for index in order:
        if values[index] - _CLOSE > opened:
            rank, opened = rank + 1, values[index]
        ranks[index] = rank
    return ranks


def cell_relations(graph: Graph) -> tuple[Pairs, Pairs, Pairs]:
    """Pairs of faces that are orthogonal (a common side), diagonal, and adjacent (a common corner).

    Diagonal are faces that touch in a corner only, and those that an edge joins end to end, with the
    edge on the line between their centres: on hexagons the six cells at distance sqrt(3).
    """
    edges = graph.edges()
    orthogonal = {_pair(*beside) for beside in edges.values() if len(beside) == 2}
    around: dict[int, list[int]] = defaultdict(list)
    for index, face in enumerate(graph.faces):
        for vertex in face:
            around[vertex].append(index)
    adjacent = {pair for faces in around.values() for pair in combinations(faces, 2)}
    centroids = graph.face_centroids
    joined = {
        _pair(first, second)
        for (start, end), beside in edges.items()
        for first in around[start]
        if first not in beside
        for second in around[end]
        if second not in beside
        and _on_line(centroids[first], centroids[second], graph.vertices[start], graph.vertices[end])
    }
    return orthogonal, (adjacent - orthogonal) | joined, adjacent


def vertex_relations(graph: Graph) -> tuple[Pairs, Pairs, Pairs]:
    """Pairs of vertices that are orthogonal (an edge), diagonal (across a square), and adjacent.

    In Ludii vertices are adjacent only along edges.
    """
    orthogonal = set(graph.edges())
    across = {_pair(face[i], face[i + 2]) for face in graph.faces if len(face) == 4 for i in (0, 1)}
    return orthogonal, across - orthogonal, orthogonal


def outer_edges(graph: Graph) -> list[tuple[tuple[int, int], int]]:
    """The edges with a face on one side only, each with that face."""
    return [(edge, beside[0]) for edge, beside in graph.edges().items() if len(beside) == 1]


def _pair(first: int, second: int) -> tuple[int, int]:
    return (first, second) if first < second else (second, first)


def _on_line(start: np.ndarray, end: np.ndarray, *points: np.ndarray) -> bool:
    dx, dy = end - start
    return all(abs(dx * (y - start[1]) - dy * (x - start[0])) < _CLOSE for x, y in points)
