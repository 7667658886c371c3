"""A short training masters games small enough to be solved: the exact solvers are written out here."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import numpy as np
from numba import njit, types

from crossplay.games import Game, load_game
from crossplay.games.state import HEADER, SWAP
from crossplay.networks import Evaluator
from crossplay.search.puct import BatchedSearch
from crossplay.search.tree import search_parameters

TrainedEvaluator = Callable[[Game, int], Evaluator]

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@cache
def tic_tac_toe_value(cells: tuple[int, ...], mover: int) -> int:
    """Value for the mover under perfect play: 1, 0 or -1."""
    for line in LINES:
        if all(cells[site] == 3 - mover for site in line):
            return -1
    if 0 not in cells:
        return 0
    return max(-tic_tac_toe_value(after(cells, site, mover), 3 - mover) for site in empty(cells))


def empty(cells: tuple[int, ...]) -> list[int]:
    return [site for site, cell in enumerate(cells) if cell == 0]


def after(cells: tuple[int, ...], site: int, mover: int) -> tuple[int, ...]:
    return (*cells[:site], mover, *cells[site + 1 :])


def perfect_move(cells: tuple[int, ...], mover: int, rng: random.Random) -> int:
    """One of the best sites, at random."""
    values = {site: -tic_tac_toe_value(after(cells, site, mover), 3 - mover) for site in empty(cells)}
    best = max(values.values())
    return rng.choice([site for site, value in values.items() if value == best])


def test_tic_tac_toe_never_loses_to_a_perfect_player(trained_evaluator: TrainedEvaluator) -> None:
    game = load_game("Tic-Tac-Toe")
    evaluator = trained_evaluator(game, 15_000)
    games, rng = 200, random.Random(1)
    search = BatchedSearch(game, search_parameters(64), games, 1)
    states = np.array([game.new_state() for _ in range(games)])
    seats = np.arange(games) % 2 + 1  # the trained player's
    while running := [i for i in range(games) if not game.is_terminal(states[i])]:
        ours = np.array([i for i in running if game.agent(states[i]) == seats[i]])
        if len(ours):
            search.search(ours, states[ours], evaluator)
            for i, move in zip(ours, search.choose(ours, 0.0), strict=True):
                game.apply(states[i], int(move))
        for i in sorted(set(running) - set(ours.tolist())):
            cells = tuple(int(cell) for cell in states[i][HEADER : HEADER + 9])
            moves = [legal.move for legal in game.legal_moves(states[i])]
            move = perfect_move(cells, game.mover(states[i]), rng) * 0x10001 if 0 in cells else moves[0]
            game.apply(states[i], move)
    scores = [game.utilities(state)[seat - 1] for state, seat in zip(states, seats, strict=True)]
    assert min(scores) == 0.0


@njit(nogil=True)
def connects(stones, first, last, neighbours):
    """Whether a chain among ``stones`` touches both sides; everything is a bit mask over 16 cells."""
    chain = stones & first
    while True:
        grown = chain
        for site in range(16):
            if chain >> site & 1:
                grown |= neighbours[site]
        grown &= stones
        if grown == chain:
            return chain & last != 0
        chain = grown


@njit(
    types.boolean(
        types.int64, types.int64, types.int64, types.int8[:, ::1], types.int64[::1], types.int64[:, ::1]
    )
)
def mover_wins(mover, mine, theirs, known, neighbours, sides):
    """Whether colour ``mover`` (0 or 1), to move, wins Hex 4x4; ``known`` remembers 1 for yes, 2 for no."""
    position = 0
    for site in range(16):
        position = position * 3 + (mine >> site & 1) + 2 * (theirs >> site & 1)
    if known[mover, position] == 0:
        known[mover, position] = 2
        for site in range(16):
            if (mine | theirs) >> site & 1 == 0:
                stones = mine | 1 << site
                if connects(stones, sides[mover, 0], sides[mover, 1], neighbours) or not mover_wins(
                    1 - mover, theirs, stones, known, neighbours, sides
                ):
                    known[mover, position] = 1
                    break
    return known[mover, position] == 1


def winning_openings(game: Game) -> set[int]:
    """The first stones that win Hex 4x4 without the swap rule, by exhaustive search."""
    board = game.board
    neighbours = np.array([sum(1 << other for other in others) for others in board.neighbours("Adjacent")])
    sides = np.array(
        [
            [sum(1 << site for site in board.sides[side]) for side in pair]
            for pair in (("NE", "SW"), ("NW", "SE"))
        ]
    )
    known = np.zeros((2, 3**16), np.int8)
    return {
        site for site in range(board.n_sites) if not mover_wins(1, 0, 1 << site, known, neighbours, sides)
    }


def test_hex_4x4_swaps_exactly_the_winning_openings(trained_evaluator: TrainedEvaluator) -> None:
    """A perfect second player takes over a winning opening and no other; the search must agree on 90%."""
    game = load_game("Hex", ["Board Size/4x4"], "dense")
    winning = winning_openings(game)
    assert 0 < len(winning) < game.board.n_sites
    evaluator = trained_evaluator(game, 20_000)
    openings = [legal.move for legal in game.legal_moves(game.new_state())]
    states = np.array([game.new_state() for _ in openings])
    for state, move in zip(states, openings, strict=True):
        game.apply(state, move)
    search = BatchedSearch(game, search_parameters(400), len(openings), 1)
    slots = np.arange(len(openings))
    search.search(slots, states, evaluator)
    agreed = [
        (move == SWAP) == (opening & 0xFFFF in winning)
        for opening, move in zip(openings, search.choose(slots, 0.0), strict=True)
    ]
    assert np.mean(agreed) >= 0.9
