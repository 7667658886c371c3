"""Hyperparameters of the architectures: their names, defaults and ranges.

What is out of range is refused by a :class:`CrossplayError` that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812 - the name everyone uses

from crossplay.errors import CrossplayError

Activation = Callable[[torch.Tensor], torch.Tensor]
ACTIVATIONS: dict[str, Activation] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "celu": F.celu,
}

# Outputs of a value head's last layer.
VALUE_HEADS = {"tanh": 1, "wdl": 3}

# Far above any use, low enough that a crafted model file cannot ask for endless work.
_LIMITS = {"width": (1, 8192), "blocks": (0, 1000), "layers_per_block": (1, 1000), "kernel": (1, 99)}


@dataclass(frozen=True, kw_only=True)
class Hyperparameters:
    """What all architectures have.

    Attributes:
        width: planes D of every hidden layer.
        kernel: side k of every convolution, odd.
        batch_norm: follow every trunk convolution by batch normalisation (it then has no bias).
        batch_norm_momentum: weight of a new batch in the running statistics.
        value_head: "tanh", one value, or "wdl", log-odds of loss, draw and win.
    """

    width: int = 32
    kernel: int = 3
    batch_norm: bool = True
    batch_norm_momentum: float = 0.1
    value_head: str = "tanh"

    def __post_init__(self) -> None:
        for name, (low, high) in _LIMITS.items():
            value = getattr(self, name, low)
            if type(value) is not int or not low <= value <= high:
                raise CrossplayError(
                    f"network {name} must be a whole number from {low} to {high}, not {value!r}"
                )
        if self.kernel % 2 == 0:
            raise CrossplayError(f"network kernel must be odd to keep the board's size, not {self.kernel}")
        _check_choice("value_head", self.value_head, VALUE_HEADS)


@dataclass(frozen=True, kw_only=True)
class Chain(Hyperparameters):
    """Of a chain of convolutions.

    Attributes:
        blocks: convolutions n after the first.
    """

    blocks: int = 13


@dataclass(frozen=True, kw_only=True)
class Blocks(Hyperparameters):
    """Of blocks of convolutions.

    Attributes:
        blocks: number of blocks n.
        layers_per_block: convolutions L in each.
    """

    blocks: int = 5
    layers_per_block: int = 3


@dataclass(frozen=True, kw_only=True)
class OddBlocks(Blocks):
    """Of blocks with one in the middle."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.blocks % 2 == 0:
            raise CrossplayError(
                f"network blocks must be odd in a U, so that one is in the middle, not {self.blocks}"
            )


@dataclass(frozen=True, kw_only=True)
class Pooled(Blocks):
    """Of blocks below heads that pool over the board.

    Attributes:
        mask_channels: input planes that are 1 on cells that exist. Cells that exist by none of them are 0
            in every layer and take no part in pooling or normalisation. Empty is no mask, as in Polygames.
    """

    batch_norm_momentum: float = 0.01
    mask_channels: Sequence[int] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if any(type(channel) is not int or channel < 0 for channel in self.mask_channels):
            raise CrossplayError(
                f"network mask_channels must be numbers of state channels, not {list(self.mask_channels)}"
            )


@dataclass(frozen=True, kw_only=True)
class GloballyPooled(Pooled):
    """Of blocks that pool over the board themselves.

    Attributes:
        global_pooling: fraction g of the planes whose maximum and mean over the board are appended to the
            input of each block's first convolution.
        activation: "relu", "gelu" or "celu".
    """

    blocks: int = 3
    layers_per_block: int = 2
    batch_norm_momentum: float = 0.1
    global_pooling: float = 0.0
    activation: str = "relu"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.global_pooling <= 1.0:
            raise CrossplayError(
                f"network global_pooling must be a fraction from 0 to 1, not {self.global_pooling!r}"
            )
        _check_choice("activation", self.activation, ACTIVATIONS)


def _check_choice(name: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        raise CrossplayError(f"unknown network {name} {value!r}; choose from {', '.join(known)}")
