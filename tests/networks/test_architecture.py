"""The architecture against the published parameter counts, names and wiring."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from crossplay.errors import CrossplayError
from crossplay.networks import build_network

NAME = "ResConvConvLogitPoolModelV2"


def closed_formula(c, moves, d, n, layers, k=3, g=0.0):
    pooled = int(d * g)
    first = k * k * (d + 2 * pooled) * d + 2 * d
    block = first + (layers - 1) * (k * k * d * d + 2 * d)
    value = (4 * d * d + 2 * d) + (2 * d + 1)
    return k * k * c * d + 2 * d + n * block + value + (k * k * d * moves + moves)


# The counts of the published transfer experiments: 10 blocks of 6, width twice the state channels.
@pytest.mark.parametrize(
    ("channels", "moves", "published"),
    [(9, 3, 180_472), (10, 3, 222_464), (10, 51, 231_152), (37, 51, 3_046_928)],
)
def test_published_parameter_counts(channels, moves, published):
    network = build_network(
        NAME, channels, moves, None, {"width": 2 * channels, "blocks": 10, "layers_per_block": 6}
    )
    assert sum(p.numel() for p in network.parameters()) == published
    assert published == closed_formula(channels, moves, 2 * channels, 10, 6)


@pytest.mark.parametrize(
    ("width", "blocks", "layers", "kernel", "pooling"),
    [(32, 3, 2, 3, 0.0), (12, 2, 3, 5, 0.25), (7, 1, 1, 1, 1.0)],
)
def test_parameter_count_formula(width, blocks, layers, kernel, pooling):
    hyperparameters = {
        "width": width,
        "blocks": blocks,
        "layers_per_block": layers,
        "kernel": kernel,
        "global_pooling": pooling,
    }
    network = build_network(NAME, 10, 3, None, hyperparameters)
    expected = closed_formula(10, 3, width, blocks, layers, kernel, pooling)
    assert sum(p.numel() for p in network.parameters()) == expected


def test_names_and_wiring_follow_polygames():
    """An independent forward pass from the named tensors, as the Polygames source does it."""
    torch.manual_seed(1)
    hyperparameters = {
        "width": 8,
        "blocks": 2,
        "layers_per_block": 3,
        "global_pooling": 0.3,
        "activation": "celu",
    }
    network = build_network(NAME, 4, 3, None, hyperparameters)
    planes = torch.randn(5, 4, 6, 7)
    network.train()
    with torch.no_grad():
        network(planes)  # running statistics unlike their initial values
    network.eval()
    w = network.state_dict()

    def conv_bn(x, conv, norm):
        x = F.conv2d(x, w[conv + ".weight"], padding=1)
        stats = (w[f"{norm}.{key}"] for key in ("running_mean", "running_var", "weight", "bias"))
        return F.batch_norm(x, *stats)

    x = conv_bn(planes, "mono.0", "mono.1")
    for i in range(2):
        part = x[:, :2]
        h = F.celu(
            torch.cat(
                (
                    x,
                    F.adaptive_max_pool2d(part, 1).expand_as(part),
                    F.adaptive_avg_pool2d(part, 1).expand_as(part),
                ),
                1,
            )
        )
        for j in range(3):
            h = conv_bn(h, f"resnets.{i}.{j}.0", f"resnets.{i}.{j}.1")
            h = F.celu(h) if j < 2 else h
        x = x + h
    x = F.celu(x)
    pool = torch.cat((F.adaptive_max_pool2d(x, 1), F.adaptive_avg_pool2d(x, 1)), 1).flatten(1)
    value = torch.tanh(
        F.linear(F.celu(F.linear(pool, w["v.weight"], w["v.bias"])), w["v2.weight"], w["v2.bias"])
    )
    logits = F.conv2d(x, w["pi_logit.weight"], w["pi_logit.bias"], padding=1)
    got_logits, got_values = network(planes)
    torch.testing.assert_close(got_logits, logits)
    torch.testing.assert_close(got_values, value[:, 0])


def test_without_batch_norm_names_and_biases():
    names = set(build_network(NAME, 4, 3, None, {"batch_norm": False, "blocks": 1}).state_dict())
    assert {"mono.0.bias", "resnets.0.0.weight", "resnets.0.1.bias", "pi_logit.bias"} <= names
    assert not any("running" in name for name in names)


def test_receptive_field_is_what_gradients_reach():
    # No batch norm, whose batch statistics would connect everything; celu, which passes gradients everywhere.
    network = build_network(
        NAME,
        2,
        1,
        None,
        {"width": 4, "blocks": 1, "layers_per_block": 2, "batch_norm": False, "activation": "celu"},
    )
    planes = torch.randn(1, 2, 15, 15, requires_grad=True)
    network(planes)[0][0, 0, 7, 7].backward()
    reached = (planes.grad[0] != 0).any(0)
    expected = torch.zeros(15, 15, dtype=torch.bool)
    expected[3:12, 3:12] = True
    assert network.receptive_field() == 9
    assert torch.equal(reached, expected)


def test_initialisation_is_seeded_xavier():
    def build():
        torch.manual_seed(3)
        return build_network(NAME, 10, 3, None, {"width": 64})

    first, second = build(), build()
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    weight = first.resnets[0][0][0].weight
    bound = (6 / (64 * 9 + 64 * 9)) ** 0.5
    assert 0.99 * bound < weight.abs().max() <= bound


@pytest.mark.parametrize(
    ("name", "hyperparameters", "message"),
    [
        ("Unknown", {}, "unknown network architecture 'Unknown'"),
        (NAME, {"depth": 3}, "no hyperparameter 'depth'"),
        (NAME, {"width": 2.5}, "width must be a whole number"),
        (NAME, {"kernel": 4}, "kernel must be odd"),
        (NAME, {"activation": "sine"}, "unknown network activation 'sine'"),
        (NAME, {"global_pooling": 1.5}, "global_pooling"),
    ],
)
def test_bad_hyperparameters(name, hyperparameters, message):
    with pytest.raises(CrossplayError, match=message):
        build_network(name, 4, 3, None, hyperparameters)
