"""Planar graphs that boards are made of: vertices, edges, and the faces they enclose.

The numbering matters, for it numbers a board's sites; it is that of Ludii. What it means for two sites
to be neighbours is told by the graph alone (:mod:`crossplay.games.board.relations`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

Edge = tuple[int, int]  # smaller vertex first

_CLOSE = 1e-5  # coordinates nearer than this are one, as in Ludii
_MOST_SIDES = 32  # Ludii sees no face in a longer way round


@dataclass(frozen=True, slots=True)
class Graph:
    """Vertices, edges between them, and faces.

    Attributes:
        tiling: ``"square"``, ``"hex"``, ``"tri"``, ``"brick"``, ``"concentric"``, or ``"free"``.
        vertices: float64[v, 2], x to the right and y upwards.
        edges: pairs of vertices.
        faces: the vertices around each face, clockwise.
    """

    tiling: str
    vertices: np.ndarray
    edges: tuple[Edge, ...]
    faces: tuple[tuple[int, ...], ...]

    @property
    def face_centroids(self) -> np.ndarray:
        """float64[f, 2]: means of the faces' vertices."""
        centroids = [self.vertices[list(face)].mean(axis=0) for face in self.faces]
        return np.array(centroids).reshape(-1, 2)

    def beside(self) -> dict[Edge, list[int]]:
        """The faces beside every edge: none, one or two."""
        found: dict[Edge, list[int]] = {edge: [] for edge in self.edges}
        for index, face in enumerate(self.faces):
            for edge in sides(face):
                found[edge].append(index)
        return found

    def around(self) -> list[list[int]]:
        """The faces at every vertex, in counterclockwise order from the west, as Ludii sorts them."""
        found: list[list[int]] = [[] for _ in self.vertices]
        for index, face in enumerate(self.faces):
            for vertex in face:
                found[vertex].append(index)
        centroids = self.face_centroids
        for vertex, faces in enumerate(found):
            faces.sort(key=lambda face: _angle(self.vertices[vertex], centroids[face]))
        return found

    def spokes(self) -> list[list[int]]:
        """Each vertex's neighbours along edges, in counterclockwise order from the west."""
        return _spokes(self.vertices, self.edges)


def assemble(tiling: str, vertices: np.ndarray, edges: Iterable[Edge]) -> Graph:
    """A graph with all its faces, numbered as Ludii finds them: vertex by vertex."""
    points = np.asarray(vertices, float).reshape(-1, 2)
    unique = tuple(dict.fromkeys(pair(*edge) for edge in edges))
    return Graph(tiling, points, unique, _find_faces(points, unique))


def from_polygons(
    tiling: str,
    polygons: Sequence[np.ndarray],
    key: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Graph:
    """Join polygons (float64[k, 2] each) at their common corners and number everything by rows.

    Args:
        tiling: the name of the tiling.
        polygons: the faces.
        key: from corners to the order in which faces are looked for; by default as they come. It
            tells where each face begins, which shows in the order of the board's phases.
    """
    corners = np.concatenate(polygons)
    keys = np.stack([dense_rank(corners[:, 0]), dense_rank(corners[:, 1])], axis=1)
    _, first, index = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first if key is None else key(corners[first]))
    index = np.argsort(order)[index.ravel()]
    ends = np.cumsum([len(polygon) for polygon in polygons])
    edges = [edge for face in np.split(index, ends[:-1]) for edge in sides(face.tolist())]
    return by_rows(assemble(tiling, corners[first[order]], edges))


def by_rows(graph: Graph) -> Graph:
    """The same graph numbered from the bottom row up, and from left to right in a row."""
    new = _rank_by_rows(graph.vertices)
    faces = [graph.faces[face] for face in np.argsort(_rank_by_rows(graph.face_centroids))]
    return Graph(
        graph.tiling,
        graph.vertices[np.argsort(new)],
        tuple(pair(int(new[a]), int(new[b])) for a, b in graph.edges),
        tuple(tuple(int(new[vertex]) for vertex in face) for face in faces),
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


def pair(first: int, second: int) -> Edge:
    """The edge between two vertices."""
    return (first, second) if first < second else (second, first)


def sides(face: Sequence[int]) -> list[Edge]:
    """The edges around a face."""
    return [pair(*ends) for ends in pairwise((*face, face[0]))]


def signed_area(polygon: np.ndarray) -> float:
    """The area of a polygon (float64[k, 2]), negative if its corners go clockwise."""
    x, y = polygon.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def inside(points: np.ndarray, polygon: np.ndarray, reach: float = 0.0) -> np.ndarray:
    """bool[n]: which points lie inside a polygon, or no further outside than ``reach``."""
    found = np.zeros(len(points), bool)
    x, y = points.T
    for start, end in zip(polygon, np.roll(polygon, 1, axis=0), strict=True):
        (ax, ay), (bx, by) = start, end
        crosses = (ay > y) != (by > y)
        with np.errstate(divide="ignore", invalid="ignore"):
            found ^= crosses & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    if reach:
        for start, end in zip(polygon, np.roll(polygon, 1, axis=0), strict=True):
            side = end - start
            along = np.clip((points - start) @ side / max(float(side @ side), _CLOSE), 0, 1)
            found |= np.hypot(*(points - start - along[:, None] * side).T) < reach
    return found


def _rank_by_rows(points: np.ndarray) -> np.ndarray:
    # Ludii's own key: a row further up counts as much as 100 to the right.
    order = np.argsort(points[:, 1] * 100 + points[:, 0], kind="stable")
    ranks = np.empty(len(points), np.int64)
    ranks[order] = np.arange(len(points))
    return ranks


def _angle(start: np.ndarray, end: np.ndarray) -> float:
    dx, dy = end - start
    return float(np.arctan2(dy, dx))


def _spokes(vertices: np.ndarray, edges: Iterable[Edge]) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in vertices]
    for first, second in edges:
        found[first].append(second)
        found[second].append(first)
    for vertex, others in enumerate(found):
        others.sort(key=lambda other: _angle(vertices[vertex], vertices[other]))
    return found


def _find_faces(vertices: np.ndarray, edges: Iterable[Edge]) -> tuple[tuple[int, ...], ...]:
    """Walk from every vertex along every edge, always turning right, until the way closes."""
    spokes = _spokes(vertices, edges)
    turn: dict[Edge, int] = {}  # (from, to) -> where the way goes on
    for vertex, others in enumerate(spokes):
        for other, following in zip(others, others[1:] + others[:1], strict=True):
            turn[other, vertex] = following
    faces: dict[frozenset[Edge], tuple[int, ...]] = {}
    seen: set[Edge] = set()
    for start, others in enumerate(spokes):
        for other in others[1:] + others[:1]:
            if (start, other) in seen:
                continue
            walk = _walk(start, other, turn)
            if walk is None:
                continue
            steps = frozenset(pairwise((*walk, walk[0])))
            seen |= steps
            if len(walk) > 2 and signed_area(vertices[walk]) < 0:
                faces.setdefault(steps, tuple(walk))
    return tuple(faces.values())


def _walk(start: int, second: int, turn: dict[Edge, int]) -> list[int] | None:
    walk = [start]
    here, there = start, second
    while there != start:
        following = turn[here, there]
        if there in walk or following == here or len(walk) >= _MOST_SIDES:
            return None
        walk.append(there)
        here, there = there, following
    return walk
