"""Single games of 2048: how the players' games begin, and one to be played move by move."""

from __future__ import annotations

import numpy as np
from numba import njit, types

from crossplay.ntuple.board import GOLDEN, add_tile, afterstates, mix, new_game, row_table


@njit(types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), cache=True, nogil=True)
def begin_game(seed: int, number: int) -> tuple[int, int]:
    """The first board of a game and its random counter; every game has its own sequence of numbers."""
    return new_game(mix(mix(seed + GOLDEN) + number))


@njit(nogil=True)
def make_move(rows: np.ndarray, board: int, move: int) -> tuple[int, int]:
    """The board after one move, before the new tile, and the reward."""
    up, right, down, left, upright, sideways = afterstates(rows, board)
    if move == 0:
        return up, upright
    if move == 1:
        return right, sideways
    if move == 2:
        return down, upright
    return left, sideways


@njit(
    types.UniTuple(types.uint64, 3)(types.uint64[::1], types.uint64, types.uint64, types.int64),
    cache=True,
    nogil=True,
)
def _step(rows: np.ndarray, board: int, random: np.uint64, move: int) -> tuple[int, np.uint64, int]:
    """The board after a move and a new tile, the random counter and the reward."""
    after, reward = make_move(rows, board, move)
    random += GOLDEN
    return add_tile(after, mix(random)), random, reward


@njit(types.int64(types.uint64), cache=True, nogil=True)
def largest_tile(board: np.uint64) -> np.int64:
    """Exponent of the largest tile on a board."""
    largest = np.int64(0)
    for cell in range(16):
        largest = max(largest, np.int64(board >> np.uint64(4 * cell)) & 15)
    return largest


class Game:
    """A game to be played move by move; the same one that players of that seed and number play.

    Attributes:
        board: the position, as in :mod:`crossplay.ntuple.board`.
        score: the sum of the rewards.
        moves: how many have been made.
    """

    def __init__(self, seed: int = 0, number: int = 0) -> None:
        self._rows = row_table()
        board, random = begin_game(np.uint64(seed), np.uint64(number))
        self.board, self._random = int(board), int(random)
        self.score = self.moves = 0

    @property
    def state(self) -> tuple[int, ...]:
        """All there is of the game, to come back to it."""
        return self.board, self._random, self.score, self.moves

    @state.setter
    def state(self, state: tuple[int, ...]) -> None:
        self.board, self._random, self.score, self.moves = state

    def move(self, move: int) -> None:
        """Make a legal move, numbered as in :mod:`crossplay.ntuple.board`."""
        board, random, reward = _step(self._rows, np.uint64(self.board), np.uint64(self._random), move)
        self.board, self._random = int(board), int(random)
        self.score += int(reward)
        self.moves += 1
