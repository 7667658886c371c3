"""The ladder of a training: which models meet, and what the command writes."""

from __future__ import annotations

import dataclasses
import json

import pytest
from click.testing import CliRunner
from mlflow.tracking import MlflowClient

from crossplay.cli import main
from crossplay.config import NetworkSettings
from crossplay.errors import CrossplayError
from crossplay.evaluation.ladder import Rung, pairs_of, play_ladder, rungs_of
from crossplay.games import load_game
from crossplay.networks import save_model
from crossplay.training import model_header, new_network


def test_each_rung_meets_search_and_the_two_below():
    assert list(pairs_of(4)) == [
        (0, None), (1, None), (1, 0), (2, None), (2, 0), (2, 1), (3, None), (3, 1), (3, 2),
    ]  # fmt: skip


def test_better_models_are_rated_higher(tmp_path):
    strength = {tmp_path / f"{i}": i for i in range(4)}
    rungs = [Rung(100 * i, path) for path, i in strength.items()]

    def play(model, other):
        better = strength[model] - (1 if other is None else strength[other])
        wins = {-1: 5, 0: 10, 1: 15, 2: 18}[better]
        return {"wins": wins, "draws": 0, "losses": 20 - wins, "games": 20}

    ratings, matches = play_ladder(rungs, play)
    elos = [rating.elo for rating in ratings]
    assert elos == sorted(elos)
    assert elos[0] < 0 < elos[2]
    assert elos[1] == pytest.approx(0, abs=60)
    assert [(match["positions"], match["opponent"]) for match in matches[:3]] == [
        (0, "uct"), (100, "uct"), (100, 0),
    ]  # fmt: skip


@pytest.fixture
def training(tmp_path):
    """A folder as a training leaves it, of networks that have learned nothing."""
    game = load_game("Tic-Tac-Toe", [], "dense", "repaired")
    header = model_header(game, NetworkSettings(width=4, blocks=1, layers_per_block=1))
    for positions, name in ((50, "snapshots/000050"), (100, "snapshots/000100"), (200, "model")):
        network = new_network(header, positions)
        save_model(
            tmp_path / f"{name}.safetensors", network, dataclasses.replace(header, positions=positions)
        )
    return tmp_path


def test_the_command_rates_the_models_of_a_training(training):
    settings = json.dumps({"simulations": 4, "threads": 1, "uct": {"iterations": 10, "playouts": 1}})
    output = training / "out" / "ladder.json"
    arguments = ["ladder", str(training), "--games", "4", "--config", settings, "--no-track", "--json"]
    result = CliRunner().invoke(main, [*arguments, "--output", str(output)])
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record == json.loads(output.read_text())
    assert [row["positions"] for row in record["ratings"]] == [50, 100, 200]
    assert all(row["low"] < row["elo"] < row["high"] for row in record["ratings"])
    assert len(record["matches"]) == 6
    assert all(match["games"] == 4 for match in record["matches"])
    assert output.with_suffix(".png").read_bytes().startswith(b"\x89PNG")


def test_a_folder_without_a_model_is_named(tmp_path):
    with pytest.raises(CrossplayError, match="finished training"):
        rungs_of(tmp_path)


def test_what_another_training_has_left_is_not_rated(training):
    (training / "training.json").write_text(json.dumps({"snapshots": ["000100.safetensors"]}))
    _, rungs = rungs_of(training)
    assert [rung.positions for rung in rungs] == [100, 200]
    (training / "training.json").write_text("{")
    assert [rung.positions for rung in rungs_of(training)[1]] == [50, 100, 200]


@pytest.mark.parametrize("score", [0.0, 0.75, 1.0])
def test_the_last_line_says_where_the_training_stands(training, monkeypatch, score):
    wins = int(4 * score)
    result = {"wins": wins, "draws": 0, "losses": 4 - wins, "games": 4, "score": score}
    monkeypatch.setattr("crossplay.cli.evaluate.Matches.__call__", lambda *_: result)
    arguments = ["ladder", str(training), "--games=4", "--no-track", f"--output={training / 'ladder.json'}"]
    said = CliRunner().invoke(main, arguments).output
    assert f"Elo {'above' if score > 0.5 else 'below'} UCT" in said
    assert ("one-sided" in said) == (score != 0.75)


def test_ratings_and_picture_go_to_the_run(training, monkeypatch):
    monkeypatch.chdir(training)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{training}/runs.db")
    result = {"wins": 1, "draws": 0, "losses": 3, "games": 4, "score": 0.25}
    monkeypatch.setattr("crossplay.cli.evaluate.Matches.__call__", lambda *_: result)
    arguments = ["ladder", str(training), "--games=4", "--experiment=rated", "--output=out/ladder.json"]
    said = CliRunner().invoke(main, arguments)
    assert said.exit_code == 0, said.output
    client = MlflowClient(tracking_uri=f"sqlite:///{training}/runs.db")
    [run] = client.search_runs([client.get_experiment_by_name("rated").experiment_id])
    assert {file.path for file in client.list_artifacts(run.info.run_id)} == {"ladder.json", "ladder.png"}
    rated = json.loads((training / "out/ladder.json").read_text())["ratings"]
    history = client.get_metric_history(run.info.run_id, "elo")
    assert [(metric.step, metric.value) for metric in history] == [
        (row["positions"], pytest.approx(row["elo"])) for row in rated
    ]
