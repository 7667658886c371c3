"""Batch norm statistics of a network for positions of another kind than it was trained with."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import nn

from crossplay.networks.base import PolicyValueNetwork


def recompute_statistics(network: PolicyValueNetwork, batches: Iterable[torch.Tensor]) -> None:
    """Replace the running statistics of all batch norms by their means over ``batches``.

    A transferred network has the statistics of its source game; its weights are left as they are. A
    network without batch norm, or without a batch, does not change.

    Args:
        network: is changed in place; its mode is kept.
        batches: planes ``[B, C, X, Y]`` each, with more than one cell per plane, equal in size so that
            every position counts the same.
    """
    norms = [module for module in network.modules() if isinstance(module, nn.BatchNorm2d)]
    momenta = [norm.momentum for norm in norms]
    training = network.training
    network.train()
    try:
        with torch.no_grad():
            for i, planes in enumerate(batches):
                for norm in norms if i == 0 else ():
                    norm.reset_running_stats()
                    norm.momentum = None  # the mean of all batches
                network(planes)
    finally:
        network.train(training)
        for norm, momentum in zip(norms, momenta, strict=True):
            norm.momentum = momentum
