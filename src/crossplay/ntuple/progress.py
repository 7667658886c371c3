"""Telling how far a learning is, on standard error."""

from __future__ import annotations

import sys
import time

from tqdm import tqdm

LOG_SECONDS = 10.0


class Progress:
    """A progress bar on a terminal, or else a line every ten seconds.

    Args:
        total: the budget of actions.
        actions: made so far.
        shown: False to say nothing.
    """

    def __init__(self, total: int, actions: int, shown: bool) -> None:
        on_terminal = shown and sys.stderr.isatty()
        self._bar = (
            tqdm(total=total, initial=actions, unit="action", unit_scale=True, dynamic_ncols=True)
            if on_terminal
            else None
        )
        self._lines = shown and not on_terminal
        self._total = total
        self._last = (time.monotonic(), actions)

    def update(self, actions: int, score: float | None) -> None:
        """Show the actions so far and the mean score of the latest training games."""
        told = "" if score is None else f"score {score:,.0f}"
        if self._bar is not None:
            self._bar.set_postfix_str(told, refresh=False)
            self._bar.update(actions - self._bar.n)
        elif self._lines and (spent := time.monotonic() - self._last[0]) >= LOG_SECONDS:
            speed = (actions - self._last[1]) / spent
            self._last = (time.monotonic(), actions)
            self.say(f"{actions:,} of {self._total:,} actions, {speed:,.0f} a second  {told}")

    def evaluating(self, finished: int, games: int, plies: int) -> None:
        """Show how far an evaluation is."""
        if self._bar is not None:
            self._bar.set_postfix_str(f"evaluating at {plies} ply: {finished:,} of {games:,} games")

    def say(self, text: str) -> None:
        """Write one line beside the bar."""
        if self._bar is not None:
            self._bar.write(text, file=sys.stderr)
        elif self._lines:
            print(f"ntuple train: {text}", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leave the bar as it is."""
        if self._bar is not None:
            self._bar.close()
