"""Games of a network summed up."""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest

from crossplay.errors import CrossplayError
from crossplay.evaluation.intervals import wilson
from crossplay.ntuple.evaluation import Games, evaluate, mean_interval, play_games, summary
from crossplay.ntuple.files import Network, NetworkHeader
from crossplay.ntuple.shapes import Tuples, stage_weights

TUPLES: Tuples = ((0, 1, 2), (1, 5), (0, 1, 4, 5))


@pytest.fixture(scope="module")
def network() -> Network:
    rng = np.random.default_rng(1)
    return Network(NetworkHeader("small", TUPLES), rng.normal(0, 9, stage_weights(TUPLES)).astype(np.float32))


@pytest.mark.parametrize("plies", [1, 2])
def test_games_do_not_depend_on_threads_or_on_how_many_there_are(network: Network, plies: int) -> None:
    games = 150 if plies == 1 else 7
    one = play_games(network, games, plies, seed=4)
    three = play_games(network, games, plies, seed=4, threads=3)
    fewer = play_games(network, games - 3, plies, seed=4)
    for field in ("scores", "largest", "moves"):
        assert (getattr(one, field) == getattr(three, field)).all()
        assert (getattr(one, field)[:-3] == getattr(fewer, field)).all()
    assert len(set(one.scores)) > games / 2
    assert (play_games(network, games, plies, seed=5).scores != one.scores).any()


def test_search_scores_higher(network: Network) -> None:
    greedy, search = evaluate(network, 60), evaluate(network, 60, plies=3)
    assert search.mean > 1.2 * greedy.mean


def test_summary_counts_large_tiles() -> None:
    largest = np.array([10, 11, 11, 12, 15], np.int8)
    scores = np.array([10, 20, 30, 40, 50], np.int64)
    found = summary(Games(scores, largest, 2 * scores, 3.0, 6.0))
    assert (found.games, found.mean, found.best, found.moves) == (5, 30.0, 50, 300)
    assert found.reach == {"2048": 0.8, "4096": 0.4, "8192": 0.2, "16384": 0.2, "32768": 0.2}
    assert found.reach_interval["4096"] == wilson(2, 5)
    assert found.interval is not None
    # Student's t with 4 degrees of freedom: 2.776.
    assert found.interval == pytest.approx(
        (30 - 2.7764 * 250**0.5 / 5**0.5, 30 + 2.7764 * 250**0.5 / 5**0.5), 1e-4
    )
    assert json.loads(json.dumps(found.as_dict()))["interval"] == list(found.interval)


def test_interval_is_not_below_zero_and_needs_two_values() -> None:
    assert mean_interval(np.array([1, 100])) == (0.0, pytest.approx(679.5, abs=1))
    assert mean_interval(np.array([7])) is None


def test_progress_counts_games(network: Network) -> None:
    seen: list[int] = []
    play_games(network, 130, progress=seen.append)
    assert seen == [64, 128, 130]


def test_time_limit_needs_no_depth(network: Network) -> None:
    found = evaluate(network, 2, seconds_per_move=2e-5)
    assert found.moves > 40
    assert found.seconds < 5


@pytest.mark.parametrize("plies", [1, 2])
def test_values_that_are_no_numbers_are_an_error(plies: int) -> None:
    weights = np.full(stage_weights(TUPLES), np.nan, np.float32)
    before = threading.active_count()
    with pytest.raises(CrossplayError, match="diverged; train it with a smaller --rate"):
        evaluate(Network(NetworkHeader("small", TUPLES), weights), 4, plies, threads=2)
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"games": 0}, "games: at least 1"),
        ({"threads": 0}, "threads: at least 1"),
        ({"plies": 0}, "plies: between 1 and 32"),
        ({"plies": 33}, "plies: between 1 and 32"),
        ({"seconds_per_move": 0.0}, "seconds per move: more than 0"),
    ],
)
def test_arguments_out_of_range_are_errors(network: Network, arguments: dict[str, int], message: str) -> None:
    with pytest.raises(CrossplayError, match=message):
        play_games(network, **{"games": 1, **arguments})
