"""How players are written down, and players made from model files."""

from __future__ import annotations

import numpy as np
import pytest

from crossplay.errors import CrossplayError
from crossplay.evaluation.match import play_match
from crossplay.evaluation.players import ModelSpec, RandomSpec, UctSpec, parse_player
from crossplay.games import load_game

LAYOUT = {"hex": "dense", "hands": "repaired"}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("random", RandomSpec()),
        ({"kind": "random"}, RandomSpec()),
        ("uct", UctSpec()),
        ("uct:iterations=40,selection=ucb1", UctSpec(iterations=40, selection="ucb1")),
        ({"kind": "uct", "playouts": 3}, UctSpec(playouts=3)),
        ("a/b.safetensors", ModelSpec(file="a/b.safetensors")),
        ("model:a/b.safetensors,simulations=7", ModelSpec(file="a/b.safetensors", simulations=7)),
        ({"kind": "model", "file": "x", "exploration": 1.1}, ModelSpec(file="x", exploration=1.1)),
    ],
)
def test_players_are_read_from_text_and_mappings(written, expected):
    assert parse_player(written) == expected
    assert parse_player(expected.model_dump()) == expected


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("alphazero", "kind must be one of model, uct, random, got 'alphazero'"),
        ("uct:800", "'800'.*key=value"),
        ("uct:iteration=40", "iteration"),
        ("uct:iterations=many", "iterations"),
        ({"kind": "uct", "iterations": 0}, "iterations"),
        ({"kind": "model"}, "file"),
        ({}, "kind"),
    ],
)
def test_faults_are_one_line_with_the_key(written, word):
    with pytest.raises(CrossplayError, match=word) as caught:
        parse_player(written, "opponent")
    assert str(caught.value).startswith("opponent: ")
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """An untrained network for Hex 3x3 in a file."""
    from crossplay.networks import ModelHeader, build_network, save_model

    game = load_game("Hex", ["Board Size/3x3"], **LAYOUT)
    hyperparameters = {"width": 4, "blocks": 1}
    channels = tuple(game.state_channels), tuple(game.move_channels)
    network = build_network(
        "ResConvConvLogitPoolModelV2", len(channels[0]), len(channels[1]), None, hyperparameters
    )
    header = ModelHeader(
        "ResConvConvLogitPoolModelV2", hyperparameters, game.name, game.options, LAYOUT, *channels
    )
    path = tmp_path_factory.mktemp("model") / "model.safetensors"
    save_model(path, network, header)
    return path


def test_a_model_plays_its_game_on_any_board(model):
    for size in ("3x3", "5x5"):
        game = load_game("Hex", [f"Board Size/{size}"], **LAYOUT)
        spec = ModelSpec(file=str(model), simulations=8, device="cpu")
        result = play_match(game, spec, RandomSpec(), 8, seed=1)
        assert result.total.games == 8
        assert result.first == f"{model} (8)"


@pytest.mark.parametrize(
    ("name", "layout", "word"),
    [("Hex", {}, "layout"), ("Tic-Tac-Toe", LAYOUT, "state channels")],
)
def test_a_model_refuses_other_tensors(model, name, layout, word):
    with pytest.raises(CrossplayError, match=word) as caught:
        ModelSpec(file=str(model)).player(load_game(name, **layout), np.ones(2, np.uint64))
    assert str(model) in str(caught.value)
