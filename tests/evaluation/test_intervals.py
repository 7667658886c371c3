"""Intervals against scipy, closed forms and the worked examples of the paper."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from crossplay.errors import CrossplayError
from crossplay.evaluation.intervals import agresti_coull, difference_interval, score, wilson


@pytest.mark.parametrize(("successes", "n"), [(0, 10), (3, 10), (81, 263), (200, 200)])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_single_scores(successes, n, confidence):
    reference = stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
    assert wilson(successes, n, confidence) == pytest.approx((reference.low, reference.high))
    # Agresti and Coull's interval has Wilson's centre, and Wald's form with z^2 more trials.
    z = stats.norm.ppf((1 + confidence) / 2)
    centre = (successes + z**2 / 2) / (n + z**2)
    half = z * math.sqrt(centre * (1 - centre) / (n + z**2))
    expected = max(centre - half, 0), min(centre + half, 1)
    assert agresti_coull(successes, n, confidence) == pytest.approx(expected)
    assert agresti_coull(n - successes, n, confidence) == pytest.approx((1 - expected[1], 1 - expected[0]))


def test_known_interval_and_draws():
    # "Add two successes and two failures" is the authors' rule of thumb for 95%.
    low, high = agresti_coull(8, 10)
    rule = 10 / 14
    half = 1.96 * math.sqrt(rule * (1 - rule) / 14)
    assert (low, high) == pytest.approx((rule - half, rule + half), abs=0.01)
    assert score(3, 4, 3) == 0.5
    assert agresti_coull(5.5, 10)[0] == pytest.approx(1 - agresti_coull(4.5, 10)[1])


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [  # Newcombe (1998), table II, method 10: 56/70 - 48/80 and 9/10 - 3/10
        ((56, 0, 14), (48, 0, 32), (0.0524, 0.3339)),
        ((9, 0, 1), (3, 0, 7), (0.1705, 0.8090)),
        ((8, 2, 0), (2, 2, 6), (0.1705, 0.8090)),  # draws count half
    ],
)
def test_differences(first, second, expected):
    assert difference_interval(first, second) == pytest.approx(expected, abs=5e-5)
    low, high = difference_interval(second, first)
    assert (-high, -low) == pytest.approx(expected, abs=5e-5)


def test_faults_of_the_user_say_what_to_change():
    for call, word in (
        (lambda: agresti_coull(1, 0), "games"),
        (lambda: agresti_coull(11, 10), "successes"),
        (lambda: wilson(1, 10, 1.0), "confidence"),
        (lambda: difference_interval((0, 0, 0), (1, 0, 0)), "games"),
    ):
        with pytest.raises(CrossplayError, match=word):
            call()
