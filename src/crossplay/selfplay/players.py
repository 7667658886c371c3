"""Who plays the games of a training: threads of the process that learns, or processes of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch

from crossplay.config import SelfPlaySettings
from crossplay.networks import Evaluator, PolicyValueNetwork
from crossplay.selfplay.actor import Actor, Played
from crossplay.selfplay.buffer import ReplayBuffer

if TYPE_CHECKING:
    from crossplay.games import Game


class Players(Protocol):
    """What a training asks of those who play for it.

    Attributes:
        workers: threads of this process that call :meth:`play`.
    """

    workers: int

    def start(self) -> None:
        """Begin; what was published before is what games are played with."""

    def play(self, worker: int) -> None:
        """Move the worker's games on by one batch, or let a moment pass in which others play."""

    def publish(self, network: PolicyValueNetwork) -> None:
        """Go on with these weights, which are copied."""

    def played(self) -> Played:
        """What was done so far."""

    def notes(self) -> list[str]:
        """What the user should know of, since the last call."""

    def close(self) -> None:
        """Leave unfinished games and end; called once no worker plays any more."""


class LocalPlayers:
    """Threads of this process; with one thread everything depends on the seeds alone.

    Args:
        game: the game to play.
        settings: how to play.
        games: side by side, shared out among the threads.
        threads: how many, with one of the buffer's rings for each.
        buffer: where positions go.
        generator: gives each thread a seed.
        device: where to compute.
        bfloat16: compute in bfloat16.
    """

    def __init__(
        self,
        game: Game,
        settings: SelfPlaySettings,
        games: int,
        threads: int,
        buffer: ReplayBuffer,
        generator: np.random.Generator,
        device: torch.device,
        bfloat16: bool,
    ) -> None:
        self.workers = threads
        self._game, self._device, self._bfloat16 = game, device, bfloat16
        self._actors = make_actors(game, settings, games, threads, buffer, generator)
        self._notes = [measured_note(games)] if settings.games == "auto" else []

    def start(self) -> None:
        """Nothing to begin: the caller's threads play."""

    def play(self, worker: int) -> None:
        """Move the worker's games on by one batch."""
        self._actors[worker].play(self._evaluator)

    def publish(self, network: PolicyValueNetwork) -> None:
        """Go on with these weights."""
        self._evaluator = Evaluator(network, self._game.state_shape, self._device, self._bfloat16)

    def played(self) -> Played:
        """What all threads did so far."""
        return total_played(self._actors)

    def notes(self) -> list[str]:
        """How many games there are, if that was measured."""
        notes, self._notes = self._notes, []
        return notes

    def close(self) -> None:
        """Nothing to end."""


def make_actors(
    game: Game,
    settings: SelfPlaySettings,
    games: int,
    threads: int,
    buffer: ReplayBuffer,
    generator: np.random.Generator,
) -> list[Actor]:
    """An actor for each thread, with its share of the games and a ring of the buffer."""
    return [
        Actor(
            game,
            settings,
            len(range(worker, games, threads)),
            buffer.rings[worker],
            buffer.locks[worker],
            int(generator.integers(2**63)),
        )
        for worker in range(threads)
    ]


def measured_note(games: int) -> str:
    """A line about games whose number was measured."""
    return f"{games} games are played side by side, as many as keep the network fast"


def total_played(actors: list[Actor]) -> Played:
    """What several actors did."""
    return Played(*map(sum, zip(*(actor.played for actor in actors), strict=True)))
