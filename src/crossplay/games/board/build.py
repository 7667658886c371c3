"""From a ``(board ...)`` ludeme to a board."""

from __future__ import annotations

from crossplay.errors import LudSyntaxError, UnsupportedLudeme
from crossplay.games.board.board import Board, board_from_graph
from crossplay.games.board.graph import Graph
from crossplay.games.board.tilings import hex_hexagon, hex_rhombus, square_grid
from crossplay.games.language import Ludeme, Node, Number, Symbol, head

MAX_SIZE = 60  # cells along a side


def build_board(node: Ludeme) -> Board:
    """The board of ``(board (square 5))``, ``(board (square 9) use:Vertex)``, ``(board (hex Diamond 11))``...

    Raises:
        UnsupportedLudeme: a tiling, shape or argument that has no constructor here.
        LudSyntaxError: a size that is missing or out of range.
    """
    if not node.positional:
        raise LudSyntaxError("(board ...) needs a graph, such as (square 8)", *node.position)
    graph, *others = node.positional
    if others:
        raise _unsupported(others[0])
    if label := next((label for label in node.labelled if label != "use"), None):
        raise _unsupported(node, f"{label}:")
    use = node.named("use")
    site_type = use.name if isinstance(use, Symbol) else "Cell" if use is None else ""
    if site_type not in ("Cell", "Vertex"):
        raise _unsupported(node, f"use:{head(use) if use else ''}")
    if not isinstance(graph, Ludeme) or graph.labelled:
        raise _unsupported(graph, *(f"{label}:" for label in getattr(graph, "labelled", ())))
    return board_from_graph(_build_graph(graph, site_type), site_type)


def _build_graph(node: Ludeme, site_type: str) -> Graph:
    shape = node.keyword
    sizes = node.positional if shape is None else node.positional[1:]
    match node.name, shape, sizes:
        case "square", None, (side,):
            return _squares(site_type, side, side)
        case "rectangle", None, (rows, columns):
            return _squares(site_type, rows, columns)
        case "hex", (None | "Hexagon"), (side,) if site_type == "Cell":
            return hex_hexagon(_size(side))
        case "hex", "Diamond", (side,) if site_type == "Cell":
            return hex_rhombus(_size(side))
        case "square" | "hex", (None | "Hexagon" | "Diamond"), ():
            raise LudSyntaxError(f"({head(node)} ...) needs a size", *node.position)
        case _:
            raise _unsupported(node, *(["use:Vertex"] if site_type == "Vertex" else []))


def _squares(site_type: str, rows: Node, columns: Node) -> Graph:
    if site_type == "Cell":
        return square_grid(_size(rows), _size(columns))
    # n x n vertices have one cell less each way between them.
    return square_grid(_size(rows, 2) - 1, _size(columns, 2) - 1)


def _size(node: Node, least: int = 1) -> int:
    if not isinstance(node, Number) or not isinstance(node.value, int) or not least <= node.value <= MAX_SIZE:
        message = f"a board's size is a whole number from {least} to {MAX_SIZE}, not {head(node)}"
        raise LudSyntaxError(message, *node.position)
    return node.value


def _unsupported(node: Node, *details: str) -> UnsupportedLudeme:
    return UnsupportedLudeme(" ".join([head(node), *details]), node.position.file, node.position.line)
