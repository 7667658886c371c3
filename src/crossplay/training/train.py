"""Training by self-play, from a fresh or a given network to a model file.

Worker threads play and one of them also learns (:mod:`crossplay.training.session`), or one learns while
other processes play (:mod:`crossplay.selfplay.remote`); the main thread waits, passes metrics on and sees to
interrupts. Torch computes with one thread per worker: several, its default, wait for each other whenever the
machine has something else to do. With one worker of a process that does both the model
depends on nothing but the settings, to the last bit.
"""

from __future__ import annotations

import contextlib
import json
import queue
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from crossplay.config import NetworkSettings, TrainingSettings
from crossplay.files import write_text
from crossplay.games import Game
from crossplay.interrupts import sigterm_exits
from crossplay.memory import gibibytes
from crossplay.networks import ModelHeader, PolicyValueNetwork
from crossplay.selfplay.place import Place
from crossplay.training.checkpoint import has_checkpoint, remove_checkpoint
from crossplay.training.metrics import ProgressReport
from crossplay.training.schedule import Amount
from crossplay.training.session import CHECKPOINT, Session

MODEL = "model.safetensors"
POLL_SECONDS = 0.2

MetricsCallback = Callable[[dict[str, float]], None]


@dataclass(frozen=True)
class TrainingResult:
    """What a finished training left behind.

    Attributes:
        model: the model file.
        header: its header.
        amount: positions, games, steps and seconds over all sessions.
        history: rows of metrics.
        snapshots: model files from on the way, oldest first.
    """

    model: Path
    header: ModelHeader
    amount: Amount
    history: list[dict[str, float]]
    snapshots: list[Path]


def can_resume(output_dir: Path) -> bool:
    """Whether :func:`train` would continue an earlier training in ``output_dir``."""
    return has_checkpoint(Path(output_dir) / CHECKPOINT)


def train(
    game: Game,
    settings: TrainingSettings,
    network_settings: NetworkSettings,
    output_dir: Path,
    *,
    initial: tuple[PolicyValueNetwork, ModelHeader] | None = None,
    on_metrics: MetricsCallback | None = None,
    show_progress: bool = True,
    place: Place | None = None,
) -> TrainingResult:
    """Train a network for ``game`` by self-play.

    Writes to ``output_dir``: ``model.safetensors``; ``snapshots/NNNNNN.safetensors``, named by the positions
    at which each is due; ``training.json`` with settings and metrics; while it runs, ``checkpoint/``. If
    that is there already, the training continues from it. Interrupted by Ctrl-C or SIGTERM it writes a
    checkpoint before it leaves. The checkpoint is removed at the end.

    Args:
        game: the game.
        settings: budget, optimiser and self-play.
        network_settings: the network; must be that of ``initial``, if given.
        output_dir: the training's own folder.
        initial: network and header to start from, as of a transfer; the network is left as it is.
        on_metrics: called in this thread with each new row of metrics (:meth:`.metrics.Meter.row`).
            ``positions`` increases from row to row, except that rows which came after the last checkpoint
            before a kill come again when the training continues.
        show_progress: report on standard error.
        place: if a launcher has started all processes of the training, that of this one, the first.

    Raises:
        CrossplayError: settings that contradict the initial network or the checkpoint, a damaged checkpoint,
            a device that is not there, a folder that cannot be written, or a loss that is not finite.
        SystemExit: with code 143, after SIGTERM.
    """
    output_dir = Path(output_dir)
    with sigterm_exits(), _torch_for_workers(settings.seed):
        session = Session(game, settings, network_settings, output_dir, initial, place)
        _run(session, on_metrics, show_progress)
        header = session.finish(output_dir / MODEL)
    amount = session.amount()
    result = TrainingResult(output_dir / MODEL, header, amount, session.history, session.snapshots)
    _write_summary(output_dir / "training.json", result, settings)
    _pass_on(session, on_metrics)
    remove_checkpoint(output_dir / CHECKPOINT)
    return result


@contextlib.contextmanager
def _torch_for_workers(seed: int) -> Iterator[None]:
    """One thread per torch operation and a seeded generator; both as before afterwards."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=()):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_num_threads(threads)


def _run(session: Session, on_metrics: MetricsCallback | None, show_progress: bool) -> None:
    """Wait for the workers; when the user or a cluster interrupts, save what they have."""
    report = ProgressReport(session.settings.positions, session.amount().positions, show_progress)
    window, size = session.settings.window, gibibytes(session.buffer_bytes)
    report.say(f"the latest {window:,} positions are kept for training, in up to {size} of memory")
    if session.resumed:
        report.say(f"continuing from the checkpoint at {session.amount().positions:,} positions")
    try:
        session.start()
        while session.running():
            _pass_on(session, on_metrics, POLL_SECONDS)
            report.update(session.amount().positions, session.history)
            for note in session.notes():
                report.say(note)
    except (KeyboardInterrupt, SystemExit):
        if session.halt():
            session.save()
            report.say(f"stopped; checkpoint written at {session.amount().positions:,} positions")
            _pass_on(session, on_metrics)
        raise
    finally:
        session.halt()
        session.close()
        report.close()


def _pass_on(session: Session, on_metrics: MetricsCallback | None, timeout: float = 0.0) -> None:
    """Give new rows of metrics to the callback, waiting up to ``timeout`` seconds for the first."""
    with contextlib.suppress(queue.Empty):
        row = session.new_rows.get(block=timeout > 0, timeout=timeout)
        while True:
            if on_metrics is not None:
                on_metrics(row)
            row = session.new_rows.get_nowait()


def _write_summary(path: Path, result: TrainingResult, settings: TrainingSettings) -> None:
    summary = {
        "header": json.loads(result.header.to_json()),
        "settings": settings.model_dump(mode="json"),
        **asdict(result.amount),
        "snapshots": [snapshot.name for snapshot in result.snapshots],
        "history": result.history,
    }
    write_text(path, json.dumps(summary, indent=1) + "\n")
