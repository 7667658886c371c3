"""The workflow: which jobs an experiment needs, what reruns when, and one tiny experiment for real."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name != "MLFLOW_TRACKING_URI"},
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "MLFLOW_DISABLE_TELEMETRY": "true",
}

Change = Callable[[dict[str, Any]], None]


def snakemake(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the workflow with its results in ``folder``."""
    command = [sys.executable, "-m", "snakemake", "--directory", folder, *arguments]
    return subprocess.run(
        list(map(str, command)), cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )


def jobs(folder: Path, *arguments: str | Path) -> dict[str, int]:
    """The number of jobs of each rule that a dry run finds to do."""
    result = snakemake(folder, "--dry-run", *arguments)
    output = result.stdout + result.stderr
    assert result.returncode == 0, output
    if "Nothing to be done" in output:
        return {}
    table = output.rpartition("Job stats:")[2]
    counts = {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE)}
    counts.pop("total")
    return counts


def experiment(folder: Path, change: Change, original: str = "test") -> Path:
    """Write a changed copy of an experiment of the repository."""
    config = yaml.safe_load((ROOT / f"config/{original}.yaml").read_text())
    change(config)
    path = folder / "changed.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


def test_demo_needs_each_stage_once(tmp_path: Path) -> None:
    assert jobs(tmp_path) == {
        "train_source": 2,
        "train_scratch": 1,
        "channel_mapping": 2,
        "transfer": 6,
        "fine_tune": 4,
        "evaluate": 9,
        "ladder": 7,
        "similarity_analysis": 1,
        "ntuple_train": 2,
        "ntuple_evaluate": 2,
        "report": 1,
        "all": 1,
    }


def test_2048_alone_with_repeats_that_start_from_others(tmp_path: Path) -> None:
    def only_ntuple(config: dict[str, Any]) -> None:
        first = {"network": "42-33-4", "rule": "td", "threads": 2, "actions": 10}
        second = {**first, "rule": "tc", "stages": 16, "initial": "first"}
        config.clear()
        config.update(experiment="two", seed=5)
        config["ntuple"] = {"repeats": 2, "runs": {"first": first, "second": second}}

    path = experiment(tmp_path, only_ntuple)
    result = snakemake(tmp_path, "--dry-run", "--printshellcmds", "--cores", "2", "--configfile", path)
    output = result.stdout + result.stderr
    assert result.returncode == 0, output
    counts = dict(re.findall(r"^(\w+) +(\d+)$", output.rpartition("Job stats:")[2], re.MULTILINE))
    every = {"ntuple_train": "4", "ntuple_fold": "4", "ntuple_evaluate": "4"}
    assert counts == {**every, "report": "1", "all": "1", "total": "14"}

    [job] = [job for job in output.split("\n\n") if "--output=results/two/ntuple/second-2 " in job]
    assert "--key=second-2" in job
    assert "--seed=6" in job
    assert '"initial": "results/two/ntuple/first-2/model.safetensors"' in job
    assert "ntuple fold results/two/ntuple/second-2/model.safetensors" in output
    assert "ntuple evaluate results/two/ntuple/second-2/folded/model.safetensors" in output


def test_an_experiment_file_replaces_the_demo(tmp_path: Path) -> None:
    """Snakemake would merge the two, and leave games of the demo in every experiment."""

    def add_target(config: dict[str, Any]) -> None:
        config["experiment"] = "two"
        config["targets"] = ["hex4", "hex3"]  # hex3 is a source as well: no transfer to itself

    counts = jobs(tmp_path, "--configfile", experiment(tmp_path, add_target))
    assert counts["train_source"] == 1
    assert counts["train_scratch"] == 2
    assert counts["transfer"] == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda config: config.update(sed=1), "changed.yaml: sed: unknown key; did you mean seed?"),
        (
            lambda config: config["training"]["source"].update(positions=0),
            "changed.yaml: training.source.positions: must be greater than or equal to 1, got 0",
        ),
        (lambda config: config.update(sources=["hex9"]), "changed.yaml: sources: no game 'hex9' in games"),
        (
            lambda config: config["ntuple"]["runs"]["tiny"].update(network="42-44"),
            "changed.yaml: ntuple.runs.tiny.network '42-44': unknown shape '44'",
        ),
    ],
)
def test_a_mistake_in_an_experiment_is_named(tmp_path: Path, change: Change, message: str) -> None:
    result = snakemake(tmp_path, "--dry-run", "--configfile", experiment(tmp_path, change))
    assert result.returncode != 0
    assert message in result.stdout + result.stderr


