"""Masked networks, and statistics that are computed anew."""

from __future__ import annotations

import copy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplay.networks import build_network, recompute_statistics

C, M, EXISTS = 5, 3, (2, 4)
V1, V2 = "ResConvConvLogitPoolModel", "ResConvConvLogitPoolModelV2"


def masked(name, **more):
    torch.manual_seed(0)
    settings = {"width": 7, "blocks": 2, "layers_per_block": 2, "mask_channels": EXISTS, **more}
    return build_network(name, C, M, None, settings).double()


def board(seed, x, y):
    """Random planes, in which each cell of the board exists by one of two planes, or by none."""
    generator = torch.Generator().manual_seed(seed)
    planes = torch.randn(4, C, x, y, generator=generator, dtype=torch.double)
    kinds = torch.randint(0, 4, (x, y), generator=generator)
    kinds[0, 0] = 0
    planes[:, EXISTS[0]] = (kinds == 0).double()
    planes[:, EXISTS[1]] = (kinds == 1).double()
    return planes


@settings(max_examples=15, deadline=None)
@given(
    st.sampled_from(
        [(V1, {}), (V2, {}), (V2, {"global_pooling": 0.5, "activation": "gelu"}), (V1, {"kernel": 5})]
    ),
    st.integers(0, 99),
    st.tuples(*[st.integers(0, 3)] * 4),
    st.booleans(),
)
def test_cells_that_do_not_exist_change_nothing(kind, seed, margins, training):
    """Whatever the planes say there, on a board as large as one likes."""
    left, right, low, high = margins
    name, more = kind
    small = board(seed, 5, 4)
    large = torch.randn(4, C, 5 + left + right, 4 + low + high, dtype=torch.double)
    large[:, EXISTS] = 0
    inside = (..., slice(left, left + 5), slice(low, low + 4))
    large[inside] = small
    first = masked(name, **more).train()
    first(board(seed + 1, 6, 6))  # statistics unlike their initial values
    second = copy.deepcopy(first)
    outputs = []
    for network, planes in ((first, small), (second, large)):
        logits, values = network.train(training)(planes)
        outputs.append((logits, values))
        (values.sum() + (logits[inside] if planes is large else logits).square().sum()).backward()
    exists = small[:, EXISTS].amax(1, keepdim=True)
    torch.testing.assert_close(outputs[1][0][inside] * exists, outputs[0][0] * exists)
    torch.testing.assert_close(outputs[1][1], outputs[0][1])
    for key, tensor in first.state_dict().items():
        torch.testing.assert_close(second.state_dict()[key], tensor, msg=key)
    for ours, theirs in zip(first.parameters(), second.parameters(), strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad)


@pytest.mark.parametrize("name", [V1, V2])
@pytest.mark.parametrize("training", [False, True])
def test_a_mask_of_all_cells_is_no_mask(name, training):
    planes = torch.randn(6, C, 5, 6, dtype=torch.double)
    planes[:, EXISTS[0]], planes[:, EXISTS[1]] = 1, 0
    first, second = masked(name).train(), masked(name, mask_channels=()).train()
    for network in (first, second):
        network(planes[:3] if training else planes)
        network.train(training)
    for ours, theirs in zip(first(planes), second(planes), strict=True):
        torch.testing.assert_close(ours, theirs)
    for ours, theirs in zip(first.buffers(), second.buffers(), strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("mask", [(), EXISTS])
def test_statistics_computed_anew(mask):
    """They forget the old ones and are means over batches; of one batch they are that batch's own."""
    network = masked(V2, mask_channels=mask).train()
    network(100 * board(1, 5, 5))
    fresh = masked(V2, mask_channels=mask)
    batches = [board(seed, 5, 5) for seed in (2, 3, 4)]
    for subject in (network.eval(), fresh):
        recompute_statistics(subject, iter(batches))
    assert not network.training
    assert network.mono[1].momentum == 0.1
    for ours, theirs in zip(network.buffers(), fresh.buffers(), strict=True):
        torch.testing.assert_close(ours, theirs)
    if not mask:
        with torch.no_grad():
            means = torch.stack([network.mono[0](planes).mean((0, 2, 3)) for planes in batches]).mean(0)
        torch.testing.assert_close(network.mono[1].running_mean, means)
    large = board(5, 40, 40)  # so large that n and n - 1 in the variance are the same
    recompute_statistics(network, [large])
    with torch.no_grad():
        in_use = network(large)
        while_training = copy.deepcopy(network).train()(large)
    for ours, theirs in zip(in_use, while_training, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-2, atol=1e-2)
