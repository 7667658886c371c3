"""Elo ratings against a closed form, another optimiser, and players whose strength is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from crossplay.errors import CrossplayError
from crossplay.evaluation.elo import POINTS, Z_95, Pairing, fit_ratings


@pytest.mark.parametrize(("score", "games"), [(75, 100), (0, 20), (20, 20), (10.5, 21), (1, 2)])
def test_two_players_have_a_closed_form(score, games):
    p = (score + 0.5) / (games + 1)
    anchor, rating = fit_ratings(2, [Pairing(1, 0, score, games)])
    assert anchor == (0.0, 0.0, 0.0)
    elo = POINTS * math.log(p / (1 - p))
    half = POINTS * Z_95 / math.sqrt((games + 1) * p * (1 - p))
    assert rating == pytest.approx((elo, elo - half, elo + half), abs=1e-6)


def test_75_percent_is_191_points():
    _, rating = fit_ratings(2, [Pairing(1, 0, 75_000, 100_000)])
    assert rating.elo == pytest.approx(190.85, abs=0.01)


def test_several_players_as_scipy_rates_them():
    rng = np.random.default_rng(4)
    pairings = [
        Pairing(i, j, float(rng.integers(0, 2 * n + 1)) / 2, n)
        for i, j, n in [(0, 1, 30), (1, 2, 50), (3, 2, 10), (3, 0, 40), (2, 4, 7), (4, 3, 100)]
    ]

    def loss(free):
        strengths = np.concatenate([free[:2], [0.0], free[2:]])  # player 2 is the anchor
        total = 0.0
        for i, j, score, games in pairings:
            d = strengths[i] - strengths[j]
            total += (score + 0.5) * np.logaddexp(0, -d) + (games - score + 0.5) * np.logaddexp(0, d)
        return total

    expected = minimize(loss, np.zeros(4), tol=1e-12).x
    found = [rating.elo / POINTS for rating in fit_ratings(5, pairings, anchor=2)]
    assert found[2] == 0.0
    np.testing.assert_allclose(found[:2] + found[3:], expected, atol=1e-5)


def test_intervals_hold_what_they_promise():
    rng = np.random.default_rng(1)
    truth = np.array([0.0, 100.0, 250.0, 300.0])
    pairs = [(1, 0), (2, 0), (3, 0), (2, 1), (3, 2), (3, 1)]
    covered = np.zeros(4)
    trials = 400
    for _ in range(trials):
        pairings = [
            Pairing(i, j, float(rng.binomial(60, 1 / (1 + 10 ** ((truth[j] - truth[i]) / 400)))), 60)
            for i, j in pairs
        ]
        for player, rating in enumerate(fit_ratings(4, pairings)):
            covered[player] += rating.low <= truth[player] <= rating.high
    assert covered[0] == trials
    assert (covered[1:] / trials > 0.92).all()
    assert (covered[1:] / trials < 0.98).all()


def test_who_never_loses_is_rated_all_the_same():
    _, low, high = fit_ratings(3, [Pairing(1, 0, 40, 40), Pairing(2, 1, 40, 40)])
    assert 0 < low.elo < high.elo < 2000
    assert high.high - high.low > low.high - low.low


@pytest.mark.parametrize(
    ("players", "pairings", "message"),
    [
        (3, [Pairing(1, 0, 3, 4)], "player 2 has met nobody"),
        (2, [Pairing(1, 0, 5, 4)], "cannot be"),
        (2, [Pairing(1, 1, 1, 4)], "cannot be"),
        (2, [Pairing(1, 0, 0, 0)], "cannot be"),
    ],
)
def test_what_cannot_be_rated_is_refused(players, pairings, message):
    with pytest.raises(CrossplayError, match=message):
        fit_ratings(players, pairings)


def test_a_single_player_is_the_anchor():
    assert fit_ratings(1, []) == [(0.0, 0.0, 0.0)]
