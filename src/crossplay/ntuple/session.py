"""One session of a learning: threads that play and learn, evaluations, checkpoints.

Threads play and learn on the same tables, without locks. They take the actions in pieces of fixed size, so
that on one thread nothing depends on when a session ended.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np

from crossplay.errors import CrossplayError
from crossplay.files import write_text
from crossplay.memory import available_memory, gibibytes
from crossplay.ntuple.board import row_table
from crossplay.ntuple.checkpoints import Learning, current_header, memory_needed, save_checkpoint
from crossplay.ntuple.curve import describe, point_metrics
from crossplay.ntuple.evaluation import DivergenceError, evaluate
from crossplay.ntuple.files import Network, NetworkHeader
from crossplay.ntuple.learning import DIVERGED, Worker, learner
from crossplay.ntuple.progress import Progress

CURVE = "curve.json"
PIECE = 1 << 18  # actions of one call of the kernel, a tenth of a second
POLL_SECONDS = 0.2
ROWS = 100  # of metrics between the beginning and the end
_SAVING_SHARE = 0.1  # of the time, at most, goes into checkpoints

# Called with a network, games, plies and a function that takes the number of finished games.
Evaluate = Callable[[Network, int, int, Callable[[int], None]], dict[str, Any]]
MetricsCallback = Callable[[dict[str, float], int], None]


def play_games(network: Network, games: int, plies: int, progress: Callable[[int], None]) -> dict[str, Any]:
    """Play an evaluation's games with as many threads as the network learned with."""
    threads = int(network.header.settings["threads"])
    scores = evaluate(network, games, plies, seed=network.header.seed, threads=threads, progress=progress)
    return scores.as_dict()


def divergence(source: Path, header: NetworkHeader) -> CrossplayError:
    """The error of values that grew beyond all bounds."""
    return CrossplayError(
        f"the values learned in {source} grew beyond all bounds after {header.actions:,} actions; choose a"
        f" --rate smaller than {header.settings['rate']:g} and another --output, or take that for a result"
        " with --allow-divergence"
    )


