"""Playing 2048 by expectimax: the mean over all new tiles, the best of all moves, to a depth or a time limit.

With n plies a player looks at n moves of its own, the first included; one ply is the greedy player. The
value of a position is

    best(s, n)   = max over moves of r + value(s', n - 1), or 0 if none is legal
    value(s', 0) = V(s')
    value(s', n) = mean over the empty cells of 0.9 best(s' and a 2, n) + 0.1 best(s' and a 4, n).

Nothing is left out. The search is one loop with a frame for each level instead of a recursion; chance
nodes one ply before the end are done at one go (:mod:`crossplay.ntuple.chance`).

Source: W. Jaśkowski (2016), section VII.
"""

from __future__ import annotations

import threading
import time
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit, types

from crossplay.ntuple.board import (
    GOLDEN,
    add_tile,
    afterstates,
    empty_cells,
    mix,
    row_table,
    stage_of,
    takes_turn,
    transpose,
)
from crossplay.ntuple.chance import BOARDS, LEAVES, LEAVES_SIZE, OFTEN, SELDOM, expand, mean_of_best
from crossplay.ntuple.clock import monotonic_ns
from crossplay.ntuple.downgrade import FROM, downgraded
from crossplay.ntuple.game import begin_game, largest_tile, make_move
from crossplay.ntuple.greedy import (
    WEIGHTS,
    sum_promoted,
)
from crossplay.ntuple.intrinsics import FLOATS, NONE, count_ones, prefetch_weights, store_indices, sum_weights
from crossplay.ntuple.memory import find, new_memory, recall, remember
from crossplay.ntuple.shapes import Tuples, format_tuples, large_tables, stage_weights

if TYPE_CHECKING:
    from crossplay.ntuple.files import Network

MOST_PLIES = 32
SLICE = 0.2  # seconds of each call, so that a player can be stopped
# Places of the array `game`.
BOARD, RANDOM, SCORE, MOVES, STATUS, PLIES, PLACES = range(7)
PLAYING, FINISHED, DIVERGED = range(3)

# Columns of `frames`, one row for each level, after the boards that the four moves lead to: the position,
# its move that is looked at, and how many before it were legal; the afterstate that the position comes
# from, its cells that have not had both new tiles, and whether this one is a 4.
POSITION, MOVE, LEGAL, NODE, EMPTY, FOUR, COLUMNS = range(4, 11)
# Columns of `worths`, after the rewards of the four moves: the best move's value, and the sum of those of
# the positions before.
BEST, SUM = 4, 5

_PATIENCE = np.uint64(31)  # afterstates between two looks at the clock, less one
_0, _1, _2, _3, _4 = (np.uint64(value) for value in range(5))

_KERNEL = types.void(
    WEIGHTS, types.uint64[::1], types.uint64[::1], types.uint64[::1], types.float32[::1],
    types.uint64[:, ::1], types.float32[:, ::1], types.uint64[::1], types.float32[::1],  # the room
    types.uint32[::1], types.uint64[::1], types.float32[::1],
    types.int64, types.int64, types.int64, types.int64, types.float32,
)  # fmt: skip


class Room(NamedTuple):
    """Room for a search; the kernel would make it more slowly."""

    frames: np.ndarray  # uint64[plies + 1, COLUMNS]
    worths: np.ndarray  # float32[plies + 1, 6]
    leaves: np.ndarray  # uint64[LEAVES_SIZE]
    leaf_values: np.ndarray  # float32[LEAVES]
    indices: np.ndarray  # uint32[LEAVES * m]: active weights of the leaves
    bases: np.ndarray  # uint64[LEAVES]: first weights of their stages
    found: np.ndarray  # float32[4]


def new_room(plies: int, m: int) -> Room:
    """Room for searches of at most so many plies, with ``m`` active weights."""
    return Room(
        np.zeros((plies + 1, COLUMNS), np.uint64),
        np.zeros((plies + 1, SUM + 1), np.float32),
        np.zeros(LEAVES_SIZE, np.uint64),
        np.zeros(LEAVES, np.float32),
        np.zeros(LEAVES * m, np.uint32),
        np.zeros(LEAVES, np.uint64),
        np.zeros(4, np.float32),
    )


