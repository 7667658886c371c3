"""The game 2048 on a 64-bit board, as kernels.

Cell ``c`` of the board (row-major, 0 to 15) is the nibble at bit ``4 c``: 0 is empty, ``v`` is the tile
``2**v``. Two tiles 15 (32768) do not merge, so every cell stays within its nibble. Moves are numbered up,
right, down, left. A move slides and merges whole rows through one table of 65,536 entries.

Source: W. Jaśkowski, "Mastering 2048 with Delayed Temporal Coherence Learning" (2016), section II.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from crossplay.ntuple.intrinsics import count_ones, nth_bit, swap_bytes

UP, RIGHT, DOWN, LEFT = range(4)
MOVE_NAMES = ("up", "right", "down", "left")
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # step of splitmix64

_ONE, _FOUR, _TWELVE = np.uint64(1), np.uint64(4), np.uint64(12)
_16, _24, _32, _48 = np.uint64(16), np.uint64(24), np.uint64(32), np.uint64(48)
_ROW, _RIGHT_HALF = np.uint64(0xFFFF), np.uint64(0xFFFF0000)
_CELLS = np.uint64(0x1111111111111111)
_TENTH = np.uint64(429496730)  # 2**32 / 10


def row_table() -> np.ndarray:
    """``uint64[65536]``: of every row the row moved left, ``<< 16`` moved right, ``<< 32`` the reward."""
    rows = np.arange(65536, dtype=np.uint64)
    cells = np.stack([(rows >> np.uint64(4 * place)) & np.uint64(15) for place in range(4)])
    left, reward = _slide(cells)
    right, _ = _slide(cells[::-1])
    shifts = np.array([0, 4, 8, 12], np.uint64)[:, None]
    packed_left = (left << shifts).sum(0, dtype=np.uint64)
    packed_right = (right[::-1] << shifts).sum(0, dtype=np.uint64)
    return packed_left | packed_right << np.uint64(16) | reward << np.uint64(32)


def _slide(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Move rows, given as ``[4, n]`` cells, towards their first cell; return them and the rewards ``[n]``."""
    cells, reward = _pack(cells), np.zeros(cells.shape[1], np.uint64)
    for place in range(3):
        merges = (cells[place] != 0) & (cells[place] == cells[place + 1]) & (cells[place] < 15)
        cells[place] += merges.astype(np.uint64)
        cells[place + 1][merges] = 0
        reward += np.where(merges, np.uint64(1) << cells[place], np.uint64(0))
    return _pack(cells), reward


def _pack(cells: np.ndarray) -> np.ndarray:
    """Close the gaps between the tiles of rows ``[4, n]``, towards the first cell."""
    order = np.argsort(cells == 0, axis=0, kind="stable")
    return np.take_along_axis(cells, order, axis=0)


@njit(nogil=True)
def transpose(board: np.uint64) -> np.uint64:
    """The board reflected at its main diagonal."""
    x = (
        (board & np.uint64(0xF0F00F0FF0F00F0F))
        | ((board & np.uint64(0x0000F0F00000F0F0)) << _TWELVE)
        | ((board & np.uint64(0x0F0F00000F0F0000)) >> _TWELVE)
    )
    return (
        (x & np.uint64(0xFF00FF0000FF00FF))
        | ((x & np.uint64(0x00FF00FF00000000)) >> _24)
        | ((x & np.uint64(0x00000000FF00FF00)) << _24)
    )


@njit(nogil=True)
def half_turn(board: np.uint64) -> np.uint64:
    """The board turned by 180 degrees."""
    x = swap_bytes(board)
    low = np.uint64(0x0F0F0F0F0F0F0F0F)
    return ((x & low) << _FOUR) | ((x >> _FOUR) & low)


@njit(nogil=True)
def flip(board: np.uint64) -> np.uint64:
    """The board with its rows in reverse order."""
    x = (board << _32) | (board >> _32)
    low = np.uint64(0x0000FFFF0000FFFF)
    return ((x & low) << _16) | ((x >> _16) & low)


@njit(nogil=True)
def mix(state: np.uint64) -> np.uint64:
    """64 random bits from a counter (the output function of splitmix64)."""
    z = state
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(nogil=True)
def empty_cells(board: np.uint64) -> np.uint64:
    """Bit ``4 c`` is set for each empty cell ``c``."""
    tiles = board | (board >> _ONE)
    tiles |= tiles >> np.uint64(2)
    return ~tiles & _CELLS


