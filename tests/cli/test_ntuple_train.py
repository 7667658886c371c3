"""``crossplay ntuple train`` as its users meet it."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from mlflow.tracking import MlflowClient

from crossplay.cli import main
from crossplay.ntuple.files import load_network

TINY = ["--network=0,1,2,3;4,5,6,7", "--rule=td", "--decay=0", "--games=20"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["ntuple", "train", *arguments])


def test_every_setting_is_an_option_and_goes_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("{rate: 0.5, actions: 77, games: 3, seed: 4, keep_checkpoint: true}")
    options = ["--config=mine.yaml", "--actions=2e4", "--no-promotion", "--seed=3", "--no-track"]
    result = run(*TINY, *options, "--output=out")
    assert result.exit_code == 0, result.output
    assert "ntuple-train 2048 out: 20,000 actions" in result.output
    header = load_network(Path("out")).header
    assert (header.actions, header.seed, header.promotion) == (20_000, 7, False)
    expected = {"rate": 0.5, "rule": "td", "games": 20, "keep_checkpoint": True, "stages": 1}
    assert {name: header.settings[name] for name in expected} == expected
    table = Path("out/curve.md").read_text()
    assert "| 20,000 | 1 | 20 |" in table

    again = run(*TINY, *options, "--output=out")
    assert (again.exit_code, again.output) == (0, "out has made its 20,000 actions already; nothing to do\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--network=42-35"], "network '42-35': unknown shape '35'"),
        (["--network=0,1,2,16"], "cells are 0 to 15"),
        (["--network=421-43", "--stages=32"], "can need up to 480 GiB of memory, this machine has"),
        (["--actions=many"], "'many' is no whole number, such as 10000000, 10_000_000 or 1e7"),
        (["--actions=1.5"], "'1.5' is no whole number"),
        (["--actions=inf"], "'inf' is no whole number"),
        (["--actions=0"], "settings: actions: must be greater than or equal to 1, got 0"),
        (["--rate=nan"], "settings: rate: must be"),
        (["--rate=-1"], "settings: rate: must be greater than 0"),
        (["--rule=sarsa"], "'sarsa' is not one of 'td', 'tc', 'autostep'"),
        (["--rule=autostep", "--decay=0.5"], "settings: decay: must be 0 for autostep, got 0.5"),
        (["--stages=3"], "settings: stages: must be 1, 2, 4, 8, 16 or 32, got 3"),
        (["--threads=0"], "settings: threads: must be greater than or equal to 1"),
        (["--initial=nowhere"], "no network at nowhere"),
        (["--config={rat: 1}"], "settings: rat: unknown key; did you mean rate?"),
        (["--config=nowhere.yaml"], "nowhere.yaml: cannot read settings"),
        (["--colour=red"], "No such option '--colour'"),
    ],
)
def test_a_mistake_is_one_line(
    options: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("--no-track", "--output=out", *options)
    assert result.exit_code == 2
    assert message in result.output
    assert result.output.startswith("error: ")
    assert result.output.count("\n") == 1


def test_help_and_the_list_of_commands_import_no_kernels() -> None:
    code = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from crossplay.cli import main\n"
        "for arguments in (['--help'], ['ntuple', '--help'], ['ntuple', 'train', '--help']):\n"
        "    result = CliRunner().invoke(main, arguments)\n"
        "    assert result.exit_code == 0, result.output\n"
        "    assert arguments[0] != 'train' or '--carousel-stages' in result.output\n"
        "assert not {'numba', 'torch', 'mlflow', 'scipy'} & set(sys.modules), sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_killed_and_started_again_it_is_one_run(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from crossplay.cli import main; main()", "ntuple", "train", *TINY]
    command += ["--actions=12_000_000", "--evaluate-every=2e6", "--checkpoint-seconds=0.1", "--key=tiny"]
    command += ["--experiment=kill", "--output=out"]
    first = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    curve, deadline = tmp_path / "out/curve.json", time.monotonic() + 240
    while not curve.exists():
        assert first.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    first.kill()
    first.wait()
    client = MlflowClient(tracking_uri=f"sqlite:///{tmp_path}/results/mlflow.db")
    experiment = client.get_experiment_by_name("kill").experiment_id
    [killed] = client.search_runs([experiment])

    second = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "continuing from the checkpoint at" in second.stderr
    assert load_network(tmp_path / "out").header.actions == 12_000_000
    points = json.loads(curve.read_text())
    assert [point["actions"] for point in points] == [2_000_000 * step for step in range(1, 7)]
    [finished] = client.search_runs([experiment])
    assert (finished.info.run_id, finished.info.status) == (killed.info.run_id, "FINISHED")
    assert finished.data.params["rule"] == "td"
    for name, least in (("score_1ply", 6), ("recent_score", 3), ("reach_2048_1ply", 6)):
        steps = [metric.step for metric in client.get_metric_history(finished.info.run_id, name)]
        assert steps == sorted(set(steps))
        assert len(steps) >= least
        assert steps[-1] == 12_000_000
    assert {file.path for file in client.list_artifacts(finished.info.run_id)} == {"curve.json", "curve.md"}
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "curve.json",
        "curve.md",
        "model.safetensors",
    ]


def test_a_full_disk_is_told_and_costs_nothing_but_time(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk."""
    command = [sys.executable, "-c", "from crossplay.cli import main; main()", "ntuple", "train", *TINY]
    command += ["--actions=30_000", "--no-track", "--output=out"]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    full = subprocess.run(command, cwd=tmp_path, preexec_fn=limit, capture_output=True, text=True)
    assert full.returncode == 2
    last = full.stderr.splitlines()[-1]
    assert last.startswith("error: cannot write out/checkpoint.safetensors: File too large")
    assert "Traceback" not in full.stderr
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert load_network(tmp_path / "out").header.actions == 30_000


def test_divergence_fails_or_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = [*TINY, "--rate=10", "--actions=1e7", "--games=0", "--output=out", "--no-track"]
    failed = run(*command)
    assert failed.exit_code == 2
    assert "take that for a result with --allow-divergence" in failed.output
    recorded = run(*command, "--allow-divergence")
    assert recorded.exit_code == 0, recorded.output
    assert "diverged" in recorded.output
    measure = ["ntuple", "evaluate", "out", "--output=found.json", "--no-track"]
    failed = CliRunner().invoke(main, measure)
    assert (failed.exit_code, failed.output.count("\n")) == (2, 1)
    assert not Path("found.json").exists()
    assert CliRunner().invoke(main, [*measure, "--allow-divergence"]).exit_code == 0
    found = json.loads(Path("found.json").read_text())
    assert (found["diverged"], found["plies"]) == (True, {})
