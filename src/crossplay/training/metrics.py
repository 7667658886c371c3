"""Metrics of a training over time, and showing how far it is."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from crossplay.search.records import (
    CHECKED_RESIGNATIONS,
    DRAWS,
    GAMES,
    PLIES,
    POSITIONS,
    RESIGNATIONS,
    SWAPS,
    WINS_1,
    WRONG_RESIGNATIONS,
)
from crossplay.training.schedule import Amount

LOG_SECONDS = 10.0


class Times(NamedTuple):
    """Seconds that the workers have spent, all together."""

    network: float
    tree: float
    learning: float


class Meter:
    """Turns running totals into rows of metrics, each about the time since the row before.

    Args:
        totals: counters of the replay buffer at the start of the session.
    """

    def __init__(self, totals: np.ndarray) -> None:
        self._totals = totals
        self._times = Times(0.0, 0.0, 0.0)
        self._clock = time.perf_counter()

    def row(
        self,
        totals: np.ndarray,
        times: Times,
        amount: Amount,
        learning_rate: float,
        losses: tuple[float, float] | None,
    ) -> dict[str, float]:
        """Return the metrics now; those of learning or of games are left out if there were none.

        ``positions``, ``games``, ``steps`` and ``seconds`` are totals. The first-seat win rate counts a
        draw as half a win; the shares are of the workers' busy time. Of the games that went on although an
        agent would have resigned, ``wrong_resignation_rate`` is the share that this agent did not lose.
        """
        now = time.perf_counter()
        new = totals - self._totals
        spent = np.subtract(times, self._times)
        row = {
            **asdict(amount),
            "learning_rate": learning_rate,
            "positions_per_second": new[POSITIONS] / max(now - self._clock, 1e-9),
        }
        for name, share in zip(Times._fields, spent / max(float(spent.sum()), 1e-9), strict=True):
            row[f"{name}_share"] = share
        if losses is not None:
            row["policy_loss"], row["value_loss"] = losses
        if new[GAMES] > 0:
            row["first_seat_win_rate"] = (new[WINS_1] + new[DRAWS] / 2) / new[GAMES]
            row["draw_rate"] = new[DRAWS] / new[GAMES]
            row["swap_rate"] = new[SWAPS] / new[GAMES]
            row["mean_game_length"] = new[PLIES] / new[GAMES]
            row["resignation_rate"] = new[RESIGNATIONS] / new[GAMES]
        if new[CHECKED_RESIGNATIONS] > 0:
            row["wrong_resignation_rate"] = new[WRONG_RESIGNATIONS] / new[CHECKED_RESIGNATIONS]
        self._totals, self._times, self._clock = totals, times, now
        return {name: value if isinstance(value, int) else float(value) for name, value in row.items()}


class ProgressReport:
    """A progress bar on a terminal, or else a line every ten seconds, on standard error.

    Args:
        total: the budget of positions.
        positions: positions so far.
        shown: False to say nothing.
    """

    def __init__(self, total: int, positions: int, shown: bool) -> None:
        on_terminal = shown and sys.stderr.isatty()
        self._bar = (
            tqdm(total=total, initial=positions, unit="pos", dynamic_ncols=True) if on_terminal else None
        )
        self._lines = shown and not on_terminal
        self._total = total
        self._next = time.monotonic() + LOG_SECONDS

    def update(self, positions: int, history: Sequence[dict[str, float]]) -> None:
        """Show the positions so far and the latest losses."""
        if self._bar is not None:
            self._bar.set_postfix_str(_losses(history), refresh=False)
            self._bar.update(min(positions, self._total) - self._bar.n)
        elif self._lines and time.monotonic() >= self._next:
            self._next += LOG_SECONDS
            self.say(f"{positions:,} of {self._total:,} positions  {_losses(history)}")

    def say(self, text: str) -> None:
        """Write one line beside the bar."""
        if self._bar is not None:
            self._bar.write(text, file=sys.stderr)
        elif self._lines:
            print(f"train: {text}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leave the bar as it is."""
        if self._bar is not None:
            self._bar.close()


def _losses(history: Sequence[dict[str, float]]) -> str:
    for row in reversed(history):
        if "policy_loss" in row:
            return f"policy loss {row['policy_loss']:.3f} value loss {row['value_loss']:.3f}"
    return "warming up"
