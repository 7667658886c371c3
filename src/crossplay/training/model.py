"""The network that belongs to a game and to settings, and its description for the model file."""

from __future__ import annotations

from dataclasses import replace

import torch

from crossplay.config import NetworkSettings
from crossplay.errors import CrossplayError
from crossplay.games import Game
from crossplay.networks import ModelHeader, PolicyValueNetwork
from crossplay.networks.registry import ARCHITECTURES, default_hyperparameters

# Input planes of games whose names begin so are 1 on the cells that a container has.
EXISTENCE = "Does position exist in container"
# Hyperparameter of architectures that can be masked; the settings say whether, the game which channels.
MASK = "mask_channels"


def model_header(game: Game, network: NetworkSettings) -> ModelHeader:
    """Describe an untrained network for ``game``; ``load_game`` takes its game, options and layout.

    Raises:
        CrossplayError: unknown architecture, or a setting that it does not have is not at its default.
    """
    known = default_hyperparameters(network.architecture)
    hyperparameters = network.model_dump(exclude={"architecture"})
    masked = hyperparameters.pop("masked")
    if masked and MASK not in known:
        raise CrossplayError(
            f"{network.architecture} cannot be masked; set network.masked to false or choose "
            + " or ".join(name for name in ARCHITECTURES if MASK in default_hyperparameters(name))
        )
    for name in sorted(hyperparameters.keys() - known.keys()):
        if hyperparameters.pop(name) != NetworkSettings.model_fields[name].default:
            raise CrossplayError(f"{network.architecture} has no {name}; leave network.{name} out")
    if masked:
        names = enumerate(game.state_channels)
        hyperparameters[MASK] = [i for i, name in names if name.startswith(EXISTENCE)]
    return ModelHeader(
        architecture=network.architecture,
        hyperparameters=hyperparameters,
        game=game.reference,
        options=tuple(game.options),
        layout=game.layout._asdict(),
        state_channels=tuple(game.state_channels),
        move_channels=tuple(game.move_channels),
        board=game.state_shape[1:],
    )


def network_settings(header: ModelHeader) -> NetworkSettings:
    """The settings that :func:`model_header` made ``header`` from."""
    hyperparameters = dict(header.hyperparameters)
    masked = bool(hyperparameters.pop(MASK, ()))
    return NetworkSettings(architecture=header.architecture, masked=masked, **hyperparameters)


def new_network(header: ModelHeader, seed: int) -> PolicyValueNetwork:
    """Build the network that ``header`` describes with initial weights drawn by ``seed`` alone."""
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(seed)
        return header.new_network()


def check_initial(initial: ModelHeader, wanted: ModelHeader) -> None:
    """Refuse to start a training from a network that is not the one wanted.

    Raises:
        CrossplayError: the first difference in architecture, hyperparameters, layout or channels; or in
            the board, if the architecture has weights for its cells.
    """
    if initial.architecture == wanted.architecture:
        initial, wanted = (
            replace(header, hyperparameters=header.all_hyperparameters()) for header in (initial, wanted)
        )
    names = ["architecture", "hyperparameters", "layout", "state_channels", "move_channels"]
    if not ARCHITECTURES[wanted.architecture].changes_board:
        names.append("board")
    for name in names:
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
    return f"[{', '.join(map(str, value))}]" if isinstance(value, tuple) else repr(value)
