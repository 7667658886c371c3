"""Boards: sites, neighbours, directions, sides and symmetries."""

from crossplay.games.board.board import Board
from crossplay.games.board.build import build_board

__all__ = ["Board", "build_board"]
