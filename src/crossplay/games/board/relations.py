"""Which sites of a graph are neighbours, and in what way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from crossplay.games.board.graph import Graph, sides

RELATIONS = ("Orthogonal", "Diagonal", "OffDiagonal", "Adjacent", "All")

# Relation -> for every site its neighbours.
Neighbours = dict[str, list[list[int]]]


def cell_neighbours(graph: Graph) -> Neighbours:
    """Neighbours of faces.

    Orthogonal are faces with a common side. Of the others around a corner the one most nearly
    opposite is diagonal, the rest are off-diagonal; all of these are adjacent. Diagonal as well, but
    not adjacent, are faces that an edge joins end to end (on hexagons the six at distance sqrt(3)).
    """
    beside, around, spokes = graph.beside(), graph.around(), graph.spokes()
    centroids = graph.face_centroids
    found: Neighbours = {name: [] for name in RELATIONS}
    for index, face in enumerate(graph.faces):
        orthogonal = [other for edge in sides(face) for other in beside[edge] if other != index]
        used = {index, *orthogonal}
        diagonal = []
        for vertex in face:
            others = [other for other in around[vertex] if other not in used]
            if others:
                diagonal.append(min(others, key=_distance_from(graph.vertices[vertex], centroids, index)))
                used.add(diagonal[-1])
        off = []
        for vertex in face:
            others = [other for other in around[vertex] if other not in used]
            off += others
            used.update(others)
        far = []
        for vertex in face:
            if len(spokes[vertex]) != 3:
                continue
            away = next((other for other in spokes[vertex] if not _has_side(face, vertex, other)), None)
            if away is None:
                continue
            for other in around[away]:
                if other not in used and _in_line(graph.vertices[[vertex, away]], centroids[[index, other]]):
                    far.append(other)
                    used.add(other)
        found["Orthogonal"].append(orthogonal)
        found["Diagonal"].append(diagonal + far)
        found["OffDiagonal"].append(off)
        found["Adjacent"].append(orthogonal + diagonal + off)
        found["All"].append(orthogonal + diagonal + off + far)
    return found


def vertex_neighbours(graph: Graph) -> Neighbours:
    """Neighbours of vertices: orthogonal and adjacent along edges, diagonal across faces."""
    around, spokes, centroids = graph.around(), graph.spokes(), graph.face_centroids
    found: Neighbours = {name: [] for name in RELATIONS}
    for index, orthogonal in enumerate(spokes):
        diagonal = []
        for face in around[index]:
            corners = graph.faces[face]
            if len(corners) > 3:
                distance = _distance_from(centroids[face], graph.vertices, index)
                across = min((vertex for vertex in corners if vertex != index), key=distance)
                if across not in orthogonal and across not in diagonal:
                    diagonal.append(across)
        found["Orthogonal"].append(orthogonal)
        found["Diagonal"].append(diagonal)
        found["OffDiagonal"].append([])
        found["Adjacent"].append(orthogonal)
        found["All"].append(orthogonal + diagonal)
    return found


def distance_to_line(point: np.ndarray, start: np.ndarray, end: np.ndarray) -> float:
    """Distance of a point from the line through two others, or from these where they coincide."""
    dx, dy = end - start
    px, py = point - start
    length = float(np.hypot(dx, dy))
    return float(abs(dx * py - dy * px)) / length if length > 1e-7 else float(np.hypot(px, py))


def _distance_from(point: np.ndarray, places: np.ndarray, start: int) -> Callable[[int], float]:
    # Rounded, so that of two equally good ones the first is taken.
    return lambda end: round(distance_to_line(point, places[start], places[end]), 9)


def _has_side(face: Sequence[int], first: int, second: int) -> bool:
    at = face.index(first)
    return second in (face[at - 1], face[(at + 1) % len(face)])


def _in_line(edge: np.ndarray, ends: np.ndarray) -> bool:
    """Whether an edge lies, as nearly as Ludii asks, on the line between two centres."""
    error = sum(distance_to_line(vertex, *ends) for vertex in edge)
    return error <= 0.1 * float(np.hypot(*(ends[1] - ends[0]))) + 1e-9
