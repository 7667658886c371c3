"""Budgets, learning rate and how many steps are due."""

from __future__ import annotations

import pytest

from crossplay.config import TrainingSettings
from crossplay.training.schedule import Amount, learning_rate, progress, steps_due

SETTINGS = TrainingSettings(positions=10_000, warmup_positions=2000)


def test_progress_follows_the_budget_nearest_its_end():
    assert progress(Amount(positions=2500), SETTINGS) == 0.25
    limited = SETTINGS.model_copy(update={"games": 100, "steps": 10, "seconds": 60.0})
    assert progress(Amount(2500, 30, 2, 6.0), limited) == 0.3
    assert progress(Amount(2500, 30, 8, 6.0), limited) == 0.8
    assert progress(Amount(2500, 30, 2, 57.0), limited) == 0.95
    assert progress(Amount(10_001), SETTINGS) == 1.0


def test_learning_rate_rises_holds_and_falls():
    peak = SETTINGS.learning_rate
    assert learning_rate(0, 0.0, SETTINGS) == pytest.approx(peak / 50)
    assert learning_rate(24, 0.0, SETTINGS) == pytest.approx(peak / 2)
    assert learning_rate(49, 0.3, SETTINGS) == learning_rate(900, 0.5, SETTINGS) == peak
    assert learning_rate(900, 0.75, SETTINGS) == pytest.approx(peak * 0.525)
    assert learning_rate(900, 1.0, SETTINGS) == pytest.approx(peak * 0.05)
    no_warmup = SETTINGS.model_copy(update={"warmup_steps": 0})
    assert learning_rate(0, 0.0, no_warmup) == peak


def test_steps_due_keep_the_ratio_and_stop_with_the_budget():
    assert steps_due(2000, SETTINGS) == 0
    assert steps_due(2032, SETTINGS) == 1  # 32 positions, 8 times each, are a batch of 256
    assert steps_due(10_000, SETTINGS) == steps_due(12_000, SETTINGS) == 250
    assert steps_due(10_000, SETTINGS.model_copy(update={"steps": 40})) == 40
