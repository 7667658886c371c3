"""The examination of networks that are known to be wrong in one respect."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner

from crossplay.cli import main
from crossplay.config import NetworkSettings
from crossplay.diagnosis import Finding, examine
from crossplay.diagnosis.model import check_calibration, check_policy
from crossplay.diagnosis.positions import puzzles
from crossplay.games import Game, load_game
from crossplay.networks import ModelHeader, PolicyValueNetwork, save_model
from crossplay.training.model import model_header, new_network

LINES = [*np.arange(9).reshape(3, 3), *np.arange(9).reshape(3, 3).T, np.array([0, 4, 8]), np.array([2, 4, 6])]


@pytest.fixture(scope="module")
def game() -> Game:
    return load_game("Hex", ["Board Size/3x3"], "dense")


@pytest.fixture
def model(game: Game) -> tuple[PolicyValueNetwork, ModelHeader]:
    header = model_header(game, NetworkSettings(width=8, blocks=1, layers_per_block=1))
    return new_network(header, seed=3), header


def findings(game: Game, network: PolicyValueNetwork, header: ModelHeader) -> dict[str, Finding]:
    return {finding.check: finding for finding in examine(game, network, header)}


def test_a_fresh_network_is_not_broken_but_has_learned_nothing(
    game: Game, model: tuple[PolicyValueNetwork, ModelHeader]
) -> None:
    found = findings(game, *model)
    assert list(found) == [
        "channels", "parameters", "encoding", "dead channels", "inputs", "symmetry", "policy", "calibration",
        "wins", "threats",
    ]  # fmt: skip
    assert not [finding for finding in found.values() if finding.mark == "FAIL"]
    assert found["encoding"].mark == found["inputs"].mark == "ok"
    before = {name: tensor.clone() for name, tensor in model[0].state_dict().items()}
    assert all(torch.equal(tensor, before[name]) for name, tensor in model[0].state_dict().items())
    assert findings(game, *model) == found  # by the same seed


def test_what_is_broken_ends_the_examination(
    game: Game, model: tuple[PolicyValueNetwork, ModelHeader], tmp_path: Path
) -> None:
    network, header = model
    renamed = replace(header, state_channels=("Another", *header.state_channels[1:]))
    found = findings(game, network, renamed)
    assert (list(found), found["channels"].mark) == (["channels"], "FAIL")
    assert "state channel 0 was 'Another'" in found["channels"].text
    next(network.parameters()).data[0, 0] = float("nan")
    found = findings(game, network, header)
    assert (list(found), found["parameters"].mark) == (["channels", "parameters"], "FAIL")
    save_model(tmp_path / "model.safetensors", network, header)
    result = CliRunner().invoke(main, ["doctor", str(tmp_path / "model.safetensors")])
    assert result.exit_code == 1
    assert "FAIL parameters" in result.output


def test_parts_without_effect_are_named(game: Game, model: tuple[PolicyValueNetwork, ModelHeader]) -> None:
    network, header = model
    with torch.no_grad():
        next(network.parameters())[:, 0] = 0
        for layer in network.modules():
            if isinstance(layer, torch.nn.Conv2d) and layer.out_channels == 8 and layer.in_channels == 8:
                layer.weight[:5] = 0
    found = findings(game, network, header)
    assert found["inputs"].mark == "warn"
    assert game.state_channels[0] in found["inputs"].text
    assert found["dead channels"].mark == "warn"
    assert "5 of 8" in found["dead channels"].text


def test_a_judgement_that_depends_on_the_side_is_told(
    game: Game, model: tuple[PolicyValueNetwork, ModelHeader]
) -> None:
    network, header = model
    assert findings(game, network, header)["symmetry"].mark == "ok"
    with torch.no_grad():
        network.pi_logit.weight *= 100  # type: ignore[operator, union-attr]
    found = findings(game, network, header)
    assert found["symmetry"].mark == "warn"


def test_policies() -> None:
    legal = np.array([[1, 1, 0, 0], [0, 1, 1, 1]], np.float32)
    even = check_policy(np.zeros((2, 4), np.float32), legal)
    assert even.mark == "warn"
    assert "62% of the policy lies on legal moves" in even.text
    assert "100% of a uniform policy's" in even.text
    assert check_policy(np.array([[99, 0, 0, 0], [0, 99, 0, 0]], np.float32), legal).mark == "warn"
    assert check_policy(np.array([[2, 0, 0, 0], [0, 2, 0, 0]], np.float32), legal).mark == "ok"


def test_calibration() -> None:
    outcomes = np.repeat(np.array([-1, 1], np.float32), 500)
    right = check_calibration(0.8 * outcomes, outcomes)
    assert right.mark == "ok"
    assert "off by 0.20 (by +0.00 on average)" in right.text
    assert check_calibration(-0.8 * outcomes, outcomes).mark == "warn"
    assert "all positions look alike" in check_calibration(0 * outcomes, outcomes).remedy


def test_puzzles_of_tic_tac_toe_are_right() -> None:
    """Against lines counted on the planes of the two pieces."""
    game = load_game("Tic-Tac-Toe")

    def completes(own: np.ndarray, cell: int) -> bool:
        filled = own.copy()
        filled[cell] = True
        return any(filled[line].all() for line in LINES)

    winning, saving = puzzles(game, 200, np.random.default_rng(0))
    assert len(winning) > 50
    assert len(saving) > 20
    for puzzle in winning + saving:
        planes = game.state_tensor(puzzle.state)[:2].reshape(2, 9) > 0
        mine, theirs = planes if game.mover(puzzle.state) == 1 else planes[::-1]
        cells = {move: game.action(move) for move in puzzle.moves}
        won = {move for move, cell in cells.items() if completes(mine, cell)}
        threats = {cell for cell in cells.values() if completes(theirs, cell)}
        blocked = {move for move, cell in cells.items() if threats <= {cell}}
        assert puzzle.right == (won or blocked)


def test_the_command_tells_all_as_json(
    game: Game, model: tuple[PolicyValueNetwork, ModelHeader], tmp_path: Path
) -> None:
    path = tmp_path / "model.safetensors"
    save_model(path, *model)
    result = CliRunner().invoke(main, ["doctor", str(path), "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.output) == [finding._asdict() for finding in findings(game, *model).values()]
    missing = CliRunner().invoke(main, ["doctor", str(tmp_path / "nothing")])
    assert missing.exit_code == 2
    assert missing.output.count("\n") == 1
