"""A header leads back to its game."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import torch

from crossplay.config import NetworkSettings
from crossplay.games import load_game
from crossplay.training import model_header, new_network


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


def test_new_network_depends_on_the_seed_alone():
    header = model_header(load_game("Tic-Tac-Toe"), NetworkSettings(width=4))
    torch.manual_seed(1)
    state = torch.get_rng_state()
    first, second, other = (new_network(header, seed).mono[0].weight for seed in (5, 5, 6))
    assert torch.equal(first, second)
    assert not torch.equal(first, other)
    assert torch.equal(torch.get_rng_state(), state)
