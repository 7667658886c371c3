"""``crossplay games``: every command works for every kind of game and never answers with a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crossplay.cli import main

# Placement, movement, stacks, hands and local states.
KINDS = ["Hex", "Breakthrough", "Connect Four", "Nine Men's Morris", "Reversi"]

GOOD = """
(game "Corner Line" (players 2)
  (equipment {(board (square 4)) (piece "Stone" Each)})
  (rules (play (move Add (to (sites Empty)))) (end (if (is Line 4 Orthogonal) (result Next Loss)))))
"""


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["games", *map(str, arguments)], prog_name="crossplay")


def answer(*arguments: str | Path) -> dict:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_game_is_shown(name: str) -> None:
    shown = run("show", name)
    assert shown.exit_code == 0, shown.output
    assert shown.output.startswith(name)
    assert answer("show", name)["components"]
    tensors = answer("tensors", name)
    assert len(tensors["state_channels"]) == tensors["state_shape"][0]
    assert len(tensors["move_channels"]) == tensors["move_shape"][0]
    assert tensors["layout"] == {"hex": "sparse", "hands": "faithful"}
    assert len(answer("perft", name, "--depth", "2")["perft"]) == 2
    assert answer("playout", name, "--games", "5")["games"] == 5


def test_layouts_change_what_is_told() -> None:
    dense = answer("tensors", "Hex", "-o", "Board Size/5x5", "--hex", "dense", "--hands", "repaired")
    assert dense["state_shape"] == [10, 5, 5]
    assert dense["layout"] == {"hex": "dense", "hands": "repaired"}


def test_check_tells_of_each_file(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    files = {
        "Good.lud": GOOD,
        "Loop.lud": GOOD.replace("(is Line 4 Orthogonal)", "(is Cycle)"),
        "Open.lud": GOOD[:-3],
        "more/Deep.lud": GOOD,
        "more/notes.txt": "not a description",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    result = run("check", tmp_path, tmp_path / "more/notes.txt", tmp_path / "Missing.lud", "--json")
    assert result.exit_code == 2
    found = json.loads(result.stdout)
    said = {Path(file).name: text for file, text in found["files"].items()}
    assert said["Good.lud"] == said["Deep.lud"] == "ok"
    assert said["Loop.lud"] == "UnsupportedLudeme: (is Cycle ...) at Loop.lud:4"
    assert said["Open.lud"].startswith("Open.lud:")
    assert "no .lud file" in said["notes.txt"]
    assert "no game description" in said["Missing.lud"]
    played = found["games"][str(tmp_path / "Good.lud")]
    assert played["wins1"] + played["wins2"] + played["draws"] == played["games"] == 20

    table = run("check", "--games", "0", tmp_path)
    assert table.exit_code == 2
    assert table.output.rstrip().endswith("2 of 4 files are ok")
    assert run("check", tmp_path / "Good.lud").exit_code == 0


def test_check_outlives_a_fault_of_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise TypeError("of no\nuse")

    monkeypatch.setattr("crossplay.games.game.generate", fail)
    (tmp_path / "Good.lud").write_text(GOOD)
    result = run("check", "--games", "0", tmp_path)
    assert result.exit_code == 2
    assert "Good.lud  fault in the compiler: TypeError: of no" in result.output
