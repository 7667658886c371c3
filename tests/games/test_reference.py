"""Every variant in hand agrees with Ludii 1.0.8: move counts, tensors, recorded games, random play."""

from __future__ import annotations

import math
import zlib
from functools import cache
from typing import Any

import pytest
from reference_data import TRACES, read_reference, read_trace

from crossplay.games import Game, list_games, load_game
from crossplay.search.playout import random_playouts

VARIANTS = [entry for entry in read_reference() if entry.get("lud", "").removesuffix(".lud") in list_games()]
# Counting this many leaves takes about a second.
LEAF_CAP = 6_000_000

variant = pytest.mark.parametrize("entry", VARIANTS, ids=lambda entry: entry["id"])


@cache
def _load(name: str, options: tuple[str, ...]) -> Game:
    return load_game(name, options)


def game_of(entry: dict[str, Any]) -> Game:
    return _load(entry["lud"].removesuffix(".lud"), tuple(entry["options"]))


def test_all_four_games_are_covered() -> None:
    assert {entry["lud"] for entry in VARIANTS} == {
        "Diagonal Hex.lud",
        "Gomoku.lud",
        "Hex.lud",
        "Tic-Tac-Toe.lud",
    }
    assert {entry["id"] for entry in VARIANTS} == set(TRACES)


@variant
def test_perft(entry: dict[str, Any]) -> None:
    expected = [count for count in entry["perft"] if count <= LEAF_CAP]
    assert game_of(entry).perft(len(expected)) == expected


@variant
def test_shapes_and_names(entry: dict[str, Any]) -> None:
    game = game_of(entry)
    assert list(game.state_shape) == entry["stateTensorShape"]
    assert list(game.move_shape) == entry["moveTensorShape"]
    assert game.state_channels == entry["stateChannels"]
    assert game.move_channels.index("Pass") == entry["movePassChannel"]
    assert game.move_channels.index("Swap") == entry["moveSwapChannel"]
    assert game.n_actions == entry["numActions"]
    assert game.flags.swap == entry["swapRule"]
    assert [(c.index, c.name, c.owner) for c in game.components] == [
        (c["index"], c["name"], c["owner"]) for c in entry["components"]
    ]
    state = game.new_state()
    assert game.state_tensor(state).sum(axis=(1, 2)).tolist() == entry["initialStateChannelSums"]


@variant
def test_recorded_games(entry: dict[str, Any]) -> None:
    game = game_of(entry)
    for record in read_trace(entry["id"])["games"]:
        state = game.new_state()
        for ply in record["plies"]:
            assert game.legal_actions(state) == ply["legal"]
            assert len(game.legal_moves(state)) == ply["n"]
            assert (game.mover(state), game.agent(state)) == (ply["colour"], ply["agent"] + 1)
            assert zlib.crc32(game.state_tensor(state).tobytes()) == ply["crc"]
            game.apply_action(state, ply["play"])
        assert game.is_terminal(state) == record["over"]
        assert list(game.utilities(state)) == record["returns"]
        assert game.state_tensor(state).ravel().nonzero()[0].tolist() == record["finalNz"]
        assert (game.legal_actions(state) == []) == record["over"]


@variant
def test_random_play(entry: dict[str, Any]) -> None:
    reference, game = entry["randomPlayouts"], game_of(entry)
    games = 4_000
    ours = random_playouts(game, games, seed=7)

    def within(value: float, expected: float, deviation: float) -> bool:
        return abs(value - expected) <= 4 * deviation * math.sqrt(1 / games + 1 / reference["n"])

    assert within(ours.mean_length, reference["meanMoves"], reference["sdMoves"])
    for value, expected in (
        (ours.wins1 / games, reference["winsAgent1"]),
        (ours.wins2 / games, reference["winsAgent2"]),
        (ours.draws / games, reference["draws"]),
    ):
        assert within(value, expected, math.sqrt(value * (1 - value)))
