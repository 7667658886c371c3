"""What every policy-value network has in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import torch
from torch import nn

from crossplay.errors import CrossplayError

Board = tuple[int, int]


class PolicyValueNetwork(nn.Module):
    """A network from state planes to policy planes and values.

    Args:
        state_channels: number of input planes C.
        move_channels: number of policy planes C'.
        board: (X, Y) of the planes; networks whose weights serve every size do without.

    Attributes:
        changes_board: whether the weights serve boards of every size. Otherwise there is a weight for
            every cell of one board, which can change to no other size.
        board: the only (X, Y) that the network reads, None if it reads every size.

    Raises:
        CrossplayError: the architecture needs to know the board.
    """

    changes_board: ClassVar[bool] = True

    def __init__(self, state_channels: int, move_channels: int, board: Board | None) -> None:
        super().__init__()
        if board is None and not self.changes_board:
            raise CrossplayError(
                f"{type(self).__name__} has weights for every cell and needs the size of the board; "
                "make the model anew from its game"
            )
        self.state_channels = state_channels
        self.move_channels = move_channels
        self.board = None if self.changes_board else board

    @abstractmethod
    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Map ``planes [B, C, X, Y]`` to ``(logits [B, C', X, Y], values)``, both unbounded in general.

        The values are ``[B]`` in [-1, 1] or log-odds ``[B, 3]``; see :func:`expected_value`.
        """

    @abstractmethod
    def receptive_field(self) -> int:
        """Side, in cells, of the square of input cells that one policy output sees by convolution."""


def expected_value(values: torch.Tensor) -> torch.Tensor:
    """The expected result in [-1, 1] for the agent to move, ``[B]``.

    Args:
        values: what a network returned: ``[B]`` these very results, or ``[B, 3]`` unnormalised
            log-probabilities of a loss, a draw and a win.
    """
    if values.dim() == 1:
        return values
    probabilities = torch.softmax(values, 1)
    return probabilities[:, 2] - probabilities[:, 0]