class Decision(NamedTuple):
    """What a search says of a position."""

    values: list[float | None]  # of moving up, right, down and left, rewards included; None: not legal
    plies: int  # looked ahead

    @property
    def best(self) -> int | None:
        """The legal move of the largest value, the first one of equals; None if none is legal."""
        legal = [(value, -move) for move, value in enumerate(self.values) if value is not None]
        return -max(legal)[1] if legal else None


class Searcher:
    """A network that looks ahead; for one thread, and as long as its weights stay the same.

    Args:
        network: its weights are only read.
        plies: to look ahead; with a time limit, at most.
        seconds_per_move: time limit of a move.
        downgrade: with tile-downgrading.
    """

    def __init__(
        self,
        network: Network,
        plies: int,
        seconds_per_move: float | None = None,
        downgrade: bool = False,
    ) -> None:
        header = network.header
        self._kernel = expectimax_player(
            header.tuples, header.stage_bits, header.promotion, FROM if downgrade else 0
        )
        self._tables = (network.weights, row_table(), new_memory())
        self._game = np.zeros(PLACES, np.uint64)
        self._values = np.zeros(4, np.float32)
        self._room = new_room(plies, 8 * len(header.tuples))
        limit = max(1, round(seconds_per_move * 1e9)) if seconds_per_move else 0
        self._search = (plies, limit, header.offset)

    def values(self, board: int) -> Decision:
        """The values of all moves in a position, ``uint64`` as in :mod:`crossplay.ntuple.board`."""
        self._game[BOARD] = np.uint64(board)
        self._call(moves=0, until=0)
        values = [float(value) if value > -np.inf else None for value in self._values]
        return Decision(values, int(self._game[PLIES]))

    def play(
        self, seed: int, number: int, stop: threading.Event | None = None
    ) -> tuple[int, int, int] | None:
        """Play a game of one's own; it depends on ``seed`` and ``number`` alone, unless time is limited.

        Returns:
            The score, the exponent of the largest tile, and the number of moves. None if ``stop`` was set
            before the end, or if the value of every move was not a number.
        """
        self._game[:] = 0
        self._game[BOARD], self._game[RANDOM] = begin_game(np.uint64(seed), np.uint64(number))
        while self._game[STATUS] == PLAYING:
            if stop is not None and stop.is_set():
                return None
            self._call(moves=1 << 62, until=time.monotonic_ns() + round(SLICE * 1e9))
        if self._game[STATUS] == DIVERGED:
            return None
        board, score, moves = (self._game[place] for place in (BOARD, SCORE, MOVES))
        return int(score), int(largest_tile(board)), int(moves)

    def _call(self, moves: int, until: int) -> None:
        self._kernel(*self._tables, self._game, self._values, *self._room, moves, until, *self._search)


