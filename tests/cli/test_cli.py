"""The command line: quick to start, and one line with exit code 2 for whatever a user gets wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from crossplay.cli import main
from crossplay.config import NetworkSettings
from crossplay.games import load_game
from crossplay.networks import save_model
from crossplay.training import model_header, new_network
from crossplay.transfer import map_channels

SMALL_NETWORK = NetworkSettings(width=4, blocks=1, layers_per_block=1)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """An untrained model of Hex 3x3, and beside it the channel mapping to Hex 4x4."""
    game = load_game("Hex", ("Board Size/3x3",), "dense")
    header = model_header(game, SMALL_NETWORK)
    save_model(tmp_path / "model.safetensors", new_network(header, 1), header)
    mapping = map_channels(game, load_game("Hex", ("Board Size/4x4",), "dense"))
    (tmp_path / "mapping.json").write_text(mapping.to_json())
    return tmp_path / "model.safetensors"


def fault(*arguments: str | Path) -> str:
    """Run a command that must fail as a user's mistake does, and return what it said."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="crossplay")
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr.removeprefix("error: ").strip()


def transfer(model: Path, *more: str | Path) -> tuple[str | Path, ...]:
    chosen = ("--model", model, "--mapping", model.with_name("mapping.json"), "--target", "Hex")
    options = ("--target-option", "Board Size/4x4", "--output", model.with_name("out.safetensors"))
    return ("transfer", "--no-track", *chosen, *options, *more)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from crossplay.cli import main\n"
        "assert CliRunner().invoke(main, ['--help']).exit_code == 0\n"
        "heavy = {'torch', 'numba', 'mlflow', 'matplotlib', 'pydantic', 'numpy'} & set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or None)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_command_explains_itself() -> None:
    runner = CliRunner()
    for name in main.list_commands(None):  # type: ignore[arg-type]
        result = runner.invoke(main, [name, "--help"])
        assert result.exit_code == 0, name
        assert "Usage:" in result.output


def test_unknown_game_and_option(tmp_path: Path) -> None:
    out = ("--no-track", "--output", tmp_path)
    assert "Hexx" in fault("train", "--game", "Hexx", *out)
    assert "Board Size/99x99" in fault("train", "--game", "Hex", "--option", "Board Size/99x99", *out)


def test_broken_description(tmp_path: Path) -> None:
    path = tmp_path / "Broken.lud"
    path.write_text('(game "Broken"\n    (players 2)\n')
    message = fault("train", "--game", path, "--no-track", "--output", tmp_path / "out")
    assert message.startswith("Broken.lud:1:1:")


def test_settings(tmp_path: Path) -> None:
    message = fault("train", "--game", "Hex", "--config", '{"positions": -1}', "--output", tmp_path)
    assert message.startswith("settings: positions: must be greater than or equal to 1")
    missing = tmp_path / "none.yaml"
    message = fault("train", "--game", "Hex", "--config", missing, "--output", tmp_path)
    assert message == f"{missing}: cannot read settings: No such file or directory"


def test_damaged_and_missing_files(model: Path, tmp_path: Path) -> None:
    model.with_name("cut.safetensors").write_bytes(model.read_bytes()[:-100])
    assert "cut.safetensors" in fault(*transfer(model, "--model", model.with_name("cut.safetensors")))
    assert "none.safetensors" in fault(*transfer(model, "--model", tmp_path / "none.safetensors"))
    assert "none.json" in fault(*transfer(model, "--mapping", tmp_path / "none.json"))
    model.with_name("mapping.json").write_bytes(b"\xff{")
    assert "mapping.json" in fault(*transfer(model))


def test_models_that_do_not_fit(model: Path) -> None:
    other = json.dumps({**SMALL_NETWORK.model_dump(), "width": 8})
    assert "the source model has width 4 but network.width is 8" in fault(
        *transfer(model, "--network", other)
    )


def test_places_that_cannot_be_written(model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    inside = tmp_path / "file" / "out"
    assert f"cannot write to {inside}" in fault("train", "--game", "Hex", "--output", inside)
    assert "cannot write to" in fault(*transfer(model, "--output", inside / "model.safetensors"))


def test_wrong_use() -> None:
    assert fault("evalate").startswith("No such command 'evalate'.")
    assert fault("--frobnicate").startswith("No such option")
    assert fault("transfer", "--model", "x").endswith("See 'crossplay transfer --help'.")


def test_ui_without_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    assert "no runs" in fault("ui")
