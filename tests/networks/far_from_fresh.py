"""Networks that are unlike freshly made ones, so that nothing is right by chance."""

from __future__ import annotations

import torch

from crossplay.networks import PolicyValueNetwork


def far_from_fresh(network: PolicyValueNetwork, channels: int, board: tuple[int, int]) -> PolicyValueNetwork:
    """Move batch norm statistics, scales and biases far from their initial values."""
    network.train()
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.3 * torch.randn_like(parameter))
        for _ in range(5):
            network(torch.randn(32, channels, *board) * 2 + 0.5)
    return network.eval()
