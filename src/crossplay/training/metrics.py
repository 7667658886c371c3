"""Metrics of a training over time, and showing how far it is."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import NamedTuple

import numpy as np
import torch
from tqdm import tqdm

from crossplay.search.records import (
    CHECKED_RESIGNATIONS,
    DRAWS,
    GAMES,
    PLIES,
    POSITIONS,
    RESIGNATIONS,
    SIMULATIONS,
    SWAPS,
    WINS_1,
    WRONG_RESIGNATIONS,
)
from crossplay.training.schedule import Amount

LOG_SECONDS = 10.0


class Work(NamedTuple):
    """What the workers have done since the start or the resumption, all together."""

    network: float  # seconds
    tree: float
    learning: float
    rows: int  # of batches evaluated
    evaluations: int  # those of them that held a position


class Meter:
    """Turns running totals into rows of metrics, each about the time since the row before.

    Args:
        totals: counters of the replay buffer at the start of the session.
    """

    def __init__(self, totals: np.ndarray) -> None:
        self._totals = totals
        self._work = Work(0.0, 0.0, 0.0, 0, 0)
        self._clock, self._processor = time.perf_counter(), time.process_time()

    def row(
        self,
        totals: np.ndarray,
        work: Work,
        amount: Amount,
        learning_rate: float,
        learning: Mapping[str, float],
    ) -> dict[str, float]:
        """Return the metrics now; those of learning or of games are left out if there were none.

        ``positions``, ``games``, ``steps`` and ``seconds`` are totals; ``learning`` is passed on. The
        first-seat win rate counts a draw as half a win; the shares are of the workers' busy time.
        ``simulations`` are those of complete searches, with what they kept from the search before;
        ``batch_fill`` is the share of evaluated rows that held a position, ``busy_processors`` how many this
        process kept busy, ``gpu_utilisation`` the share of time in which the GPU worked, where that can be
        read. Of the games that went on although an agent would have resigned, ``wrong_resignation_rate`` is
        the share that this agent did not lose.
        """
        now, processor = time.perf_counter(), time.process_time()
        seconds = max(now - self._clock, 1e-9)
        new = totals - self._totals
        done = np.subtract(work, self._work)
        row = {
            **asdict(amount),
            "learning_rate": learning_rate,
            "positions_per_second": new[POSITIONS] / seconds,
            "simulations_per_second": new[SIMULATIONS] / seconds,
            "evaluations_per_second": done[4] / seconds,
            "busy_processors": (processor - self._processor) / seconds,
            **learning,
        }
        for name, share in zip(Work._fields[:3], done[:3] / max(float(done[:3].sum()), 1e-9), strict=True):
            row[f"{name}_share"] = share
        if done[3] > 0:
            row["batch_fill"] = done[4] / done[3]
        utilisation = gpu_utilisation()
        if utilisation is not None:
            row["gpu_utilisation"] = utilisation
        if new[GAMES] > 0:
            row["first_seat_win_rate"] = (new[WINS_1] + new[DRAWS] / 2) / new[GAMES]
            row["draw_rate"] = new[DRAWS] / new[GAMES]
            row["swap_rate"] = new[SWAPS] / new[GAMES]
            row["mean_game_length"] = new[PLIES] / new[GAMES]
            row["resignation_rate"] = new[RESIGNATIONS] / new[GAMES]
        if new[CHECKED_RESIGNATIONS] > 0:
            row["wrong_resignation_rate"] = new[WRONG_RESIGNATIONS] / new[CHECKED_RESIGNATIONS]
        self._totals, self._work = totals, work
        self._clock, self._processor = now, processor
        return {name: value if isinstance(value, int) else float(value) for name, value in row.items()}


def gpu_utilisation() -> float | None:
    """The share of recent time in which the GPU worked; None without one, or without what reads it."""
    if not torch.cuda.is_available():
        return None
    try:
        return torch.cuda.utilization() / 100.0
    except Exception:  # whatever NVIDIA's management library says: no training is to end for a metric
        return None


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
        self._total, self._first = total, positions
        self._began = time.monotonic()
        self._next = self._began + LOG_SECONDS

    def update(self, positions: int, history: Sequence[dict[str, float]]) -> None:
        """Show the positions so far and the latest losses."""
        if self._bar is not None:
            self._bar.set_postfix_str(_losses(history), refresh=False)
            self._bar.update(min(positions, self._total) - self._bar.n)
        elif self._lines and time.monotonic() >= self._next:
            self._next += LOG_SECONDS
            self.say(f"{positions:,} of {self._total:,} positions{self._pace(positions)}  {_losses(history)}")

    def _pace(self, positions: int) -> str:
        """How fast it goes, and how long it will take at this rate (tqdm says so itself)."""
        rate = (positions - self._first) / max(time.monotonic() - self._began, 1e-9)
        if rate < 1:
            return ""
        left = tqdm.format_interval(max(self._total - positions, 0) / rate)
        return f", {rate:,.0f} a second, {left} left"

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
            losses = f"policy loss {row['policy_loss']:.3f} value loss {row['value_loss']:.3f}"
            return f"{losses}, network {100 * row['network_share']:.0f}% of the time"
    return "warming up"
