"""Calibration against sums made one by one."""

from __future__ import annotations

import pytest
import torch

from crossplay.networks.calibration import BINS, calibration_bins, calibration_error


def test_bins_add_up_to_the_error() -> None:
    generator = torch.Generator().manual_seed(1)
    values = torch.rand(500, generator=generator) * 2 - 1
    outcomes = torch.randint(-1, 2, (500,), generator=generator).float()
    groups: dict[int, list[float]] = {}
    for value, outcome in zip(values.tolist(), outcomes.tolist(), strict=True):
        groups.setdefault(min(int((value + 1) / 2 * BINS), BINS - 1), []).append(value - outcome)
    expected = sum(abs(sum(group)) for group in groups.values()) / 500
    bins = calibration_bins(values[:200], outcomes[:200]) + calibration_bins(values[200:], outcomes[200:])
    assert calibration_error(bins) == pytest.approx(expected, abs=1e-6)


def test_the_ends_and_nothing() -> None:
    ends = torch.tensor([-1.0, 1.0])
    assert calibration_error(calibration_bins(ends, ends)) == 0
    assert calibration_error(calibration_bins(ends, -ends)) == 2
    assert calibration_error(calibration_bins(ends[:0], ends[:0])) == 0
