"""Search with random playouts."""

from __future__ import annotations

import numpy as np
import pytest
from puct_reference import new_state

from crossplay.errors import CrossplayError
from crossplay.games import load_game
from crossplay.games.random import seed_streams
from crossplay.games.state import SWAP
from crossplay.search.tree import root_value, root_visits
from crossplay.search.uct import UctSearch


@pytest.fixture(scope="module")
def hex7():
    return load_game("Hex", ["Board Size/7x7"])


@pytest.mark.parametrize("selection", ["puct", "ucb1"])
def test_short_searches_try_any_of_the_moves(hex7, selection):
    """With fewer iterations than moves, which are tried is up to chance: the swap, listed last, is too."""
    state = new_state(hex7)
    hex7.apply(state, hex7.legal_moves(state)[24].move)
    search = UctSearch(hex7, 21, playouts=1, selection=selection)
    tried = set()
    for seed in range(40):
        search.choose(state[np.newaxis], seed_streams(seed, 1))
        visits = root_visits(search.tree, 0)
        assert sum(visits.values()) == 20
        tried |= visits.keys()
    assert SWAP in tried
    assert tried == {legal.move for legal in hex7.legal_moves(state)}


def test_ucb1_tries_every_move_before_any_twice(hex7):
    search = UctSearch(hex7, 50, playouts=1, selection="ucb1", exploration=2**0.5)
    search.choose(new_state(hex7)[np.newaxis], seed_streams(1, 1))
    assert sorted(root_visits(search.tree, 0).values()) == [1] * 49


def test_long_playouts_count_as_draws(hex7):
    """Nobody can connect the sides of the board within eight moves."""
    search = UctSearch(hex7, 100, playouts=2, playout_limit=5)
    search.choose(new_state(hex7)[np.newaxis], seed_streams(1, 1))
    assert root_value(search.tree, 0) == 0
    search = UctSearch(hex7, 100, playouts=2)
    search.choose(new_state(hex7)[np.newaxis], seed_streams(1, 1))
    assert root_value(search.tree, 0) != 0


def test_choices_depend_on_the_streams_alone(hex7):
    search = UctSearch(hex7, 60, playouts=2)
    states = np.stack([new_state(hex7)] * 6)
    streams = seed_streams(3, 6)
    together = search.choose(states, streams, np.ones(6))
    apart, other = [], UctSearch(hex7, 60, playouts=2)
    for i in reversed(range(6)):
        stream = seed_streams(3, 6)[i : i + 1].copy()
        apart.insert(0, other.choose(states[:1], stream, np.ones(1))[0])
        assert stream[0] == streams[i]
    assert together.tolist() == apart


def test_counts_must_be_positive(hex7):
    for arguments in ({"playouts": 0}, {"playout_limit": 0}):
        with pytest.raises(CrossplayError, match=next(iter(arguments))):
            UctSearch(hex7, 10, **arguments)
