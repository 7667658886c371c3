"""Confidence intervals of scores, where a draw counts as half a win.

The intervals are those of binomial proportions. Draws make a score vary less than a proportion does, so
with draws the intervals are somewhat wider than they need be.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from crossplay.errors import CrossplayError


def agresti_coull(successes: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Agresti-Coull interval of a proportion, clipped to [0, 1].

    Source: A. Agresti, B. Coull, "Approximate is better than exact for interval estimation of binomial
    proportions" (1998).

    Args:
        successes: wins and half the draws, 0..n.
        n: number of games.
        confidence: probability in (0, 1).

    Raises:
        CrossplayError: no games, or a value out of range.
    """
    z = _deviate(successes, n, confidence)
    trials = n + z * z
    centre = (successes + z * z / 2) / trials
    half = z * math.sqrt(centre * (1 - centre) / trials)
    return max(0.0, centre - half), min(1.0, centre + half)


def wilson(successes: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a proportion; arguments and errors as for :func:`agresti_coull`.

    Source: E. Wilson, "Probable inference, the law of succession, and statistical inference" (1927).
    """
    z = _deviate(successes, n, confidence)
    p = successes / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def difference_interval(
    first: tuple[int, int, int], second: tuple[int, int, int], confidence: float = 0.95
) -> tuple[float, float]:
    """The interval of the difference between two independent scores, first less second.

    Newcombe's hybrid score interval. Source: R. Newcombe, "Interval estimation for the difference between
    independent proportions: comparison of eleven methods" (1998), method 10.

    Args:
        first, second: wins, draws and losses of two matches.
        confidence: probability in (0, 1).

    Raises:
        CrossplayError: a match of no games, or a value out of range.
    """
    (p, p_low, p_high), (q, q_low, q_high) = (
        (score(*counts), *wilson(score(*counts) * sum(counts), sum(counts), confidence))
        for counts in (first, second)
    )
    return p - q - math.hypot(p - p_low, q_high - q), p - q + math.hypot(p_high - p, q - q_low)


def score(wins: int, draws: int, losses: int) -> float:
    """The mean result in [0, 1], a draw being one half.

    Raises:
        CrossplayError: no games.
    """
    games = wins + draws + losses
    if games < 1:
        raise CrossplayError("games: a score needs at least one game")
    return (wins + draws / 2) / games


def _deviate(successes: float, n: int, confidence: float) -> float:
    """Check the arguments of an interval and return the two-sided normal deviate."""
    if n < 1:
        raise CrossplayError(f"games: an interval needs at least one game, got {n}")
    if not 0 <= successes <= n:
        raise CrossplayError(f"successes: must be between 0 and {n}, got {successes}")
    if not 0 < confidence < 1:
        raise CrossplayError(f"confidence: must be between 0 and 1, got {confidence}")
    return NormalDist().inv_cdf((1 + confidence) / 2)
