"""One worker's half of self-play: its games, its ring of records, and the network in turn with the tree."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from crossplay.config import SelfPlaySettings
from crossplay.networks import Evaluator
from crossplay.search.records import Records
from crossplay.search.selfplay import SelfPlay
from crossplay.selfplay.parameters import play_of, search_of

if TYPE_CHECKING:
    from crossplay.games import Game


class Played(NamedTuple):
    """Work done: seconds of evaluation and of search, rows of batches and those of them with a position."""

    network: float = 0.0
    tree: float = 0.0
    rows: int = 0
    evaluations: int = 0


class Actor:
    """Plays games against itself, side by side, and records the finished ones.

    Args:
        game: the game to play.
        settings: how to play.
        slots: games side by side in this actor.
        records: the ring to add to.
        lock: held while the ring is written.
        seed: decides everything random here.
    """

    def __init__(
        self,
        game: Game,
        settings: SelfPlaySettings,
        slots: int,
        records: Records,
        lock: threading.Lock,
        seed: int,
    ) -> None:
        self._games = SelfPlay(
            game,
            search_of(settings),
            play_of(settings),
            slots,
            seed,
            settings.fast_simulations,
            settings.cache_megabytes,
        )
        self._evaluator: Evaluator | None = None
        self._records = records
        self._lock = lock
        self._priors = np.zeros((slots, game.n_actions), np.float32)
        self._values = np.zeros(slots, np.float32)
        self._network_seconds = self._tree_seconds = 0.0
        self._rows = 0

    @property
    def played(self) -> Played:
        """What was done so far; a row holds no position where a game waits for the others."""
        return Played(self._network_seconds, self._tree_seconds, self._rows, self._games.evaluations)

    def play(self, evaluator: Evaluator) -> None:
        """Move every game on by one batch of evaluations."""
        start = time.perf_counter()
        self._rows += len(self._values)
        with self._lock:
            self._games.step(self._priors, self._values, self._records)
        searched = time.perf_counter()
        if evaluator is not self._evaluator:
            self._games.forget_evaluations()
            self._evaluator = evaluator
        evaluator.evaluate_into(self._games.batch, self._priors, self._values)
        self._network_seconds += time.perf_counter() - searched
        self._tree_seconds += searched - start
