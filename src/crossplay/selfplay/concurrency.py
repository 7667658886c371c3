"""How many games to play side by side: as few as keep the network fast."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from crossplay.config import SelfPlaySettings
from crossplay.networks import Evaluator

if TYPE_CHECKING:
    from crossplay.games import Game

SIZES = tuple(32 << k for k in range(8))  # of a thread's batches
TRIAL_SECONDS = 0.1  # for each size
ENOUGH = 0.92  # of the highest speed: more games only delay the first finished ones


def choose_games(settings: SelfPlaySettings, game: Game, evaluator: Evaluator, threads: int) -> int:
    """The number of games that the settings ask for; with ``auto`` it is measured, in about a second.

    Args:
        settings: of self-play.
        game: whose positions are evaluated.
        evaluator: the network where it will compute.
        threads: that share the games.
    """
    if settings.games != "auto":
        return settings.games
    speeds = {size: _speed(game, evaluator, size) for size in SIZES}
    return threads * smallest_fast(speeds)


def smallest_fast(speeds: dict[int, float]) -> int:
    """The smallest size that is about as fast as the fastest."""
    fast = ENOUGH * max(speeds.values())
    return min(size for size, speed in speeds.items() if speed >= fast)


def _speed(game: Game, evaluator: Evaluator, size: int) -> float:
    """Positions per second in batches of this size."""
    batch = np.zeros((size, int(np.prod(game.state_shape))), np.float32)
    priors, values = np.empty((size, game.n_actions), np.float32), np.empty(size, np.float32)
    evaluator.evaluate_into(batch, priors, values)
    start, done = time.perf_counter(), 0
    while (spent := time.perf_counter() - start) < TRIAL_SECONDS or done == 0:
        evaluator.evaluate_into(batch, priors, values)
        done += size
    return done / spent
