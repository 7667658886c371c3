"""Matches: many games between two players, side by side, both taking each seat equally often."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit, types

from crossplay.errors import CrossplayError
from crossplay.evaluation.intervals import agresti_coull, score
from crossplay.evaluation.players import Player, PlayerSpec
from crossplay.games.random import seed_streams
from crossplay.games.state import AGENT, APPLY, DRAW, MOVE_LIST, MOVES, OUTCOME, RUNNING
from crossplay.search.playout import play_games
from crossplay.search.tree import STATES

if TYPE_CHECKING:
    from crossplay.games import Game

OPENINGS = ("random", "none")

# Early moves are drawn by the squares of their visits: varied, but seldom bad.
SAMPLING_EXPONENT = 2.0


@dataclass(frozen=True)
class Tally:
    """Results of some games, from the first player's view."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Mean result in [0, 1], a draw being one half."""
        return score(self.wins, self.draws, self.losses)


@dataclass(frozen=True)
class MatchResult:
    """A finished match, from the first player's view.

    Attributes:
        game, options: what was played.
        first, second: the players' labels.
        as_agent1, as_agent2: results of the games in which the first player had that seat; agent 1 moves
            first.
        mean_length: moves per game, a random opening move included.
        seed: decided everything random.
        seconds: wall-clock time.
    """

    game: str
    options: tuple[str, ...]
    first: str
    second: str
    as_agent1: Tally
    as_agent2: Tally
    mean_length: float
    seed: int
    seconds: float

    @property
    def total(self) -> Tally:
        """Results in both seats together."""
        one, two = self.as_agent1, self.as_agent2
        return Tally(one.wins + two.wins, one.draws + two.draws, one.losses + two.losses)

    @property
    def score(self) -> float:
        """Mean result in [0, 1], a draw being one half."""
        return self.total.score

    @property
    def interval(self) -> tuple[float, float]:
        """The score's Agresti-Coull 95% interval, taking the games as independent."""
        return agresti_coull(self.score * self.total.games, self.total.games)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values."""
        low, high = self.interval
        total = self.total
        return {
            "game": self.game,
            "options": list(self.options),
            "first": self.first,
            "second": self.second,
            "games": total.games,
            "wins": total.wins,
            "draws": total.draws,
            "losses": total.losses,
            "score": total.score,
            "low": low,
            "high": high,
            "seats": {
                name: {"wins": t.wins, "draws": t.draws, "losses": t.losses, "score": t.score}
                for name, t in (("agent1", self.as_agent1), ("agent2", self.as_agent2))
            },
            "mean_length": self.mean_length,
            "seed": self.seed,
            "seconds": self.seconds,
        }


def play_match(
    game: Game,
    first: PlayerSpec,
    second: PlayerSpec,
    games: int,
    seed: int,
    *,
    opening: str = "random",
    sampled_plies: int = 4,
    threads: int = 2,
    progress: Callable[[int], None] | None = None,
) -> MatchResult:
    """Play ``games`` games in pairs: a pair shares its opening and each player has each seat once.

    Every game has random streams of its own, so the games do not depend on ``threads``. (A network may round
    a position's evaluation differently in a batch of another size, which can turn a choice between moves
    that are as good as equal.)

    Args:
        game: the game to play.
        first, second: the players.
        games: an even number.
        seed: decides everything random.
        opening: "random", the first move of a pair is drawn uniformly, or "none".
        sampled_plies: plies, the random opening move included, during which the players draw their moves by
            the squares of the visits; later they play the most visited move.
        threads: each plays its share of the pairs.
        progress: called with the number of games finished so far, by any of the threads.

    Raises:
        CrossplayError: an odd number of games, another value out of range, or a player that cannot play
            this game.
    """
    if games < 2 or games % 2:
        raise CrossplayError(
            f"games: must be even and at least 2, so that seats can be exchanged, got {games}"
        )
    if opening not in OPENINGS:
        raise CrossplayError(f"opening: must be one of {', '.join(OPENINGS)}, got {opening!r}")
    if threads < 1:
        raise CrossplayError(f"threads: must be at least 1, got {threads}")
    began = time.perf_counter()
    # Per pair: the opening, then each player's two games.
    streams = seed_streams(seed, games // 2 * 5).reshape(games // 2, 5)
    shares = np.array_split(streams, min(threads, games // 2))
    monitor = _Monitor(progress)
    parts = [_Part(game, (first, second), share, opening, sampled_plies, monitor) for share in shares]
    with _one_thread_per_operation(), ThreadPoolExecutor(len(parts)) as pool:
        futures = [pool.submit(part.play) for part in parts]
        try:
            for future in futures:
                future.result()
        finally:
            monitor.stop.set()
    states = np.concatenate([part.states for part in parts])
    return MatchResult(
        game=game.name,
        options=tuple(game.options),
        first=first.label,
        second=second.label,
        as_agent1=_tally(states[0::2, OUTCOME], agent=1),
        as_agent2=_tally(states[1::2, OUTCOME], agent=2),
        mean_length=float(states[:, MOVES].mean()),
        seed=seed,
        seconds=time.perf_counter() - began,
    )


@contextlib.contextmanager
def _one_thread_per_operation() -> Iterator[None]:
    """Keep torch, if a player uses it, from spreading over cores that the match's threads are using."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _tally(outcomes: np.ndarray, agent: int) -> Tally:
    wins, draws = int((outcomes == agent).sum()), int((outcomes == DRAW).sum())
    return Tally(wins, draws, len(outcomes) - wins - draws)


