"""``crossplay ntuple evaluate`` and ``crossplay ntuple play`` as their users meet them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from crossplay.cli import main
from crossplay.cli.ntuple.play import render
from crossplay.ntuple.board import board_of
from crossplay.ntuple.expectimax import Decision, Searcher
from crossplay.ntuple.files import NetworkHeader, load_network, save_network
from crossplay.ntuple.game import Game
from crossplay.ntuple.shapes import Tuples, stage_weights

TUPLES: Tuples = ((0, 1, 2), (1, 5), (0, 1, 4, 5))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "small"
    weights = np.random.default_rng(1).normal(0, 9, stage_weights(TUPLES)).astype(np.float32)
    header = NetworkHeader("0,1,2;1,5;0,1,4,5", TUPLES, actions=1234)
    save_network(folder / "model.safetensors", header, weights)
    return folder


def run(command: str, *arguments: object, lines: str | None = None) -> Result:
    return CliRunner().invoke(main, ["ntuple", command, *map(str, arguments)], input=lines)


def evaluate(folder: Path, *arguments: object) -> Result:
    return run("evaluate", folder, "--no-track", *arguments)


def boards(output: str) -> list[str]:
    """The positions that were shown, without the values of moves."""
    shown = re.split(r"(?=^score )", output, flags=re.MULTILINE)[1:]
    return ["\n".join(line[:33] for line in text.splitlines()[1:10]) for text in shown]


def test_json_is_one_object_with_the_scores(folder: Path) -> None:
    result = evaluate(folder, "--games", "1e1", "--plies", 2, "--seed", 3, "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["games"] == 10
    assert record["interval"][0] < record["mean"] < record["interval"][1]
    assert list(record["reach"]) == ["2048", "4096", "8192", "16384", "32768"]
    assert record["plies"]["2"]["mean"] == record["mean"]
    assert (record["stage"], record["mode"], record["actions"]) == ("ntuple-evaluate", "small", 1234)
    again = json.loads(
        evaluate(folder, "--games", 10, "--plies", 2, "--seed", 3, "--threads", 2, "--json").stdout
    )
    assert again["mean"] == record["mean"]


def test_table_and_file(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "new" / "evaluation.json"
    settings = json.dumps({"games": 20, "search_games": 2, "search_plies": 3, "seed": 5})
    result = evaluate(folder / "model.safetensors", "--config", settings, "--seed", 7, "--output", output)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert "after 1,234 actions" in lines[0]
    assert lines[1].split()[:2] == ["search", "games"]
    assert [line.split()[:2] for line in lines[2:4]] == [["1ply", "20"], ["3ply", "2"]]
    record = json.loads(output.read_text())
    assert list(record["plies"]) == ["1", "3"]
    assert record["plies"]["3"]["games"] == 2
    alone = json.loads(evaluate(folder, "--games", 20, "--seed", 12, "--json").stdout)
    assert alone["mean"] == record["plies"]["1"]["mean"]


def test_time_limit_and_single_game(folder: Path) -> None:
    result = evaluate(folder, "--games", 1, "--seconds-per-move", 0.00001, "--json")
    record = json.loads(result.stdout)
    assert list(record["plies"]) == ["1e-05s"]
    assert record["interval"] is None
    assert "  -  " in evaluate(folder, "--games", 1).stdout


def test_run_is_recorded(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    output = tmp_path / "evaluation.json"
    result = run("evaluate", folder, "--games", 3, "--experiment", "e", "--key", "tc", "--output", output)
    assert result.exit_code == 0, result.output
    from mlflow.tracking import MlflowClient

    client = MlflowClient(f"sqlite:///{tmp_path}/results/mlflow.db")
    experiment = client.get_experiment_by_name("e")
    assert experiment is not None
    (found,) = client.search_runs([experiment.experiment_id])
    assert found.info.run_name == "ntuple-evaluate 2048 tc"
    assert found.data.metrics["score_1ply"] == json.loads(output.read_text())["plies"]["1"]["mean"]
    assert [file.path for file in client.list_artifacts(found.info.run_id)] == ["evaluation.json"]


@pytest.mark.parametrize("command", ["evaluate", "play"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--plies", 0), "plies: between 1 and 32"),
        (("--plies", "2.5"), "no whole number"),
        (("--seconds-per-move", -1), "seconds per move: more than 0"),
    ],
)
def test_mistakes_are_one_line(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    arguments: tuple[object, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(command, folder, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())  # no run that failed


def test_more_mistakes_are_one_line(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments, message in (
        ((folder, "--games", 0), "games: at least 1"),
        ((folder, "--threads", 0), "threads"),
        ((folder, "--config", "{}", "--games", 5), "--config says what to play"),
        ((tmp_path / "nothing",), "nothing"),
    ):
        result = run("evaluate", *arguments)
        assert result.exit_code == 2, result.output
        assert message in result.stderr
        assert result.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_lines_move_the_tiles(folder: Path) -> None:
    game = Game(seed=3)
    searcher = Searcher(load_network(folder), 2)
    decision = searcher.values(game.board)
    legal = next(move for move in range(4) if decision.values[move] is not None)
    letter = "wdsa"[legal]
    result = run("play", folder, "--plies", 2, "--seed", 3, lines=f"{letter}\nu\n\nnonsense\nq\nup\n")
    assert result.exit_code == 0, result.output
    expected = [render(game.board, 0, 0, decision, False)]
    game.move(legal)
    expected.append(render(game.board, game.score, 1, searcher.values(game.board), False))
    shown = re.split(r"(?=^score )", result.stdout, flags=re.MULTILINE)[1:]
    assert [text.strip() for text in shown[:2]] == expected
    assert shown[2] == shown[0]
    assert shown[3].startswith("score ")
    assert "moves 1" in shown[3]
    assert "'nonsense' is no command" in result.stdout
    assert len(shown) == 5


def test_it_plays_by_itself(folder: Path) -> None:
    result = run("play", folder, "--auto", "--seed", 4)
    assert result.exit_code == 0, result.output
    assert result.stdout.rstrip().endswith("No move is left.")
    assert len(boards(result.stdout)) == 1
    assert result.stdout == run("play", folder, "--auto", "--seed", 4).stdout
    assert result.stdout.split("No move")[0] in run("play", folder, "--seed", 4, lines="r\n").stdout


def test_board_is_drawn() -> None:
    board = board_of([[2, 0, 0, 0], [0, 4, 0, 0], [0, 0, 32768, 0], [0, 0, 0, 1024]])
    text = render(board, 12345, 67, Decision([1.0, None, 2500.25, -3.0], 3), False)
    assert text.splitlines()[0] == "score 12,345  moves 67  3 plies ahead"
    assert text.splitlines()[2] == "|     2 |       |       |       |    up             1.0"
    assert text.splitlines()[4] == "|       |     4 |       |       |    right            -"
    assert text.splitlines()[6] == "|       |       | 32768 |       |  > down       2,500.2"
    assert "\x1b[" in render(board, 0, 0, Decision([None] * 4, 1), True)
