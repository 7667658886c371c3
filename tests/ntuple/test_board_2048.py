"""The board's kernels against the game as a person would describe it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import slow_2048
from numba import njit
from scipy import stats

from crossplay.ntuple.board import (
    GOLDEN,
    add_tile,
    afterstates,
    board_of,
    cells_of,
    empty_cells,
    flip,
    half_turn,
    mix,
    new_game,
    row_table,
    stage_of,
    transpose,
)

ROWS = row_table()


@njit("void(uint64[::1], uint64, uint64[::1])", cache=True)
def play(rows: np.ndarray, random: int, boards: np.ndarray) -> None:
    """The boards of random games, one game after another."""
    after = np.empty(4, np.uint64)
    board, random = new_game(random)
    for i in range(boards.size):
        boards[i] = board
        after[0], after[1], after[2], after[3], _, _ = afterstates(rows, board)
        if (after == board).all():
            board, random = new_game(random)
            continue
        random += GOLDEN
        bits = mix(random)
        move = bits >> np.uint64(62)
        while after[move] == board:
            move = (move + np.uint64(1)) & np.uint64(3)
        board = add_tile(after[move], mix(bits))


@njit("void(uint64[::1], uint64[::1], uint64[:, ::1])", cache=True)
def slide_all(rows: np.ndarray, boards: np.ndarray, seen: np.ndarray) -> None:
    """Of each board the four afterstates, the reward up or down, the reward left or right."""
    for i in range(boards.size):
        seen[i, 0], seen[i, 1], seen[i, 2], seen[i, 3], seen[i, 4], seen[i, 5] = afterstates(rows, boards[i])


@njit("void(uint64[::1], uint64[::1], uint64[:, ::1])", cache=True)
def look(boards: np.ndarray, bits: np.ndarray, seen: np.ndarray) -> None:
    """What small kernels make of boards."""
    for i in range(boards.size):
        seen[i, 0] = transpose(boards[i])
        seen[i, 1] = half_turn(boards[i])
        seen[i, 2] = flip(boards[i])
        seen[i, 3] = empty_cells(boards[i])
        seen[i, 4] = mix(boards[i])
        seen[i, 5] = add_tile(boards[i], bits[i]) if seen[i, 3] else boards[i]
        for stage_bits in range(9):
            seen[i, 6 + stage_bits] = stage_of(boards[i], stage_bits)


def afterstates_of(boards: np.ndarray) -> np.ndarray:
    seen = np.zeros((len(boards), 6), np.uint64)
    slide_all(ROWS, boards, seen)
    return seen


def small_kernels(boards: np.ndarray, bits: np.ndarray) -> list[list[int]]:
    seen = np.zeros((len(boards), 15), np.uint64)
    look(boards, bits, seen)
    return [[int(word) for word in row] for row in seen]


def random_boards(number: int, seed: int) -> np.ndarray:
    """Boards of all sorts: any tiles, mostly large ones, mostly empty."""
    random = np.random.default_rng(seed)
    cells = random.integers(0, 16, (number, 16))
    large = random.random((number, 1)) < 0.4
    cells = np.where(large, random.integers(10, 16, (number, 16)), cells)
    cells *= random.random((number, 16)) < random.random((number, 1))
    return (cells.astype(np.uint64) << np.arange(0, 64, 4, dtype=np.uint64)).sum(1, dtype=np.uint64)


def cells_in(boards: np.ndarray) -> np.ndarray:
    """``int8[n, 16]``: the exponents."""
    pairs = np.ascontiguousarray(boards, "<u8").view(np.uint8).reshape(-1, 8)
    return np.stack([pairs & 15, pairs >> 4], 2).reshape(-1, 16).astype(np.int8)


@cache
def slow_lines() -> tuple[np.ndarray, np.ndarray]:
    """Every line moved, and its reward, by the line's number in base 16."""
    moved = [slow_2048.slide_line([n >> shift & 15 for shift in (12, 8, 4, 0)]) for n in range(16**4)]
    return np.array([line for line, _ in moved], np.int8), np.array([reward for _, reward in moved])


