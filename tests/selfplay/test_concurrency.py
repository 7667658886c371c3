"""How many games are played side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crossplay.config import NetworkSettings, SelfPlaySettings, TrainingSettings, check_settings
from crossplay.errors import CrossplayError
from crossplay.games import load_game
from crossplay.selfplay import concurrency
from crossplay.selfplay.concurrency import SIZES, choose_games, smallest_fast
from crossplay.training import train


class Timed:
    """A network that takes a fixed time for a call and some for each position, on a clock of its own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, call: float, position: float) -> None:
        self._now, self._call, self._position = 0.0, call, position
        monkeypatch.setattr(concurrency.time, "perf_counter", lambda: self._now)

    def evaluate_into(self, batch: np.ndarray, priors: np.ndarray, values: np.ndarray) -> None:
        self._now += self._call + self._position * len(batch)


def test_the_smallest_that_is_nearly_as_fast() -> None:
    assert smallest_fast({32: 10.0, 64: 95.0, 128: 100.0, 256: 99.0}) == 64
    assert smallest_fast({32: 100.0, 64: 50.0}) == 32


@pytest.mark.parametrize(
    ("call", "position", "size"), [(0.0, 1e-4, 32), (1e-3, 1e-4, 128), (1e-2, 1e-6, SIZES[-1])]
)
def test_games_by_what_a_call_costs(
    monkeypatch: pytest.MonkeyPatch, call: float, position: float, size: int
) -> None:
    """A batch of n positions is as fast as one without end but for call / (call + n position)."""
    game, evaluator = load_game("Tic-Tac-Toe"), Timed(monkeypatch, call, position)
    games = choose_games(SelfPlaySettings(games="auto"), game, evaluator, threads=3)  # type: ignore[arg-type]
    assert games == 3 * size
    fixed = choose_games(SelfPlaySettings(games=5), game, evaluator, threads=3)  # type: ignore[arg-type]
    assert fixed == 5


def test_a_training_says_what_it_measured(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(concurrency, "TRIAL_SECONDS", 0.001)
    settings = TrainingSettings(
        positions=300,
        warmup_positions=50,
        batch_size=16,
        threads=1,
        self_play=SelfPlaySettings(games="auto", simulations=2),
    )
    train(load_game("Tic-Tac-Toe"), settings, NetworkSettings(width=2, blocks=1), tmp_path)
    assert "games are played side by side, as many as keep the network fast" in capsys.readouterr().err


@pytest.mark.parametrize("games", [0, "many", 2.5])
def test_other_numbers_are_refused(games: object) -> None:
    with pytest.raises(CrossplayError, match="games: must be"):
        check_settings(SelfPlaySettings, {"games": games}, "here")
