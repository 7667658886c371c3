"""Elo ratings of players from the results of their matches.

The model is that of R. Bradley and M. Terry, "Rank analysis of incomplete block designs" (1952): a player
rated d points above another scores 1 / (1 + 10^(-d/400)). Ratings are those of maximum likelihood, a draw
counting as half a win; draws make scores vary less than the model says, so with draws the intervals are wider
than they need be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crossplay.errors import CrossplayError

POINTS = 400.0 / np.log(10.0)  # of Elo, in a natural logarithm of odds
Z_95 = 1.959963984540054


class Pairing(NamedTuple):
    """The result of a match between two players, given by their numbers."""

    first: int
    second: int
    score: float  # of the first: its wins and half the draws
    games: int


class Rating(NamedTuple):
    """A player's rating and its 95% interval."""

    elo: float
    low: float
    high: float


def fit_ratings(n_players: int, pairings: Sequence[Pairing], anchor: int = 0) -> list[Rating]:
    """Rate players by their results.

    Each pairing counts as if one more game had been drawn in it: a player that has won or lost all its games
    would otherwise have an infinite rating. This draws ratings together a little, the less the more games
    there are.

    Args:
        n_players: how many players there are.
        pairings: results; several of the same two players are added up.
        anchor: the player whose rating is 0; the others' intervals are those of the difference to it.

    Raises:
        CrossplayError: a result that cannot be, or players that no chain of pairings connects to the anchor.
    """
    scores = np.zeros((n_players, n_players))
    for first, second, score, games in pairings:
        if first == second or games < 1 or not 0 <= score <= games:
            raise CrossplayError(
                f"a score of {score} in {games} games of players {first} and {second} cannot be"
            )
        scores[first, second] += score + 0.5
        scores[second, first] += games - score + 0.5
    games_of = scores + scores.T
    _check_connected(games_of > 0, anchor)
    free = np.delete(np.arange(n_players), anchor)
    strengths, deviations = np.zeros(n_players), np.zeros(n_players)
    # The likelihood is concave in the strengths, and Newton's method converges from 0 if no step is too long.
    for _ in range(1000):
        expected = 1.0 / (1.0 + np.exp(strengths[None, :] - strengths[:, None]))
        gradient = (scores - games_of * expected).sum(1)[free]
        weights = games_of * expected * (1.0 - expected)
        information = (np.diag(weights.sum(1)) - weights)[np.ix_(free, free)]
        step = np.linalg.solve(information, gradient)
        longest = np.abs(step).max(initial=0.0)
        strengths[free] += step / max(1.0, longest)
        if longest < 1e-10:
            break
    deviations[free] = np.sqrt(np.diag(np.linalg.inv(information)))
    return [
        Rating(*(float(POINTS * (strength + z * deviation)) for z in (0.0, -Z_95, Z_95)))
        for strength, deviation in zip(strengths, deviations, strict=True)
    ]


def _check_connected(played: np.ndarray, anchor: int) -> None:
    reached = np.zeros(len(played), bool)
    reached[anchor] = True
    for _ in range(len(played)):
        reached |= played[reached].any(0)
    if not reached.all():
        raise CrossplayError(
            f"player {int(np.flatnonzero(~reached)[0])} has met nobody who leads to player {anchor}, so they"
            " cannot be rated together; add matches between them"
        )
