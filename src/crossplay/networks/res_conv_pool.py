"""ResConvConvLogitPoolModelV2, the fully convolutional residual network of Polygames.

Every layer keeps the board's height and width, the policy is a convolution and the value head pools
over the board, so one set of weights serves every board size: what transfer between games needs.
Parameter names are those of Polygames, by which weights are matched between networks.
Source: T. Cazenave et al., "Polygames: Improved zero learning" (2020), model_zoo.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - the name everyone uses
from torch import nn

from crossplay.errors import CrossplayError
from crossplay.networks.base import Board, PolicyValueNetwork

ACTIVATIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "celu": F.celu,
}

# Far above any use, low enough that a crafted model file cannot ask for endless work.
_LIMITS = {"width": (1, 8192), "blocks": (0, 1000), "layers_per_block": (1, 1000), "kernel": (1, 99)}


class ResConvConvLogitPoolModelV2(PolicyValueNetwork):
    """Pre-activation residual tower with a convolutional policy and a pooled value head.

    Args:
        state_channels: input planes C.
        move_channels: policy planes C'.
        width: channels D of every hidden layer.
        blocks: residual blocks n.
        layers_per_block: convolutions L in each block.
        kernel: side k of every convolution, odd.
        global_pooling: fraction g of the channels whose maximum and mean over the board are appended
            to the input of each block's first convolution.
        batch_norm: follow every trunk convolution by batch normalisation (it then has no bias).
        batch_norm_momentum: weight of a new batch in the running statistics.
        activation: "relu", "gelu" or "celu".

    Raises:
        CrossplayError: a hyperparameter is out of range.

    The number of parameters with batch norm, G = int(D g) (Polygames)::

        k^2 C D + 2D + n [k^2 (D + 2G) D + 2D + (L - 1)(k^2 D^2 + 2D)]
        + (4D^2 + 2D) + (2D + 1) + (k^2 D C' + C')
    """

    def __init__(
        self,
        state_channels: int,
        move_channels: int,
        board: Board | None = None,
        *,
        width: int = 32,
        blocks: int = 3,
        layers_per_block: int = 2,
        kernel: int = 3,
        global_pooling: float = 0.0,
        batch_norm: bool = True,
        batch_norm_momentum: float = 0.1,
        activation: str = "relu",
    ) -> None:
        super().__init__(state_channels, move_channels, board)
        _check(
            {"width": width, "blocks": blocks, "layers_per_block": layers_per_block, "kernel": kernel},
            global_pooling,
            activation,
        )
        self.kernel = kernel
        self.activation = ACTIVATIONS[activation]
        self.pooled_channels = int(width * global_pooling)

        def convolution(inputs: int) -> list[nn.Module]:
            layers: list[nn.Module] = [
                nn.Conv2d(inputs, width, kernel, padding=kernel // 2, bias=not batch_norm)
            ]
            if batch_norm:
                layers.append(nn.BatchNorm2d(width, momentum=batch_norm_momentum))
            return layers

        def layer(inputs: int) -> nn.Module:
            layers = convolution(inputs)
            return nn.Sequential(*layers) if batch_norm else layers[0]

        self.mono = nn.Sequential(*convolution(state_channels))
        self.resnets = nn.ModuleList(
            nn.ModuleList(
                layer(width + 2 * self.pooled_channels if i == 0 else width) for i in range(layers_per_block)
            )
            for _ in range(blocks)
        )
        self.v = nn.Linear(2 * width, 2 * width)
        self.v2 = nn.Linear(2 * width, 1)
        self.pi_logit = nn.Conv2d(width, move_channels, kernel, padding=kernel // 2)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """See :meth:`PolicyValueNetwork.forward`."""
        act = self.activation
        trunk = self.mono(planes)
        for block in self.resnets:
            assert isinstance(block, nn.ModuleList)
            h = act(self._append_pooled(trunk))
            for i, layer in enumerate(block):
                h = layer(h) if i == 0 else layer(act(h))
            trunk = trunk + h
        trunk = act(trunk)
        pooled = torch.cat((trunk.amax((2, 3)), trunk.mean((2, 3))), 1)
        values = torch.tanh(self.v2(act(self.v(pooled)))).squeeze(1)
        return self.pi_logit(trunk), values

    def _append_pooled(self, trunk: torch.Tensor) -> torch.Tensor:
        if self.pooled_channels == 0:
            return trunk
        part = trunk[:, : self.pooled_channels]
        return torch.cat(
            (
                trunk,
                part.amax((2, 3), keepdim=True).expand_as(part),
                part.mean((2, 3), keepdim=True).expand_as(part),
            ),
            1,
        )

    def receptive_field(self) -> int:
        """Side, in cells, of the square of input cells that one policy output sees by convolution.

        Each of the first convolution, the trunk's and the policy head's widens it by k - 1. On boards
        wider than this a policy output cannot see everything (unless the trunk pools globally); the
        value always sees the whole board through its pooling.
        """
        convolutions = 2 + sum(len(block) for block in self.resnets if isinstance(block, nn.ModuleList))
        return 1 + (self.kernel - 1) * convolutions


def _check(sizes: dict[str, Any], global_pooling: float, activation: str) -> None:
    for name, value in sizes.items():
        low, high = _LIMITS[name]
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise CrossplayError(f"network {name} must be a whole number from {low} to {high}, not {value!r}")
    if sizes["kernel"] % 2 == 0:
        raise CrossplayError(f"network kernel must be odd to keep the board's size, not {sizes['kernel']}")
    if not 0.0 <= global_pooling <= 1.0:
        raise CrossplayError(f"network global_pooling must be a fraction from 0 to 1, not {global_pooling!r}")
    if activation not in ACTIVATIONS:
        raise CrossplayError(
            f"unknown network activation {activation!r}; choose from {', '.join(ACTIVATIONS)}"
        )