@pytest.mark.parametrize("profile", ["slurm", "profiles/slurm"])
def test_slurm_profile(profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As ``snakemake --profile slurm`` in a fresh clone; nothing of profiles/default may override it."""
    from snakemake.cli import parse_args

    monkeypatch.chdir(ROOT)
    assert (ROOT / "slurm").is_symlink()
    assert os.readlink(ROOT / "slurm") == "profiles/slurm"
    _, args = parse_args(["--profile", profile])
    settings = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text())
    assert args.executor == "slurm"
    assert args.jobs == settings["jobs"]
    assert args.retries == settings["retries"]
    assert args.keep_going
    assert args.rerun_incomplete  # from profiles/default
    trainings = {"train_source", "train_scratch", "fine_tune"}
    assert set(args.set_resources) == {*trainings, "evaluate", "ladder", "ntuple_train", "ntuple_evaluate"}
    on_gpus = {rule for rule in trainings if args.set_resources[rule]["slurm_partition"].raw == "gpu"}
    assert on_gpus == trainings
    assert not any("gpu" in resources for resources in args.set_resources.values())  # rules know how many


def test_training_of_several_processes(tmp_path: Path) -> None:
    def spread(config: dict[str, Any]) -> None:
        config["training"]["source"] |= {"self_play_processes": 2, "threads": 4, "seconds": 7200}

    path = experiment(tmp_path, spread)
    command = ["--dry-run", "--printshellcmds", "--configfile", path]
    launcher = ["--set-resources", "train_source:launcher='srun --ntasks=3'"]
    output = snakemake(tmp_path, *command, *launcher).stdout
    assert "srun --ntasks=3 crossplay train --game=Hex '--option=Board Size/3x3'" in output
    assert "command:  crossplay train --game=Hex '--option=Board Size/4x4'" in output


def test_default_profile_holds_nothing_that_depends_on_the_place() -> None:
    settings = yaml.safe_load((ROOT / "profiles/default/config.yaml").read_text())
    assert set(settings) <= {"rerun-incomplete", "show-failed-logs"}


def test_conda_environment_has_the_locked_versions() -> None:
    lock = dict(
        line.split("==")
        for line in (ROOT / "envs/requirements.lock").read_text().splitlines()
        if not line.startswith("#")
    )
    conda_names = {"pytorch": "torch", "matplotlib-base": "matplotlib", "snakemake-minimal": "snakemake"}
    environment = yaml.safe_load((ROOT / "envs/crossplay.yaml").read_text())
    assert environment["channels"][-1] == "nodefaults"
    pinned = dict(re.findall(r"'([\w-]+)=([\d.]+)'", str(environment["dependencies"])))
    assert pinned.pop("python") == "3.11"
    assert len(pinned) >= 15
    assert pinned == {name: lock[conda_names.get(name, name)] for name in pinned}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which config/test.yaml has run."""
    folder = tmp_path_factory.mktemp("finished")
    result = snakemake(folder, "--cores", "2", "--configfile", ROOT / "config/test.yaml")
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


def test_a_finished_experiment_has_a_report_and_each_run_once(finished: Path) -> None:
    report = finished / "results/test/report"
    assert "hex3 → hex4" in (report / "index.html").read_text()
    assert len((report / "transfer.csv").read_text().splitlines()) == 3
    # From scratch one snapshot and the end; fine-tuned the start as well; zero-shot the start only.
    assert len((report / "learning_curves.csv").read_text().splitlines()) == 1 + 2 + 3 + 1
    assert len((report / "ladder.csv").read_text().splitlines()) == 1 + 1 + 2 + 2
    assert len((report / "ntuple.csv").read_text().splitlines()) == 1 + 2
    assert len((report / "ntuple_curves.csv").read_text().splitlines()) == 1 + 2

    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=f"sqlite:///{finished}/results/mlflow.db")
    runs = client.search_runs([client.get_experiment_by_name("test").experiment_id])
    assert sorted(run.info.run_name for run in runs) == [
        "evaluate hex3 source",
        "evaluate hex3--hex4 fine-tune",
        "evaluate hex3--hex4 zero-shot",
        "evaluate hex4 scratch",
        "fine-tune hex3--hex4 fine-tune",
        "ladder hex3 source",
        "ladder hex3--hex4 fine-tune",
        "ladder hex4 scratch",
        "map-channels hex3--hex4",
        "ntuple-evaluate 2048 tiny",
        "ntuple-fold 2048 tiny",
        "ntuple-train 2048 tiny",
        "report",
        "similarity",
        "train-scratch hex4",
        "train-source hex3",
        "transfer hex3--hex4 fine-tune",
        "transfer hex3--hex4 zero-shot",
    ]
    assert {run.info.status for run in runs} == {"FINISHED"}
    assert len({run.data.tags["key"] for run in runs}) == len(runs)
    [training] = [run for run in runs if run.data.tags["stage"] == "fine-tune"]
    assert training.data.params["training.positions"] == "600"
    assert len(client.get_metric_history(training.info.run_id, "policy_loss")) > 5
    assert [file.path for file in client.list_artifacts(training.info.run_id)] == ["model.safetensors"]
    ladders = {run.info.run_name: run for run in runs if run.data.tags["stage"] == "ladder"}
    for name, file in (("hex3 source", "hex3"), ("hex3--hex4 fine-tune", "fine-tune")):
        kept = client.list_artifacts(ladders[f"ladder {name}"].info.run_id)
        assert {artifact.path for artifact in kept} == {f"{file}.json", f"{file}.png"}


