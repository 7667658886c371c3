"""Uniformly random games."""

from __future__ import annotations

import itertools
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit, types

from crossplay.errors import CrossplayError
from crossplay.games.random import below, seed_streams
from crossplay.games.state import (
    APPLY,
    DRAW,
    LEGAL,
    MOVE_LIST,
    OUTCOME,
    PASS,
    PLAYOUT,
    RUNNING,
    START,
    STATE,
    SWAP,
    TURNS,
)

if TYPE_CHECKING:
    from crossplay.games import Game


@dataclass(frozen=True)
class PlayoutStatistics:
    """Totals of random games; lengths in moves, forced passes and swaps included."""

    games: int
    moves: int
    wins1: int
    wins2: int
    draws: int
    mean_length: float
    sd_length: float
    seconds: float


@njit(
    types.void(
        START,
        PLAYOUT,
        STATE,
        MOVE_LIST,
        types.Array(types.uint64, 2, "C"),
        types.int64,
        types.Array(types.int32, 1, "C"),
        types.Array(types.int8, 1, "C"),
    ),
    cache=True,
    nogil=True,
)
def play_games(
    start: Any,
    playout: Any,
    state: np.ndarray,
    moves: np.ndarray,
    rng: np.ndarray,
    limit: int,
    lengths: np.ndarray,
    outcomes: np.ndarray,
) -> None:
    """Play ``len(lengths)`` random games, game i with the stream ``rng[i]``.

    ``state`` and ``moves`` are scratch space; a game longer than ``limit`` has outcome RUNNING.
    """
    for i in range(lengths.shape[0]):
        start(state)
        lengths[i] = playout(state, moves, rng[i], limit)
        outcomes[i] = state[OUTCOME]


def random_playouts(game: Game, n: int, seed: int, threads: int = 1) -> PlayoutStatistics:
    """Play ``n`` random games from the start position.

    Every game has its own random stream, so the result depends on the seed but not on ``threads``.

    Raises:
        CrossplayError: ``n`` or ``threads`` below 1.
    """
    for name, value in (("games", n), ("threads", threads)):
        if value < 1:
            raise CrossplayError(f"{name}: must be at least 1, got {value}")
    rng = seed_streams(seed, n).reshape(n, 1)
    lengths = np.zeros(n, np.int32)
    outcomes = np.zeros(n, np.int8)
    kernels = game.kernels

    def play(part: slice) -> None:
        play_games(
            kernels.start,
            kernels.playout,
            np.zeros(game.state_size, np.int16),
            np.zeros(game.max_moves, np.int64),
            rng[part],
            game.max_plies,
            lengths[part],
            outcomes[part],
        )

    bounds = np.linspace(0, n, threads + 1).astype(int)
    parts = [slice(low, high) for low, high in itertools.pairwise(bounds)]
    began = time.perf_counter()
    if threads == 1:
        play(parts[0])
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(play, parts))
    seconds = time.perf_counter() - began
    return PlayoutStatistics(
        games=n,
        moves=int(lengths.sum()),
        wins1=int((outcomes == 1).sum()),
        wins2=int((outcomes == 2).sum()),
        draws=int((outcomes == DRAW).sum()),
        mean_length=float(lengths.mean()),
        sd_length=float(lengths.std()),
        seconds=seconds,
    )


class GameCounts(NamedTuple):
    """What happened in each of some random games; all fields ``int64[games]``."""

    lengths: np.ndarray  # moves made
    turns: np.ndarray  # turns begun
    outcomes: np.ndarray
    choices: np.ndarray  # legal moves, forced passes included, summed over the positions of the game
    most_choices: np.ndarray  # in any one position
    passes: np.ndarray
    swaps: np.ndarray


@njit(
    types.void(
        START,
        LEGAL,
        APPLY,
        STATE,
        MOVE_LIST,
        types.Array(types.uint64, 2, "C"),
        types.Array(types.int64, 2, "C"),
    ),
    cache=True,
    nogil=True,
)
def count_games(
    start: Any,
    legal: Any,
    apply: Any,
    state: np.ndarray,
    moves: np.ndarray,
    rng: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Play a random game per row of ``counts``, whose columns are the fields of :class:`GameCounts`."""
    for i in range(counts.shape[0]):
        start(state)
        while state[OUTCOME] == RUNNING:
            n = legal(state, moves)
            move = moves[below(rng[i], n)]
            apply(state, move)
            counts[i, 0] += 1
            counts[i, 3] += n
            counts[i, 4] = max(counts[i, 4], n)
            counts[i, 5] += move == PASS
            counts[i, 6] += move == SWAP
        counts[i, 1] = state[TURNS]
        counts[i, 2] = state[OUTCOME]


def survey_games(game: Game, streams: np.ndarray) -> GameCounts:
    """Play a random game with each of ``streams``, ``uint64[games]``, choosing from whole move lists."""
    counts = np.zeros((len(streams), len(GameCounts._fields)), np.int64)
    count_games(
        game.kernels.start,
        game.kernels.legal,
        game.kernels.apply,
        np.zeros(game.state_size, np.int16),
        np.zeros(game.max_moves, np.int64),
        streams.reshape(-1, 1).copy(),
        counts,
    )
    return GameCounts(*counts.T)
