"""An actor records whole games, and the same ones for the same seed."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import torch

from crossplay.config import SelfPlaySettings
from crossplay.games import load_game
from crossplay.games.state import AGENT, MOVES
from crossplay.networks import Evaluator, build_network
from crossplay.search.records import GAMES, PLIES, POSITIONS, make_records, targets_wanted, unpack
from crossplay.selfplay import Actor
from crossplay.selfplay.parameters import search_of

SETTINGS = SelfPlaySettings(games=6, simulations=8)


@pytest.fixture(scope="module")
def game():
    return load_game("Hex", ["Board Size/3x3"], "dense")


def play(game, seed):
    torch.manual_seed(0)
    network = build_network(
        "ResConvConvLogitPoolModelV2",
        game.state_shape[0],
        game.move_shape[0],
        game.state_shape[1:],
        {"width": 4, "blocks": 1},
    )
    evaluator = Evaluator(network, game.state_shape)
    records = make_records(200, game, targets_wanted(game, search_of(SETTINGS)))
    actor = Actor(game, SETTINGS, SETTINGS.games, records, threading.Lock(), seed)
    while records.counters[POSITIONS] < 100:
        actor.play(evaluator)
    assert actor.played.tree > 0
    assert actor.played.network > 0
    return records


def test_records_whole_games_reproducibly(game):
    records = play(game, 1)
    n = int(records.counters[POSITIONS])
    assert records.counters[PLIES] == n
    states = unpack(game, records, np.arange(n)).states
    starts = np.flatnonzero(states[:, MOVES] == 0)
    assert len(starts) == records.counters[GAMES]
    for game_number in range(len(starts)):
        rows = slice(starts[game_number], (*starts[1:], n)[game_number])
        agents = states[rows, AGENT]
        # In Hex one agent has won: its positions say 1, the other's -1.
        results = records.outcome[rows] * np.where(agents == 1, 1, -1)
        assert abs(results.sum()) == len(results)
    again, other = play(game, 1), play(game, 2)
    assert all(np.array_equal(a, b) for a, b in zip(records, again, strict=True))
    assert not np.array_equal(records.packed, other.packed)
