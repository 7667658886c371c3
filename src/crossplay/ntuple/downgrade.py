"""Tile-downgrading: positions with a large tile are judged by the better known positions they resemble.

Hardly any game of the training has a tile of 32768, so a network knows little about what follows it. Once
the tile is on the board, a player therefore looks at another board: let v be the largest tile that is
missing below the largest one; all tiles larger than v are halved, the others stay. No two different tiles
become equal, so the same moves are legal; the move chosen there is made on the true board. The board is
translated once, before a search begins, and rewards and values in the search are those of the translation.
Two tiles of 32768 do not merge here, as their halves would, so a board with two of them stays as it is.

Source: H. Guei, L.-P. Chen, I-C. Wu, "Optimistic Temporal Difference Learning for 2048" (2021). From 32768
on: as the option ``-h 32768`` of their program TDL2048+.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from crossplay.ntuple.intrinsics import count_ones

FROM = 15  # the exponent of the tile that brings it about: 32768

_CELLS = np.uint64(0x1111111111111111)
_ONE, _TWO = np.uint64(1), np.uint64(2)


@njit(nogil=True)
def downgraded(board: np.uint64, threshold: int) -> np.uint64:
    """The board to look at instead of ``board``.

    The same one if it has no tile of ``2**threshold`` or more, if no tile is missing below its largest, or if
    it has two tiles of 32768.
    """
    largest = np.uint64(15)
    if count_ones(_cells_with(board, largest)) > _ONE:
        return board
    while largest > np.uint64(0) and _cells_with(board, largest) == np.uint64(0):
        largest -= _ONE
    if largest < np.uint64(threshold):
        return board
    missing = largest
    while missing > np.uint64(0) and _cells_with(board, missing) != np.uint64(0):
        missing -= _ONE
    if missing == np.uint64(0):
        return board
    for tile in range(missing + _ONE, largest + _ONE):
        board -= _cells_with(board, np.uint64(tile))
    return board


@njit(nogil=True)
def _cells_with(board: np.uint64, tile: np.uint64) -> np.uint64:
    """Bit ``4 c`` is set for each cell ``c`` with that tile."""
    differs = board ^ (_CELLS * tile)
    differs |= differs >> _ONE
    differs |= differs >> _TWO
    return ~differs & _CELLS
