"""Graph ludemes that begin with nothing: tilings, shapes, and lists of vertices and edges."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crossplay.errors import LudSyntaxError, UnsupportedLudeme
from crossplay.games.board import rings, shapes, tilings
from crossplay.games.board.graph import Graph, assemble
from crossplay.games.board.values import (
    MAX_SIZE,
    edge,
    flag,
    items,
    only_labels,
    point,
    polygon,
    size,
    unsupported,
    whole,
)
from crossplay.games.language import Array, Ludeme, Node, Symbol, head


def _square(node: Ludeme, cells: bool) -> Graph:
    only_labels(node, "diagonals")
    shape, arguments = _shape(node)
    diagonals = _diagonals(node)
    match shape, arguments:
        case None, (Ludeme(name="poly") as area,):
            return tilings.square_polygon(polygon(area), diagonals)
        case (("Square" | None), (side,)):
            return tilings.square_grid(size(side), size(side), cells, diagonals)
        case "Limping", (side,):
            return tilings.square_grid(size(side), size(side) + 1, cells, diagonals)
        case "Diamond", (side,):
            return tilings.square_diamond(size(side), diagonals)
    raise _wrong(node, arguments)


def _rectangle(node: Ludeme, cells: bool) -> Graph:
    only_labels(node, "diagonals")
    match node.positional:
        case (rows,):
            return tilings.square_grid(size(rows), size(rows), cells, _diagonals(node))
        case (rows, columns):
            return tilings.square_grid(size(rows), size(columns), cells, _diagonals(node))
    raise _wrong(node, node.positional)


def _hex(node: Ludeme, cells: bool) -> Graph:
    only_labels(node)
    shape, arguments = _shape(node)
    match shape, arguments:
        case None, (Array() as lengths,):
            return tilings.hex_outline([whole(length, -MAX_SIZE) for length in lengths])
        case None, (Ludeme(name="poly") as area,):
            return tilings.hex_polygon(polygon(area))
        case (("Hexagon" | None), (side,)):
            return tilings.hex_hexagon(size(side))
        case (("Hexagon" | None), (side, other)):
            return tilings.hex_outline([size(side), size(other)])
        case "Limping", (side,):
            return tilings.hex_outline([size(side), size(side) + 1])
        case "Diamond", (side,):
            return tilings.hex_rhombus(size(side))
        case "Prism", (side, *other):
            return tilings.hex_prism(size(side), size(*other or [side]))
        case (("Square" | "Rectangle"), (rows, *columns)):
            return tilings.hex_rectangle(size(rows), size(*columns or [rows]))
        case "Triangle", (side,):
            return tilings.hex_triangle(size(side))
        case "Star", (side,):
            return tilings.hex_star(size(side))
    raise _wrong(node, arguments)


def _tri(node: Ludeme, cells: bool) -> Graph:
    only_labels(node)
    shape, arguments = _shape(node)
    match shape, arguments:
        case None, (Array() as lengths,):
            return tilings.tri_outline([whole(length, -MAX_SIZE) for length in lengths], cells)
        case None, (Ludeme(name="poly") as area,):
            return tilings.tri_polygon(polygon(area))
        case "Hexagon", (side,):
            return tilings.tri_hexagon(size(side), cells)
        case (("Triangle" | None), (side,)):
            return tilings.tri_triangle(size(side), cells)
        case "Limping", (side,):
            return tilings.tri_outline([size(side), size(side) + 1], cells)
        case "Diamond", (side,):
            return tilings.tri_rhombus(size(side), cells)
        case "Prism", (side, *other):
            return tilings.tri_prism(size(side), size(*other or [side]), cells)
        case (("Square" | "Rectangle"), (rows, *columns)):
            return tilings.tri_rectangle(size(rows), size(*columns or [rows]), cells)
        case "Star", (side,):
            return tilings.tri_star(size(side))
    raise _wrong(node, arguments)


def _brick(node: Ludeme, cells: bool) -> Graph:
    only_labels(node, "trim")
    trim = flag(node, "trim", False)
    shape, arguments = _shape(node)
    match shape, arguments:
        case (("Square" | "Rectangle" | None), (rows, *columns)):
            return tilings.brick_rectangle(size(rows), size(*columns or [rows]), trim)
        case "Limping", (rows,):
            return tilings.brick_rectangle(size(rows), size(rows) + 1, trim)
        case "Diamond", (side,):
            return tilings.brick_prism(size(side), 0, trim)
        case "Prism", (side, *other):
            return tilings.brick_prism(size(side), size(*other or [side]), trim)
    raise _wrong(node, arguments)


def _morris(node: Ludeme, cells: bool) -> Graph:
    only_labels(node, "joinCorners")
    match node.positional:
        case (count,) if not cells:
            return rings.morris(size(count), flag(node, "joinCorners", False))
        case (_,):
            raise unsupported(node, "on cells")
    raise _wrong(node, node.positional)


def _concentric(node: Ludeme, cells: bool) -> Graph:
    only_labels(node, "sides", "rings", "midpoints", "joinMidpoints", "joinCorners")
    shapes = {"Triangle": 3, "Square": 4, "Hexagon": 6}
    given = node.named("sides")
    if node.keyword in shapes and len(node.positional) == 1:
        sides = shapes[node.keyword]
    elif given is not None and not node.positional:
        sides = whole(given, 3)
    else:
        raise unsupported(node)
    count = node.named("rings")
    return rings.concentric(
        sides,
        3 if count is None else size(count),
        flag(node, "midpoints", True),
        flag(node, "joinMidpoints", True),
        flag(node, "joinCorners", False),
        cells,
    )


def _graph(node: Ludeme, cells: bool) -> Graph:
    only_labels(node, "vertices", "edges")
    if node.positional or node.named("vertices") is None:
        raise unsupported(node)
    points = [point(vertex) for vertex in items(node.named("vertices"))]
    edges = [edge(ends, len(points)) for ends in items(node.named("edges"))]
    return assemble("free", np.array(points).reshape(-1, 2), edges)


def _wedge(node: Ludeme, cells: bool) -> Graph:
    only_labels(node)
    match node.positional:
        case (rows,):
            return shapes.wedge(size(rows), 3)
        case (rows, columns):
            return shapes.wedge(size(rows), whole(columns, 2))
    raise _wrong(node, node.positional)


def _regular(node: Ludeme, cells: bool) -> Graph:
    only_labels(node)
    shape, arguments = _shape(node)
    match shape, arguments:
        case (("Star" | None), (sides,)):
            return shapes.regular(whole(sides, 3), shape == "Star", cells)
    raise _wrong(node, arguments)


def _repeat(node: Ludeme, cells: bool) -> Graph:
    only_labels(node, "step")
    steps = [point(step) for step in items(node.named("step"))]
    match node.positional:
        case (rows, columns, pattern) if len(steps) == 2:
            polygons = items(pattern) if isinstance(pattern, Array) else (pattern,)
            along, up = np.array(steps)
            return shapes.repeat(size(rows), size(columns), (along, up), [polygon(part) for part in polygons])
    raise unsupported(node)


# Name -> from a ludeme, and whether the board is played on its cells, to a graph.
CONSTRUCTORS: dict[str, Callable[[Ludeme, bool], Graph]] = {
    "square": _square,
    "rectangle": _rectangle,
    "hex": _hex,
    "tri": _tri,
    "brick": _brick,
    "morris": _morris,
    "concentric": _concentric,
    "graph": _graph,
    "wedge": _wedge,
    "regular": _regular,
    "repeat": _repeat,
}


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
