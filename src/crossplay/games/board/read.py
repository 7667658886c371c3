"""Graph ludemes: from ``(hex Diamond 11)`` or ``(merge { (square 4) ... })`` to a graph."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crossplay.errors import LudSyntaxError, UnsupportedLudeme
from crossplay.games.board import operations, rings, tilings
from crossplay.games.board.graph import Edge, Graph, assemble, pair
from crossplay.games.language import Array, Boolean, Ludeme, Node, Number, Symbol, head

MAX_SIZE = 60  # sites along a side


def read_graph(node: Node, cells: bool) -> Graph:
    """The graph that a ludeme describes.

    Args:
        node: a tiling such as ``(square 8)``, ``(graph ...)``, or an operation on graphs.
        cells: whether the board is played on its cells; many sizes count what is played on.

    Raises:
        UnsupportedLudeme: a shape, operation or argument that has no constructor here.
        LudSyntaxError: a size or coordinate that is missing or out of range.
    """
    if not isinstance(node, Ludeme) or node.name not in _READERS:
        raise unsupported(node)
    return _READERS[node.name](node, cells)


def unsupported(node: Node, *details: str) -> UnsupportedLudeme:
    """The error that names a ludeme with no meaning here."""
    return UnsupportedLudeme(" ".join([head(node), *details]), node.position.file, node.position.line)


def _square(node: Ludeme, cells: bool) -> Graph:
    _only(node, "diagonals")
    shape, arguments = _shape(node)
    diagonals = _diagonals(node)
    match shape, arguments:
        case (("Square" | None), (size,)):
            return tilings.square_grid(_size(size), _size(size), cells, diagonals)
        case "Limping", (size,):
            return tilings.square_grid(_size(size), _size(size) + 1, cells, diagonals)
        case "Diamond", (size,):
            return tilings.square_diamond(_size(size), diagonals)
    raise _wrong(node, arguments)


def _rectangle(node: Ludeme, cells: bool) -> Graph:
    _only(node, "diagonals")
    match node.positional:
        case (rows,):
            return tilings.square_grid(_size(rows), _size(rows), cells, _diagonals(node))
        case (rows, columns):
            return tilings.square_grid(_size(rows), _size(columns), cells, _diagonals(node))
    raise _wrong(node, node.positional)


def _hex(node: Ludeme, cells: bool) -> Graph:
    _only(node)
    shape, arguments = _shape(node)
    match shape, arguments:
        case None, (Array() as lengths,):
            return tilings.hex_outline([_whole(length, -MAX_SIZE) for length in lengths])
        case (("Hexagon" | None), (size,)):
            return tilings.hex_hexagon(_size(size))
        case (("Hexagon" | None), (size, other)):
            return tilings.hex_outline([_size(size), _size(other)])
        case "Limping", (size,):
            return tilings.hex_outline([_size(size), _size(size) + 1])
        case "Diamond", (size,):
            return tilings.hex_rhombus(_size(size))
        case "Prism", (size, *other):
            return tilings.hex_prism(_size(size), _size(*other or [size]))
        case (("Square" | "Rectangle"), (rows, *columns)):
            return tilings.hex_rectangle(_size(rows), _size(*columns or [rows]))
        case "Triangle", (size,):
            return tilings.hex_triangle(_size(size))
        case "Star", (size,):
            return tilings.hex_star(_size(size))
    raise _wrong(node, arguments)


def _tri(node: Ludeme, cells: bool) -> Graph:
    _only(node)
    shape, arguments = _shape(node)
    match shape, arguments:
        case None, (Array() as lengths,):
            return tilings.tri_outline([_whole(length, -MAX_SIZE) for length in lengths], cells)
        case "Hexagon", (size,):
            return tilings.tri_hexagon(_size(size), cells)
        case (("Triangle" | None), (size,)):
            return tilings.tri_triangle(_size(size), cells)
        case "Limping", (size,):
            return tilings.tri_outline([_size(size), _size(size) + 1], cells)
        case "Diamond", (size,):
            return tilings.tri_rhombus(_size(size), cells)
        case "Prism", (size, *other):
            return tilings.tri_prism(_size(size), _size(*other or [size]), cells)
        case (("Square" | "Rectangle"), (rows, *columns)):
            return tilings.tri_rectangle(_size(rows), _size(*columns or [rows]), cells)
        case "Star", (size,):
            return tilings.tri_star(_size(size))
    raise _wrong(node, arguments)


def _brick(node: Ludeme, cells: bool) -> Graph:
    _only(node, "trim")
    trim = _flag(node, "trim", False)
    shape, arguments = _shape(node)
    match shape, arguments:
        case (("Square" | "Rectangle" | None), (rows, *columns)):
            return tilings.brick_rectangle(_size(rows), _size(*columns or [rows]), trim)
        case "Limping", (rows,):
            return tilings.brick_rectangle(_size(rows), _size(rows) + 1, trim)
        case "Diamond", (size,):
            return tilings.brick_prism(_size(size), 0, trim)
        case "Prism", (size, *other):
            return tilings.brick_prism(_size(size), _size(*other or [size]), trim)
    raise _wrong(node, arguments)


def _morris(node: Ludeme, cells: bool) -> Graph:
    _only(node, "joinCorners")
    match node.positional:
        case (count,) if not cells:
            return rings.morris(_size(count), _flag(node, "joinCorners", False))
        case (_,):
            raise unsupported(node, "on cells")
    raise _wrong(node, node.positional)


def _concentric(node: Ludeme, cells: bool) -> Graph:
    _only(node, "sides", "rings", "midpoints", "joinMidpoints", "joinCorners")
    shapes = {"Triangle": 3, "Square": 4, "Hexagon": 6}
    given = node.named("sides")
    if node.keyword in shapes and len(node.positional) == 1:
        sides = shapes[node.keyword]
    elif given is not None and not node.positional:
        sides = _whole(given, 3)
    else:
        raise unsupported(node)
    count = node.named("rings")
    return rings.concentric(
        sides,
        3 if count is None else _size(count),
        _flag(node, "midpoints", True),
        _flag(node, "joinMidpoints", True),
        _flag(node, "joinCorners", False),
        cells,
    )


def _graph(node: Ludeme, cells: bool) -> Graph:
    _only(node, "vertices", "edges")
    if node.positional or node.named("vertices") is None:
        raise unsupported(node)
    points = [_point(point) for point in _items(node.named("vertices"))]
    edges = [_edge(edge, len(points)) for edge in _items(node.named("edges"))]
    return assemble("free", np.array(points).reshape(-1, 2), edges)


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
    return operations.connect(merged) if _flag(node, "connect", False) else merged


def _union(node: Ludeme, cells: bool) -> Graph:
    joined = operations.union(_graphs(node, cells, "connect"))
    return operations.connect(joined) if _flag(node, "connect", False) else joined


def _intersect(node: Ludeme, cells: bool) -> Graph:
    return operations.intersect(_graphs(node, cells))


def _remove(node: Ludeme, cells: bool) -> Graph:
    """``(remove graph cells:{..} edges:{..} vertices:{..} trimEdges:)`` or ``(remove graph (poly {..}))``."""
    _only(node, "cells", "edges", "vertices", "trimEdges")
    match node.positional:
        case (part,):
            graph = read_graph(part, cells)
        case (part, Ludeme(name="poly", positional=(Array() as corners,))):
            graph = read_graph(part, cells)
            polygon = np.array([_point(corner) for corner in corners])
            graph = operations.remove_vertices(graph, operations.vertices_in(graph, polygon))
        case _:
            raise unsupported(node)
    trim = _flag(node, "trimEdges", True)
    faces = [_face(graph, item) for item in _items(node.named("cells"))]
    graph = operations.remove_faces(graph, [face for face in faces if face is not None], trim)
    ends = [_ends(graph, item) for item in _items(node.named("edges"))]
    graph = operations.remove_edges(graph, [edge for edge in ends if edge is not None])
    gone = [_vertex(graph, item) for item in _items(node.named("vertices"))]
    return operations.remove_vertices(graph, [vertex for vertex in gone if vertex is not None])


_READERS: dict[str, Callable[[Ludeme, bool], Graph]] = {
    "square": _square,
    "rectangle": _rectangle,
    "hex": _hex,
    "tri": _tri,
    "brick": _brick,
    "morris": _morris,
    "concentric": _concentric,
    "graph": _graph,
    "rotate": _rotate,
    "shift": _shift,
    "scale": _scale,
    "skew": _skew,
    "merge": _merge,
    "union": _union,
    "intersect": _intersect,
    "remove": _remove,
}


def _only(node: Ludeme, *labels: str) -> None:
    for label in node.labelled:
        if label not in labels:
            raise unsupported(node, f"{label}:")


def _shape(node: Ludeme) -> tuple[str | None, tuple[Node, ...]]:
    return node.keyword, node.positional if node.keyword is None else node.positional[1:]


def _wrong(node: Ludeme, arguments: tuple[Node, ...]) -> LudSyntaxError | UnsupportedLudeme:
    if not arguments:
        return LudSyntaxError(f"({head(node)} ...) needs a size", *node.position)
    return unsupported(node)


def _diagonals(node: Ludeme) -> str:
    kind = node.named("diagonals")
    if kind is None:
        return "Implied"
    if not isinstance(kind, Symbol) or kind.name not in tilings.DIAGONALS:
        raise unsupported(node, f"diagonals:{head(kind)}")
    return kind.name


def _flag(node: Ludeme, label: str, default: bool) -> bool:
    value = node.named(label)
    if value is None:
        return default
    if not isinstance(value, Boolean):
        raise unsupported(node, f"{label}:{head(value)}")
    return value.value


def _size(node: Node) -> int:
    return _whole(node, 1)


def _whole(node: Node, least: int) -> int:
    value = _number(node)
    if value is None or value != int(value) or not least <= value <= MAX_SIZE:
        message = f"a board's size is a whole number from {least} to {MAX_SIZE}, not {head(node)}"
        raise LudSyntaxError(message, *node.position)
    return int(value)


def _number(node: Node) -> float | None:
    """The value of a number or of arithmetic on numbers, else None."""
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Ludeme) and node.name in ("+", "-", "*", "/", "%", "^") and not node.labelled:
        found = [_number(part) for part in node.positional]
        values = [value for value in found if value is not None]
        if len(values) == len(found) == 2:
            a, b = values
            if node.name in "/%" and b == 0:
                return None
            # In Ludii dimensions are whole numbers, and so is their quotient.
            whole = isinstance(a, int) and isinstance(b, int)
            quotient = int(a / b) if node.name in "/%" and whole else a / b if node.name in "/%" else 0
            results = {"+": a + b, "-": a - b, "*": a * b, "/": quotient, "%": a - b * quotient}
            return a**b if node.name == "^" else results[node.name]
    return None


def _real(node: Node) -> float:
    value = _number(node)
    if value is None:
        raise LudSyntaxError(f"expected a number, not {head(node)}", *node.position)
    return float(value)


def _items(node: Node | None) -> tuple[Node, ...]:
    match node:
        case None:
            return ()
        case Array(items=items):
            return items
    raise LudSyntaxError(f"expected a list {{ ... }}, not {head(node)}", *node.position)


def _point(node: Node) -> tuple[float, float]:
    match _items(node):
        case (x, y):
            return _real(x), _real(y)
        case (_, _, height) if _real(height) != 0:
            raise unsupported(node, "with a height")
        case (x, y, _):
            return _real(x), _real(y)
    raise LudSyntaxError("a vertex is written {x y}", *node.position)


def _index(node: Node, count: int) -> int:
    if not isinstance(node, Number) or not isinstance(node.value, int) or not 0 <= node.value < count:
        raise LudSyntaxError(f"expected a number from 0 to {count - 1}, not {head(node)}", *node.position)
    return node.value


def _edge(node: Node, count: int) -> Edge:
    ends = [_index(end, count) for end in _items(node)]
    if len(ends) != 2 or ends[0] == ends[1]:
        raise LudSyntaxError("an edge is written {first second}", *node.position)
    return pair(*ends)


def _operands(node: Ludeme, numbers: int, cells: bool) -> tuple[list[float], Graph]:
    _only(node)
    if len(node.positional) != numbers + 1:
        raise unsupported(node)
    return [_real(part) for part in node.positional[:-1]], read_graph(node.positional[-1], cells)


def _graphs(node: Ludeme, cells: bool, *labels: str) -> list[Graph]:
    _only(node, *labels)
    match node.positional:
        case (Array(items=parts),) if parts:
            pass
        case (_, _) as parts:
            pass
        case _:
            raise unsupported(node)
    return [read_graph(part, cells) for part in parts]


def _vertex(graph: Graph, node: Node) -> int | None:
    if isinstance(node, Array):
        return operations.vertex_at(graph, *_point(node))
    return _index(node, len(graph.vertices))


def _ends(graph: Graph, node: Node) -> Edge | None:
    ends = [_vertex(graph, end) for end in _items(node)]
    if len(ends) != 2:
        raise LudSyntaxError("an edge is written {first second}", *node.position)
    known = [end for end in ends if end is not None]
    return pair(*known) if len(known) == 2 else None


def _face(graph: Graph, node: Node) -> int | None:
    if not isinstance(node, Array):
        return _index(node, len(graph.faces))
    corners = {_vertex(graph, corner) for corner in node}
    return next((index for index, face in enumerate(graph.faces) if set(face) == corners), None)
