"""One session of a training: its state, and the worker threads that play and learn.

A training may take several sessions, each of which continues from the checkpoint of the one before.
"""

from __future__ import annotations

import copy
import hashlib
import json
import queue
import shutil
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from crossplay.config import NetworkSettings, TrainingSettings
from crossplay.games import Game
from crossplay.networks import Evaluator, ModelHeader, PolicyValueNetwork, save_model
from crossplay.search.records import FORMAT, GAMES, POSITIONS, targets_wanted
from crossplay.selfplay import ReplayBuffer
from crossplay.selfplay.concurrency import choose_games
from crossplay.selfplay.parameters import search_of
from crossplay.selfplay.place import Place
from crossplay.selfplay.players import LocalPlayers, Players
from crossplay.selfplay.remote import RemotePlayers
from crossplay.selfplay.task import device_of, playing_task
from crossplay.training.checkpoint import (
    check_budget,
    check_identity,
    has_checkpoint,
    load_checkpoint,
    save_checkpoint,
)
from crossplay.training.learner import Learner
from crossplay.training.metrics import Meter, Work
from crossplay.training.model import check_initial, model_header, new_network
from crossplay.training.schedule import Amount, learning_rate, progress, steps_due

CHECKPOINT = "checkpoint"  # folder within the output folder
SNAPSHOTS = "snapshots"
HISTORY_ROWS = 50  # rows of metrics in a training
# Steps that learning may lag behind before playing waits for it. So each position is used equally often
# whatever the machine is fast at.
MAX_LAG = 16
WAIT_SECONDS = 0.002
BUDGETS = ("positions", "games", "steps", "seconds")


