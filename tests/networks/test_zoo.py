"""Every architecture against closed formulas, independent forward passes and its own claims."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from far_from_fresh import far_from_fresh

from crossplay.errors import CrossplayError
from crossplay.networks import ARCHITECTURES, Evaluator, build_network
from crossplay.networks.registry import default_hyperparameters

C, M, X, Y = 5, 4, 6, 7


def small(name, **more):
    """Hyperparameters of a small network, as far as the architecture has them."""
    wanted = {"width": 6, "blocks": 3, "layers_per_block": 2, **more}
    return {key: value for key, value in wanted.items() if key in default_hyperparameters(name)}


def build(name, board=(X, Y), seed=0, **more):
    torch.manual_seed(seed)
    return build_network(name, C, M, board, small(name, **more))


def trained_like(network):
    """Move statistics and scales far from their initial values."""
    torch.manual_seed(1)
    return far_from_fresh(network, C, (X, Y))


def count(name, d, n, layers, k, norm, outputs):
    trunk = {"R": n * layers, "U": n * layers, "D": n, "N": 0}[name[0]]
    norms = 2 if name.startswith("Res") and not name.endswith("V2") else 1
    per_norm = 2 * d if norm else 0
    bias = 0 if norm else d
    total = k * k * C * d + per_norm + bias + trunk * (k * k * d * d + norms * per_norm + bias)
    cells = X * Y
    if name.endswith("V2"):
        total += 4 * d * d + 2 * d + outputs * (2 * d + 1)
    elif "Pool" in name:
        total += outputs * (2 * d + 1)
    else:
        total += outputs * (d * cells + 1)
    return total + ((d * cells + 1) * M * cells if "FC" in name else (k * k * d + 1) * M)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_parameter_counts(name):
    for width, blocks, layers, kernel, norm, head in ((6, 3, 2, 3, True, "tanh"), (5, 5, 3, 5, False, "wdl")):
        network = build(
            name,
            width=width,
            blocks=blocks,
            layers_per_block=layers,
            kernel=kernel,
            batch_norm=norm,
            value_head=head,
        )
        expected = count(name, width, blocks, layers, kernel, norm, 3 if head == "wdl" else 1)
        assert sum(p.numel() for p in network.parameters()) == expected


@pytest.mark.parametrize("head", ["tanh", "wdl"])
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_evaluator_equals_the_network_with_all_norms_merged(name, head):
    network = trained_like(build(name, value_head=head))
    evaluator = Evaluator(network, (C, X, Y))
    assert not any(isinstance(m, torch.nn.BatchNorm2d) for m in evaluator._network.modules())
    planes = torch.randn(9, C, X, Y)
    priors, values = evaluator(planes.flatten(1).numpy())
    with torch.no_grad():
        logits, expected = network(planes)
    assert logits.shape == (9, M, X, Y)
    policy = torch.softmax(logits.flatten(1), 1).numpy()
    np.testing.assert_allclose(priors / priors.sum(1, keepdims=True), policy, atol=1e-5)
    if head == "wdl":
        odds = np.exp(expected.numpy().astype(float))
        expected = (odds[:, 2] - odds[:, 0]) / odds.sum(1)
    np.testing.assert_allclose(values, expected, atol=1e-5)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_boards_that_an_architecture_can_change_to(name):
    network = build(name)
    pooled = "Pool" in name
    assert network.changes_board == pooled
    larger = (C, X + 2, Y + 1)
    if pooled:
        assert Evaluator(network, larger)(np.zeros((1, C * (X + 2) * (Y + 1)), np.float32))[0].shape[0] == 1
        build_network(name, C, M, None, {})
    else:
        with pytest.raises(CrossplayError, match="weights for each of 6 x 7 cells, the game has 8 x 8"):
            Evaluator(network, larger)
        with pytest.raises(CrossplayError, match="needs the size of the board"):
            build_network(name, C, M, None, {})


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_receptive_field_is_what_gradients_reach(name):
    board = (21, 19)
    # Without norms, whose statistics connect everything; with weights that let every path through relu.
    network = build(name, board, batch_norm=False, width=3)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.abs_()
    planes = torch.rand(1, C, *board, requires_grad=True)
    network(planes)[0][0, 0, 10, 9].backward()
    reached = (planes.grad[0] != 0).any(0)
    half = network.receptive_field() // 2
    expected = torch.zeros(board, dtype=torch.bool)
    expected[max(0, 10 - half) : 11 + half, max(0, 9 - half) : 10 + half] = True
    assert torch.equal(reached, expected)
    assert network.receptive_field() == (41 if "FC" in name else {"R": 17, "U": 17, "D": 11, "N": 5}[name[0]])


def test_a_u_adds_what_earlier_blocks_gave_in_their_order():
    network = build("UConvConvLogitModel", blocks=5, layers_per_block=1, batch_norm=False)
    w = network.state_dict()
    planes = torch.randn(3, C, X, Y)

    def conv(x, name):
        return F.conv2d(x, w[name + ".weight"], w[name + ".bias"], padding=1)

    h = conv(planes, "mono.0")
    first = conv(h.relu(), "resnets.0.0")
    second = conv(first.relu(), "resnets.1.0")
    middle = conv(second.relu(), "resnets.2.0")
    fourth = conv(middle.relu(), "resnets.3.0") + first
    last = (conv(fourth.relu(), "resnets.4.0") + second).relu()
    logits, values = network(planes)
    torch.testing.assert_close(logits, conv(last, "pi_logit"))
    torch.testing.assert_close(
        values, torch.tanh(F.linear(last.flatten(1), w["v.weight"], w["v.bias"]))[:, 0]
    )


def test_a_dense_policy_names_cells_in_the_order_of_planes():
    network = build("NanoFCLogitModel")
    with torch.no_grad():
        network.pi_logit.weight.zero_()
        network.pi_logit.bias.copy_(torch.arange(M * X * Y))
    logits, _ = network(torch.randn(2, C, X, Y))
    assert torch.equal(logits[1], torch.arange(M * X * Y).view(M, X, Y).float())


@pytest.mark.parametrize(
    ("name", "hyperparameters", "message"),
    [
        ("UConvConvLogitModel", {"blocks": 4}, "blocks must be odd"),
        ("NanoConvLogitModel", {"blocks": 4}, "NanoConvLogitModel has no hyperparameter 'blocks'"),
        ("ResConvFCLogitModel", {"mask_channels": [0]}, "has no hyperparameter 'mask_channels'"),
        ("ResConvConvLogitPoolModel", {"mask_channels": [C]}, "mask_channels must be below"),
        ("ResConvConvLogitPoolModel", {"mask_channels": [-1]}, "mask_channels must be numbers"),
        ("DeepConvConvLogitModel", {"value_head": "elo"}, "unknown network value_head 'elo'"),
    ],
)
def test_bad_hyperparameters(name, hyperparameters, message):
    with pytest.raises(CrossplayError, match=message):
        build_network(name, C, M, (X, Y), hyperparameters)
