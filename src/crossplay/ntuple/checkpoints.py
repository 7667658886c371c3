"""Everything that a learning consists of between two calls of its kernel, and keeping it in a file.

On one thread a learning that continues from such a file gives the same weights, to the last bit, as one
that was never interrupted: the file holds the games under way, their random numbers and the errors that
wait to be applied as well as the tables.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from crossplay.config import NtupleSettings
from crossplay.errors import CrossplayError
from crossplay.memory import check_memory
from crossplay.ntuple.files import CHECKPOINT, NetworkHeader, TableFile, save_tables
from crossplay.ntuple.learning import (
    ACTIONS,
    DIVERGED,
    FINISHED,
    QUEUE,
    TOTAL_SCORE,
    Rule,
    Worker,
    horizon_of,
    new_worker,
)
from crossplay.ntuple.shapes import network_tuples, stage_weights
from crossplay.ntuple.tables import ACCUMULATORS, new_table

# What may change from one session of a learning to the next: its end, and how it is watched and kept.
FREE = frozenset(
    {"actions", "evaluate_every", "games", "search_every", "search_games", "search_plies"}
    | {"checkpoint_seconds", "keep_checkpoint"}
)
_SEEDS = 256  # of the threads of one learning


@dataclass
class Learning:
    """A learning of 2048.

    Attributes:
        settings: with the rule's defaults filled in.
        header: of the network; ``actions`` and ``diverged`` are not kept up to date in it.
        rule: what the kernel is compiled for.
        weights: ``float32[stages * weights of a stage]``.
        accumulators: what the rule keeps beside each weight.
        workers: the games that each thread has under way.
        queue, queued: the beginnings of the carousel's stages.
        curve: the evaluations so far.
        seconds, cpu_seconds: spent learning, on the clock and by all threads together.
        counted: finished games and the sum of their scores at the last evaluation.
    """

    settings: NtupleSettings
    header: NetworkHeader
    rule: Rule
    weights: np.ndarray
    accumulators: np.ndarray
    workers: list[Worker]
    queue: np.ndarray
    queued: np.ndarray
    curve: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    counted: tuple[int, int] = (0, 0)

    @property
    def actions(self) -> int:
        """Moves made so far."""
        return self._count(ACTIONS)

    @property
    def finished(self) -> tuple[int, int]:
        """Finished games that began with an empty board, and the sum of their scores."""
        return self._count(FINISHED), self._count(TOTAL_SCORE)

    @property
    def diverged(self) -> bool:
        """Whether values have grown beyond all bounds."""
        return self._count(DIVERGED) > 0

    def _count(self, which: int) -> int:
        return sum(int(worker.counts[which]) for worker in self.workers)

    def arrays(self) -> dict[str, np.ndarray]:
        """All arrays by the names that they have in a file, large ones first."""
        small = {
            f"worker.{number}.{name}": array
            for number, worker in enumerate(self.workers)
            for name, array in worker._asdict().items()
        }
        large = {"weights": self.weights, "accumulators": self.accumulators}
        return {**large, "queue": self.queue, "queued": self.queued, **small}


def rule_of(settings: NtupleSettings) -> Rule:
    """The kernel's rule for these settings."""
    decay = settings.chosen_decay
    horizon = settings.horizon or horizon_of(decay)
    stage_bits = settings.stages.bit_length() - 1
    return Rule(
        kind=settings.rule,
        horizon=horizon,
        delayed=settings.delayed and horizon > 1,
        stage_bits=stage_bits,
        promotion=settings.promotion and stage_bits > 0,
        carousel_bits=settings.carousel_stages.bit_length() - 1,
    )


def memory_needed(settings: NtupleSettings) -> int:
    """Bytes that the tables of a learning can take at most.

    Raises:
        CrossplayError: the network is not valid.
    """
    weights = stage_weights(network_tuples(settings.network)) * settings.stages
    return 4 * weights * (1 + ACCUMULATORS[settings.rule])


