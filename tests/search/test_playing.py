"""The options of playing do what they say, counted over many games."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from crossplay.errors import CrossplayError
from crossplay.games import load_game
from crossplay.games.state import AGENT, HEADER, MOVES
from crossplay.search.playing import play_parameters
from crossplay.search.records import (
    CHECKED_RESIGNATIONS,
    GAMES,
    PLIES,
    POSITIONS,
    RESIGNATIONS,
    WINS_1,
    WRONG_RESIGNATIONS,
    make_records,
    targets_wanted,
    unpack,
)
from crossplay.search.selfplay import SelfPlay
from crossplay.search.tree import search_parameters


@pytest.fixture(scope="module")
def hex_game():
    return load_game("Hex", ["Board Size/5x5"], "dense")


@pytest.fixture(scope="module")
def tic_tac_toe():
    return load_game("Tic-Tac-Toe", [], "dense")


def play(game, positions, evaluate=None, slots=50, simulations=6, fast_simulations=2, search=(), **options):
    """Play with a network that says the same about all moves; returns the records and its evaluations."""
    parameters = search_parameters(simulations, **dict(search))
    options = play_parameters(options.pop("temperature_plies", 100), **options)
    games = SelfPlay(game, parameters, options, slots, 7, fast_simulations)
    records = make_records(2 * positions + 10_000, game, targets_wanted(game, parameters))
    priors = np.ones((slots, game.n_actions), np.float32)
    values = np.zeros(slots, np.float32)
    evaluations = 0
    while records.counters[POSITIONS] < positions:
        games.step(priors, values, records)
        evaluations += slots
        if evaluate is not None:
            values = evaluate(games.batch.reshape(slots, *game.state_shape)).astype(np.float32)
    return records, evaluations


def positions_of(game, records):
    return unpack(game, records, np.arange(records.counters[POSITIONS]))


def rows_of_games(game, records):
    """The rows of each game, and their plies."""
    plies = positions_of(game, records).states[:, MOVES]
    rows = np.split(np.arange(len(plies)), np.flatnonzero(np.diff(plies) <= 0) + 1)
    return rows, [plies[of_game] for of_game in rows]


def test_the_same_seed_plays_the_same_games(hex_game):
    options = {
        "sampling": "polygames",
        "random_movers": 0.5,
        "random_starts": 0.2,
        "resign_share": 0.5,
        "resign_threshold": 0.01,
        "resign_plies": 2,
        "full_search_share": 0.5,
    }
    one, other = (play(hex_game, 1000, **options)[0] for _ in range(2))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)
    assert one.counters[RESIGNATIONS] > 0


def test_players_move_at_random_as_often_as_announced(tic_tac_toe):
    records, _ = play(tic_tac_toe, 12_000, random_movers=1.0)
    n_games = records.counters[GAMES]
    reached = np.zeros(9)
    for plies in rows_of_games(tic_tac_toe, records)[1]:
        reached[: plies[-1] + 1] += 1
    expected = reached * 4 / (np.arange(9) + 10) ** 2
    missing = records.counters[PLIES] - records.counters[POSITIONS]
    # A random move that ends the game is not within ``reached``: at most one per game and rare.
    assert abs(missing - expected.sum()) < 4 * np.sqrt(expected.sum()) + 0.01 * n_games
    records, _ = play(tic_tac_toe, 12_000, random_movers=0.25)
    fewer = records.counters[PLIES] - records.counters[POSITIONS]
    assert fewer / records.counters[GAMES] == pytest.approx(missing / n_games / 4, rel=0.4)


def test_games_start_at_random_up_to_the_average_length(hex_game):
    records, _ = play(hex_game, 8000, random_starts=0.5)
    length = records.counters[PLIES] / records.counters[GAMES]
    starts = np.array([plies[0] for plies in rows_of_games(hex_game, records)[1]][100:])
    moved = starts[starts > 0]
    assert moved.max() < length
    assert len(moved) / len(starts) == pytest.approx(0.5, abs=0.08)
    assert moved.mean() == pytest.approx(length / 2, rel=0.2)


@pytest.mark.parametrize("sampling", ["visits", "polygames"])
def test_moves_are_drawn_by_the_formula(tic_tac_toe, sampling):
    """All games have the same targets at their first move, so its frequencies are known."""

    def evaluate(planes):  # some moves are better than others
        return (planes.reshape(len(planes), -1) @ np.arange(planes[0].size)) % 13 / 13 - 0.5

    records, _ = play(
        tic_tac_toe, 15_000, evaluate, simulations=40, sampling=sampling, search={"exploration": 0.5}
    )
    states, moves, _ = positions_of(tic_tac_toe, records)
    first = np.flatnonzero(states[:, MOVES] == 0)
    played = (states[first + 1, HEADER : HEADER + 9] != 0).sum(axis=0)
    targets = np.zeros(9)
    targets[moves[first[0], :9] & 0xFFFF] = records.weights[first[0], :9]
    p = targets / targets.sum()
    weights = np.exp(2 * p**2) - (1 - 0.5 / 9) if sampling == "polygames" else p
    assert weights.max() > 1.5 * weights.min() > 0
    assert stats.chisquare(played, weights / weights.sum() * played.sum()).pvalue > 1e-3


def test_a_player_resigns_when_both_sides_have_agreed_for_long_enough(hex_game):
    mover = hex_game.state_channels.index("Is Player 1 the current mover?")

    def agent_1_is_lost(planes):
        return np.where(planes[:, mover, 0, 0] == 1, -0.99, 0.99)

    records, _ = play(
        hex_game, 6000, agent_1_is_lost, resign_share=2 / 3, resign_threshold=0.9, simulations=3
    )
    agent = positions_of(hex_game, records).states[:, AGENT]
    rows, _ = rows_of_games(hex_game, records)
    resigned = [game for game in rows if len(game) == 7]  # too short for Hex on 5 x 5
    others = [game for game in rows if len(game) != 7]
    for game in resigned:
        assert agent[game[-1]] == 1
        np.testing.assert_array_equal(records.outcome[game], np.where(agent[game] == 1, -1, 1))
    n_games, n_resigned = records.counters[GAMES], records.counters[RESIGNATIONS]
    assert n_resigned == len(resigned)
    assert records.counters[CHECKED_RESIGNATIONS] == len(others) == n_games - n_resigned
    assert n_resigned / n_games == pytest.approx(2 / 3, abs=0.08)
    won = sum(records.outcome[game[0]] == (1 if agent[game[0]] == 1 else -1) for game in others)
    assert records.counters[WRONG_RESIGNATIONS] == records.counters[WINS_1] == won > 0
    assert records.counters[PLIES] == 6 * len(resigned) + sum(map(len, others))


def test_nobody_resigns_while_the_sides_disagree(hex_game):
    records, _ = play(
        hex_game, 2000, lambda planes: np.full(len(planes), -0.99), resign_share=1.0, simulations=2
    )
    assert records.counters[RESIGNATIONS] == 0


def test_only_full_searches_are_recorded(hex_game):
    records, evaluations = play(
        hex_game, 4000, simulations=20, fast_simulations=5, full_search_share=0.25, slots=20
    )
    positions, plies = records.counters[POSITIONS], records.counters[PLIES]
    assert positions / plies == pytest.approx(0.25, abs=0.03)
    assert (records.weights[:positions].sum(axis=1) == 19).all()
    # Ends of games within the trees need no evaluation; games not finished have taken some.
    assert 0.85 < evaluations / (20 * positions + 5 * (plies - positions)) < 1.05


@pytest.mark.parametrize(
    ("name", "value"),
    [("sampling", "best"), ("random_movers", 1.5), ("resign_plies", 0), ("full_search_share", 0.0)],
)
def test_values_out_of_range_are_named(name, value):
    with pytest.raises(CrossplayError, match=name):
        play_parameters(**{name: value})


def test_a_fast_search_is_no_longer_than_a_full_one(hex_game):
    with pytest.raises(CrossplayError, match="fast_simulations: must be from 2 to simulations"):
        play(hex_game, 1, simulations=4, fast_simulations=8, full_search_share=0.5)
