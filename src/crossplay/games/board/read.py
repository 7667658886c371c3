"""Graph ludemes: from ``(hex Diamond 11)`` or ``(merge { (square 4) ... })`` to a graph; the operations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crossplay.games.board import operations
from crossplay.games.board.constructors import CONSTRUCTORS
from crossplay.games.board.graph import Edge, Graph, assemble, by_rows
from crossplay.games.board.tilings import REACH
from crossplay.games.board.values import (
    edge_between,
    flag,
    index,
    items,
    only_labels,
    point,
    polygon,
    real,
    size,
    unsupported,
)
from crossplay.games.language import Array, Ludeme, Node


def read_graph(node: Node, cells: bool) -> Graph:
    """The graph that a ludeme describes.

    Args:
        node: a tiling such as ``(square 8)``, ``(graph ...)``, or an operation on graphs.
        cells: whether the board is played on its cells; many sizes count what is played on.

    Raises:
        UnsupportedLudeme: a shape, operation or argument that has no constructor here.
        LudSyntaxError: a size or coordinate that is missing or out of range.
    """
    read = CONSTRUCTORS.get(node.name) or _OPERATIONS.get(node.name) if isinstance(node, Ludeme) else None
    if read is None or not isinstance(node, Ludeme):
        raise unsupported(node)
    return read(node, cells)


def _rotate(node: Ludeme, cells: bool) -> Graph:
    angle, graph = _operands(node, 1, cells)
    return operations.rotate(graph, *angle)


def _shift(node: Ludeme, cells: bool) -> Graph:
    by, graph = _operands(node, 2, cells)
    return operations.shift(graph, *by)


def _scale(node: Ludeme, cells: bool) -> Graph:
    by, graph = _operands(node, 2 if len(node.positional) > 2 else 1, cells)
    return operations.scale(graph, by[0], by[-1])


def _skew(node: Ludeme, cells: bool) -> Graph:
    by, graph = _operands(node, 1, cells)
    return operations.skew(graph, *by)


def _merge(node: Ludeme, cells: bool) -> Graph:
    merged = operations.merge(_graphs(node, cells, "connect"))
    return operations.connect(merged) if flag(node, "connect", False) else merged


def _union(node: Ludeme, cells: bool) -> Graph:
    joined = operations.union(_graphs(node, cells, "connect"))
    return operations.connect(joined) if flag(node, "connect", False) else joined


def _intersect(node: Ludeme, cells: bool) -> Graph:
    return operations.intersect(_graphs(node, cells))


def _keep(node: Ludeme, cells: bool) -> Graph:
    graph, area = _part_and_polygon(node, cells)
    within = set(operations.vertices_in(graph, area, REACH))
    kept = operations.remove_vertices(graph, set(range(len(graph.vertices))) - within)
    return assemble(kept.tiling, kept.vertices, kept.edges)


def _clip(node: Ludeme, cells: bool) -> Graph:
    graph, area = _part_and_polygon(node, cells)
    kept = operations.remove_vertices(graph, operations.vertices_in(graph, area, REACH))
    return assemble(kept.tiling, kept.vertices, kept.edges)


def _hole(node: Ludeme, cells: bool) -> Graph:
    graph, area = _part_and_polygon(node, cells)
    return operations.remove_faces(graph, operations.faces_in(graph, area, REACH), trim=True)


def _remove(node: Ludeme, cells: bool) -> Graph:
    """``(remove graph cells:{..} edges:{..} vertices:{..} trimEdges:)`` or ``(remove graph (poly {..}))``."""
    only_labels(node, "cells", "edges", "vertices", "trimEdges")
    match node.positional:
        case (part,):
            graph = read_graph(part, cells)
        case (part, area):
            graph = read_graph(part, cells)
            graph = operations.remove_vertices(graph, operations.vertices_in(graph, polygon(area)))
        case _:
            raise unsupported(node)
    trim = flag(node, "trimEdges", True)
    faces = [_face(graph, item) for item in items(node.named("cells"))]
    graph = operations.remove_faces(graph, [face for face in faces if face is not None], trim)
    ends = [_ends(graph, item) for item in items(node.named("edges"))]
    graph = operations.remove_edges(graph, [both for both in ends if both is not None])
    gone = [_vertex(graph, item) for item in items(node.named("vertices"))]
    return operations.remove_vertices(graph, [vertex for vertex in gone if vertex is not None])


def _add(node: Ludeme, cells: bool) -> Graph:
    """``(add [graph] vertices:{..} edges:{..} cells:{..} connect:)``; ends and corners by place or number."""
    only_labels(node, "vertices", "edges", "cells", "connect")
    match node.positional:
        case ():
            graph = Graph("free", np.zeros((0, 2)), (), ())
        case (part,):
            graph = read_graph(part, cells)
        case _:
            raise unsupported(node)
    places = [point(vertex) for vertex in items(node.named("vertices"))]
    graph = operations.add_vertices(graph, places, flag(node, "connect", False))
    for label in ("edges", "cells"):
        for group in items(node.named(label)):
            places = [point(corner) for corner in items(group) if isinstance(corner, Array)]
            graph = operations.add_vertices(graph, places)
            corners = [_corner(graph, corner) for corner in items(group)]
            if label == "edges":
                graph = operations.add_edges(graph, [edge_between(group, corners)])
            else:
                graph = operations.add_face(graph, corners)
    return graph


def _subdivide(node: Ludeme, cells: bool) -> Graph:
    least = node.named("min")
    return operations.subdivide(_part(node, cells, "min"), 1 if least is None else size(least), cells)


def _trim(node: Ludeme, cells: bool) -> Graph:
    return operations.trim(_part(node, cells))


def _renumber(node: Ludeme, cells: bool) -> Graph:
    return by_rows(_part(node, cells))


def _make_faces(node: Ludeme, cells: bool) -> Graph:
    graph = _part(node, cells)
    return assemble(graph.tiling, graph.vertices, graph.edges)


_OPERATIONS: dict[str, Callable[[Ludeme, bool], Graph]] = {
    "rotate": _rotate,
    "shift": _shift,
    "scale": _scale,
    "skew": _skew,
    "merge": _merge,
    "union": _union,
    "intersect": _intersect,
    "keep": _keep,
    "clip": _clip,
    "hole": _hole,
    "remove": _remove,
    "add": _add,
    "subdivide": _subdivide,
    "trim": _trim,
    "renumber": _renumber,
    "makeFaces": _make_faces,
}


def _operands(node: Ludeme, numbers: int, cells: bool) -> tuple[list[float], Graph]:
    only_labels(node)
    if len(node.positional) != numbers + 1:
        raise unsupported(node)
    return [real(part) for part in node.positional[:-1]], read_graph(node.positional[-1], cells)


def _graphs(node: Ludeme, cells: bool, *labels: str) -> list[Graph]:
    only_labels(node, *labels)
    match node.positional:
        case (Array(items=parts),) if parts:
            pass
        case (_, _) as parts:
            pass
        case _:
            raise unsupported(node)
    return [read_graph(part, cells) for part in parts]


def _part(node: Ludeme, cells: bool, *labels: str) -> Graph:
    """The one graph of an operation."""
    only_labels(node, *labels)
    if len(node.positional) != 1:
        raise unsupported(node)
    return read_graph(node.positional[0], cells)


def _part_and_polygon(node: Ludeme, cells: bool) -> tuple[Graph, np.ndarray]:
    only_labels(node)
    if len(node.positional) != 2:
        raise unsupported(node)
    return read_graph(node.positional[0], cells), polygon(node.positional[1])


def _vertex(graph: Graph, node: Node) -> int | None:
    if isinstance(node, Array):
        return operations.vertex_at(graph, *point(node))
    return index(node, len(graph.vertices))


def _corner(graph: Graph, node: Node) -> int:
    """A vertex that is there, or was added just now."""
    if isinstance(node, Array):
        found = operations.vertex_at(graph, *point(node), reach=0.01)
        assert found is not None
        return found
    return index(node, len(graph.vertices))


def _ends(graph: Graph, node: Node) -> Edge | None:
    ends = [_vertex(graph, end) for end in items(node)]
    known = [end for end in ends if end is not None]
    return edge_between(node, known) if len(known) == len(ends) else None


def _face(graph: Graph, node: Node) -> int | None:
    if not isinstance(node, Array):
        return index(node, len(graph.faces))
    corners = {_vertex(graph, corner) for corner in node}
    return next((number for number, face in enumerate(graph.faces) if set(face) == corners), None)
