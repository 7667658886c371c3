"""The search against its definition, written as a recursion in Python."""

from __future__ import annotations

import time
from functools import cache

import numpy as np
import pytest
from slow_2048 import images, slide, stage, to_word

from crossplay.ntuple.downgrade import downgraded
from crossplay.ntuple.evaluation import play_games
from crossplay.ntuple.expectimax import MOST_PLIES, Searcher
from crossplay.ntuple.files import Network, NetworkHeader
from crossplay.ntuple.shapes import Tuples, stage_weights, table_offsets

TUPLES: Tuples = ((0, 1, 2), (1, 5), (0, 1, 4, 5))


def random_network(stage_bits: int = 0, promotion: bool = True, offset: float = 0.0) -> Network:
    """A network of random weights, a third of them 0."""
    rng = np.random.default_rng(stage_bits)
    size = stage_weights(TUPLES) << stage_bits
    weights = (rng.normal(0, 40, size) * (rng.random(size) < 2 / 3)).astype(np.float32)
    weights.flags.writeable = False
    return Network(NetworkHeader("small", TUPLES, stage_bits, promotion, offset), weights)


def random_position(rng: np.random.Generator, empty: int, largest: int) -> list[int]:
    """A position with so many empty cells, or one less."""
    board = rng.integers(1, largest + 1, 16)
    board[rng.choice(16, empty, replace=False)] = 0
    return [int(tile) for tile in board]


class Slow:
    """The values of a network and of the search, as they are defined."""

    def __init__(self, network: Network) -> None:
        self.header, self.weights = network.header, network.weights
        self.after = cache(self._after)

    def network_value(self, board: tuple[int, ...]) -> float:
        size, total = stage_weights(TUPLES), self.header.offset
        base = size * stage(list(board), self.header.stage_bits)
        for image in images(list(board)):
            for offset, cells in zip(table_offsets(TUPLES), TUPLES, strict=True):
                digits = [image[cell] << 4 * (len(cells) - 1 - i) for i, cell in enumerate(cells)]
                weight = self.weights[base + offset + sum(digits)]
                if self.header.promotion and base and weight == 0:
                    weight = self.weights[base + offset + sum(digits) - size]
                total += float(weight)
        return total

    def _after(self, board: tuple[int, ...], depth: int) -> float:
        if depth == 0:
            return self.network_value(board)
        total, empty = 0.0, [cell for cell in range(16) if board[cell] == 0]
        for cell in empty:
            for tile, probability in ((1, 0.9), (2, 0.1)):
                position = [*board[:cell], tile, *board[cell + 1 :]]
                total += probability * max(
                    (value for value in self.moves(position, depth) if value is not None), default=0.0
                )
        return total / len(empty)

    def moves(self, position: list[int], plies: int) -> list[float | None]:
        values: list[float | None] = []
        for move in range(4):
            after, reward = slide(position, move)
            values.append(None if after == position else reward + self.after(tuple(after), plies - 1))
        return values


@pytest.mark.parametrize(
    ("stage_bits", "promotion", "offset"),
    [(0, True, 0.0), (0, True, 70.0), (3, True, 5.0), (3, False, 0.0)],
)
@pytest.mark.parametrize(("plies", "empty"), [(1, 8), (2, 0), (2, 5), (3, 1), (3, 2), (4, 0)])
def test_values_are_those_of_the_recursion(
    stage_bits: int, promotion: bool, offset: float, plies: int, empty: int
) -> None:
    network = random_network(stage_bits, promotion, offset)
    searcher, slow = Searcher(network, plies), Slow(network)
    rng = np.random.default_rng(plies)
    for number in range(4):
        # Few kinds of tiles make many equal neighbours, many make the end near.
        position = random_position(rng, empty, 15 if stage_bits else 3 + 4 * number)
        decision = searcher.values(to_word(position))
        assert decision.plies == plies
        values = np.array(decision.values, float)  # not a number: not legal
        expected = np.array(slow.moves(position, plies), float)
        np.testing.assert_allclose(values, expected, rtol=1e-5, atol=2e-3)


def test_what_is_remembered_does_not_change_values() -> None:
    network = random_network()
    rng = np.random.default_rng(5)
    positions = [to_word(random_position(rng, 3, 6)) for _ in range(10)]
    shallow, deep = Searcher(network, 2), Searcher(network, 4)
    first = [(shallow.values(board), deep.values(board)) for board in positions]
    again = [(shallow.values(board), deep.values(board)) for board in reversed(positions)]
    assert again[::-1] == first
    assert [Searcher(network, 4).values(board) for board in positions] == [pair[1] for pair in first]


def test_no_move_is_legal_at_the_end() -> None:
    board = to_word([1, 2, 1, 2, 2, 1, 2, 1] * 2)
    assert Searcher(random_network(), 3).values(board).values == [None] * 4


def test_one_ply_plays_the_greedy_players_games() -> None:
    network = random_network()
    games = play_games(network, 6, seed=3)
    searcher = Searcher(network, 1)
    played = [searcher.play(3, number) for number in range(6)]
    assert played == list(zip(games.scores, games.largest, games.moves, strict=True))


def test_downgrading_searches_the_downgraded_position() -> None:
    network = random_network()
    position = [15, 14, 11, 1, 13, 10, 9, 1, 0, 2, 3, 1, 0, 0, 1, 5]
    lower = to_word([14, 13, 11, 1, 12, 10, 9, 1, 0, 2, 3, 1, 0, 0, 1, 5])
    assert downgraded(np.uint64(to_word(position)), 15) == lower
    assert Searcher(network, 2, downgrade=True).values(to_word(position)) == Searcher(network, 2).values(
        lower
    )


@pytest.mark.parametrize("seconds", [0.001, 0.02])
def test_time_limit_ends_the_deepening(seconds: float) -> None:
    network = random_network()
    position = random_position(np.random.default_rng(2), 6, 9)
    searcher = Searcher(network, MOST_PLIES, seconds)
    searcher.values(to_word(position))
    took = []
    for _ in range(20):
        start = time.perf_counter()
        decision = searcher.values(to_word(position))
        took.append(time.perf_counter() - start)
    # The machine may be busy with other things, but not each time.
    assert min(took) < seconds + 0.002
    assert 2 <= decision.plies < MOST_PLIES
    assert decision.values == Searcher(network, decision.plies).values(to_word(position)).values


def test_game_with_little_time_is_whole() -> None:
    score, largest, moves = Searcher(random_network(), MOST_PLIES, 2e-5).play(1, 1) or (0, 0, 0)
    assert score > 0
    assert largest >= 4
    assert moves > 20


def test_values_that_are_no_numbers_end_the_game() -> None:
    weights = np.full(stage_weights(TUPLES), np.nan, np.float32)
    network = Network(NetworkHeader("small", TUPLES), weights)
    assert Searcher(network, 3).play(1, 1) is None
