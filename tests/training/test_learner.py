"""The loss against a plain computation, and the optimiser's state over a restart."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from crossplay.config import TrainingSettings
from crossplay.errors import CrossplayError
from crossplay.networks import build_network
from crossplay.selfplay import Minibatch
from crossplay.training.learner import Learner, legal_log_shares, policy_value_loss

SHAPE = (4, 3, 3)


def minibatch(n=64, seed=0):
    rng = np.random.default_rng(seed)
    legal = (rng.random((n, 27)) < 0.5).astype(np.float32)
    legal[:, 0] = 1
    policy = rng.random((n, 27)).astype(np.float32) * legal
    policy /= policy.sum(1, keepdims=True)
    planes = rng.normal(size=(n, 36)).astype(np.float32)
    return Minibatch(planes, policy, legal, rng.integers(-1, 2, n).astype(np.float32))


def learner(**settings):
    torch.manual_seed(0)
    network = build_network("ResConvConvLogitPoolModelV2", 4, 3, None, {"width": 8, "blocks": 1})
    return Learner(network, TrainingSettings(**settings), SHAPE, torch.device("cpu"))


def test_loss_by_hand():
    batch = minibatch(5)
    rng = np.random.default_rng(1)
    logits, values = rng.normal(size=(5, 27)) * 3, rng.uniform(-1, 1, 5)
    given = (logits, batch.legal, values, batch.policy, batch.outcomes)
    scores, legal, *rest = (torch.from_numpy(np.asarray(a, np.float32)) for a in given)
    total, policy_loss, value_loss = policy_value_loss(
        legal_log_shares(scores, legal), *rest, value_weight=1.5
    )
    cross_entropy, squared = 0.0, 0.0
    for i in range(5):
        allowed = np.flatnonzero(batch.legal[i])
        exponentials = np.exp(logits[i, allowed])
        probabilities = exponentials / exponentials.sum()
        cross_entropy -= (batch.policy[i, allowed] * np.log(probabilities)).sum() / 5
        squared += (values[i] - batch.outcomes[i]) ** 2 / 5
    assert policy_loss.item() == pytest.approx(cross_entropy, rel=1e-5)
    assert value_loss.item() == pytest.approx(squared, rel=1e-5)
    assert total.item() == pytest.approx(cross_entropy + 1.5 * squared, rel=1e-5)


def test_fits_a_batch():
    subject = learner()
    batch = minibatch()
    subject.step(batch, 3e-3)
    first = subject.take_diagnostics()
    for _ in range(300):
        subject.step(batch, 3e-3)
    subject.take_diagnostics()
    subject.step(batch, 3e-3)
    last = subject.take_diagnostics()
    entropy = -(batch.policy * np.log(np.where(batch.policy > 0, batch.policy, 1))).sum(1).mean()
    assert last["policy_loss"] - entropy < 0.3 * (first["policy_loss"] - entropy)
    assert last["value_loss"] < 0.1 * first["value_loss"]
    assert subject.take_diagnostics() == {}


def test_diagnostics_are_means_over_the_steps():
    subject = learner()
    batches = [minibatch(seed=seed) for seed in range(2)]
    expected = []
    for batch in batches:
        with torch.no_grad():  # in training mode, as the step will compute it
            logits, values = copy.deepcopy(subject.network)(torch.from_numpy(batch.planes).view(-1, *SHAPE))
        logits = np.where(batch.legal > 0, logits.flatten(1).numpy().astype(float), -np.inf)
        shares = np.exp(logits - logits.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        expected.append(
            {
                "policy_entropy": -(shares * np.log(np.where(shares > 0, shares, 1))).sum(1).mean(),
                "target_entropy": -(batch.policy * np.log(np.where(batch.policy > 0, batch.policy, 1)))
                .sum(1)
                .mean(),
                "value_bias": (values.numpy() - batch.outcomes).mean(),
            }
        )
        subject.step(batch, 3e-3)
    found = subject.take_diagnostics()
    for name in expected[0]:
        assert found[name] == pytest.approx(np.mean([row[name] for row in expected]), abs=1e-4), name
    assert found["gradient_norm"] > 0


def test_restored_learner_goes_on_identically():
    straight, resumed = learner(), learner()
    for seed in range(6):
        straight.step(minibatch(seed=seed), 3e-3)
        if seed == 2:
            resumed.restore(straight.arrays(), straight.steps)
        if seed > 2:
            resumed.step(minibatch(seed=seed), 3e-3)
    assert resumed.steps == 6
    expected = straight.arrays()
    for name, array in resumed.arrays().items():
        np.testing.assert_array_equal(array, expected[name], err_msg=name)
    assert any(name.endswith("exp_avg_sq") for name in expected)


def test_divergence_is_reported():
    subject = learner(learning_rate=1.0)
    batch = minibatch()
    subject.step(batch._replace(planes=batch.planes * np.float32(np.inf)), 3e-3)
    with pytest.raises(CrossplayError, match=r"training diverged.*lower learning_rate"):
        subject.take_diagnostics()


def test_loss_of_odds_by_hand():
    """A win costs -log P(win), a draw -log P(draw); a result of 0.5 is half of each."""
    odds = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1], [0.25, 0.25, 0.5], [0.1, 0.2, 0.7]])
    outcomes = torch.tensor([1.0, -1.0, 0.0, 0.5])
    legal = torch.ones(4, 2)
    shares = legal_log_shares(torch.zeros(4, 2), legal)
    _, _, loss = policy_value_loss(shares, torch.from_numpy(odds).log() + 3, legal / 2, outcomes, 1.5)
    expected = -np.mean([np.log(0.5), np.log(0.6), np.log(0.25), (np.log(0.2) + np.log(0.7)) / 2])
    assert abs(float(loss) - expected) < 1e-6


@pytest.mark.parametrize("optimiser", ["adam", "adamw"])
def test_the_first_step_is_that_of_adam(optimiser):
    """Its moments are the gradient g and its square, so each weight moves by rate * g / (|g| + epsilon)."""
    rate, decay, epsilon = 1e-3, 0.1, 1.5e-4
    batch = minibatch()
    subject, twin = (
        learner(optimiser=optimiser, weight_decay=decay, epsilon=epsilon, gradient_clip=1e9) for _ in range(2)
    )
    before = [p.detach().double().clone() for p in subject.network.parameters()]
    subject.step(batch, rate)
    twin.step(batch, 0.0)  # leaves its gradients behind, and its weights as they were
    for weight, old, other in zip(
        subject.network.parameters(), before, twin.network.parameters(), strict=True
    ):
        gradient = other.grad.double() + (decay * old if optimiser == "adam" else 0)
        expected = old - rate * gradient / (gradient.abs() + epsilon)
        expected -= rate * decay * old if optimiser == "adamw" else 0
        torch.testing.assert_close(weight.detach().double(), expected, rtol=0, atol=2e-6)
