"""Runs in a fresh SQLite store: replaced, continued, killed, and a store that is not there."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crossplay import tracking
from crossplay.tracking import Identity, stage_run

TRAIN = Identity("train", "demo", seed=3, game="hex5")


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A client of the default store under a temporary current directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    tracking.prepare_store("demo")
    from mlflow.tracking import MlflowClient

    return MlflowClient(tracking_uri=tracking.tracking_uri())


def live_runs(client: Any) -> list[Any]:
    return list(client.search_runs([client.get_experiment_by_name("demo").experiment_id]))


def test_a_run_holds_everything_and_a_rerun_replaces_it(client: Any, tmp_path: Path) -> None:
    model = tmp_path / "model.txt"
    model.write_text("weights")
    settings = {"positions": 10, "self_play": {"games": 2}, "snapshots": [0.5]}
    for _ in range(2):
        with stage_run(TRAIN, settings, tmp_path / "spool.jsonl") as run:
            for step in range(5):
                run.log_metrics({"loss": 1.0 / (step + 1)}, step)
            run.log_artifact(model)
        other = TRAIN._replace(game="hex7", mode="it's")  # another key, with a quote in it
        with stage_run(other, {}, tmp_path / "spool.jsonl"):
            pass

    runs = {run.data.tags["game"]: run for run in live_runs(client)}
    assert len(live_runs(client)) == len(runs) == 2
    hex5 = runs["hex5"]
    assert hex5.info.status == "FINISHED"
    assert hex5.data.params == {"positions": "10", "self_play.games": "2", "snapshots": "[0.5]"}
    tags = hex5.data.tags
    assert (tags["stage"], tags["experiment"], tags["seed"]) == ("train", "demo", "3")
    assert tags["version"] == tracking.code_version()
    assert [m.step for m in client.get_metric_history(hex5.info.run_id, "loss")] == [0, 1, 2, 3, 4]
    assert [file.path for file in client.list_artifacts(hex5.info.run_id)] == ["model.txt"]
    assert (tmp_path / "results/mlartifacts" / hex5.info.run_id / "artifacts/model.txt").exists()
    assert not (tmp_path / "spool.jsonl").exists()


def test_failure_is_recorded(client: Any, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), stage_run(TRAIN, {}, tmp_path / "spool.jsonl"):
        raise RuntimeError
    assert [run.info.status for run in live_runs(client)] == ["FAILED"]


ATTEMPT = """
import os, signal, sys
from pathlib import Path
from crossplay.tracking import Identity, stage_run

first, last, ending = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
identity = Identity("train", "demo", seed=3, game="hex5")
with stage_run(identity, {}, Path("spool.jsonl"), resume_file=Path("run.json")) as run:
    for step in range(first, last + 1):
        run.log_metrics({"loss": float(step)}, step)
    run.flush()
    if ending != "end":
        os.kill(os.getpid(), getattr(signal, ending))
        signal.pause()
"""


def attempt(folder: Path, first: int, last: int, ending: str) -> int:
    command = [sys.executable, "-c", ATTEMPT, str(first), str(last), ending]
    return subprocess.run(command, cwd=folder, check=False, timeout=120).returncode


def test_killed_run_is_continued_from_a_checkpoint_and_replaced_without(client: Any, tmp_path: Path) -> None:
    assert attempt(tmp_path, 0, 5, "SIGKILL") == -signal.SIGKILL
    [killed] = live_runs(client)
    assert killed.info.status == "RUNNING"  # nobody was left to say otherwise

    # The checkpoint was taken at step 3: steps 4 and 5 come a second time and are not doubled.
    assert attempt(tmp_path, 4, 8, "SIGTERM") == 128 + signal.SIGTERM
    [continued] = live_runs(client)
    assert (continued.info.run_id, continued.info.status) == (killed.info.run_id, "KILLED")
    assert [m.step for m in client.get_metric_history(killed.info.run_id, "loss")] == list(range(9))

    (tmp_path / "run.json").unlink()  # started from the beginning: no checkpoint, no resume file
    assert attempt(tmp_path, 0, 1, "end") == 0
    [fresh] = live_runs(client)
    assert fresh.info.run_id != killed.info.run_id
    assert fresh.info.status == "FINISHED"
    assert json.loads((tmp_path / "run.json").read_text())["run_id"] == fresh.info.run_id


def test_concurrent_first_use_keeps_every_run(tmp_path: Path) -> None:
    """Without a prepared store two stages race to create its tables."""
    commands = [[sys.executable, "-c", ATTEMPT.replace("hex5", game), "0", "3", "end"] for game in ("a", "b")]
    stages = [subprocess.Popen(command, cwd=tmp_path) for command in commands]
    assert [stage.wait(timeout=120) for stage in stages] == [0, 0]
    assert not (tmp_path / "spool.jsonl").exists()


def test_unreachable_store_only_warns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    spool = tmp_path / "new" / "spool.jsonl"
    with stage_run(TRAIN, {"positions": 10}, spool) as run:
        run.log_metrics({"loss": 0.5}, 7)
    records = [json.loads(line) for line in spool.read_text().splitlines()]
    assert records[0]["run"]["game"] == "hex5"
    assert (records[1]["metric"], records[1]["value"], records[1]["step"]) == ("loss", 0.5, 7)
    assert records[-1] == {"status": "FINISHED"}
    warnings = capsys.readouterr().err.splitlines()
    assert len([line for line in warnings if line.startswith("warning: tracking:")]) == 1