@njit(nogil=True)
def add_tile(board: np.uint64, bits: np.uint64) -> np.uint64:
    """Put a 2 (9 of 10 times) or a 4 on an empty cell, drawn by 64 random bits; there must be one."""
    empty = empty_cells(board)
    which = ((bits & np.uint64(0xFFFFFFFF)) * count_ones(empty)) >> _32
    four = _ONE if (bits >> _32) < _TENTH else np.uint64(0)
    return board | (nth_bit(empty, which) << four)


@njit(nogil=True)
def takes_turn(bits: int, equal: int) -> bool:
    """Whether the ``equal``-th of several equal moves takes the place of those before: once in ``equal``."""
    draw = mix(bits + np.uint64(equal)) >> _32
    return (draw * np.uint64(equal)) >> _32 == np.uint64(0)


@njit(nogil=True)
def new_game(random: np.uint64) -> tuple[np.uint64, np.uint64]:
    """A board with two random tiles, and the advanced counter."""
    random += GOLDEN
    board = add_tile(np.uint64(0), mix(random))
    random += GOLDEN
    return add_tile(board, mix(random)), random


@njit(nogil=True)
def afterstates(rows: np.ndarray, board: np.uint64) -> tuple[np.uint64, ...]:
    """Slide the board in all directions.

    Args:
        rows: see :func:`row_table`.
        board: the position.

    Returns:
        The boards after up, right, down and left, each equal to ``board`` if that move is not legal,
        the reward of moving up or down, and the reward of moving left or right.
    """
    turned = transpose(board)
    a0, a1 = rows[board & _ROW], rows[(board >> _16) & _ROW]
    a2, a3 = rows[(board >> _32) & _ROW], rows[board >> _48]
    c0, c1 = rows[turned & _ROW], rows[(turned >> _16) & _ROW]
    c2, c3 = rows[(turned >> _32) & _ROW], rows[turned >> _48]
    left = (a0 & _ROW) | ((a1 & _ROW) << _16) | ((a2 & _ROW) << _32) | (a3 << _48)
    right = (
        ((a0 & _RIGHT_HALF) >> _16)
        | (a1 & _RIGHT_HALF)
        | ((a2 & _RIGHT_HALF) << _16)
        | ((a3 & _RIGHT_HALF) << _32)
    )
    up = transpose((c0 & _ROW) | ((c1 & _ROW) << _16) | ((c2 & _ROW) << _32) | (c3 << _48))
    down = transpose(
        ((c0 & _RIGHT_HALF) >> _16)
        | (c1 & _RIGHT_HALF)
        | ((c2 & _RIGHT_HALF) << _16)
        | ((c3 & _RIGHT_HALF) << _32)
    )
    sideways = (a0 >> _32) + (a1 >> _32) + (a2 >> _32) + (a3 >> _32)
    upright = (c0 >> _32) + (c1 >> _32) + (c2 >> _32) + (c3 >> _32)
    return up, right, down, left, upright, sideways


@njit(nogil=True)
def stage_of(board: np.uint64, bits: int) -> np.uint64:
    """The stage of a board when the game is split into ``2**bits`` of them.

    The number's bits say which of the tiles 32768, 16384, ... are on the board, the largest tile first.
    Of two equal large tiles the second counts as the next smaller one, so that two tiles 16384 about to
    merge belong to the stage just before 32768 and not after it.

    Source: Jaśkowski (2016), section VI.
    """
    stage, carried = np.uint64(0), np.uint64(0)
    if board & np.uint64(0x8888888888888888) == np.uint64(0):
        return stage  # no tile of 256 or more
    for step in range(np.uint64(bits)):
        differs = board ^ (_CELLS * (np.uint64(15) - step))
        differs |= differs >> _ONE
        differs |= differs >> np.uint64(2)
        count = count_ones(~differs & _CELLS) + carried
        here = count != np.uint64(0)
        stage = (stage << _ONE) | np.uint64(here)
        carried = count - np.uint64(here)
    return stage


def cells_of(board: int) -> list[list[int]]:
    """The tiles of a board, row by row, 0 for an empty cell."""
    exponents = [(int(board) >> (4 * cell)) & 15 for cell in range(16)]
    return [[1 << v if v else 0 for v in exponents[4 * row : 4 * row + 4]] for row in range(4)]


def board_of(cells: list[list[int]]) -> int:
    """The board with the given tiles; the inverse of :func:`cells_of`."""
    exponents = [tile.bit_length() - 1 if tile else 0 for row in cells for tile in row]
    return sum(v << (4 * cell) for cell, v in enumerate(exponents))
