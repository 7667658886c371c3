"""A training killed in the middle and started again is one training and one run."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from mlflow.tracking import MlflowClient

from crossplay.networks import read_header

SETTINGS = {
    "positions": 6_000,
    "warmup_positions": 200,
    "window": 2_000,
    "batch_size": 32,
    "samples_per_position": 2.0,
    "checkpoint_seconds": 0.2,
    "snapshots": [0.25, 0.75],
    "self_play": {"games": 16, "simulations": 8},
}


def test_sigkill_in_the_middle_of_training(tmp_path: Path) -> None:
    network = {"width": 8, "blocks": 1, "layers_per_block": 1}
    command = [sys.executable, "-c", "from crossplay.cli import main; main()", "train"]
    command += ["--game=Hex", "--option=Board Size/3x3", f"--network={json.dumps(network)}"]
    command += [f"--config={json.dumps(SETTINGS)}", "--key=hex3", "--experiment=kill", "--output=out"]

    first = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    index = tmp_path / "out/checkpoint/index.json"
    deadline = time.monotonic() + 240
    while not (index.exists() and json.loads(index.read_text())["values"]["history"]):
        assert first.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    first.kill()
    first.wait()
    client = MlflowClient(tracking_uri=f"sqlite:///{tmp_path}/results/mlflow.db")
    experiment = client.get_experiment_by_name("kill").experiment_id
    [killed] = client.search_runs([experiment])
    assert killed.info.status == "RUNNING"

    second = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "continuing from the checkpoint" in second.stderr
    assert read_header(tmp_path / "out/model.safetensors").positions >= SETTINGS["positions"]
    assert not index.parent.exists()
    assert len(list((tmp_path / "out/snapshots").iterdir())) == 2

    [run] = client.search_runs([experiment])
    assert (run.info.run_id, run.info.status) == (killed.info.run_id, "FINISHED")
    steps = [metric.step for metric in client.get_metric_history(run.info.run_id, "policy_loss")]
    assert len(steps) > 20
    assert steps == sorted(set(steps))