def slow_moves(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The slow game of many boards at once, one line after another: ``[n, 4, 16]`` and ``[n, 4]``."""
    number = len(cells)
    lines, rewards = slow_lines()
    after, total = np.zeros((number, 4, 16), np.int8), np.zeros((number, 4), np.int64)
    for move in range(4):
        for line in slow_2048.LINES[move]:
            index = cells[:, line] @ np.array([4096, 256, 16, 1], np.int32)
            after[:, move, line] = lines[index]
            total[:, move] += rewards[index]
    return after, total


def test_every_row() -> None:
    for row in range(65536):
        cells = [row >> shift & 15 for shift in (0, 4, 8, 12)]
        left, reward = slow_2048.slide_line(cells)
        right, reward_right = slow_2048.slide_line(cells[::-1])
        packed = slow_2048.to_word(left + right[::-1]) | reward << 32
        assert reward == reward_right
        assert int(ROWS[row]) == packed, cells


@pytest.mark.parametrize("number", [400_000, pytest.param(10_000_000, marks=pytest.mark.slow)])
def test_moves_of_random_games(number: int) -> None:
    boards = np.zeros(400_000, np.uint64)
    for seed in range(0, number, len(boards)):
        play(ROWS, seed, boards)
        after = afterstates_of(boards)
        check_moves(boards, after)
        check_games(boards, after)


def test_moves_of_any_board() -> None:
    boards = random_boards(100_000, 1)
    check_moves(boards, afterstates_of(boards))


def check_moves(boards: np.ndarray, after: np.ndarray) -> None:
    expected, rewards = slow_moves(cells_in(boards))
    for move in range(4):
        np.testing.assert_array_equal(cells_in(after[:, move]), expected[:, move])
    assert (rewards[:, [0, 1]] == rewards[:, [2, 3]]).all()
    np.testing.assert_array_equal(after[:, 4:], rewards[:, :2])


def check_games(boards: np.ndarray, after: np.ndarray) -> None:
    """Each board follows from the one before by a legal move and one small tile, or begins a game."""
    cells = cells_in(boards)
    sideways = (cells.reshape(-1, 4, 4)[:, :, 1:] == cells.reshape(-1, 4, 4)[:, :, :-1]).any((1, 2))
    upright = (cells.reshape(-1, 4, 4)[:, 1:] == cells.reshape(-1, 4, 4)[:, :-1]).any((1, 2))
    over = (cells > 0).all(1) & ~sideways & ~upright
    assert over.sum() > 1000
    np.testing.assert_array_equal((after[:, :4] == boards[:, None]).all(1), over)
    for start in cells[1:][over[:-1]]:
        assert sorted(start)[:14] == [0] * 14
        assert set(sorted(start)[14:]) <= {1, 2}
    here, following = cells[:-1][~over[:-1]], cells[1:][~over[:-1]]
    moved = cells_in(after[:-1][~over[:-1], :4].reshape(-1)).reshape(-1, 4, 16)
    legal = (moved != here[:, None]).any(2)
    new = following[:, None] - moved
    one_tile = ((new != 0).sum(2) == 1) & np.isin(new.sum(2), [1, 2]) & (moved * new == 0).all(2)
    assert (legal & one_tile).any(1).all()


def test_symmetries_and_stages_of_any_board() -> None:
    boards = random_boards(5_000, 2)
    for board, seen in zip(boards, small_kernels(boards, boards), strict=True):
        cells = slow_2048.from_word(board)
        images = {slow_2048.to_word(image) for image in slow_2048.images(cells)}
        assert seen[0] == slow_2048.to_word([cells[4 * x + y] for y in range(4) for x in range(4)])
        assert seen[1] == slow_2048.to_word(cells[::-1])
        assert seen[2] == slow_2048.to_word(cells[12:] + cells[8:12] + cells[4:8] + cells[:4])
        assert images >= set(seen[:3])
        assert seen[3] == sum(1 << 4 * cell for cell in range(16) if cells[cell] == 0)
        assert seen[6:] == [slow_2048.stage(cells, bits) for bits in range(9)], cells


@pytest.mark.parametrize(
    ("tiles", "stage"),
    [
        ([2048, 1024], 0),
        ([4096], 1),
        ([4096, 4096], 1),  # 4096 and 2048
        ([8192], 2),
        ([8192, 8192], 3),
        ([8192, 4096, 4096], 3),
        ([16384, 16384], 6),
        ([16384, 16384, 8192], 7),  # 16384, 8192 and 8192: the latter counts as 4096
        ([32768], 8),
        ([32768, 32768, 32768], 14),  # 32768, 16384 and 16384: 8192
        ([32768, 16384, 8192, 4096], 15),
    ],
)
def test_stages_of_large_tiles(tiles: list[int], stage: int) -> None:
    cells = [2, 0, 4, *tiles, *[0] * (13 - len(tiles))]
    board = board_of([cells[row : row + 4] for row in range(0, 16, 4)])
    assert cells_of(board) == [cells[row : row + 4] for row in range(0, 16, 4)]
    [seen] = small_kernels(np.array([board], np.uint64), np.zeros(1, np.uint64))
    assert seen[6 + 4] == stage


def test_new_tiles() -> None:
    random = np.random.default_rng(3)
    boards = random_boards(20_000, 4)
    bits = random.integers(0, 2**64, len(boards), np.uint64)
    bits[:4] = 0, 2**64 - 1, 429496729 << 32, 429496730 << 32
    boards[:4] = 0
    for board, word, seen in zip(boards, bits, small_kernels(boards, bits), strict=True):
        cells = slow_2048.from_word(board)
        assert seen[4] == slow_2048.splitmix(int(board))
        if 0 in cells:
            assert seen[5] == slow_2048.to_word(slow_2048.add_tile(cells, int(word)))


def test_new_tiles_are_spread_evenly() -> None:
    random = np.random.default_rng(5)
    board = np.full(200_000, slow_2048.to_word([0, 3, 0, 0, 2, 2, 2, 0, 1, 1, 1, 1, 0, 0, 1, 1]), np.uint64)
    tiles = np.zeros((len(board), 15), np.uint64)
    look(board, random.integers(0, 2**64, len(board), np.uint64), tiles)
    new = cells_in(tiles[:, 5]) - cells_in(board)
    fours, cells = (new == 2).any(1), (new > 0).sum(0)
    assert cells.sum() == len(board)
    assert stats.chisquare(cells[[0, 2, 3, 7, 12, 13]]).pvalue > 0.001
    assert stats.binomtest(int(fours.sum()), len(board), 0.1).pvalue > 0.001
