"""Processes of their own that play, seen from the process that learns."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from crossplay.errors import CrossplayError
from crossplay.networks import PolicyValueNetwork
from crossplay.search.records import Records
from crossplay.selfplay.actor import Played
from crossplay.selfplay.buffer import ReplayBuffer, put_records
from crossplay.selfplay.crew import Crew
from crossplay.selfplay.link import (
    JOINED,
    LEARNER,
    LEFT,
    ORDER,
    OVER,
    REPORT,
    TASK,
    Link,
    LinkLostError,
    open_store,
    part_of_store,
)
from crossplay.selfplay.task import Task

LOOK_SECONDS = 0.1  # between looks for processes that join or have died
WAIT_SECONDS = 0.005
PATIENCE_SECONDS = 600.0  # without any process that plays
END_SECONDS = 10.0  # for processes to hear that the training is over
LEAVE_SECONDS = 10.0  # for ranks to notice that the training is over


class RemotePlayers:
    """Links to the processes that play, each served by a thread; they may come and go at any time.

    Args:
        task: what they do.
        processes: to start and to replace here; 0 if a launcher has started them.
        buffer: where positions go; one ring for all.
        seed: each process gets another one after it.
        may_play: whether more positions are wanted now.
    """

    workers = 1

    def __init__(
        self, task: Task, processes: int, buffer: ReplayBuffer, seed: int, may_play: Callable[[], bool]
    ) -> None:
        self._buffer, self._seed, self._may_play = buffer, seed, may_play
        self._notes: SimpleQueue[str] = SimpleQueue()
        self._weights: list[np.ndarray] = []
        self._version = 0
        self._played = Played()
        self._lock = threading.Lock()  # of what is played, and of the number of links
        self._links = 0
        self._last_seen = time.monotonic()
        self._over = threading.Event()
        self._error: BaseException | None = None
        self._ranks = 0 if processes > 0 else task.place.size - 1
        self._kept = open_store(task.place)  # as long as this object lives
        port = task.place.port if task.place.hosted else self._kept.port
        self._place = task.place._replace(port=port)
        self._store = self._new_client()
        self._store.set(TASK, task.digest)
        self._crew = Crew(task, self._place, processes, self._notes.put)
        self._watch = threading.Thread(target=self._admit, daemon=True)
        self._servers: list[threading.Thread] = []

    def start(self) -> None:
        """Start the processes and let them in."""
        self._last_seen = time.monotonic()
        self._watch.start()

    def play(self, worker: int) -> None:
        """Let a moment pass.

        Raises:
            CrossplayError: nobody is there to play.
            BaseException: what a thread failed with.
        """
        if self._error is not None:
            raise self._error
        if self._links > 0:
            self._last_seen = time.monotonic()
        elif time.monotonic() - self._last_seen > PATIENCE_SECONDS:
            raise CrossplayError(
                f"no process has played for {PATIENCE_SECONDS / 60:.0f} minutes; see what they say in the log"
                " and run this again to continue from the checkpoint"
            )
        time.sleep(WAIT_SECONDS)

    def publish(self, network: PolicyValueNetwork) -> None:
        """Send these weights to each process when it reports next."""
        tensors = network.state_dict().values()
        weights = [tensor.detach().cpu().contiguous().numpy().copy() for tensor in tensors]
        with self._lock:
            self._weights, self._version = weights, self._version + 1

    def played(self) -> Played:
        """What all processes did so far."""
        with self._lock:
            return self._played

    def notes(self) -> list[str]:
        """What the user should know of: processes that join, or die and are replaced."""
        notes = []
        with contextlib.suppress(Empty):
            while True:
                notes.append(self._notes.get_nowait())
        return notes

    def close(self) -> None:
        """Tell all processes that the training is over, and see to their end."""
        if self._over.is_set():
            return
        self._over.set()
        if self._watch.is_alive():  # not if the training failed before it began
            self._watch.join()
        end = time.monotonic() + END_SECONDS
        for server in self._servers:
            server.join(max(0.0, end - time.monotonic()))
        self._crew.close()
        with contextlib.suppress(RuntimeError):
            self._store.set(OVER, "")
            end = time.monotonic() + LEAVE_SECONDS
            # Whoever keeps the store must be the last to leave.
            while self._store.add(LEFT, 0) < self._ranks and time.monotonic() < end:
                time.sleep(LOOK_SECONDS)

    def _new_client(self) -> Any:
        return part_of_store(open_store(self._place, self._place.port), self._place)

    def _admit(self) -> None:
        """Look for processes that join, and for those that died."""
        served = 0
        try:
            while not self._over.is_set():
                joined = self._store.add(JOINED, 0)
                for number in range(served + 1, joined + 1):
                    server = threading.Thread(target=self._serve, args=(number,), daemon=True)
                    self._servers.append(server)
                    server.start()
                served = joined
                self._crew.look()
                time.sleep(LOOK_SECONDS)
        except BaseException as error:  # raised again by play()
            self._error = error

    def _serve(self, number: int) -> None:
        """Take a process's records and answer, until it is told that all is over or is gone."""
        joined = False
        try:
            link = Link(self._new_client(), number, LEARNER)
            with self._lock:
                self._links += 1
            joined = True
            self._notes.put(f"self-play process {number} has joined")
            while self._exchange(link, number):
                pass
        except LinkLostError:
            if not self._over.is_set():
                self._notes.put(f"self-play process {number} is gone")
        except BaseException as error:  # raised again by play()
            self._error = error
        finally:
            with self._lock:
                self._links -= joined

    def _exchange(self, link: Link, number: int) -> bool:
        """One report and its answer; tell whether there will be another."""
        report = np.zeros((), REPORT)
        link.receive(report)
        ring = self._buffer.rings[0]
        shapes = [(int(report["positions"]), *array.shape[1:]) for array in ring[:-1]]
        arrays = [np.empty(shape, array.dtype) for shape, array in zip(shapes, ring[:-1], strict=True)]
        link.receive(*arrays)
        with self._buffer.locks[0]:
            put_records(ring, Records._make([*arrays, report["counters"]]))
        with self._lock:
            work = zip(Played._fields, self._played, strict=True)
            self._played = Played(*(before + report[name].item() for name, before in work))
            weights, version = self._weights, self._version
        order = np.zeros((), ORDER)
        order["weights"], order["seed"] = version, self._seed + number
        over = self._over.is_set()
        order["over"], order["play"] = over, not over and self._may_play()
        link.send(order)
        if report["weights"] != version:
            link.send(*weights)
        return not over
