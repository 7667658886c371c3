"""What every policy-value network has in common."""

from __future__ import annotations

from abc import abstractmethod

import torch
from torch import nn


class PolicyValueNetwork(nn.Module):
    """A network from state planes to policy planes and one value.

    Attributes:
        state_channels: number of input planes C.
        move_channels: number of policy planes C'.
    """

    def __init__(self, state_channels: int, move_channels: int) -> None:
        super().__init__()
        self.state_channels = state_channels
        self.move_channels = move_channels

    @abstractmethod
    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Map ``planes [B, C, X, Y]`` to ``(logits [B, C', X, Y], values [B])``.

        Logits are unbounded; a value in [-1, 1] is the expected result for the agent to move.
        """

    @abstractmethod
    def receptive_field(self) -> int:
        """Side, in cells, of the square of input cells that one policy output sees by convolution."""
