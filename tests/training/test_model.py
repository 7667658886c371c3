"""A header leads back to its game."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest
import torch

from crossplay.config import NetworkSettings
from crossplay.errors import CrossplayError
from crossplay.games import load_game
from crossplay.networks import ModelHeader
from crossplay.training.model import check_initial, model_header, network_settings, new_network


def test_header_leads_back_to_the_game(tmp_path):
    library = Path(str(resources.files("crossplay.games.library") / "Hex.lud"))
    own = tmp_path / "Mine.lud"  # a user's file, though its game is called as one of ours
    own.write_text(library.read_text(encoding="utf-8"), encoding="utf-8")
    for name in ("Hex", str(own)):
        game = load_game(name, ["Board Size/3x3"], hex="dense")
        header = model_header(game, NetworkSettings(width=4))
        assert header.game == name
        again = load_game(header.game, header.options, **header.layout)
        assert model_header(again, NetworkSettings(width=4)) == header
        assert header.hyperparameters["width"] == 4
        assert header.state_channels == tuple(game.state_channels)


@pytest.mark.parametrize(
    "settings",
    [
        NetworkSettings(width=4, masked=True),
        NetworkSettings(width=4, value_head="wdl", global_pooling=0.5),
        NetworkSettings(architecture="NanoFCLogitModel", width=4),
    ],
)
def test_header_leads_back_to_the_settings(settings):
    header = model_header(load_game("Hex", ["Board Size/3x3"]), settings)
    assert network_settings(header) == settings
    assert ModelHeader.from_json(header.to_json()) == header
    network = new_network(header, 0)
    assert isinstance(network(torch.zeros(1, len(header.state_channels), *header.board)), tuple)
    if settings.masked:
        (channel,) = header.hyperparameters["mask_channels"]
        assert header.state_channels[channel] == "Does position exist in container 0 (Board)?"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"architecture": "Nano"}, "unknown network architecture 'Nano'"),
        ({"architecture": "NanoConvLogitModel", "blocks": 5}, "NanoConvLogitModel has no blocks"),
        ({"architecture": "UConvConvLogitModel", "activation": "gelu"}, "has no activation"),
        ({"architecture": "UConvConvLogitModel", "masked": True}, "cannot be masked; set network.masked"),
    ],
)
def test_settings_that_an_architecture_does_not_have_are_refused(settings, message):
    with pytest.raises(CrossplayError, match=message):
        model_header(load_game("Tic-Tac-Toe"), NetworkSettings(**settings))


def test_initial_models():
    """One of before there were several value heads fits; one with weights for another board does not."""
    small, large = (load_game("Hex", [f"Board Size/{n}x{n}"], hex="dense") for n in (3, 4))
    wanted = model_header(large, NetworkSettings(width=4))
    older = dict(wanted.hyperparameters)
    del older["value_head"]
    check_initial(replace(wanted, hyperparameters=older, board=None), wanted)
    dense = NetworkSettings(architecture="ResConvFCLogitModel", width=4)
    check_initial(model_header(large, dense), model_header(large, dense))
    with pytest.raises(CrossplayError, match=r"has board \[3, 3\], wanted is \[4, 4\]"):
        check_initial(model_header(small, dense), model_header(large, dense))


def test_new_network_depends_on_the_seed_alone():
    header = model_header(load_game("Tic-Tac-Toe"), NetworkSettings(width=4))
    torch.manual_seed(1)
    state = torch.get_rng_state()
    first, second, other = (new_network(header, seed).mono[0].weight for seed in (5, 5, 6))
    assert torch.equal(first, second)
    assert not torch.equal(first, other)
    assert torch.equal(torch.get_rng_state(), state)
