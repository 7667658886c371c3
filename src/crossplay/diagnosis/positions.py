"""Positions to examine a network with, found by the rules of the game alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from crossplay.games.kernels import call_apply, call_legal

if TYPE_CHECKING:
    from crossplay.games import Game

MOST_PLIES = 400  # of a random game; a longer one is left
MOST_MOVES = 60  # in a position whose replies are looked at


class Puzzle(NamedTuple):
    """A position in which some moves are right; ``moves`` are all that are legal."""

    state: np.ndarray  # int16[state_size]
    moves: list[int]
    right: set[int]


def random_game(game: Game, rng: np.random.Generator) -> tuple[list[np.ndarray], bool]:
    """The positions before each move of a game of random moves, and whether it came to an end."""
    state = game.new_state()
    states: list[np.ndarray] = []
    while not game.is_terminal(state) and len(states) < MOST_PLIES:
        states.append(state)
        moves = legal_moves(game, state)
        state = after(game, state, moves[rng.integers(len(moves))])
    return states, game.is_terminal(state)


def legal_moves(game: Game, state: np.ndarray) -> list[int]:
    """The legal moves; much faster than the game's own method, which also puts them into words."""
    buffer = np.empty(game.max_moves, np.int64)
    moves: list[int] = buffer[: call_legal(game.kernels.legal, state, buffer)].tolist()
    return moves


def after(game: Game, state: np.ndarray, move: int) -> np.ndarray:
    """The position after a legal move."""
    following = state.copy()
    call_apply(game.kernels.apply, following, move)
    return following


def random_positions(game: Game, count: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Positions of random games with a move to make; some of each game."""
    positions: list[np.ndarray] = []
    while len(positions) < count:
        states, _ = random_game(game, rng)
        chosen = rng.choice(len(states), min(8, len(states)), replace=False)
        positions += [states[number] for number in sorted(chosen)]
    return positions[:count]


def wins(game: Game, state: np.ndarray, moves: list[int]) -> set[int]:
    """The moves that win at once."""
    agent = game.agent(state)
    return {move for move in moves if game.utilities(after(game, state, move))[agent - 1] > 0}


def safe_moves(game: Game, state: np.ndarray, moves: list[int]) -> set[int]:
    """The moves that neither lose at once nor let the opponent win at once."""
    agent = game.agent(state)
    safe = set()
    for move in moves:
        following = after(game, state, move)
        if game.is_terminal(following):
            if game.utilities(following)[agent - 1] >= 0:
                safe.add(move)
        elif game.agent(following) == agent or not wins(game, following, legal_moves(game, following)):
            safe.add(move)
    return safe


def puzzles(game: Game, games: int, rng: np.random.Generator) -> tuple[list[Puzzle], list[Puzzle]]:
    """Positions where a move wins at once, and others where most moves lose within two plies.

    The last two positions of random games are looked at: so there is one of each at most for a game.
    """
    winning, saving = [], []
    for _ in range(games):
        states, ended = random_game(game, rng)
        if not ended or not states:
            continue
        for state in states[:-3:-1]:
            moves = legal_moves(game, state)
            if not 1 < len(moves) <= MOST_MOVES:
                continue
            right = wins(game, state, moves)
            if right:
                if len(right) < len(moves):
                    winning.append(Puzzle(state, moves, right))
                continue
            right = safe_moves(game, state, moves)
            if 0 < 2 * len(right) < len(moves):
                saving.append(Puzzle(state, moves, right))
    return winning, saving