@cache
def expectimax_player(tuples: Tuples, stage_bits: int, promotion: bool, downgrade: int = 0) -> Any:
    """The kernel that searches and plays; arguments as for :func:`crossplay.ntuple.greedy.greedy_player`.

    Returns:
        ``kernel(weights, rows, memory, game, values, *room, moves, until, plies, limit, offset)``, which
        plays on from a position:

        * ``weights``, ``rows``: as for the greedy player; ``memory``: see
          :func:`crossplay.ntuple.memory.new_memory`; ``room``: see :func:`new_room`;
        * ``game``: ``uint64[PLACES]``: board, random counter, score and moves made, brought up to date; how
          the call ended; and the plies looked ahead in the last search;
        * ``values``: ``float32[4]``, set to the values of moving up, right, down and left in the last
          position, rewards included; minus infinity where the move is not legal;
        * ``moves``: how many to make at most; 0 for the values alone. A player does not search where only
          one move is legal;
        * ``until``: :func:`time.monotonic_ns` after which no other move is begun;
        * ``plies``: to look ahead; ``limit``: nanoseconds for a move, or 0. With a limit the search is made
          to one, two, ... plies until time is out, and the last one finished counts;
        * ``offset``: added to every value of an afterstate.
    """
    NETWORK = format_tuples(tuples)
    M = 8 * len(tuples)
    FETCHED = 8 * large_tables(tuples)
    SIZE = stage_weights(tuples)
    STAGES, PROMOTE, LOWER = stage_bits, promotion and stage_bits > 0, downgrade

    @njit(_KERNEL, cache=True, nogil=True, fastmath=FLOATS, boundscheck=False, error_model="numpy")
    def play(
        weights: np.ndarray,
        rows: np.ndarray,
        memory: np.ndarray,
        game: np.ndarray,
        values: np.ndarray,
        frames: np.ndarray,
        worths: np.ndarray,
        leaves: np.ndarray,
        leaf_values: np.ndarray,
        indices: np.ndarray,
        bases: np.ndarray,
        found: np.ndarray,
        moves: int,
        until: int,
        plies: int,
        limit: int,
        offset: float,
    ) -> None:
        made, looks = 0, _0
        game[STATUS] = np.uint64(PLAYING)
        while True:
            start = monotonic_ns() if limit > 0 else 0
            seen = downgraded(game[BOARD], LOWER) if LOWER > 0 else game[BOARD]
            level, legal = np.uint64(plies), 0
            open_position(frames, worths, rows, level, seen)
            for move in range(4):
                values[move] = -np.inf
                legal += frames[level, move] != seen
            last = 1 if moves > 0 and legal == 1 else plies
            top = np.uint64(1 if limit > 0 else last)
            game[PLIES] = _0
            in_time = True
            while in_time and top <= np.uint64(last):
                for move in range(4):
                    found[move] = -np.inf
                level = top
                open_position(frames, worths, rows, level, seen)
                while True:
                    move = frames[level, MOVE]
                    if move == _4:
                        if level == top:
                            break
                        if next_tile(frames, worths, rows, level):
                            continue
                        node, value = frames[level, NODE], mean(frames, worths, level)
                        place, known = find(memory, node, level)
                        remember(memory, place, node, level, value)
                        level += _1
                    else:
                        node, below = frames[level, move], level - _1
                        if node == frames[level, POSITION]:
                            frames[level, MOVE] += _1
                            continue
                        looks += _1
                        if limit > 0 and looks & _PATIENCE == _0 and top > _1:
                            in_time = monotonic_ns() - start < limit
                            if not in_time:
                                break
                        place, known = find(memory, node, below)
                        if known:
                            value = recall(memory, place)
                        elif below > _1:
                            level = below
                            open_node(frames, worths, rows, level, node)
                            continue
                        else:
                            if below == _0:
                                leaves[BOARDS], leaf_values[0], count = node, np.float32(0.0), _1
                            else:
                                count = expand(rows, node, leaves, leaf_values)
                            for leaf in range(count):
                                board, at = leaves[BOARDS + leaf], leaf * np.uint64(M)
                                if STAGES > 0:
                                    bases[leaf] = stage_of(board, STAGES) * np.uint64(SIZE)
                                base = bases[leaf] if STAGES > 0 else _0
                                store_indices(board, transpose(board), indices, at, NETWORK)
                                prefetch_weights(weights, base, indices, at, FETCHED, 1)
                            for leaf in range(count):
                                at, base = leaf * np.uint64(M), bases[leaf] if STAGES > 0 else _0
                                if PROMOTE and base != _0:
                                    value = sum_promoted(weights, base, np.uint64(SIZE), indices, at, M)
                                else:
                                    value = sum_weights(weights, base, indices, at, M)
                                leaf_values[leaf] += value
                            if below == _0:
                                value = leaf_values[0] + offset
                            else:
                                value = mean_of_best(node, leaves, leaf_values, offset)
                                remember(memory, place, node, below, value)
                    worth = take(frames, worths, level, value)
                    if level == top:
                        found[frames[level, MOVE] - _1] = worth
                if in_time:
                    for move in range(4):
                        values[move] = found[move]
                    game[PLIES] = top
                    top += _1
            best, chosen, equal = NONE, -1, 1
            random = game[RANDOM] + GOLDEN
            bits = mix(random)
            for move in range(4):
                if values[move] > best:
                    best, chosen, equal = values[move], move, 1
                elif values[move] == best:
                    equal += 1
                    if takes_turn(bits, equal):
                        chosen = move
            if chosen < 0:
                game[STATUS] = np.uint64(FINISHED if legal == 0 else DIVERGED)
                return
            if moves == 0:
                return
            if LOWER > 0:
                after, reward = make_move(rows, game[BOARD], chosen)
            else:
                after, reward = frames[plies, chosen], worths[plies, chosen]
            game[BOARD], game[RANDOM] = add_tile(after, bits), random
            game[SCORE] += np.uint64(reward)
            game[MOVES] += _1
            made += 1
            if made >= moves or monotonic_ns() > until:
                return

    return play


