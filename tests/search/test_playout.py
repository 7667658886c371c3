"""Random games: exact probabilities of Tic-Tac-Toe, and results that do not depend on threads."""

from __future__ import annotations

import dataclasses

import pytest

from crossplay.errors import CrossplayError
from crossplay.games import load_game
from crossplay.search.playout import random_playouts


def test_tic_tac_toe_frequencies_are_exact():
    # Of random games the first player wins 737/1260 and the second 121/420; 8/63 are drawn.
    n = 40_000
    result = random_playouts(load_game("Tic-Tac-Toe"), n, seed=1)
    for count, p in ((result.wins1, 737 / 1260), (result.wins2, 121 / 420), (result.draws, 8 / 63)):
        assert abs(count - n * p) < 4 * (n * p * (1 - p)) ** 0.5
    assert result.games == n == result.wins1 + result.wins2 + result.draws
    assert result.mean_length == result.moves / n


def test_threads_do_not_change_the_games():
    game = load_game("Hex", ["Board Size/5x5"])
    one, three = (
        dataclasses.replace(random_playouts(game, 1000, 7, threads), seconds=0.0) for threads in (1, 3)
    )
    assert one == three
    assert one != dataclasses.replace(random_playouts(game, 1000, 8), seconds=0.0)
    assert one.draws == 0  # Hex cannot be drawn


def test_counts_must_be_positive():
    game = load_game("Tic-Tac-Toe")
    with pytest.raises(CrossplayError, match="games"):
        random_playouts(game, 0, 1)
    with pytest.raises(CrossplayError, match="threads"):
        random_playouts(game, 5, 1, threads=0)
