"""Every variant in hand agrees with Ludii 1.0.8: move counts, tensors, recorded games, random play."""

from __future__ import annotations

import zlib
from functools import cache
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pytest
from reference_data import TRACES, read_reference, read_trace

from crossplay.games import Game, list_games, load_game
from crossplay.games.random import below, seed_streams
from crossplay.games.state import DRAW
from crossplay.search.playout import survey_games

ENTRIES = [entry for entry in read_reference() if "perft" in entry]  # a few games are not in Ludii 1.0.8
QUICK_LEAVES = 60_000
DEEP_LEAVES = 6_000_000
SURVEYED_MOVES = 100_000
TURN_LIMIT, MOVE_LIMIT = 2_500, 10_000  # where Ludii draws a game of two players


def name_of(entry: dict[str, Any]) -> str:
    return PurePosixPath(entry["lud"]).stem


VARIANTS = [entry for entry in ENTRIES if name_of(entry) in list_games()]
variant = pytest.mark.parametrize("entry", VARIANTS, ids=lambda entry: entry["id"])
_covered: dict[str, set[str]] = {}


@cache
def _load(name: str, options: tuple[str, ...]) -> Game:
    return load_game(name, options)


def game_of(entry: dict[str, Any]) -> Game:
    return _load(name_of(entry), tuple(entry["options"]))


def covered(entry: dict[str, Any], what: str) -> None:
    _covered.setdefault(what, set()).add(entry["id"])


@variant
def test_shapes_and_names(entry: dict[str, Any]) -> None:
    game = game_of(entry)
    assert list(game.state_shape) == entry["stateTensorShape"]
    assert list(game.move_shape) == entry["moveTensorShape"]
    assert game.state_channels == entry["stateChannels"]
    assert game.move_channels.index("Pass") == entry["movePassChannel"]
    assert game.move_channels.index("Swap") == entry["moveSwapChannel"]
    assert game.n_actions == entry["numActions"]
    flags = game.flags
    assert [flags.swap, flags.stacking, flags.counts, flags.local_state, flags.moves_have_from] == [
        entry[name] for name in ("swapRule", "stacking", "usesCount", "usesLocalState", "usesFromPositions")
    ]
    assert [(c.index, c.name, c.owner) for c in game.components] == [
        (c["index"], c["name"], c["owner"]) for c in entry["components"]
    ]
    assert [(c.index, c.name, c.sites, c.first_site) for c in game.containers] == [
        (c["index"], c["name"], c["sites"], c["firstSite"]) for c in entry["containers"]
    ]
    assert list(game.board.labels) == entry["siteLabels"]
    assert game.encoding.x[0].tolist() == entry["siteX"]
    assert game.encoding.y[0].tolist() == entry["siteY"]
    state = game.new_state()
    assert game.state_tensor(state).sum(axis=(1, 2)).tolist() == entry["initialStateChannelSums"]
    covered(entry, "shapes")


@variant
def test_move_counts(entry: dict[str, Any]) -> None:
    expected = [count for count in entry["perft"] if count <= QUICK_LEAVES]
    assert game_of(entry).perft(len(expected)) == expected
    covered(entry, "move counts")


@pytest.mark.slow
@variant
def test_deep_move_counts(entry: dict[str, Any]) -> None:
    depth = sum(count <= DEEP_LEAVES for count in entry["perft"])
    assert game_of(entry).perft(depth)[-1] == entry["perft"][depth - 1]


def leads_to(game: Game, state: np.ndarray, move: int, crc: int) -> bool:
    after = state.copy()
    game.apply(after, move)
    return zlib.crc32(game.state_tensor(after).tobytes()) == crc


@variant
def test_recorded_games(entry: dict[str, Any]) -> None:
    game = game_of(entry)
    for record in read_trace(entry["id"])["games"]:
        state = game.new_state()
        for ply, following in zip_longest(record["plies"], record["plies"][1:]):
            legal = game.legal_moves(state)
            assert sorted({move.action for move in legal}) == ply["legal"]
            assert len(legal) == ply["n"]
            assert (game.mover(state), game.agent(state)) == (ply["colour"], ply["agent"] + 1)
            assert zlib.crc32(game.state_tensor(state).tobytes()) == ply["crc"]
            played = [move.move for move in legal if move.action == ply["play"]]
            if len(played) > 1 and following is not None:
                played = [move for move in played if leads_to(game, state, move, following["crc"])]
            game.apply(state, played[0])
        assert game.is_terminal(state) == record["over"]
        assert list(game.utilities(state)) == record["returns"]
        assert (game.legal_actions(state) == []) == record["over"]
    covered(entry, "recorded games")


def streams(n: int, choices: int) -> np.ndarray:
    """Random streams for ``n`` games that open as those of the reference.

    Those were played with ``java.util.Random`` seeded 0, 1, ...; where the number of moves is a power of two,
    all these seeds draw the same first one.
    """
    if choices & (choices - 1):
        return seed_streams(7, n)
    chosen = seed_streams(7, 2 * choices * n)
    first = np.array([below(stream, choices) for stream in chosen.reshape(-1, 1).copy()])
    return chosen[first == int(0.731 * choices)][:n]


@variant
def test_random_play(entry: dict[str, Any]) -> None:
    """Means over random games lie within four standard errors of Ludii's."""
    reference, game = entry["randomPlayouts"], game_of(entry)
    n = int(np.clip(SURVEYED_MOVES / reference["meanMoves"], 100, 4_000))
    counts = survey_games(game, streams(n, len(game.legal_moves(game.new_state()))))
    assert counts.most_choices.max() <= game.max_moves

    def check(name: str, ours: np.ndarray, expected: float) -> None:
        error = ours.std() * np.sqrt(1 / n + 1 / reference["n"])
        assert abs(ours.mean() - expected) <= 4 * error + 1e-9, name

    check("length", counts.lengths, reference["meanMoves"])
    check("branching", counts.choices / counts.lengths, reference["meanBranchingOverGames"])
    # The mean over all positions is a ratio of sums, whose error is that of the deviations from it.
    ratio = reference["meanBranchingOverStates"]
    check("branching", (counts.choices - ratio * counts.lengths) / counts.lengths.mean(), 0.0)
    # Where few games have passes, but then many, as in HeXentafl, their mean says nothing.
    if reference["passMoves"] == 0 or (counts.passes > 0).mean() > 0.05:
        check("passes", counts.passes, reference["passMoves"] / reference["n"])
    check("swaps", counts.swaps, reference["swapMoves"] / reference["n"])
    at_limit = (counts.turns >= TURN_LIMIT) | (counts.lengths >= MOVE_LIMIT)
    check("limit", at_limit & (counts.outcomes == DRAW), reference["endedAtLimit"] / reference["n"])
    check("wins of 1", counts.outcomes == 1, reference["winsAgent1"])
    check("wins of 2", counts.outcomes == 2, reference["winsAgent2"])
    check("draws", counts.outcomes == DRAW, reference["draws"])
    covered(entry, "random play")


def test_nothing_is_missing() -> None:
    """Every variant that Ludii was asked about is in the library and was compared in every respect."""
    everything = {entry["id"] for entry in ENTRIES}
    assert {entry["id"] for entry in VARIANTS} == everything == set(TRACES)
    assert all(found == everything for found in _covered.values())
