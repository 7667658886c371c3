"""Matches: seats, openings, seeds, and players whose strength is known exactly."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pytest

from crossplay.errors import CrossplayError
from crossplay.evaluation.intervals import agresti_coull
from crossplay.evaluation.match import play_match
from crossplay.evaluation.players import RandomSpec, UctSpec
from crossplay.games import load_game
from crossplay.games.state import HEADER, LAST_TO, MOVER, MOVES, PASS


@pytest.fixture(scope="module")
def tic_tac_toe():
    return load_game("Tic-Tac-Toe")


@pytest.fixture(scope="module")
def hex5():
    return load_game("Hex", ["Board Size/5x5"])


LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@cache
def value(cells: tuple[int, ...], mover: int) -> int:
    """Tic-Tac-Toe for the colour to move under perfect play: 1, 0 or -1."""
    if any(all(cells[site] == 3 - mover for site in line) for line in LINES):
        return -1
    return max((-value(following, 3 - mover) for following in replies(cells, mover).values()), default=0)


def replies(cells: tuple[int, ...], mover: int) -> dict[int, tuple[int, ...]]:
    return {site: (*cells[:site], mover, *cells[site + 1 :]) for site in range(9) if cells[site] == 0}


class PerfectSpec:
    """Plays a random one of the best moves of Tic-Tac-Toe."""

    label = "perfect"

    def player(self, game: Any, streams: np.ndarray) -> PerfectSpec:
        self.rng = np.random.default_rng(streams)
        return self

    def choose(self, games: np.ndarray, states: np.ndarray, exponents: np.ndarray) -> np.ndarray:
        return np.array([self.best_move(state) for state in states])

    def best_move(self, state: np.ndarray) -> int:
        mover = int(state[MOVER])
        cells = tuple(state[HEADER : HEADER + 9].tolist())
        worth = {site: -value(following, 3 - mover) for site, following in replies(cells, mover).items()}
        best = [site for site in worth if worth[site] == max(worth.values())]
        return int(self.rng.choice(best)) * 0x10001 if best else PASS


@pytest.mark.parametrize(
    "uct",
    [
        UctSpec(iterations=2000, playouts=10),
        UctSpec(iterations=3000, playouts=1, selection="ucb1", exploration=1.4),
    ],
)
def test_much_uct_never_loses_to_a_perfect_player(tic_tac_toe, uct):
    result = play_match(
        tic_tac_toe, uct, PerfectSpec(), 40, seed=2, opening="none", sampled_plies=0, threads=1
    )
    assert result.total.draws == 40


def test_seats_and_signs(tic_tac_toe):
    """A perfect player never loses, and wins more often when it moves first."""
    result = play_match(tic_tac_toe, PerfectSpec(), RandomSpec(), 60, seed=1, opening="none", threads=1)
    assert result.total.losses == 0
    assert result.as_agent1.games == result.as_agent2.games == 30
    assert result.as_agent1.score > result.as_agent2.score > 0.5
    turned = play_match(tic_tac_toe, RandomSpec(), PerfectSpec(), 60, seed=1, opening="none", threads=1)
    assert turned.total.wins == 0
    assert turned.as_agent2.score < turned.as_agent1.score + 0.5 < 1
    record = json.loads(json.dumps(result.to_json()))
    assert record["wins"] + record["draws"] == record["games"] == 60
    assert record["score"] == result.score == (record["wins"] + record["draws"] / 2) / 60
    assert (record["low"], record["high"]) == agresti_coull(result.score * 60, 60)
    assert (record["first"], record["second"]) == ("perfect", "random")


@dataclass
class Watched:
    """A player that keeps the positions and exponents it was asked about."""

    spec: Any
    label: str = "watched"
    seen: list[tuple[np.ndarray, float]] = field(default_factory=list)

    def player(self, game: Any, streams: np.ndarray) -> Watched:
        self.inner = self.spec.player(game, streams)
        return self

    def choose(self, games: np.ndarray, states: np.ndarray, exponents: np.ndarray) -> np.ndarray:
        self.seen += zip(states.copy(), exponents, strict=True)
        return self.inner.choose(games, states, exponents)


def test_pairs_share_their_opening_and_early_plies_are_drawn(hex5):
    watched = Watched(RandomSpec())
    play_match(hex5, watched, RandomSpec(), 60, seed=5, sampled_plies=4, threads=1)
    # As agent 2 the watched player sees the position after the opening; as agent 1 it moves a ply later.
    openings = [int(state[LAST_TO]) for state, _ in watched.seen if state[MOVES] == 1]
    assert len(openings) == 30
    assert len(set(openings)) > 12
    assert all(exponent == (2.0 if state[MOVES] < 4 else 0.0) for state, exponent in watched.seen)
    first_seat = Watched(RandomSpec())
    play_match(hex5, RandomSpec(), first_seat, 60, seed=5, threads=1)
    assert [int(state[LAST_TO]) for state, _ in first_seat.seen if state[MOVES] == 1] == openings
    alone = Watched(RandomSpec())
    play_match(hex5, alone, RandomSpec(), 8, seed=5, opening="none", threads=1)
    assert sum(state[MOVES] == 0 for state, _ in alone.seen) == 4


def test_the_seed_decides_everything_and_threads_nothing(hex5):
    def results(seed, threads):
        record = play_match(
            hex5, UctSpec(iterations=30, playouts=1), RandomSpec(), 30, seed, threads=threads
        ).to_json()
        del record["seconds"]
        return record

    one = results(1, 1)
    assert one == results(1, 1) == results(1, 2) == results(1, 7)
    assert one != results(2, 1)


def test_progress_counts_every_game(hex5):
    finished = []
    play_match(hex5, RandomSpec(), RandomSpec(), 40, seed=1, progress=finished.append)
    assert finished == sorted(set(finished))
    assert finished[-1] == 40


def test_a_failing_player_ends_the_match(hex5):
    class Failing(Watched):
        def choose(self, games, states, exponents):
            raise RuntimeError("no move")

    with pytest.raises(RuntimeError, match="no move"):
        play_match(hex5, Failing(RandomSpec()), RandomSpec(), 20, seed=1)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"games": 3}, "even"),
        ({"games": 0}, "even"),
        ({"opening": "book"}, "opening"),
        ({"threads": 0}, "threads"),
    ],
)
def test_faults_of_the_user_say_what_to_change(hex5, arguments, word):
    with pytest.raises(CrossplayError, match=word):
        play_match(hex5, RandomSpec(), RandomSpec(), **{"games": 2, "seed": 1, **arguments})