class Session:
    """One session of a learning, up to its end or an interrupt."""

    def __init__(
        self,
        learning: Learning,
        folder: Path,
        evaluate: Evaluate,
        on_metrics: MetricsCallback | None,
        show_progress: bool,
        allow_divergence: bool = False,
    ) -> None:
        self._learning, self._folder = learning, folder
        self._allow_divergence = allow_divergence
        self._settings = settings = learning.settings
        self._evaluate = evaluate
        self._on_metrics = on_metrics or (lambda metrics, actions: None)
        self._progress = Progress(settings.actions, learning.actions, show_progress)
        self._saved = time.monotonic()
        self._saving_seconds = memory_needed(settings) / 1e9  # until a checkpoint has shown it
        self._rows = row_table()
        self._row = (learning.actions, *learning.finished, learning.seconds)
        self._score: float | None = None
        self._running: list[Future[float]] = []

    def run(self, resumed: bool) -> None:
        """Learn up to the budget or, if that is allowed, divergence; interrupted, save what there is.

        Raises:
            CrossplayError: the values grew beyond all bounds, which is not allowed.
        """
        learning, settings = self._learning, self._settings
        free = available_memory()
        self._progress.say(
            f"tables of up to {gibibytes(memory_needed(settings))}"
            + (f", {gibibytes(free)} of memory free" if free is not None else "")
        )
        if resumed:
            self._progress.say(f"continuing from the checkpoint at {learning.actions:,} actions")
            self._take_last_point()
            self._write_curve()  # Snakemake deletes the files of a stage before it runs it again
        for point in learning.curve:
            self._on_metrics(point_metrics(point), point["actions"])
        try:
            while True:
                if self._is_point() and not self._has_point():
                    self._add_point()
                if learning.actions == settings.actions:
                    break
                self._learn(self._next_point())
                if learning.diverged:
                    raise DivergenceError
                if self._save_due():
                    self._save()
            if settings.keep_checkpoint:
                self._save()
        except DivergenceError:
            self._end_diverged()
        except (KeyboardInterrupt, SystemExit):
            # Interrupted once more while the threads were to come to rest, they may still be at work.
            if all(worker.done() for worker in self._running):
                self._save()
                self._progress.say(f"stopped; checkpoint written at {learning.actions:,} actions")
            raise
        finally:
            self._progress.close()

    # Learning.

    def _learn(self, until: int) -> None:
        """Let the threads learn until so many actions are made, a checkpoint is due or values diverge."""
        learning, settings = self._learning, self._settings
        kernel = learner(learning.header.tuples, learning.rule)
        assert settings.rate is not None
        rate = np.float32(settings.rate / (8 * len(learning.header.tuples)))
        numbers = (rate, *map(np.float32, (settings.decay, learning.header.offset, settings.meta_rate)))
        lock, stop = threading.Lock(), threading.Event()
        taken = learning.actions

        def work(worker: Worker) -> float:
            nonlocal taken
            before = time.thread_time()
            while not stop.is_set():
                with lock:
                    piece = min(PIECE - taken % PIECE, until - taken)
                    taken += piece
                if piece == 0:
                    break
                kernel(
                    learning.weights, learning.accumulators, self._rows, *worker,
                    learning.queue, learning.queued, piece, *numbers,
                )  # fmt: skip
                if worker.counts[DIVERGED]:
                    stop.set()
            return time.thread_time() - before

        start = time.monotonic()
        with ThreadPoolExecutor(len(learning.workers)) as pool:
            self._running = workers = [pool.submit(work, worker) for worker in learning.workers]
            try:
                while wait(workers, POLL_SECONDS).not_done:
                    self._report(learning.seconds + time.monotonic() - start)
                    if self._save_due():
                        stop.set()
            finally:
                stop.set()
                wait(workers)
                learning.seconds += time.monotonic() - start
                learning.cpu_seconds += sum(worker.result() for worker in workers)
        self._report(learning.seconds)

    def _end_diverged(self) -> None:
        """Close the curve with a point that says so.

        Raises:
            CrossplayError: that is not allowed.
        """
        learning = self._learning
        learning.workers[0].counts[DIVERGED] = 1  # an evaluation may have been the first to notice
        if not self._allow_divergence:
            raise divergence(self._folder, current_header(learning))
        if self._has_point():
            learning.curve.pop()
        self._close_point({"diverged": True, "training_score": None, "plies": {}})

    def _report(self, seconds: float) -> None:
        """Show progress, and pass on metrics a hundred times in all."""
        actions, (games, score) = self._learning.actions, self._learning.finished
        before, games_before, score_before, seconds_before = self._row
        if actions - before >= self._settings.actions / ROWS and games > games_before:
            self._score = (score - score_before) / (games - games_before)
            speed = (actions - before) / max(seconds - seconds_before, 1e-9)
            self._on_metrics({"recent_score": self._score, "actions_per_second": speed}, actions)
            self._row = (actions, games, score, seconds)
        self._progress.update(actions, self._score)

    # Evaluations.

    def _next_point(self) -> int:
        """The actions at which the next evaluation is due."""
        actions, settings = self._learning.actions, self._settings
        every = [step for step in (settings.evaluate_every, settings.search_every) if step]
        return min([settings.actions, *((actions // step + 1) * step for step in every)])

    def _is_point(self) -> bool:
        actions, settings = self._learning.actions, self._settings
        every = [step for step in (settings.evaluate_every, settings.search_every) if step]
        return actions == settings.actions or (actions > 0 and any(actions % step == 0 for step in every))

    def _has_point(self) -> bool:
        curve = self._learning.curve
        return bool(curve) and curve[-1]["actions"] == self._learning.actions

    def _add_point(self) -> None:
        learning, settings = self._learning, self._settings
        # An evaluation may take long: the learning before it must not be lost by a kill in its middle.
        if time.monotonic() - self._saved >= self._saving_seconds / _SAVING_SHARE:
            self._save()
        actions, (games, score) = learning.actions, learning.finished
        new_games, new_score = games - learning.counted[0], score - learning.counted[1]
        plies = [1] if settings.games else []
        if settings.search_every and (actions % settings.search_every == 0 or actions == settings.actions):
            plies.append(settings.search_plies)
        training_score = new_score / new_games if new_games else None
        played = {str(depth): self._play(depth) for depth in plies}
        self._close_point({"training_score": training_score, "plies": played})
        learning.counted = games, score

    def _close_point(self, found: dict[str, Any]) -> None:
        """Put a point with what was found at the curve's end, write it and tell it."""
        learning = self._learning
        seconds = {"wall": learning.seconds, "cpu": learning.cpu_seconds}
        head = {"actions": learning.actions, "games": learning.finished[0], "seconds": seconds}
        point = {**head, **found}
        learning.curve.append(point)
        self._write_curve()
        self._on_metrics(point_metrics(point), learning.actions)
        self._progress.say(f"{learning.actions:,} actions: {describe(point)}")

    def _play(self, plies: int) -> dict[str, Any]:
        games = self._settings.games if plies == 1 else self._settings.search_games
        network = Network(current_header(self._learning), self._learning.weights)
        return self._evaluate(
            network, games, plies, lambda finished: self._progress.evaluating(finished, games, plies)
        )

    def _write_curve(self) -> None:
        write_text(self._folder / CURVE, json.dumps(self._learning.curve, indent=1) + "\n")

    def _take_last_point(self) -> None:
        """Take up the evaluation of exactly these weights if it was made after the checkpoint."""
        learning = self._learning
        with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
            last = json.loads((self._folder / CURVE).read_text(encoding="utf-8"))[-1]
            if last["actions"] == learning.actions and not self._has_point():
                learning.curve.append(last)
                learning.counted = learning.finished

    # Checkpoints.

    def _save_due(self) -> bool:
        least = max(self._settings.checkpoint_seconds, self._saving_seconds / _SAVING_SHARE)
        return time.monotonic() - self._saved >= least

    def _save(self) -> None:
        start = time.monotonic()
        save_checkpoint(self._folder, self._learning)
        self._saved = time.monotonic()
        self._saving_seconds = self._saved - start
