"""The folded evaluator against the plain network."""

from __future__ import annotations

import os
import sys
import threading

import numpy as np
import pytest
import torch
from far_from_fresh import far_from_fresh

from crossplay.errors import CrossplayError
from crossplay.networks import Evaluator, build_network, choose_device


def trained_like(batch_norm=True, **more):
    """A network whose batch norm statistics and scales are far from their initial values."""
    torch.manual_seed(5)
    network = build_network(
        "ResConvConvLogitPoolModelV2",
        4,
        3,
        None,
        {"width": 16, "blocks": 2, "batch_norm": batch_norm, **more},
    )
    return far_from_fresh(network, 4, (5, 6))


@pytest.mark.parametrize(
    "options", [{}, {"batch_norm": False}, {"global_pooling": 0.5, "activation": "gelu"}]
)
def test_equals_the_unfolded_network(options):
    network = trained_like(**options)
    evaluator = Evaluator(network, (4, 5, 6))
    batch = np.random.default_rng(0).normal(size=(300, 4 * 5 * 6)).astype(np.float32)  # three chunks
    priors, values = evaluator(batch)
    assert priors.shape == (300, 3 * 5 * 6)
    with torch.no_grad():
        logits, expected_values = network(torch.from_numpy(batch).view(-1, 4, 5, 6))
    expected = torch.softmax(logits.flatten(1), 1).numpy()
    assert np.abs(priors / priors.sum(1, keepdims=True) - expected).max() < 1e-5
    assert np.abs(values - expected_values.numpy()).max() < 1e-5
    assert (priors.max(1) == 1).all()


def test_is_frozen_and_safe_between_threads():
    network = trained_like()
    evaluator = Evaluator(network, (4, 5, 6))
    batch = np.random.default_rng(1).normal(size=(64, 120)).astype(np.float32)
    before = evaluator(batch)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.zero_()
    results = {}
    threads = [threading.Thread(target=lambda i=i: results.update({i: evaluator(batch)})) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for priors, values in results.values():
        np.testing.assert_allclose(priors, before[0], atol=1e-6)
        np.testing.assert_allclose(values, before[1], atol=1e-6)


def test_bfloat16_is_close():
    network = trained_like()
    batch = np.random.default_rng(2).normal(size=(40, 120)).astype(np.float32)
    _, exact = Evaluator(network, (4, 5, 6))(batch)
    _, rough = Evaluator(network, (4, 5, 6), bfloat16=True)(batch)
    assert np.abs(exact - rough).max() < 0.1


def test_refusals():
    with pytest.raises(CrossplayError, match="reads 4 state channels, the game has 7"):
        Evaluator(trained_like(), (7, 5, 6))
    with pytest.raises(CrossplayError, match="device 'teapot' cannot be used"):
        choose_device("teapot")
    if not torch.cuda.is_available():
        with pytest.raises(CrossplayError, match="device 'cuda' cannot be used"):
            choose_device("cuda")
        assert choose_device("auto").type == "cpu"


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads by /proc")
def test_new_threads_compute_with_as_many_threads_as_set():
    """Were each to use every core, they would wait for each other at the end of every operation."""
    evaluator = Evaluator(trained_like(), (4, 5, 6))
    batch = np.zeros((64, 120), np.float32)
    counts: list[int] = []
    thread = threading.Thread(target=lambda: counts.append(_threads_started(evaluator, batch)))
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        thread.start()
        thread.join()
    finally:
        torch.set_num_threads(before)
    assert counts == [0]


def _threads_started(evaluator, batch):
    before = len(os.listdir("/proc/self/task"))
    evaluator(batch)
    return len(os.listdir("/proc/self/task")) - before
