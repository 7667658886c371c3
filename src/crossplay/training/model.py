"""The network that belongs to a game and to settings, and its description for the model file."""

from __future__ import annotations

import torch

from crossplay.config import NetworkSettings
from crossplay.errors import CrossplayError
from crossplay.games import Game
from crossplay.networks import ModelHeader, PolicyValueNetwork, build_network


def model_header(game: Game, network: NetworkSettings) -> ModelHeader:
    """Describe an untrained network for ``game``; ``load_game`` takes its game, options and layout."""
    return ModelHeader(
        architecture=network.architecture,
        hyperparameters=network.model_dump(exclude={"architecture"}),
        game=game.reference,
        options=tuple(game.options),
        layout=game.layout._asdict(),
        state_channels=tuple(game.state_channels),
        move_channels=tuple(game.move_channels),
        board=game.state_shape[1:],
    )


def new_network(header: ModelHeader, seed: int) -> PolicyValueNetwork:
    """Build the network that ``header`` describes with initial weights drawn by ``seed`` alone."""
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(seed)
        return build_network(
            header.architecture,
            len(header.state_channels),
            len(header.move_channels),
            header.board,
            header.hyperparameters,
        )


def check_initial(initial: ModelHeader, wanted: ModelHeader) -> None:
    """Refuse to start a training from a network that is not the one wanted.

    Raises:
        CrossplayError: the first difference in architecture, hyperparameters, layout or channels.
    """
    for name in ("architecture", "hyperparameters", "layout", "state_channels", "move_channels"):
        given, expected = getattr(initial, name), getattr(wanted, name)
        if given != expected:
            if isinstance(given, dict):
                key = next(k for k in expected | given if given.get(k) != expected.get(k))
                name, given, expected = key, given.get(key), expected.get(key)
            raise CrossplayError(
                f"the initial model ({initial.game}) has {name} {_text(given)}, wanted is {_text(expected)}; "
                "set the network settings accordingly or transfer the model to this game"
            )


def _text(value: object) -> str:
    return f"[{', '.join(value)}]" if isinstance(value, tuple) else repr(value)
