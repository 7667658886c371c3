"""An evaluation made once is used again, and games come out as if it had been made again."""

from __future__ import annotations

import numpy as np
import pytest
from puct_reference import hash_network

from crossplay.games import load_game
from crossplay.search.cache import make_cache
from crossplay.search.playing import play_parameters
from crossplay.search.records import POSITIONS, SIMULATIONS, make_records, targets_wanted
from crossplay.search.selfplay import MOST_REMEMBERED, SelfPlay
from crossplay.search.tree import search_parameters


def play(game, megabytes, slots, positions, **search):
    parameters = search_parameters(24, **search)
    games = SelfPlay(game, parameters, play_parameters(3), slots, 5, cache_megabytes=megabytes)
    records = make_records(4 * positions, game, targets_wanted(game, parameters))
    evaluate = hash_network(game.n_actions)
    priors, values = np.zeros((slots, game.n_actions), np.float32), np.zeros(slots, np.float32)
    steps = 0
    while records.counters[POSITIONS] < positions:
        games.step(priors, values, records)
        priors, values = evaluate(games.batch)
        steps += 1
    return records, steps


@pytest.mark.parametrize("name", ["Tic-Tac-Toe", "Breakthrough", "Reversi"])
@pytest.mark.parametrize("reuse", [False, True])
def test_games_are_the_same_with_fewer_evaluations(name, reuse):
    game = load_game(name)
    plain, plain_steps = play(game, 0, 1, 150, tree_reuse=reuse)
    cached, cached_steps = play(game, 4, 1, 150, tree_reuse=reuse)
    # Simulations of the game in progress, which the cache lets go on further, are counted already.
    for records in (plain, cached):
        records.counters[SIMULATIONS] = 0
    for field, one, other in zip(plain._fields, plain, cached, strict=True):
        np.testing.assert_array_equal(one, other, err_msg=field)
    assert cached_steps < plain_steps


def test_a_game_that_the_cache_knows_wholly_does_not_run_for_ever():
    game = load_game("Tic-Tac-Toe")
    records, steps = play(game, 16, 4, 20_000)
    assert records.counters[POSITIONS] >= 20_000
    assert steps < 20_000 * 24 / MOST_REMEMBERED


def test_its_size_is_kept_to():
    game = load_game("Tic-Tac-Toe")
    cache = make_cache(game, 3)
    entries = len(cache.keys)
    assert entries & (entries - 1) == 0
    assert 1.5 * 2**20 < sum(array.nbytes for array in cache[:3]) <= 3 * 2**20
    assert len(make_cache(game, 0).keys) == 0
