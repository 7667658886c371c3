"""The last chance node of a search: all moves after all new tiles, as few boards as possible to evaluate.

A new tile changes one row and one column, so of the moves of the position after it only that row, or that
column, has to be looked up. Where it slides to the same place from two neighbouring cells, the afterstate
is the same; it is listed once. Moves up and down are made on the transposed board and left there: a
network gives a board and its mirror image the same value.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from crossplay.ntuple.board import empty_cells, transpose
from crossplay.ntuple.intrinsics import count_ones

_POSITIONS = 30  # at most: 15 empty cells, two tiles
LEAVES = 4 * _POSITIONS
# Places of the array `leaves`, uint64[LEAVES_SIZE]: the different boards; then for each move of each position
# which board it leads to; for each position, a 2 and a 4 on each empty cell in turn, the end of its moves.
BOARDS, _MOVES, _ENDS = np.uint64(0), np.uint64(LEAVES), np.uint64(2 * LEAVES)
# Room for work: the rows and columns of the node, moved; for each line, direction and tile the board that
# was the last, and its number.
_LINES = _ENDS + np.uint64(_POSITIONS)
_KNOWN = _LINES + np.uint64(8)
_NUMBERS = _KNOWN + np.uint64(32)
LEAVES_SIZE = int(_NUMBERS) + 32

_LEAST = np.float32(-3.4e38)
OFTEN, SELDOM = np.float32(0.9), np.float32(0.1)  # of a 2 and of a 4
_0, _1, _2, _3, _4 = (np.uint64(value) for value in range(5))
_16, _32 = np.uint64(16), np.uint64(32)
_ROW = np.uint64(0xFFFF)


@njit(nogil=True, boundscheck=False)
def expand(rows: np.ndarray, node: np.uint64, leaves: np.ndarray, values: np.ndarray) -> np.uint64:
    """List all boards after an afterstate, a new tile and a move.

    Args:
        rows: see :func:`crossplay.ntuple.board.row_table`.
        node: the afterstate.
        leaves: ``uint64[LEAVES_SIZE]``, filled in.
        values: ``float32[LEAVES]``, set to the rewards of the moves to the boards.

    Returns:
        How many boards there are.
    """
    turned = transpose(node)
    leaves[_KNOWN : _KNOWN + np.uint64(32)] = _0
    # The node itself, moved left and right; and transposed, which is moved up and down.
    left = right = up = down = sideways = upright = _0
    for line in range(_4):
        shift = line * _16
        row, column = rows[(node >> shift) & _ROW], rows[(turned >> shift) & _ROW]
        leaves[_LINES + line], leaves[_LINES + _4 + line] = row, column
        left |= (row & _ROW) << shift
        right |= ((row >> _16) & _ROW) << shift
        up |= (column & _ROW) << shift
        down |= ((column >> _16) & _ROW) << shift
        sideways += row >> _32
        upright += column >> _32
    count = moves = position = _0
    empty = empty_cells(node)
    while empty != _0:
        bit = empty & (~empty + _1)
        empty ^= bit
        cell = count_ones(bit - _1) >> _2
        y, x = cell >> _2, cell & _3
        for four in range(_2):
            for half in range(_2):
                # First the tile's row, then its column.
                if half == _0:
                    board, line, place, one, other, reward = node, y, x, left, right, sideways
                else:
                    board, line, place, one, other, reward = turned, x, y, up, down, upright
                shift = line * _16
                tile = _1 << (four + _4 * place)
                before = leaves[_LINES + _4 * half + line]
                after = rows[((board >> shift) & _ROW) | tile]
                position_board = board | (tile << shift)
                changes = before ^ after
                gained = np.float32(np.int64(reward + (after >> _32) - (before >> _32)))
                for direction in range(_2):
                    base = one if direction == _0 else other
                    change = (changes >> (direction * _16)) & _ROW
                    leaf = base ^ (change << shift)
                    if leaf == position_board:
                        continue
                    slot = ((half * _2 + direction) * _2 + four) * _4 + line
                    if leaves[_KNOWN + slot] != leaf:
                        leaves[_KNOWN + slot], leaves[_NUMBERS + slot] = leaf, count
                        leaves[BOARDS + count], values[count] = leaf, gained
                        count += _1
                    leaves[_MOVES + moves] = leaves[_NUMBERS + slot]
                    moves += _1
            leaves[_ENDS + position] = moves
            position += _1
    return count


@njit(nogil=True, boundscheck=False)
def mean_of_best(node: np.uint64, leaves: np.ndarray, values: np.ndarray, offset: float) -> np.float32:
    """The value of the node, ``values`` being those of its boards with the rewards."""
    total, move = np.float32(0.0), _0
    positions = _2 * count_ones(empty_cells(node))
    for position in range(positions):
        best = np.float32(0.0)
        end = leaves[_ENDS + position]
        if move < end:
            best = _LEAST
            while move < end:
                best = max(best, values[leaves[_MOVES + move]])
                move += _1
            best += offset
        total += best * (OFTEN if position & _1 == _0 else SELDOM)
    return np.float32(2.0) * total / np.float32(np.int64(positions))