def test_only_what_changed_reruns(finished: Path, tmp_path: Path) -> None:
    def after(change: Change) -> dict[str, int]:
        return jobs(finished, "--configfile", experiment(tmp_path, change))

    end = {"report": 1, "all": 1}
    tests = {"evaluate": 4, "ladder": 3, **end}
    assert after(lambda config: None) == {}
    assert after(lambda config: config["similarity"].update(depth=2)) == {"similarity_analysis": 1, **end}
    assert after(lambda config: config["evaluation"].update(games=10)) == tests
    # Not those of the source.
    more = {"train_scratch": 1, "fine_tune": 1, **tests, "evaluate": 3, "ladder": 2}
    assert after(lambda config: config["training"]["target"].update(positions=700)) == more
    source = {"train_source": 1, "transfer": 2, "fine_tune": 1, **tests, "evaluate": 3, "ladder": 2}
    assert after(lambda config: config["training"]["source"].update(positions=700)) == source
    new_mode = {"transfer": 1, "fine_tune": 1, "evaluate": 1, "ladder": 1, **end}
    assert after(lambda config: config["modes"].append("fine-tune-reinit")) == new_mode
    measure = {"ntuple_evaluate": 1, **end}
    assert after(lambda config: config["ntuple"]["evaluation"].update(games=30)) == measure
    learn = {"ntuple_train": 1, "ntuple_fold": 1, **measure}
    assert after(lambda config: config["ntuple"]["runs"]["tiny"].update(actions=30000)) == learn


def test_forcing_evaluation_reruns_it_and_the_report_alone(finished: Path) -> None:
    arguments = ("--configfile", ROOT / "config/test.yaml", "--forcerun", "evaluate")
    assert jobs(finished, *arguments) == {"evaluate": 4, "report": 1, "all": 1}


def test_snakemake_report(finished: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = snakemake(finished, "--configfile", ROOT / "config/test.yaml", "--report", page)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "learning_curves.png" in page.read_text()
