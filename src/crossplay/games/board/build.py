"""From a ``(board ...)`` ludeme to a board."""

from __future__ import annotations

from crossplay.errors import LudSyntaxError
from crossplay.games.board.board import Board, CrossingWaysError, board_from_graph
from crossplay.games.board.read import read_graph
from crossplay.games.board.values import unsupported
from crossplay.games.language import Ludeme, Symbol, head


def build_board(node: Ludeme) -> Board:
    """The board of ``(board (square 5))``, ``(board (square 9) use:Vertex)``, ``(board (hex Diamond 11))``...

    Raises:
        UnsupportedLudeme: a tiling, shape, operation or argument that has no constructor here.
        LudSyntaxError: a size that is missing or out of range.
    """
    if not node.positional:
        raise LudSyntaxError("(board ...) needs a graph, such as (square 8)", *node.position)
    graph, *others = node.positional
    if others:
        raise unsupported(others[0])
    if label := next((label for label in node.labelled if label != "use"), None):
        raise unsupported(node, f"{label}:")
    use = node.named("use")
    site_type = use.name if isinstance(use, Symbol) else "Cell" if use is None else ""
    if site_type not in ("Cell", "Vertex"):
        raise unsupported(node, f"use:{head(use) if use else ''}")
    made = read_graph(graph, cells=site_type == "Cell")
    if not len(made.faces if site_type == "Cell" else made.vertices):
        raise LudSyntaxError("the board has no sites", *node.position)
    try:
        return board_from_graph(made, site_type)
    except CrossingWaysError:
        raise unsupported(graph, "with two neighbours in one direction") from None
