"""Graphs made from other graphs.

Turning, moving and joining keep the numbering of the parts, as in Ludii: sites of a turned board are
numbered as before the turn, and those of joined boards part after part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from crossplay.games.board.graph import Edge, Graph, assemble, inside, pair, sides, signed_area

_SAME = 0.01  # vertices this close, by the sum of the coordinates' differences, are one
_FOUND = 0.001  # as close must a point be that names a vertex


def rotate(graph: Graph, degrees: float) -> Graph:
    """Turn counterclockwise about the middle of the bounding box."""
    pivot = (graph.vertices.min(axis=0) + graph.vertices.max(axis=0)) / 2
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return replace(graph, vertices=pivot + (graph.vertices - pivot) @ np.array([(cos, sin), (-sin, cos)]))


def shift(graph: Graph, dx: float, dy: float) -> Graph:
    """Move to the right and upwards."""
    return replace(graph, vertices=graph.vertices + np.array((dx, dy)))


def scale(graph: Graph, x: float, y: float) -> Graph:
    """Stretch away from the origin."""
    return replace(graph, vertices=graph.vertices * np.array((x, y)))


def skew(graph: Graph, amount: float) -> Graph:
    """Push rows to the right in proportion to their height."""
    height = graph.vertices[:, 1] - graph.vertices[:, 1].min()
    return replace(graph, vertices=graph.vertices + np.outer(height, (amount, 0)))


def merge(graphs: Sequence[Graph]) -> Graph:
    """Lay graphs over each other; vertices at one place become one."""
    points = np.concatenate([graph.vertices for graph in graphs])
    survivor = np.arange(len(points))
    for vertex, point in enumerate(points):
        if survivor[vertex] == vertex:
            same = np.abs(points - point).sum(axis=1) < _SAME
            same[: vertex + 1] = False
            survivor[same & (survivor == np.arange(len(points)))] = vertex
    kept = np.flatnonzero(survivor == np.arange(len(points)))
    new = np.searchsorted(kept, survivor)
    return assemble(_tiling(graphs), points[kept], [(new[a], new[b]) for a, b in _numbered(graphs)])


def union(graphs: Sequence[Graph]) -> Graph:
    """Put graphs side by side, joined nowhere."""
    offsets = _offsets(graphs)
    return Graph(
        _tiling(graphs),
        np.concatenate([graph.vertices for graph in graphs]),
        tuple(_numbered(graphs)),
        tuple(
            tuple(vertex + offset for vertex in face)
            for graph, offset in zip(graphs, offsets, strict=True)
            for face in graph.faces
        ),
    )


def connect(graph: Graph) -> Graph:
    """Add edges between vertices hardly further apart than edges are long."""
    lengths = [np.hypot(*(graph.vertices[a] - graph.vertices[b])) for a, b in graph.edges]
    gaps = np.hypot(*(graph.vertices[:, None] - graph.vertices[None]).transpose(2, 0, 1))
    first, second = np.nonzero(np.triu(gaps < 1.1 * float(np.mean(lengths)), 1))
    extra = list(zip(first.tolist(), second.tolist(), strict=True))
    return assemble(graph.tiling, graph.vertices, [*graph.edges, *extra])


def intersect(graphs: Sequence[Graph]) -> Graph:
    """The vertices and edges of the first graph that all others have as well."""
    first, *others = graphs
    kept = np.ones(len(first.vertices), bool)
    edges = list(first.edges)
    for other in others:
        distance = np.abs(first.vertices[:, None] - other.vertices[None]).sum(axis=2)
        twin = np.where(distance.min(axis=1) < _SAME, distance.argmin(axis=1), -1)
        kept &= twin >= 0
        theirs = set(other.edges)
        edges = [(a, b) for a, b in edges if pair(int(twin[a]), int(twin[b])) in theirs]
    new = np.cumsum(kept) - 1
    return assemble(_tiling(graphs), first.vertices[kept], [(new[a], new[b]) for a, b in edges])


def remove_faces(graph: Graph, faces: Iterable[int], trim: bool) -> Graph:
    """Take faces out, and with ``trim`` the edges that then have no face beside them."""
    gone = set(faces)
    kept = tuple(face for index, face in enumerate(graph.faces) if index not in gone)
    bare: set[Edge] = set()
    if trim:
        bare = {edge for index in gone for edge in sides(graph.faces[index])}
        bare -= {edge for face in kept for edge in sides(face)}
    return replace(graph, faces=kept, edges=tuple(edge for edge in graph.edges if edge not in bare))


def remove_edges(graph: Graph, edges: Iterable[Edge]) -> Graph:
    """Take edges out, and the faces they bound."""
    gone = {pair(*edge) for edge in edges}
    return replace(
        graph,
        edges=tuple(edge for edge in graph.edges if edge not in gone),
        faces=tuple(face for face in graph.faces if gone.isdisjoint(sides(face))),
    )


def remove_vertices(graph: Graph, vertices: Iterable[int]) -> Graph:
    """Take vertices out, and the edges and faces they are part of."""
    gone = set(vertices)
    kept = [vertex for vertex in range(len(graph.vertices)) if vertex not in gone]
    new = {vertex: index for index, vertex in enumerate(kept)}
    return Graph(
        graph.tiling,
        graph.vertices[kept],
        tuple((new[a], new[b]) for a, b in graph.edges if a in new and b in new),
        tuple(tuple(new[v] for v in face) for face in graph.faces if gone.isdisjoint(face)),
    )


def vertices_in(graph: Graph, polygon: np.ndarray, reach: float = 0.0) -> list[int]:
    """The vertices inside a polygon (float64[k, 2]), or no further outside than ``reach``."""
    return np.flatnonzero(inside(graph.vertices, polygon, reach)).tolist()


def faces_in(graph: Graph, polygon: np.ndarray, reach: float = 0.0) -> list[int]:
    """The faces with their middle inside a polygon, or no further outside than ``reach``."""
    return np.flatnonzero(inside(graph.face_centroids, polygon, reach)).tolist()


def vertex_at(graph: Graph, x: float, y: float, reach: float = _FOUND) -> int | None:
    """The vertex at a point, or None."""
    near = np.flatnonzero(np.abs(graph.vertices - (x, y)).sum(axis=1) < reach)
    return int(near[0]) if len(near) else None


def add_vertices(graph: Graph, points: Iterable[tuple[float, float]], connect_: bool = False) -> Graph:
    """Add vertices where there are none; with ``connect_`` also edges to their close neighbours."""
    known = len(graph.vertices)
    for point in points:
        if vertex_at(graph, *point, reach=_SAME) is None:
            graph = replace(graph, vertices=np.concatenate([graph.vertices, [point]]))
    if not connect_:
        return graph
    lengths = [np.hypot(*(graph.vertices[a] - graph.vertices[b])) for a, b in graph.edges]
    gaps = np.hypot(*(graph.vertices[known:, None] - graph.vertices[None]).transpose(2, 0, 1))
    first, second = np.nonzero((gaps < 1.1 * float(np.mean(lengths or [0.0]))) & (gaps > 0))
    return add_edges(graph, zip((first + known).tolist(), second.tolist(), strict=True))


def add_edges(graph: Graph, edges: Iterable[Edge]) -> Graph:
    """Add edges; they divide no face."""
    every = dict.fromkeys([*graph.edges, *(pair(*edge) for edge in edges)])
    return replace(graph, edges=tuple(every))


def add_face(graph: Graph, corners: Sequence[int]) -> Graph:
    """Add a face and the edges around it."""
    clockwise = corners if signed_area(graph.vertices[list(corners)]) < 0 else corners[::-1]
    return replace(add_edges(graph, sides(corners)), faces=(*graph.faces, tuple(clockwise)))


def subdivide(graph: Graph, least: int, cells: bool) -> Graph:
    """Divide faces of ``least`` sides or more into triangles that meet in a new vertex in the middle."""
    whole = graph if graph.faces else assemble(graph.tiling, graph.vertices, graph.edges)
    edges, middles = list(whole.edges), []
    for face, middle in reversed(list(zip(whole.faces, whole.face_centroids, strict=True))):
        if len(face) >= least:
            middles.append(middle)
            edges += [pair(corner, len(whole.vertices) + len(middles) - 1) for corner in face]
    points = np.concatenate([whole.vertices, np.reshape(middles, (-1, 2))])
    divided = assemble("free", points, edges)
    return divided if cells else replace(divided, faces=())


def trim(graph: Graph) -> Graph:
    """Take out edges with a loose end, and then vertices without edges."""
    ends = [end for edge in graph.edges for end in edge]
    kept = [edge for edge in graph.edges if all(ends.count(end) > 1 for end in edge)]
    loose = set(range(len(graph.vertices))) - {end for edge in kept for end in edge}
    return remove_vertices(replace(graph, edges=tuple(kept)), loose)


def _tiling(graphs: Sequence[Graph]) -> str:
    tilings = {graph.tiling for graph in graphs}
    return tilings.pop() if len(tilings) == 1 else "free"


def _offsets(graphs: Sequence[Graph]) -> list[int]:
    return [0, *np.cumsum([len(graph.vertices) for graph in graphs])[:-1].tolist()]


def _numbered(graphs: Sequence[Graph]) -> list[Edge]:
    """All edges, with the vertices numbered through all graphs."""
    return [
        (a + offset, b + offset)
        for graph, offset in zip(graphs, _offsets(graphs), strict=True)
        for a, b in graph.edges
    ]
