"""The boards that are looked at instead of those with a tile of 32768."""

from __future__ import annotations

import numpy as np
import pytest
from slow_2048 import from_word, slide, to_word

from crossplay.ntuple.downgrade import FROM, downgraded


def lower(board: list[int], threshold: int = FROM) -> list[int]:
    return from_word(int(downgraded(np.uint64(to_word(board)), threshold)))


@pytest.mark.parametrize(
    ("board", "expected"),
    [
        # Without 32768, nothing happens.
        ([14, 12, 3, 1] + [0] * 12, [14, 12, 3, 1] + [0] * 12),
        # 16384 is missing: only 32768 is halved.
        ([15, 13, 3, 1] + [0] * 12, [14, 13, 3, 1] + [0] * 12),
        # Two of them do not merge, halved they would.
        ([15, 15, 3, 1] + [0] * 12, [15, 15, 3, 1] + [0] * 12),
        # 4096 is the largest one missing; below it others are missing too, and stay so.
        ([15, 14, 13, 13, 11, 9, 9, 2] + [0] * 8, [14, 13, 12, 12, 11, 9, 9, 2] + [0] * 8),
        # Only 2 is missing: all others are halved.
        ([15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 0, 0],
         [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0]),
        # No tile is missing.
        ([15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
         [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
        ([0] * 16, [0] * 16),
    ],
)  # fmt: skip
def test_tiles_above_the_largest_missing_one_are_halved(board: list[int], expected: list[int]) -> None:
    assert lower(board) == expected
    assert lower(board[::-1]) == expected[::-1]


def test_threshold_is_the_largest_tile() -> None:
    board = [6, 4, 1] + [0] * 13
    assert lower(board, 7) == board
    assert lower(board, 6) == [5, 4, 1] + [0] * 13


def test_same_moves_are_legal() -> None:
    rng = np.random.default_rng(1)
    changed = 0
    for _ in range(400):
        board = [int(tile) for tile in rng.choice(16, 16, p=[0.2, *[0.74 / 14] * 14, 0.06])]
        other = lower(board)
        changed += other != board
        for move in range(4):
            assert (slide(board, move)[0] == board) == (slide(other, move)[0] == other)
    assert changed > 80
