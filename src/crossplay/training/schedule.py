"""How far a training is, and what follows from it: the end, the learning rate, the number of steps.

Everything is driven by work done, not by time (unless seconds are the budget), so that a training
comes out alike on a fast and on a slow machine.
"""

from __future__ import annotations

from dataclasses import dataclass

from crossplay.config import TrainingSettings


@dataclass
class Amount:
    """Work done in one training, over all its sessions."""

    positions: int = 0
    games: int = 0
    steps: int = 0
    seconds: float = 0.0


def progress(done: Amount, settings: TrainingSettings) -> float:
    """The share of the budget that is used, 0 to 1: of several budgets, the one nearest its end counts."""
    shares = [done.positions / settings.positions]
    if settings.games is not None:
        shares.append(done.games / settings.games)
    if settings.steps is not None:
        shares.append(done.steps / settings.steps)
    if settings.seconds is not None:
        shares.append(done.seconds / settings.seconds)
    return min(1.0, max(shares))


def learning_rate(step: int, share: float, settings: TrainingSettings) -> float:
    """The rate for optimiser step ``step`` (from 0) when ``share`` of the budget is used.

    It rises linearly over the first ``warmup_steps`` and falls linearly over the second half of the
    budget, from the peak to ``final_learning_rate_fraction`` of it.
    """
    final = settings.final_learning_rate_fraction
    warmup = min(1.0, (step + 1) / settings.warmup_steps) if settings.warmup_steps else 1.0
    decay = 1.0 - (1.0 - final) * max(0.0, (share - 0.5) / 0.5)
    return settings.learning_rate * warmup * decay


def steps_due(positions: int, settings: TrainingSettings) -> int:
    """Optimiser steps that ``positions`` call for: each after the warm-up is to be used equally often."""
    new = min(positions, settings.positions) - settings.warmup_positions
    due = int(max(0, new) * settings.samples_per_position / settings.batch_size)
    return due if settings.steps is None else min(due, settings.steps)
