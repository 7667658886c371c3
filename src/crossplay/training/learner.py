"""Fitting the network to minibatches of self-play positions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the name everyone uses

from crossplay.config import TrainingSettings
from crossplay.errors import CrossplayError
from crossplay.networks import PolicyValueNetwork, expected_value
from crossplay.networks.calibration import calibration_bins, calibration_error
from crossplay.networks.inference import channels_last
from crossplay.selfplay import Minibatch

ILLEGAL_LOGIT = -400.0

# What is measured at each step, in this order; see Learner.take_diagnostics.
DIAGNOSTICS = (
    "policy_loss", "value_loss", "policy_entropy", "target_entropy", "value_bias", "gradient_norm",
)  # fmt: skip


def legal_log_shares(logits: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Logarithms ``[B, A]`` of the policy's shares, illegal actions having the logit -400 as in Polygames.

    Args:
        logits: ``[B, A]``.
        legal: ``[B, A]`` 1 for legal actions, else 0.
    """
    return F.log_softmax(logits * legal + ILLEGAL_LOGIT * (1.0 - legal), 1)


def policy_value_loss(
    log_shares: torch.Tensor,
    values: torch.Tensor,
    policy: torch.Tensor,
    outcomes: torch.Tensor,
    value_weight: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The loss of Polygames: ``value_weight (v - z)^2 + CE(pi, p)``.

    Of a network with log-odds of loss, draw and win, ``value_weight CE(t, softmax(values))`` takes the
    place of the squared error: t is the certainty of the result, for a z between two of them the mixture
    of both that has this mean.

    Args:
        log_shares: ``[B, A]`` logarithms of the policy p, see :func:`legal_log_shares`.
        values: ``[B]`` predicted values v, or ``[B, 3]`` log-odds of loss, draw and win.
        policy: ``[B, A]`` target distribution pi over the legal actions.
        outcomes: ``[B]`` results z for the agent to move.
        value_weight: weight of the value loss.

    Returns:
        The total, the policy loss and the (unweighted) value loss, means over the batch.
    """
    policy_loss = -(policy * log_shares).sum(1).mean()
    if values.dim() == 1:
        value_loss = F.mse_loss(values, outcomes)
    else:
        results = torch.stack((-outcomes.clamp(max=0), 1.0 - outcomes.abs(), outcomes.clamp(min=0)), 1)
        value_loss = F.cross_entropy(values, results)
    return policy_loss + value_weight * value_loss, policy_loss, value_loss


class Learner:
    """A network in training with its optimiser.

    Args:
        network: is trained in place, on ``device``.
        settings: batch size, optimiser and loss weights.
        state_shape: (C, X, Y) of one position.
        device: where to compute.

    Attributes:
        network: the network, in training mode.
        steps: optimiser steps made.
    """

    def __init__(
        self,
        network: PolicyValueNetwork,
        settings: TrainingSettings,
        state_shape: tuple[int, int, int],
        device: torch.device,
    ) -> None:
        self.network = channels_last(network, device).train().requires_grad_(True)
        self.steps = 0
        self._settings = settings
        self._state_shape = state_shape
        self._device = device
        optimiser = {"adamw": torch.optim.AdamW, "adam": torch.optim.Adam}[settings.optimiser]
        self._optimiser = optimiser(
            self.network.parameters(),
            settings.learning_rate,
            weight_decay=settings.weight_decay,
            eps=settings.epsilon,
            fused=True,
        )
        # Kept on the device: reading a loss after every step would stall a GPU.
        self._sums = torch.zeros(len(DIAGNOSTICS), dtype=torch.float64, device=device)
        self._bins = calibration_bins(*torch.zeros(2, 0, device=device))
        self._summed = 0

    def step(self, batch: Minibatch, rate: float) -> None:
        """Make one optimiser step on ``batch`` at learning rate ``rate``."""
        planes, policy, legal, outcomes = (torch.from_numpy(a).to(self._device) for a in batch)
        planes = planes.view(-1, *self._state_shape).contiguous(memory_format=torch.channels_last)
        logits, values = self.network(planes)
        log_shares = legal_log_shares(logits.flatten(1), legal)
        total, policy_loss, value_loss = policy_value_loss(
            log_shares, values, policy, outcomes, self._settings.value_weight
        )
        self._optimiser.zero_grad()
        torch.autograd.backward(total)
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), self._settings.gradient_clip)
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        self._optimiser.step()
        self.steps += 1
        with torch.no_grad():
            expected = expected_value(values)
            bias = (expected - outcomes).mean()
            entropies = (
                -(log_shares.exp() * log_shares).sum(1).mean(),
                -torch.special.xlogy(policy, policy).sum(1).mean(),
            )
            self._sums += torch.stack((policy_loss, value_loss, *entropies, bias, norm))
            self._bins += calibration_bins(expected, outcomes)
        self._summed += 1

    def take_diagnostics(self) -> dict[str, float]:
        """Means over the steps since the last call; empty if there were none.

        ``policy_loss`` and ``value_loss`` as in :func:`policy_value_loss`; the entropies in nats of the
        network's policy over legal actions and of its targets, below which the policy's loss cannot fall;
        ``value_bias``, by how much values are too high on average; ``calibration_error``, by how much values
        of a size are off, see :mod:`crossplay.networks.calibration`; ``gradient_norm`` before clipping.

        Raises:
            CrossplayError: the losses are no longer finite.
        """
        if self._summed == 0:
            return {}
        means = dict(zip(DIAGNOSTICS, (self._sums / self._summed).tolist(), strict=True))
        means["calibration_error"] = calibration_error(self._bins)
        self._sums.zero_()
        self._bins.zero_()
        self._summed = 0
        loss = means["policy_loss"] + means["value_loss"]
        if not np.isfinite(loss):
            raise CrossplayError(
                f"training diverged (loss {loss}) by step {self.steps}; lower "
                f"learning_rate (now {self._settings.learning_rate:g}) and start afresh"
            )
        return means

    def arrays(self) -> dict[str, np.ndarray]:
        """Copies of the weights (``network.NAME``) and of the optimiser's moments (``optimiser.I.KEY``)."""
        tensors = {f"network.{name}": tensor for name, tensor in self.network.state_dict().items()}
        for index, moments in self._optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{index}.{key}": tensor for key, tensor in moments.items()}
        return {name: tensor.detach().cpu().contiguous().numpy().copy() for name, tensor in tensors.items()}

    @torch.no_grad()
    def restore(self, arrays: Mapping[str, np.ndarray], steps: int) -> None:
        """Take over what :meth:`arrays` returned after ``steps`` steps.

        Raises:
            KeyError, RuntimeError: the arrays are those of another network.
        """
        names = self.network.state_dict()
        self.network.load_state_dict({name: torch.tensor(arrays[f"network.{name}"]) for name in names})
        state = self._optimiser.state_dict()
        parameters = list(self.network.parameters())
        for name, array in arrays.items():
            if name.startswith("optimiser."):
                _, index, key = name.split(".")
                moment = torch.tensor(array)
                parameter = parameters[int(index)]
                if moment.shape == parameter.shape:
                    # The fused optimiser pairs elements by their place in memory.
                    moment = torch.empty_like(parameter).copy_(moment)
                state["state"].setdefault(int(index), {})[key] = moment
        self._optimiser.load_state_dict(state)
        self.steps = steps
