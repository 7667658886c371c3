"""What the architectures are built from: convolutions with their norms, pooling over a board."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn


class MaskedBatchNorm2d(nn.BatchNorm2d):
    """Batch norm whose statistics are those of the cells that exist; parameters and names are the same."""

    def forward(self, input: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        """Normalise ``input [B, D, X, Y]`` by the cells where ``mask [B, 1, X, Y]`` is 1, else is 0."""
        if mask is None or not self.training:
            return super().forward(input)
        assert self.running_mean is not None
        assert self.running_var is not None
        assert self.num_batches_tracked is not None
        cells = mask.sum()
        mean = (input * mask).sum((0, 2, 3)) / cells
        centred = (input - mean[:, None, None]) * mask
        variance = centred.square().sum((0, 2, 3)) / cells
        with torch.no_grad():
            self.num_batches_tracked += 1
            share = 1.0 / int(self.num_batches_tracked) if self.momentum is None else self.momentum
            self.running_mean.lerp_(mean, share)
            self.running_var.lerp_(variance * (cells / (cells - 1).clamp(min=1)), share)
        scale = self.weight * torch.rsqrt(variance + self.eps)
        return centred * scale[:, None, None] + self.bias[:, None, None]


def convolution(
    inputs: int, width: int, kernel: int, norms: int, momentum: float, masked: bool
) -> list[nn.Module]:
    """A convolution that keeps the board's size and ``norms`` batch norms; without any it has a bias."""
    norm = MaskedBatchNorm2d if masked else nn.BatchNorm2d
    return [
        nn.Conv2d(inputs, width, kernel, padding=kernel // 2, bias=norms == 0),
        *(norm(width, momentum=momentum) for _ in range(norms)),
    ]


def convolve(layer: nn.Module, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    """Apply a convolution and its norms; what comes out on cells that do not exist is 0."""
    if mask is None:
        return layer(x)
    for part in layer if isinstance(layer, nn.Sequential) else (layer,):
        x = part(x, mask) if isinstance(part, MaskedBatchNorm2d) else part(x)
    return x * mask


def cells_mask(planes: torch.Tensor, channels: Sequence[int]) -> torch.Tensor | None:
    """The cells that exist by any of the ``channels`` of ``planes``: ``[B, 1, X, Y]`` of 1 and 0."""
    return planes[:, list(channels)].amax(1, keepdim=True) if channels else None


def pool(x: torch.Tensor, mask: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
    """Maximum and mean of ``x [B, D, X, Y]`` over the cells that exist, ``[B, D, 1, 1]`` each."""
    if mask is None:
        return x.amax((2, 3), keepdim=True), x.mean((2, 3), keepdim=True)
    largest = x.masked_fill(mask == 0, -torch.inf).amax((2, 3), keepdim=True)
    return largest, (x * mask).sum((2, 3), keepdim=True) / mask.sum((2, 3), keepdim=True)
