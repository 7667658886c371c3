"""Trainings of several processes, which die at the worst moments."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SETTINGS = {
    "positions": 10**7,
    "warmup_positions": 200,
    "window": 2000,
    "batch_size": 32,
    "samples_per_position": 0.1,
    "publish_every": 2,
    "threads": 1,
    "checkpoint_seconds": 0.5,
    "self_play": {"games": 16, "simulations": 8},
}
PATIENCE = 120.0  # kernels may have to be compiled


class Run:
    """A command under way and what it has said so far."""

    def __init__(self, command: list[str], log: Path, **environment: str) -> None:
        self._log = log
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **environment},
                start_new_session=True,
            )

    @property
    def said(self) -> str:
        return self._log.read_text()

    def until(self, condition: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert self.process.poll() is None, self.said
            assert time.monotonic() < end, self.said
            time.sleep(0.05)

    def hear(self, words: str) -> None:
        self.until(lambda: words in self.said)

    def ends(self) -> int:
        return self.process.wait(PATIENCE)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Run]]:
    runs: list[Run] = []

    def begin(launcher: list[str], changes: dict[str, object], **environment: str) -> Run:
        settings = json.dumps({**SETTINGS, **changes})
        training = [
            "train",
            "--game=Tic-Tac-Toe",
            "--network={blocks: 1, width: 2}",
            f"--config={settings}",
        ]
        command = [*launcher, "crossplay", *training, "--no-track", f"--output={tmp_path / 'out'}"]
        runs.append(Run(command, tmp_path / f"log{len(runs)}", **environment))
        return runs[-1]

    yield begin
    for run in runs:
        if run.process.poll() is None:
            os.killpg(run.process.pid, signal.SIGKILL)


def players_of(parent: int) -> list[int]:
    """Process ids of the children that play."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                words = (folder / "cmdline").read_bytes()
                status = (folder / "status").read_text()
            except OSError:  # it has just ended
                continue
            if b"selfplay.process" in words and f"\nPPid:\t{parent}\n" in status:
                found.append(int(folder.name))
    return sorted(found)


def test_a_dead_player_is_replaced_and_a_dead_learner_goes_on(
    start: Callable[..., Run], tmp_path: Path
) -> None:
    run = start(["-m"], {"self_play_processes": 2})
    run.hear("self-play process 2 has joined")
    first = players_of(run.process.pid)
    assert len(first) == 2
    os.kill(first[0], signal.SIGKILL)
    run.hear("ended with signal 9")
    run.hear("self-play process 3 has joined")
    assert set(players_of(run.process.pid)) - set(first)
    checkpoint = tmp_path / "out/checkpoint/index.json"
    run.until(lambda: json.loads(checkpoint.read_text())["values"]["steps"] >= 20)

    playing = players_of(run.process.pid)
    run.process.kill()
    run.ends()
    end = time.monotonic() + 10
    while any(Path(f"/proc/{player}").exists() for player in playing):
        assert time.monotonic() < end, "self-play goes on without the process that learns"
        time.sleep(0.05)

    # With another number of processes, as where fewer GPUs are free.
    again = start(["-m"], {"self_play_processes": 1})
    again.hear("self-play process 1 has joined")
    found = re.search(r"continuing from the checkpoint at ([\d,]+) positions", again.said)
    assert found is not None
    positions = int(found[1].replace(",", ""))
    assert positions >= 200
    again.process.terminate()
    assert again.ends() == 143
    stopped = re.search(r"stopped; checkpoint written at ([\d,]+) positions", again.said)
    assert stopped is not None
    assert int(stopped[1].replace(",", "")) >= positions
    # What threads of one process began cannot go on with processes, whose positions lie elsewhere.
    other = start(["-m"], {})
    assert other.ends() == 2
    assert "began with self-play in processes of its own = true, now it is false" in other.said


def test_processes_of_torchrun(start: Callable[..., Run], tmp_path: Path) -> None:
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=3", "-m"]
    run = start(launcher, {"positions": 3000}, OMP_NUM_THREADS="1")
    assert run.ends() == 0, run.said
    assert "self-play process 2 has joined" in run.said
    summary = json.loads((tmp_path / "out/training.json").read_text())
    assert 3000 <= summary["positions"] < 6000
    # Learning ends with the budget, after 200 positions to warm up; more positions may be under way then.
    assert (3000 - 200) * 0.1 // 32 <= summary["steps"] <= summary["positions"] * 0.1 / 32


def srun(start: Callable[..., Run], changes: list[dict[str, object]]) -> list[Run]:
    """Start a training as srun does, each process with changes of its own."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = str(unused.getsockname()[1])
    common = {"SLURM_STEP_NUM_TASKS": str(len(changes)), "MASTER_PORT": port}
    common["SLURM_STEP_NODELIST"] = "localhost"
    return [start(["-m"], each, SLURM_PROCID=str(rank), **common) for rank, each in enumerate(changes)]


def test_a_process_with_other_settings_is_refused(start: Callable[..., Run]) -> None:
    other = {**SETTINGS["self_play"], "simulations": 9}  # type: ignore[dict-item]
    ranks = srun(start, [{}, {"self_play": other}])
    assert ranks[1].ends() == 2
    assert "error: the process that learns was started with other settings" in ranks[1].said
    assert ranks[0].process.poll() is None


def test_processes_of_srun_one_of_which_dies(start: Callable[..., Run]) -> None:
    ranks = srun(start, 3 * [{"positions": 12_000}])
    ranks[0].hear("self-play process 2 has joined")
    os.killpg(ranks[2].process.pid, signal.SIGKILL)  # it and its player
    ranks[0].hear("is gone")
    assert ranks[0].ends() == 0, ranks[0].said
    assert ranks[1].ends() == 0, ranks[1].said
    assert re.search(r": 1[2-5],\d{3} positions", ranks[0].said)
