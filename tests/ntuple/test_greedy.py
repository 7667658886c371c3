"""The greedy player against the same games played slowly, move by move, in Python."""

from __future__ import annotations

import numpy as np
import pytest
from slow_2048 import MASK, add_tile, images, slide, splitmix, stage

from crossplay.ntuple.board import row_table
from crossplay.ntuple.greedy import greedy_player, new_room
from crossplay.ntuple.shapes import Tuples, stage_weights, table_offsets

STEP = 0x9E3779B97F4A7C15
TUPLES: Tuples = ((0, 1, 2), (5, 6))
ROWS = row_table()
ROOM = new_room(8 * len(TUPLES))


def network(seed: int, stages: int = 1) -> np.ndarray:
    """Random small whole numbers, which sum without rounding; many are 0."""
    weights = np.random.default_rng(seed).integers(-9, 10, stages * stage_weights(TUPLES))
    return weights.astype(np.float32)


def value(weights: np.ndarray, board: list[int], stage_bits: int, promotion: bool) -> float:
    """Sum the active weights of a board, those that are 0 replaced by the weight of the stage before."""
    size, total = stage_weights(TUPLES), 0.0
    base = size * stage(board, stage_bits)
    for image in images(board):
        for offset, cells in zip(table_offsets(TUPLES), TUPLES, strict=True):
            place = (
                base + offset + sum(image[cell] << 4 * (len(cells) - 1 - i) for i, cell in enumerate(cells))
            )
            weight = weights[place]
            if promotion and base and weight == 0:
                weight = weights[place - size]
            total += float(weight)
    return total


def lowered(board: list[int]) -> list[int]:
    """All tiles larger than the largest one missing below the largest are halved."""
    missing = max((tile for tile in range(1, max(board)) if tile not in board), default=15)
    return [tile - (tile > missing) for tile in board]


def play(
    weights: np.ndarray, seed: int, number: int, stage_bits: int, promotion: bool, lower: int
) -> tuple[int, int, int]:
    """Play a game greedily; return its score, its largest tile and its length."""
    random = splitmix((splitmix((seed + STEP) & MASK) + number) & MASK)

    def draw() -> int:
        nonlocal random
        random = random + STEP & MASK
        return splitmix(random)

    board = add_tile(add_tile([0] * 16, draw()), draw())
    score = length = 0
    while True:
        bits = draw()
        seen = lowered(board) if lower and max(board) >= lower else board
        best, chosen, equal = float("-inf"), -1, 0
        for move in range(4):
            after, reward = slide(seen, move)
            if after == seen:
                continue
            worth = reward + value(weights, after, stage_bits, promotion)
            equal = equal + 1 if worth == best else 1
            if worth > best or (worth == best and splitmix(bits + equal & MASK) >> 32 < 2**32 / equal):
                best, chosen = worth, move
        if chosen < 0:
            return score, max(board), length
        after, reward = slide(board, chosen)
        score, length = score + reward, length + 1
        board = add_tile(after, bits)


@pytest.mark.parametrize(
    ("stage_bits", "promotion", "lower"),
    [(0, True, 0), (8, True, 0), (8, False, 0), (0, False, 5)],
)
def test_games_are_those_played_slowly(stage_bits: int, promotion: bool, lower: int) -> None:
    kernel = greedy_player(TUPLES, stage_bits, promotion, lower)
    weights = network(1, 1 << stage_bits)
    weights.flags.writeable = False
    scores, largest, moves = np.zeros(5, np.int64), np.zeros(5, np.int8), np.zeros(5, np.int64)
    assert kernel(weights, ROWS, *ROOM, np.uint64(7), 20, scores, largest, moves)
    expected = [play(weights, 7, 20 + number, stage_bits, promotion, lower) for number in range(5)]
    assert list(zip(scores, largest, moves, strict=True)) == expected


def test_values_that_are_no_numbers_are_noticed() -> None:
    weights = np.full(stage_weights(TUPLES), np.nan, np.float32)
    outputs = np.zeros(1, np.int64), np.zeros(1, np.int8), np.zeros(1, np.int64)
    assert not greedy_player(TUPLES, 0, False)(weights, ROWS, *ROOM, np.uint64(1), 0, *outputs)
