"""Where the sites of a game lie in its tensors.

The board takes the lower left corner. Hands and other containers follow as further columns, or rows, after an
empty one. (Source: Ludii's ``LudiiGameWrapper.computeTensorCoords``.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crossplay.errors import CrossplayError
from crossplay.games.board import Board
from crossplay.games.compiler import Container

HEX_LAYOUTS = ("sparse", "dense")
HAND_LAYOUTS = ("faithful", "repaired")


class Layout(NamedTuple):
    """How a game's sites are laid out in its tensors; by default exactly as Ludii does.

    Attributes:
        hex: ``"sparse"`` ranks the sites' coordinates, which leaves every other cell of a hex board's plane
            empty; ``"dense"`` puts hex boards on axial coordinates, so that a rhombus of N x N cells is an
            N x N plane with every neighbour inside a 3 x 3 kernel. Boards of triangles lose their gaps, too;
            others are the same in both.
        hands: ``"repaired"`` gives every site a cell of its own. ``"faithful"`` repeats two slips of Ludii's:
            where hands are columns, the column of the last hand goes to the first one and the other hands'
            sites all lie at (0, 0), on top of the board's corner; and on boards of vertices, counts, local
            states and stacks are those of the cell with the vertex's number, which are always empty.
    """

    hex: str = "sparse"
    hands: str = "faithful"

    def check(self) -> None:
        """Raise :class:`CrossplayError` for an unknown choice."""
        for name, known in (("hex", HEX_LAYOUTS), ("hands", HAND_LAYOUTS)):
            value = getattr(self, name)
            if value not in known:
                raise CrossplayError(f"{name}: unknown tensor layout {value!r}; choose {' or '.join(known)}")


class Coordinates(NamedTuple):
    """The cell ``(x, y)`` of every site, board first, in planes of ``width`` x ``height`` cells."""

    x: np.ndarray  # int32[n]
    y: np.ndarray  # int32[n]
    width: int
    height: int


def tensor_coordinates(board: Board, containers: Sequence[Container], layout: Layout) -> Coordinates:
    """Lay out the sites of all ``containers``, of which the board is the first."""
    dense = layout.hex == "dense"
    board_x, board_y = board.dense_coordinates() if dense else board.rank_coordinates()
    width, height = int(board_x.max()) + 1, int(board_y.max()) + 1
    hands = containers[1:]
    n_sites = len(board_x) + sum(hand.sites for hand in hands)
    x, y = np.zeros((2, n_sites), np.int32)
    x[: len(board_x)], y[: len(board_x)] = board_x, board_y
    if not hands:
        return Coordinates(x, y, width, height)
    longest = max(hand.sites for hand in hands)
    as_rows = (width < height and longest <= width) or (longest > width > height)
    # Along the hand, and across: the first line after the board stays empty.
    along, across = (x, y) if as_rows else (y, x)
    first = len(board_x)
    for hand in hands:
        along[first : first + hand.sites] = np.arange(hand.sites)
        across[first : first + hand.sites] = (height if as_rows else width) + hand.index
        if as_rows or layout.hands == "repaired":
            first += hand.sites
    if as_rows:
        return Coordinates(x, y, max(width, longest), height + len(containers))
    return Coordinates(x, y, width + len(containers), max(height, longest))
