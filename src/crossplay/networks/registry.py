"""The known architectures by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from crossplay.errors import CrossplayError
from crossplay.networks import zoo
from crossplay.networks.base import Board, PolicyValueNetwork

ARCHITECTURES: dict[str, type[zoo.ZooNetwork]] = {
    architecture.__name__: architecture
    for architecture in (
        zoo.ResConvConvLogitPoolModelV2,
        zoo.ResConvConvLogitPoolModel,
        zoo.ResConvConvLogitModel,
        zoo.ResConvFCLogitModel,
        zoo.UConvConvLogitModel,
        zoo.UConvFCLogitModel,
        zoo.DeepConvConvLogitModel,
        zoo.DeepConvFCLogitModel,
        zoo.NanoConvLogitModel,
        zoo.NanoFCLogitModel,
    )
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
        hyperparameters: of the architecture; absent ones take its defaults.

    Raises:
        CrossplayError: unknown architecture, unknown hyperparameter, a value out of range, or no board
            where it is needed.
    """
    known = default_hyperparameters(name)
    unknown = sorted(set(hyperparameters) - set(known))
    if unknown:
        raise CrossplayError(
            f"{name} has no hyperparameter {unknown[0]!r}; known: {', '.join(sorted(known))}"
        )
    architecture = ARCHITECTURES[name]
    settings = architecture.hyperparameters(**hyperparameters)
    return architecture(state_channels, move_channels, board, settings)


def default_hyperparameters(name: str) -> dict[str, Any]:
    """Return all hyperparameters of an architecture with their defaults.

    Raises:
        CrossplayError: unknown architecture.
    """
    if name not in ARCHITECTURES:
        raise CrossplayError(f"unknown network architecture {name!r}; known: {', '.join(ARCHITECTURES)}")
    return {field.name: field.default for field in fields(ARCHITECTURES[name].hyperparameters)}
