"""How well a network plays 2048: many games, their mean score and how often they reach the large tiles."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from crossplay.errors import CrossplayError
from crossplay.evaluation.intervals import wilson
from crossplay.ntuple.board import row_table
from crossplay.ntuple.downgrade import FROM
from crossplay.ntuple.expectimax import MOST_PLIES, Searcher
from crossplay.ntuple.greedy import greedy_player, new_room

if TYPE_CHECKING:
    from crossplay.ntuple.files import Network

TILES = (2048, 4096, 8192, 16384, 32768)  # whose rates are told
GAMES_PER_CALL = 64  # of the greedy player: a fraction of a second
CONFIDENCE = 0.95

Progress = Callable[[int], None]
# Plays the games from a number up to another, and tells whether all went well.
PlaySome = Callable[[int, int], bool]


class DivergenceError(CrossplayError):
    """The network's values are not numbers, so no move is better than another."""


class Games(NamedTuple):
    """Games that were played; ``seconds`` is wall time, ``cpu_seconds`` that of all threads together."""

    scores: np.ndarray  # int64[games]
    largest: np.ndarray  # int8[games], exponents of the largest tiles
    moves: np.ndarray  # int64[games]
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class Scores:
    """What many games say of a player.

    Attributes:
        games: how many.
        mean: of the scores.
        interval: of the mean, with a confidence of 95 % (Student's t); None from a single game.
        best: largest score.
        reach: share of the games with this tile or a larger one.
        reach_interval: of these shares, with a confidence of 95 % (Wilson).
        moves: of all games.
        seconds: wall time.
        cpu_seconds: of all threads together.
    """

    games: int
    mean: float
    interval: tuple[float, float] | None
    best: int
    reach: dict[str, float]
    reach_interval: dict[str, tuple[float, float]]
    moves: int
    seconds: float
    cpu_seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The same as values of JSON."""
        return asdict(self)


def evaluate(
    network: Network,
    games: int,
    plies: int | None = None,
    *,
    seconds_per_move: float | None = None,
    seed: int = 0,
    threads: int = 1,
    downgrade: bool = False,
    progress: Progress | None = None,
) -> Scores:
    """Play games with a network and sum them up; arguments and errors as for :func:`play_games`."""
    return summary(
        play_games(
            network,
            games,
            plies,
            seconds_per_move=seconds_per_move,
            seed=seed,
            threads=threads,
            downgrade=downgrade,
            progress=progress,
        )
    )


def play_games(
    network: Network,
    games: int,
    plies: int | None = None,
    *,
    seconds_per_move: float | None = None,
    seed: int = 0,
    threads: int = 1,
    downgrade: bool = False,
    progress: Progress | None = None,
) -> Games:
    """Play whole games.

    Args:
        network: its header and weights, which are only read.
        games: how many; each has its own random numbers, given by ``seed`` and its number.
        plies: moves that the player looks ahead, by default 1, which is greedy; with a time limit at most
            so many, by default :data:`~crossplay.ntuple.expectimax.MOST_PLIES`.
        seconds_per_move: time limit of a move, instead of a fixed number of plies.
        seed: of all games.
        threads: that play; the results are the same for any number unless time is limited.
        downgrade: with tile-downgrading.
        progress: called with the number of finished games, now and then, in any of the threads.

    Raises:
        CrossplayError: no game or move to play.
        DivergenceError: weights are not numbers.
    """
    plies = check_games(games, plies, seconds_per_move)
    if threads < 1:
        raise CrossplayError(f"threads: at least 1, got {threads}")
    played = Games(np.zeros(games, np.int64), np.zeros(games, np.int8), np.zeros(games, np.int64), 0.0, 0.0)
    stop = threading.Event()

    def new_player() -> PlaySome:
        if plies == 1:
            return _greedy(network, seed, downgrade, played)
        return _searching(Searcher(network, plies, seconds_per_move, downgrade), seed, stop, played)

    start = time.perf_counter()
    per_call = GAMES_PER_CALL if plies == 1 else 1
    cpu_seconds = _share_out(new_player, games, per_call, threads, stop, progress)
    return played._replace(seconds=time.perf_counter() - start, cpu_seconds=cpu_seconds)


def check_games(games: int, plies: int | None, seconds_per_move: float | None) -> int:
    """Check that games can be played, and return the plies to look ahead as :func:`plies_of`.

    Raises:
        CrossplayError: out of range.
    """
    if games < 1:
        raise CrossplayError(f"games: at least 1, got {games}")
    return plies_of(plies, seconds_per_move)


def plies_of(plies: int | None, seconds_per_move: float | None) -> int:
    """The plies to look ahead, at most, when they or a time limit are given, or both, or none.

    Raises:
        CrossplayError: out of range.
    """
    if seconds_per_move is not None and not 0 < seconds_per_move <= 1e6:
        raise CrossplayError(f"seconds per move: more than 0 and at most 1e6, got {seconds_per_move}")
    if plies is None:
        return 1 if seconds_per_move is None else MOST_PLIES
    if not 1 <= plies <= MOST_PLIES:
        raise CrossplayError(f"plies: between 1 and {MOST_PLIES}, got {plies}")
    return plies


def _greedy(network: Network, seed: int, downgrade: bool, played: Games) -> PlaySome:
    header, rows = network.header, row_table()
    kernel = greedy_player(header.tuples, header.stage_bits, header.promotion, FROM if downgrade else 0)
    room = new_room(8 * len(header.tuples))

    def play_some(first: int, end: int) -> bool:
        outputs = (output[first:end] for output in played[:3])
        return bool(kernel(network.weights, rows, *room, np.uint64(seed), first, *outputs))

    return play_some


def _searching(searcher: Searcher, seed: int, stop: threading.Event, played: Games) -> PlaySome:
    def play_some(first: int, end: int) -> bool:
        for number in range(first, end):
            game = searcher.play(seed, number, stop)
            if game is None:
                return False
            played.scores[number], played.largest[number], played.moves[number] = game
        return True

    return play_some


def _share_out(
    new_player: Callable[[], PlaySome],
    games: int,
    per_call: int,
    threads: int,
    stop: threading.Event,
    progress: Progress | None,
) -> float:
    """Let threads play the games, some at a time, and return the CPU time that they took.

    Each has a player of its own. ``stop`` is set when they are to end, because of an error or a signal.
    """
    lock = threading.Lock()
    starts = iter(range(0, games, per_call))
    cpu_seconds = 0.0
    finished = 0

    def work(play_some: PlaySome) -> None:
        nonlocal cpu_seconds, finished
        before = time.thread_time()
        while not stop.is_set():
            with lock:
                first = next(starts, None)
            if first is None:
                break
            end = min(first + per_call, games)
            if not play_some(first, end):
                if stop.is_set():
                    break
                raise DivergenceError(
                    "the network's values are not numbers: learning diverged; train it with a smaller --rate"
                )
            with lock:
                finished += end - first
                if progress is not None:
                    progress(finished)
        with lock:
            cpu_seconds += time.thread_time() - before

    players = [new_player() for _ in range(threads)]  # one after the other: they may have to be compiled
    with ThreadPoolExecutor(threads) as pool:
        workers = [pool.submit(work, player) for player in players]
        try:
            done, _ = wait(workers, return_when=FIRST_EXCEPTION)
        finally:
            stop.set()
        for worker in done:
            worker.result()
    return cpu_seconds


def summary(played: Games) -> Scores:
    """The mean score of games and the shares that reached the large tiles, with intervals."""
    games = len(played.scores)
    reached = {str(tile): int(np.sum(2.0**played.largest >= tile)) for tile in TILES}
    return Scores(
        games=games,
        mean=float(played.scores.mean()),
        interval=mean_interval(played.scores),
        best=int(played.scores.max()),
        reach={tile: count / games for tile, count in reached.items()},
        reach_interval={tile: wilson(count, games, CONFIDENCE) for tile, count in reached.items()},
        moves=int(played.moves.sum()),
        seconds=played.seconds,
        cpu_seconds=played.cpu_seconds,
    )


def mean_interval(values: np.ndarray, confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Student's interval of a mean, not below 0; None for a single value."""
    if len(values) < 2:
        return None
    mean = float(values.mean())
    deviate = float(stdtrit(len(values) - 1, (1 + confidence) / 2))
    half = deviate * float(values.std(ddof=1)) / math.sqrt(len(values))
    return max(0.0, mean - half), mean + half