class _Monitor:
    """Counts the finished games of all threads, and tells them when to give up."""

    def __init__(self, progress: Callable[[int], None] | None) -> None:
        self.stop = threading.Event()
        self._progress = progress
        self._lock = threading.Lock()
        self._finished = 0

    def add(self, games: int) -> None:
        with self._lock:
            self._finished += games
            if self._progress is not None and games > 0:
                self._progress(self._finished)


@njit(types.void(APPLY, STATES, MOVE_LIST), cache=True, nogil=True)
def apply_moves(apply: Any, states: np.ndarray, moves: np.ndarray) -> None:
    """Make one move in each state."""
    for i in range(states.shape[0]):
        apply(states[i], moves[i])


class _Part:
    """One thread's share of a match.

    In the games of even number the first player is agent 1, in the others agent 2; after :meth:`play`,
    ``states`` holds the final positions.
    """

    def __init__(
        self,
        game: Game,
        specs: tuple[PlayerSpec, PlayerSpec],
        streams: np.ndarray,
        opening: str,
        sampled_plies: int,
        monitor: _Monitor,
    ) -> None:
        self.states = np.zeros((2 * len(streams), game.state_size), np.int16)
        self._game, self._sampled_plies, self._monitor = game, sampled_plies, monitor
        self._players = tuple(
            spec.player(game, np.ascontiguousarray(streams[:, columns]).reshape(-1))
            for spec, columns in zip(specs, (slice(1, 3), slice(3, 5)), strict=True)
        )
        self._open(streams[:, :1].copy(), 1 if opening == "random" else 0)

    def _open(self, streams: np.ndarray, random_moves: int) -> None:
        kernels = self._game.kernels
        for pair in range(len(streams)):
            play_games(
                kernels.start,
                kernels.playout,
                self.states[2 * pair],
                np.zeros(self._game.max_moves, np.int64),
                streams[pair : pair + 1],
                random_moves,
                np.zeros(1, np.int32),
                np.zeros(1, np.int8),
            )
        self.states[1::2] = self.states[0::2]

    def play(self) -> None:
        """Play every game to its end, or until the monitor says stop."""
        states = self.states
        running = np.flatnonzero(states[:, OUTCOME] == RUNNING)
        self._monitor.add(len(states) - len(running))
        while len(running) > 0 and not self._monitor.stop.is_set():
            # Number of the player to move: agents 1 and 2 are players 0 and 1 in even games.
            turns = (states[running, AGENT] - 1 + running) % 2
            for number, player in enumerate(self._players):
                numbers = running[turns == number]
                if len(numbers) > 0:
                    self._move(player, numbers)
            still = running[states[running, OUTCOME] == RUNNING]
            self._monitor.add(len(running) - len(still))
            running = still

    def _move(self, player: Player, numbers: np.ndarray) -> None:
        positions = self.states[numbers]
        exponents = np.where(positions[:, MOVES] < self._sampled_plies, SAMPLING_EXPONENT, 0.0)
        apply_moves(self._game.kernels.apply, positions, player.choose(numbers, positions, exponents))
        self.states[numbers] = positions
