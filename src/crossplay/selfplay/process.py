"""A process that plays for a training: ``python -m crossplay.selfplay.process``, told its task on stdin.

It ends when the training does, or with a line and exit code 1 when the process that learns is gone; at once
when the process that started it closes its stdin, be it by dying.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import numpy as np
import torch

from crossplay.config import SelfPlaySettings, parse_settings
from crossplay.errors import CrossplayError
from crossplay.games import load_game
from crossplay.networks import Evaluator, ModelHeader
from crossplay.search.records import POSITIONS, Records, targets_wanted
from crossplay.selfplay.actor import Played
from crossplay.selfplay.buffer import ReplayBuffer, take_records
from crossplay.selfplay.concurrency import choose_games
from crossplay.selfplay.link import (
    JOINED,
    MISFIT,
    ORDER,
    PLAYER,
    REPORT,
    TASK,
    Link,
    open_store,
    part_of_store,
)
from crossplay.selfplay.parameters import search_of
from crossplay.selfplay.players import make_actors, measured_note, total_played
from crossplay.selfplay.task import Task, device_of

REPORT_SECONDS = 0.1  # between reports, unless there is nothing to report
WAIT_SECONDS = 0.01
MOST_UNSENT = 16_384  # positions that wait to be sent; then playing waits, too
LONG_GAME = 512  # positions of a game, for which there is room besides


class PlayingProcess:
    """Threads that play, and a link over which their records go and weights come."""

    def __init__(self, task: Task) -> None:
        header = ModelHeader.from_json(task.header)
        settings = parse_settings(SelfPlaySettings, task.self_play)
        self._game = game = load_game(header.game, header.options, **header.layout)
        self._device = device_of(task.device, task.place.local_rank)
        self._bfloat16 = task.precision == "bfloat16"
        self._network = header.new_network()
        evaluator = Evaluator(self._network, game.state_shape, self._device, self._bfloat16)
        games = choose_games(settings, game, evaluator, task.threads)
        if settings.games == "auto":
            print(f"self-play process: {measured_note(games)}", file=sys.stderr, flush=True)
        threads = min(task.threads, games)
        room = threads * (MOST_UNSENT + LONG_GAME * -(-games // threads))
        targets = targets_wanted(game, search_of(settings))
        self._buffer = ReplayBuffer(game, targets, room, 2, False, threads)
        self._sent = [ring.counters.copy() for ring in self._buffer.rings]
        self._reported = Played()
        self._version = 0
        self._evaluator: Evaluator | None = None
        self._may_play, self._stop = threading.Event(), threading.Event()
        self._error: BaseException | None = None
        store = part_of_store(open_store(task.place), task.place)
        if store.get(TASK) != task.digest.encode():
            sys.exit(MISFIT)
        self._link = Link(store, store.add(JOINED, 1), PLAYER)
        order = self._report(self._take(), Played())
        self._actors = make_actors(
            game, settings, games, threads, self._buffer, np.random.default_rng(int(order["seed"]))
        )
        self._over = bool(order["over"])

    def run(self) -> None:
        """Play until the training is over.

        Raises:
            LinkLostError: the process that learns is gone.
            BaseException: what a thread failed with.
        """
        threads = [
            threading.Thread(target=self._play, args=(worker,), daemon=True)
            for worker in range(len(self._actors))
        ]
        for thread in threads:
            thread.start()
        try:
            while not self._over and self._error is None:
                time.sleep(REPORT_SECONDS)
                order = self._report(self._take(), total_played(self._actors))
                self._over = bool(order["over"])
                self._let_play(bool(order["play"]))
        finally:
            self._stop.set()
            self._may_play.set()
            for thread in threads:
                thread.join()
        if self._error is not None:
            raise self._error

    def _play(self, worker: int) -> None:
        torch.set_num_threads(1)  # holds for the thread that says it
        ring = self._buffer.rings[worker]
        try:
            while not self._stop.is_set():
                unsent = ring.counters[POSITIONS] - self._sent[worker][POSITIONS]
                if unsent > MOST_UNSENT:
                    time.sleep(WAIT_SECONDS)
                    continue
                self._may_play.wait()
                assert self._evaluator is not None
                self._actors[worker].play(self._evaluator)
        except BaseException as error:  # raised again in the main thread
            self._error = error

    def _let_play(self, may_play: bool) -> None:
        if may_play:
            self._may_play.set()
        else:
            self._may_play.clear()

    def _take(self) -> Records:
        """What the threads have recorded since the last call."""
        taken = []
        for worker, (ring, lock) in enumerate(zip(self._buffer.rings, self._buffer.locks, strict=True)):
            with lock:
                taken.append(take_records(ring, self._sent[worker]))
                self._sent[worker] = ring.counters.copy()
        arrays = (np.concatenate(parts) for parts in zip(*(records[:-1] for records in taken), strict=True))
        return Records._make([*arrays, np.sum([records.counters for records in taken], axis=0)])

    def _report(self, taken: Records, played: Played) -> np.ndarray:
        """Send records, take the order that comes back and, with it, new weights."""
        report, order = np.zeros((), REPORT), np.zeros((), ORDER)
        report["weights"] = self._version
        report["positions"] = len(taken.outcome)
        report["counters"] = taken.counters
        for name, now, before in zip(Played._fields, played, self._reported, strict=True):
            report[name] = now - before
        self._reported = played
        self._link.send(report, *taken[:-1])
        self._link.receive(order)
        if order["weights"] != self._version:
            self._version = int(order["weights"])
            tensors = self._network.state_dict()
            arrays = [tensor.numpy() for tensor in tensors.values()]
            self._link.receive(*arrays)
            self._evaluator = Evaluator(self._network, self._game.state_shape, self._device, self._bfloat16)
        return order


def end_with_parent() -> None:
    """Wait for the end of stdin, which is the end of who started this process, and leave at once."""
    while os.read(sys.stdin.fileno(), 1 << 12):
        pass
    os._exit(1)


def main() -> None:
    """Play for the training that stdin tells of."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that learns, which ends this one
    task = Task.from_json(sys.stdin.buffer.readline().decode())
    threading.Thread(target=end_with_parent, daemon=True).start()
    torch.set_num_threads(1)
    try:
        PlayingProcess(task).run()
    except CrossplayError as error:
        print(f"error: self-play process: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)  # a thread may still be reading stdin


if __name__ == "__main__":
    main()