def new_learning(settings: NtupleSettings) -> Learning:
    """A learning at its beginning, all weights 0.

    Raises:
        CrossplayError: the network is not valid, or its tables can take more memory than there is.
    """
    settings = settings.resolved()
    needed = memory_needed(settings)
    stages = f" with {settings.stages} stages" if settings.stages > 1 else ""
    what = f"network {settings.network}{stages}, learning by {settings.rule},"
    check_memory(needed, what, "choose a smaller network" + " or fewer stages" * (settings.stages > 1))
    tuples, rule = network_tuples(settings.network), rule_of(settings)
    header = NetworkHeader(
        network=settings.network,
        tuples=tuples,
        stage_bits=rule.stage_bits,
        promotion=rule.promotion,
        offset=settings.optimistic,
        settings=settings.model_dump(mode="json"),
        seed=settings.seed,
    )
    return Learning(
        settings=settings,
        header=header,
        rule=rule,
        weights=new_table(header.weights),
        accumulators=new_table(header.weights * ACCUMULATORS[rule.kind]),
        workers=[
            new_worker(tuples, rule, settings.seed * _SEEDS + number) for number in range(settings.threads)
        ],
        queue=np.zeros(QUEUE << rule.carousel_bits, np.uint64),
        queued=np.zeros(1 << rule.carousel_bits, np.int64),
    )


def save_checkpoint(folder: Path, learning: Learning) -> None:
    """Write the checkpoint of a run's folder, in the place of the one before.

    Raises:
        CrossplayError: it cannot be written; the one before is still there.
    """
    state = {
        "curve": learning.curve,
        "seconds": learning.seconds,
        "cpu_seconds": learning.cpu_seconds,
        "counted": list(learning.counted),
    }
    save_tables(folder / CHECKPOINT, current_header(learning), learning.arrays(), state)


def current_header(learning: Learning) -> NetworkHeader:
    """The header of the network as it is now."""
    return replace(learning.header, actions=learning.actions, diverged=learning.diverged)


def load_checkpoint(folder: Path, settings: NtupleSettings) -> Learning:
    """The learning that a run's folder holds the checkpoint of.

    Raises:
        CrossplayError: the checkpoint is damaged, began with other settings or is beyond the budget, or
            there is not enough memory.
    """
    path = folder / CHECKPOINT
    file = TableFile(path, "delete that file to start afresh")
    check_same(path, file.header, settings)
    learning = new_learning(settings)
    try:
        state = file.state
        learning.curve = [dict(point) for point in state["curve"]]
        learning.seconds, learning.cpu_seconds = float(state["seconds"]), float(state["cpu_seconds"])
        games, score = state["counted"]
        learning.counted = int(games), int(score)
        for name, array in learning.arrays().items():
            file.place(name, array.dtype, array.shape)
    except (KeyError, TypeError, ValueError) as error:
        raise file.unusable("it is damaged or no checkpoint") from error
    learning.header = replace(learning.header, offset=file.header.offset)
    for name, array in learning.arrays().items():
        file.read(name, array)
    return learning


def check_same(path: Path, header: NetworkHeader, settings: NtupleSettings) -> None:
    """Refuse to go on with a learning that began with other settings, or made more moves than asked for.

    Args:
        path: the file that it is kept in, for the message.
        header: the file's header.
        settings: what is asked for now.

    Raises:
        CrossplayError: a setting differs; the first is named.
    """
    way_out = "delete that file to start afresh, or choose another --output"
    stored, wanted = _fixed(header.settings), _fixed(settings.resolved().model_dump(mode="json"))
    for name in {**wanted, **stored}:
        old, new = stored.get(name), wanted.get(name)
        if old != new:
            raise CrossplayError(
                f"cannot continue the learning in {path}: it began with {name} = {json.dumps(old)}, now it is"
                f" {json.dumps(new)}; {way_out}"
            )
    if header.actions > settings.actions:
        raise CrossplayError(
            f"cannot continue the learning in {path}: it has made {header.actions:,} actions, more than"
            f" the {settings.actions:,} asked for; {way_out}"
        )


def _fixed(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name not in FREE}
