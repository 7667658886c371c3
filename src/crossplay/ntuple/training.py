"""Learning 2048, from the first game to a network's file, however often it is interrupted."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crossplay.config import NtupleSettings
from crossplay.errors import CrossplayError
from crossplay.interrupts import sigterm_exits
from crossplay.ntuple.checkpoints import (
    Learning,
    check_same,
    current_header,
    load_checkpoint,
    new_learning,
)
from crossplay.ntuple.files import CHECKPOINT, MODEL, TableFile, network_file, save_network
from crossplay.ntuple.session import CURVE, Evaluate, MetricsCallback, Session, divergence, play_games


@dataclass(frozen=True)
class Result:
    """What a finished learning left behind.

    Attributes:
        model: the network's file.
        curve: its evaluations, the last one at the end.
        actions: moves made.
        games: finished games.
        seconds, cpu_seconds: spent learning, on the clock and by all threads together.
    """

    model: Path
    curve: list[dict[str, Any]]
    actions: int
    games: int
    seconds: float
    cpu_seconds: float


def is_finished(settings: NtupleSettings, folder: Path) -> bool:
    """Whether the folder holds the network that these settings ask for.

    Raises:
        CrossplayError: it holds the network of other settings or of another budget, which cannot be
            continued, or a damaged file.
    """
    path = folder / MODEL
    if not path.exists():
        return False
    header = TableFile(path, "delete that file to start afresh").header
    check_same(path, header, settings)
    if header.actions == settings.actions or header.diverged:
        return True
    if not can_resume(folder):
        raise CrossplayError(
            f"cannot continue the learning in {path}: it ended after {header.actions:,} actions and its"
            " checkpoint was not kept (--keep-checkpoint); delete that file to start afresh, or choose"
            f" another --output and start from these weights with --initial {folder}"
        )
    return False


def can_resume(folder: Path) -> bool:
    """Whether :func:`train` would continue an earlier learning in ``folder``."""
    return (folder / CHECKPOINT).exists()


def train(
    settings: NtupleSettings,
    folder: Path,
    *,
    evaluate: Evaluate | None = None,
    on_metrics: MetricsCallback | None = None,
    show_progress: bool = True,
    allow_divergence: bool = False,
) -> Result | None:
    """Learn 2048 by playing.

    Writes to ``folder``: ``model.safetensors``; ``curve.json``, a list of evaluations; while it runs,
    ``checkpoint.safetensors``. If that is there already, the learning continues from it. Interrupted by
    Ctrl-C or SIGTERM it writes a checkpoint before it leaves.

    Args:
        settings: the learning; it makes exactly ``settings.actions`` moves.
        folder: the learning's own folder.
        evaluate: plays an evaluation's games, by default :func:`crossplay.ntuple.evaluation.evaluate`.
        on_metrics: called in this thread with metrics and the actions made so far, which increase; those
            of earlier evaluations come again when the learning continues.
        show_progress: report on standard error.
        allow_divergence: when values grow beyond bounds, end there with a network that is marked as such.

    Returns:
        What came out, or None if the folder held the finished network already.

    Raises:
        CrossplayError: settings that contradict what is in the folder, a network that is unknown or too
            large for the machine, a damaged file, a folder that cannot be written or that another process
            uses, or values that grow beyond bounds and must not.
        SystemExit: with code 143, after SIGTERM.
    """
    folder = Path(folder)
    with sigterm_exits(), _reserved(folder):
        _remove_leftovers(folder)
        if is_finished(settings, folder):
            header = TableFile(folder / MODEL).header
            if header.diverged and not allow_divergence:
                raise divergence(folder, header)
            _remove_checkpoint(folder)
            return None
        resumed = can_resume(folder)
        learning = load_checkpoint(folder, settings) if resumed else _begin(settings)
        if not resumed:
            (folder / CURVE).unlink(missing_ok=True)
        session = Session(
            learning, folder, evaluate or play_games, on_metrics, show_progress, allow_divergence
        )
        session.run(resumed)
        save_network(folder / MODEL, current_header(learning), learning.weights)
        _remove_checkpoint(folder)
    return Result(
        model=folder / MODEL,
        curve=learning.curve,
        actions=learning.actions,
        games=learning.finished[0],
        seconds=learning.seconds,
        cpu_seconds=learning.cpu_seconds,
    )


def _begin(settings: NtupleSettings) -> Learning:
    """A learning at its beginning, with the weights of another one if the settings say so."""
    if settings.initial is None:
        return new_learning(settings)
    path = network_file(Path(settings.initial))
    file = TableFile(path)
    learning = new_learning(settings)
    given, wanted = file.header, learning.header
    fault = None
    if given.tuples != wanted.tuples:
        fault = f"its network is {given.network}, not {wanted.network}"
    elif given.stage_bits not in (0, wanted.stage_bits):
        fault = f"it has {1 << given.stage_bits} stages, not {settings.stages} or 1"
    elif settings.optimistic not in (0.0, given.offset):
        fault = f"its optimistic value is {given.offset:g}, not {settings.optimistic:g}"
    if fault is not None:
        raise CrossplayError(f"cannot start from {path}: {fault}; make both equal, or start from nothing")
    file.read("weights", learning.weights)
    learning.header = replace(learning.header, offset=given.offset)
    return learning


@contextlib.contextmanager
def _reserved(folder: Path) -> Iterator[None]:
    """Make the folder and keep other processes from learning in it; a kill sets it free.

    Raises:
        CrossplayError: another process is learning there, or the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise CrossplayError(f"cannot use {folder}: {error.strerror}; choose another --output") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise CrossplayError(
            f"another process is learning in {folder}; wait for its end or choose another --output"
        ) from error
    except OSError:
        pass  # a network's file system that has no such locks
    try:
        yield
    finally:
        os.close(handle)


def _remove_leftovers(folder: Path) -> None:
    """Delete what kills in the middle of a write have left."""
    for name in (MODEL, CHECKPOINT, CURVE):
        for path in folder.glob(f".{name}.*"):
            path.unlink(missing_ok=True)


def _remove_checkpoint(folder: Path) -> None:
    """Delete the checkpoint beside a finished network, unless it was to be kept."""
    if not TableFile(folder / MODEL).header.settings.get("keep_checkpoint"):
        (folder / CHECKPOINT).unlink(missing_ok=True)