@njit(nogil=True)
def open_position(
    frames: np.ndarray, worths: np.ndarray, rows: np.ndarray, level: np.uint64, position: np.uint64
) -> None:
    """Begin with a position, which is a player's turn."""
    up, right, down, left, upright, sideways = afterstates(rows, position)
    frames[level, 0], frames[level, 1] = up, right
    frames[level, 2], frames[level, 3] = down, left
    worths[level, 0] = worths[level, 2] = np.float32(np.int64(upright))
    worths[level, 1] = worths[level, 3] = np.float32(np.int64(sideways))
    frames[level, POSITION] = position
    frames[level, MOVE] = frames[level, LEGAL] = _0
    worths[level, BEST] = NONE


@njit(nogil=True)
def take(frames: np.ndarray, worths: np.ndarray, level: np.uint64, value: np.float32) -> np.float32:
    """End a legal move, given the value of its afterstate; return the move's."""
    worth = worths[level, frames[level, MOVE]] + value
    worths[level, BEST] = max(worths[level, BEST], worth)
    frames[level, LEGAL] += _1
    frames[level, MOVE] += _1
    return worth


@njit(nogil=True)
def open_node(
    frames: np.ndarray, worths: np.ndarray, rows: np.ndarray, level: np.uint64, node: np.uint64
) -> None:
    """Begin with an afterstate, and with the first new tile on it."""
    empty = empty_cells(node)
    frames[level, NODE], frames[level, EMPTY] = node, empty
    frames[level, FOUR], worths[level, SUM] = _0, np.float32(0.0)
    open_position(frames, worths, rows, level, node | (empty & (~empty + _1)))


@njit(nogil=True)
def next_tile(frames: np.ndarray, worths: np.ndarray, rows: np.ndarray, level: np.uint64) -> bool:
    """End a position and begin with the next new tile, if there is one."""
    best = worths[level, BEST] if frames[level, LEGAL] != _0 else np.float32(0.0)
    node, empty = frames[level, NODE], frames[level, EMPTY]
    lowest = empty & (~empty + _1)
    if frames[level, FOUR] == _0:
        frames[level, FOUR] = _1
        worths[level, SUM] += OFTEN * best
        open_position(frames, worths, rows, level, node | (lowest << _1))
        return True
    frames[level, FOUR] = _0
    worths[level, SUM] += SELDOM * best
    empty ^= lowest
    frames[level, EMPTY] = empty
    if empty == _0:
        return False
    open_position(frames, worths, rows, level, node | (empty & (~empty + _1)))
    return True


@njit(nogil=True)
def mean(frames: np.ndarray, worths: np.ndarray, level: np.uint64) -> np.float32:
    """The value of a frame's afterstate, after all its positions."""
    return worths[level, SUM] / np.float32(np.int64(count_ones(empty_cells(frames[level, NODE]))))