class Session:
    """State and workers; see :func:`crossplay.training.train.train` for the arguments.

    Attributes:
        resumed: whether an earlier session is continued.
        history: rows of metrics of all sessions; ``new_rows`` has those not yet passed on.
        snapshots: model files written on the way.
    """

    def __init__(
        self,
        game: Game,
        settings: TrainingSettings,
        network_settings: NetworkSettings,
        output_dir: Path,
        initial: tuple[PolicyValueNetwork, ModelHeader] | None,
        place: Place | None,
    ) -> None:
        self.settings = settings
        self.history: list[dict[str, float]] = []
        self.new_rows: queue.SimpleQueue[dict[str, float]] = queue.SimpleQueue()
        self.snapshots: list[Path] = []
        self._output_dir = output_dir
        self._header = model_header(game, network_settings)
        if initial is None:
            network = new_network(self._header, settings.seed)
        else:
            check_initial(initial[1], self._header)
            network = copy.deepcopy(initial[0])
            self._header = replace(self._header, source=initial[1].source)
        apart = place is not None or settings.self_play_processes > 0
        self._identity = _identity(game, self._header, settings, None if initial is None else network)
        self._identity["self-play in processes of its own"] = apart
        self._device = device_of(settings.device, 0 if place is None else place.local_rank)
        self._learner = Learner(network, settings, game.state_shape, self._device)
        play = settings.self_play
        bfloat16 = settings.precision == "bfloat16"
        games = rings = 1
        if not apart:
            evaluator = Evaluator(self._learner.network, game.state_shape, self._device, bfloat16)
            games = choose_games(play, game, evaluator, settings.threads)
            rings = min(settings.threads, games)
        self._buffer = ReplayBuffer(
            game,
            targets_wanted(game, search_of(play)),
            settings.window,
            settings.batch_size,
            settings.symmetries,
            rings,
        )
        self._generator = np.random.default_rng(settings.seed)
        self._started = self._saved = time.monotonic()
        self._earlier_seconds = 0.0
        self.resumed = has_checkpoint(output_dir / CHECKPOINT)
        if self.resumed:
            self._restore()
        else:
            shutil.rmtree(output_dir / SNAPSHOTS, ignore_errors=True)  # of some other training
        # Unfinished games are not kept between sessions; each session's games get seeds of their own.
        self._players: Players
        if apart:
            self._players = RemotePlayers(
                playing_task(self._header, settings, place or Place(0, 1 + settings.self_play_processes)),
                settings.self_play_processes if place is None else 0,
                self._buffer,
                int(self._generator.integers(2**62)),
                self._wants_positions,
            )
        else:
            self._players = LocalPlayers(
                game, play, games, rings, self._buffer, self._generator, self._device, bfloat16
            )
        self._meter = Meter(self._buffer.totals())
        self._learning_seconds = 0.0
        self._rows_due = int(progress(self.amount(), settings) * HISTORY_ROWS)
        self._stop = threading.Event()
        self._error: BaseException | None = None
        workers = range(self._players.workers)
        self._threads = [threading.Thread(target=self._work, args=(worker,)) for worker in workers]
        self._players.publish(self._learner.network)

    # For the main thread.

    def start(self) -> None:
        """Set the workers to work; the first session writes a checkpoint before."""
        if not self.resumed:
            self.save()
        self._players.start()
        for thread in self._threads:
            thread.start()

    def running(self) -> bool:
        """Whether any worker still works.

        Raises:
            BaseException: what a worker failed with.
        """
        if any(thread.is_alive() for thread in self._threads):
            return True
        if self._error is not None:
            raise self._error
        return False

    def halt(self) -> bool:
        """Stop the workers where they are; tell whether all is in order, so that it may be saved."""
        self._stop.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()
        return self._error is None

    def close(self) -> None:
        """Let those who play end; after :meth:`halt`."""
        self._players.close()

    def notes(self) -> list[str]:
        """What the user should know of, since the last call."""
        return self._players.notes()

    @property
    def buffer_bytes(self) -> int:
        """The memory that positions for training take when the window is full."""
        return self._buffer.n_bytes

    def amount(self) -> Amount:
        """Work done so far, over all sessions."""
        totals = self._buffer.totals()
        seconds = self._earlier_seconds + time.monotonic() - self._started
        return Amount(int(totals[POSITIONS]), int(totals[GAMES]), self._learner.steps, seconds)

    def finish(self, path: Path) -> ModelHeader:
        """Add the last row of metrics and write the trained model; return its header."""
        self._add_row(1.0)
        self._add_snapshots(1.0)
        header = self._header_now()
        save_model(path, self._learner.network, header)
        return header

    # The workers.

    def _work(self, number: int) -> None:
        """Play, and as the last worker learn whenever a step is due, until the budget is used up."""
        learns = number == self._players.workers - 1
        torch.set_num_threads(1)  # holds for the thread that says it
        try:
            while not self._stop.is_set():
                amount = self.amount()
                share = progress(amount, self.settings)
                if learns:
                    self._keep_records(share)
                    if self._may_learn(amount):
                        self._learn(share)
                        continue
                if share >= 1.0:
                    return
                if not learns and not self._wants_positions():
                    self._stop.wait(WAIT_SECONDS)
                    continue
                self._players.play(number)
        except BaseException as error:  # raised again in the main thread
            self._error = error
            self._stop.set()

    def _steps_missing(self, amount: Amount) -> int:
        return steps_due(amount.positions, self.settings) - amount.steps

    def _wants_positions(self) -> bool:
        """Whether learning keeps up with playing, and the budget is not used up."""
        amount = self.amount()
        return self._steps_missing(amount) <= MAX_LAG and progress(amount, self.settings) < 1.0

    def _may_learn(self, amount: Amount) -> bool:
        limit = self.settings.seconds
        return self._steps_missing(amount) > 0 and (limit is None or amount.seconds < limit)

    def _learn(self, share: float) -> None:
        start = time.perf_counter()
        rate = learning_rate(self._learner.steps, share, self.settings)
        self._learner.step(self._buffer.sample(self._generator), rate)
        if self._learner.steps % self.settings.publish_every == 0:
            self._players.publish(self._learner.network)
        self._learning_seconds += time.perf_counter() - start

    # Records.

    def _keep_records(self, share: float) -> None:
        """See to metrics, snapshots and checkpoints that are due; what is due at the end is left to it."""
        if share < 1.0:
            if int(share * HISTORY_ROWS) > self._rows_due:
                self._rows_due = int(share * HISTORY_ROWS)
                self._add_row(share)
            self._add_snapshots(share)
        if time.monotonic() - self._saved >= self.settings.checkpoint_seconds:
            self.save()

    def _add_row(self, share: float) -> None:
        amount = self.amount()
        if self.history and amount.positions <= self.history[-1]["positions"]:
            return
        work = Work(learning=self._learning_seconds, **self._players.played()._asdict())
        learning = self._learner.take_diagnostics()
        if learning:
            learning |= {"replay_age": self._buffer.mean_age, "aliased_moves": self._buffer.aliased}
        rate = learning_rate(amount.steps, share, self.settings)
        row = self._meter.row(self._buffer.totals(), work, amount, rate, learning)
        self.history.append(row)
        self.new_rows.put(row)

    def _add_snapshots(self, share: float) -> None:
        for due in self.settings.snapshots[len(self.snapshots) :]:
            if share < due:
                return
            path = self._output_dir / SNAPSHOTS / f"{round(due * self.settings.positions):06d}.safetensors"
            save_model(path, self._learner.network, self._header_now())
            self.snapshots.append(path)

    def _header_now(self) -> ModelHeader:
        return replace(self._header, positions=self.amount().positions)

    # Checkpoints.

    def save(self) -> None:
        """Write a checkpoint. Called by the learning worker between steps, or with the workers at rest."""
        arrays = self._learner.arrays()
        arrays |= {f"buffer.{name}": array for name, array in self._buffer.arrays().items()}
        arrays["torch_generator"] = torch.get_rng_state().numpy()
        values = {
            "identity": self._identity,
            "budgets": {name: getattr(self.settings, name) for name in BUDGETS},
            "steps": self._learner.steps,
            "seconds": self.amount().seconds,
            "generator": self._generator.bit_generator.state,
            "history": self.history,
            "snapshots": [path.name for path in self.snapshots],
        }
        save_checkpoint(self._output_dir / CHECKPOINT, arrays, values)
        self._saved = time.monotonic()

    def _restore(self) -> None:
        folder = self._output_dir / CHECKPOINT
        arrays, values = load_checkpoint(folder)
        check_identity(folder, values["identity"], self._identity)
        check_budget(folder, values["budgets"], {name: getattr(self.settings, name) for name in BUDGETS})
        self._learner.restore(arrays, values["steps"])
        prefix = "buffer."
        self._buffer.restore({n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)})
        torch.set_rng_state(torch.tensor(arrays["torch_generator"]))
        self._generator.bit_generator.state = values["generator"]
        self.history = values["history"]
        self.snapshots = [self._output_dir / SNAPSHOTS / name for name in values["snapshots"]]
        self._earlier_seconds = values["seconds"]


def _identity(
    game: Game, header: ModelHeader, settings: TrainingSettings, initial: PolicyValueNetwork | None
) -> dict[str, Any]:
    """Everything that must not change from one session to the next, as flat JSON values."""
    free = {*BUDGETS, "checkpoint_seconds", "device", "self_play", "self_play_processes"}
    identity = {f"training.{k}": v for k, v in settings.model_dump(mode="json", exclude=free).items()}
    identity |= {f"training.self_play.{k}": v for k, v in settings.self_play.model_dump(mode="json").items()}
    described = json.loads(header.to_json())
    identity |= {f"network.{k}": v for k, v in described.pop("hyperparameters").items()}
    identity |= {**described, "rules": hashlib.sha256(game.source.encode()).hexdigest()[:16]}
    identity["format of positions"] = FORMAT
    if initial is not None:
        weights = hashlib.sha256()
        for tensor in initial.state_dict().values():
            weights.update(tensor.cpu().contiguous().numpy().tobytes())
        identity["initial weights"] = weights.hexdigest()[:16]
    return identity
