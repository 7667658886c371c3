"""Rows of metrics from counters, and what is shown without a terminal."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from crossplay.training import metrics
from crossplay.training.metrics import Meter, ProgressReport, Work
from crossplay.training.schedule import Amount


def test_row_is_about_the_time_since_the_row_before():
    # Positions, games, wins of agents 1 and 2, draws, swaps, plies; resignations, checked ones, wrong ones;
    # simulations.
    meter = Meter(np.array([100, 10, 5, 5, 0, 1, 100, 1, 0, 0, 3200]))
    first = meter.row(
        np.array([190, 20, 8, 10, 2, 4, 190, 3, 4, 1, 6080]),
        Work(3.0, 1.0, 4.0, 400, 300),
        Amount(190, 20, 7, 9.5),
        0.003,
        {"policy_loss": 1.5, "value_loss": 0.5},
    )
    assert {k: first[k] for k in ("positions", "games", "steps", "seconds")} == {
        "positions": 190,
        "games": 20,
        "steps": 7,
        "seconds": 9.5,
    }
    assert (first["policy_loss"], first["value_loss"], first["learning_rate"]) == (1.5, 0.5, 0.003)
    assert first["first_seat_win_rate"] == pytest.approx(0.4)  # 3 wins and 2 draws in 10 games
    assert (first["resignation_rate"], first["wrong_resignation_rate"]) == (0.2, 0.25)
    assert (first["draw_rate"], first["swap_rate"], first["mean_game_length"]) == (0.2, 0.3, 9)
    assert [first[f"{part}_share"] for part in Work._fields[:3]] == [0.375, 0.125, 0.5]
    assert first["positions_per_second"] > 90
    assert first["simulations_per_second"] / first["positions_per_second"] == pytest.approx(32)
    assert first["evaluations_per_second"] / first["positions_per_second"] == pytest.approx(300 / 90)
    assert first["batch_fill"] == 0.75
    assert first["busy_processors"] >= 0
    quiet = meter.row(
        np.array([190, 20, 8, 10, 2, 4, 190, 3, 4, 1, 6080]),
        Work(3.0, 1.5, 5.5, 400, 300),
        Amount(190, 20, 8, 9.9),
        0.003,
        {},
    )
    assert quiet["tree_share"] == 0.25
    assert quiet["positions_per_second"] == 0
    assert not {"policy_loss", "value_loss", "swap_rate", "batch_fill"} & quiet.keys()


def test_lines_without_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(metrics, "LOG_SECONDS", 0.0)
    clock = itertools.chain([100.0, 101.0, 110.0, 120.0], itertools.repeat(120.0))
    monkeypatch.setattr(metrics.time, "monotonic", lambda: next(clock))
    report = ProgressReport(2000, 100, True)
    report.update(100, [])
    row = {"positions": 1000, "policy_loss": 1.25, "value_loss": 0.5, "network_share": 0.812}
    report.update(1500, [row, {"positions": 1400}])
    report.close()
    assert capsys.readouterr().err.splitlines() == [
        "train: 100 of 2,000 positions  warming up",
        "train: 1,500 of 2,000 positions, 70 a second, 00:07 left"
        "  policy loss 1.250 value loss 0.500, network 81% of the time",
    ]
    silent = ProgressReport(2000, 0, False)
    silent.update(500, [])
    silent.say("nothing")
    assert capsys.readouterr().err == ""
