"""The known architectures by name."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from crossplay.errors import CrossplayError
from crossplay.networks.base import Board, PolicyValueNetwork
from crossplay.networks.res_conv_pool import ResConvConvLogitPoolModelV2

ARCHITECTURES: dict[str, type[PolicyValueNetwork]] = {
    "ResConvConvLogitPoolModelV2": ResConvConvLogitPoolModelV2,
}


def build_network(
    name: str,
    state_channels: int,
    move_channels: int,
    board: Board | None,
    hyperparameters: Mapping[str, Any],
) -> PolicyValueNetwork:
    """Build a freshly initialised network; the draw comes from torch's global generator.

    Args:
        name: a key of :data:`ARCHITECTURES`.
        state_channels: number of input planes.
        move_channels: number of policy planes.
        board: (X, Y) of the planes; None is enough for architectures that change boards.
        hyperparameters: keyword arguments of the architecture; absent ones take its defaults.

    Raises:
        CrossplayError: unknown architecture, unknown hyperparameter, a value out of range, or no board
            where it is needed.
    """
    if name not in ARCHITECTURES:
        raise CrossplayError(f"unknown network architecture {name!r}; known: {', '.join(ARCHITECTURES)}")
    architecture = ARCHITECTURES[name]
    known = set(inspect.signature(architecture).parameters) - {"state_channels", "move_channels", "board"}
    unknown = sorted(set(hyperparameters) - known)
    if unknown:
        raise CrossplayError(
            f"{name} has no hyperparameter {unknown[0]!r}; known: {', '.join(sorted(known))}"
        )
    return architecture(state_channels, move_channels, board, **hyperparameters)
