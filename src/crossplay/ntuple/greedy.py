"""Playing 2048 greedily: the move with the largest reward and value of the afterstate, ties at random.

Like learning, a thread plays :data:`GAMES` games in turns, so that the weights of one game's boards come
from memory while the others are played. A game depends on its seed and number alone, whichever thread
plays it.

Source: W. Jaśkowski (2016), section III.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import njit, types

from crossplay.ntuple.board import GOLDEN, add_tile, afterstates, mix, new_game, stage_of, transpose
from crossplay.ntuple.downgrade import downgraded
from crossplay.ntuple.intrinsics import prefetch_weights, store_indices, sum_weights
from crossplay.ntuple.learning import PREFETCHED
from crossplay.ntuple.shapes import Tuples, format_tuples, stage_weights

GAMES = 2  # played in turns by each thread

# No assumption that numbers are finite: weights that diverged must be noticed.
FLOATS = {"reassoc", "contract", "nsz", "arcp"}
NONE = np.float32(-3.4e38)  # less than any value
WEIGHTS = types.Array(types.float32, 1, "C", readonly=True)
_0, _1 = np.uint64(0), np.uint64(1)

_KERNEL = types.boolean(
    WEIGHTS, types.uint64[::1], types.uint64, types.int64,
    types.int64[::1], types.int8[::1], types.int64[::1],
)  # fmt: skip


@cache
def greedy_player(tuples: Tuples, stage_bits: int, promotion: bool, downgrade: int = 0) -> Any:
    """The kernel that plays whole games.

    Args:
        tuples: of the network.
        stage_bits: the network has ``2**stage_bits`` stages.
        promotion: a weight of a stage that is 0 counts as that of the stage before; nothing is written.
        downgrade: exponent of the tile from which on tiles are downgraded, see
            :mod:`crossplay.ntuple.downgrade`; 0 for never.

    Returns:
        ``kernel(weights, rows, seed, first, scores, largest, moves)``, which plays the games numbered
        ``first``, ``first + 1``, ... of ``seed`` (``uint64``), as many as the outputs have places:

        * ``weights``: ``float32[stages * weights of a stage]``; ``rows``: see
          :func:`crossplay.ntuple.board.row_table`;
        * ``scores`` and ``moves``: ``int64[n]``; ``largest``: ``int8[n]``, exponents of the largest tiles.

        It returns whether all went well; it stops where the value of every move is not a number.
    """
    NETWORK = format_tuples(tuples)
    M = 8 * len(tuples)
    FETCHED = 8 * sum(len(cells) >= PREFETCHED for cells in tuples)
    SIZE = stage_weights(tuples)
    STAGES, PROMOTE, LOWER = stage_bits, promotion and stage_bits > 0, downgrade

    @njit(_KERNEL, cache=True, nogil=True, fastmath=FLOATS, boundscheck=False, error_model="numpy")
    def play(
        weights: np.ndarray,
        rows: np.ndarray,
        seed: int,
        first: int,
        scores: np.ndarray,
        largest: np.ndarray,
        moves: np.ndarray,
    ) -> bool:
        indices = np.empty(GAMES * 4 * M, np.uint32)
        boards = np.empty(GAMES * 4, np.uint64)
        bases = np.zeros(GAMES * 4, np.uint64)
        rewards = np.empty(GAMES * 4, np.float32)
        current = np.zeros(GAMES, np.uint64)  # boards of the games under way
        seen = np.zeros(GAMES, np.uint64)  # what the player sees of them
        randoms = np.zeros(GAMES, np.uint64)
        numbers = np.full(GAMES, -1, np.int64)
        started = finished = 0
        for game in range(min(GAMES, len(scores))):
            numbers[game] = started
            current[game], randoms[game] = begin_game(seed, first + started)
            started += 1
        scores[:] = 0
        moves[:] = 0
        while finished < len(scores):
            for game in range(GAMES):
                if numbers[game] < 0:
                    continue
                board = downgraded(current[game], LOWER) if LOWER > 0 else current[game]
                seen[game] = board
                at_first = np.uint64(game * 4)
                up, right, down, left, upright, sideways = afterstates(rows, board)
                boards[at_first], boards[at_first + _1] = up, right
                boards[at_first + np.uint64(2)], boards[at_first + np.uint64(3)] = down, left
                rewards[at_first] = rewards[at_first + np.uint64(2)] = np.float32(np.int64(upright))
                rewards[at_first + _1] = rewards[at_first + np.uint64(3)] = np.float32(np.int64(sideways))
                for move in range(4):
                    place = at_first + np.uint64(move)
                    after = boards[place]
                    if after != board:
                        if STAGES > 0:
                            bases[place] = stage_of(after, STAGES) * np.uint64(SIZE)
                        at = place * np.uint64(M)
                        store_indices(after, transpose(after), indices, at, NETWORK)
                        base = bases[place] if STAGES > 0 else _0
                        prefetch_weights(weights, base, indices, at, FETCHED, 1)
            for game in range(GAMES):
                number = numbers[game]
                if number < 0:
                    continue
                random = randoms[game] + GOLDEN
                bits = mix(random)
                best, chosen, legal, equal = NONE, -1, 0, 1
                for move in range(4):
                    place = np.uint64(game * 4 + move)
                    if boards[place] != seen[game]:
                        legal += 1
                        at = place * np.uint64(M)
                        base = bases[place] if STAGES > 0 else _0
                        if PROMOTE and base != _0:
                            value = sum_promoted(weights, base, np.uint64(SIZE), indices, at, M)
                        else:
                            value = sum_weights(weights, base, indices, at, M)
                        value += rewards[place]
                        if value > best:
                            best, chosen, equal = value, move, 1
                        elif value == best:
                            equal += 1
                            if takes_turn(bits, equal):
                                chosen = move
                if chosen >= 0:
                    place = np.uint64(game * 4 + chosen)
                    after, reward = boards[place], rewards[place]
                    if LOWER > 0 and seen[game] != current[game]:
                        after, reward = make_move(rows, current[game], chosen)
                    scores[number] += np.int64(reward)
                    moves[number] += 1
                    current[game] = add_tile(after, bits)
                elif legal > 0:
                    return False
                else:
                    largest[number] = largest_tile(current[game])
                    finished += 1
                    numbers[game] = -1
                    if started < len(scores):
                        numbers[game] = started
                        current[game], random = begin_game(seed, first + started)
                        started += 1
                randoms[game] = random
        return True

    return play


@njit(nogil=True)
def begin_game(seed: int, number: int) -> tuple[int, int]:
    """The first board of a game and its random counter; every game has its own sequence of numbers."""
    return new_game(mix(mix(np.uint64(seed) + GOLDEN) + np.uint64(number)))


@njit(nogil=True)
def takes_turn(bits: int, equal: int) -> bool:
    """Whether the ``equal``-th of several equal moves takes the place of those before: once in ``equal``."""
    draw = mix(bits + np.uint64(equal)) >> np.uint64(32)
    return (draw * np.uint64(equal)) >> np.uint64(32) == _0


@njit(nogil=True)
def make_move(rows: np.ndarray, board: int, move: int) -> tuple[int, np.float32]:
    """The afterstate and reward of one move."""
    up, right, down, left, upright, sideways = afterstates(rows, board)
    if move == 0:
        return up, np.float32(np.int64(upright))
    if move == 1:
        return right, np.float32(np.int64(sideways))
    if move == 2:
        return down, np.float32(np.int64(upright))
    return left, np.float32(np.int64(sideways))


@njit(nogil=True)
def largest_tile(board: np.uint64) -> np.int64:
    """Exponent of the largest tile on a board."""
    largest = _0
    for _ in range(16):
        largest = max(largest, board & np.uint64(15))
        board >>= np.uint64(4)
    return np.int64(largest)


@njit(nogil=True, fastmath=FLOATS)
def sum_promoted(
    weights: np.ndarray, base: int, size: int, indices: np.ndarray, at: int, m: int
) -> np.float32:
    """The sum of a board's active weights, those that are 0 replaced by the stage before's."""
    total = np.float32(0.0)
    for i in range(np.uint64(m)):
        place = base + np.uint64(indices[at + i])
        weight = weights[place]
        if weight == np.float32(0.0):
            weight = weights[place - size]
        total += weight
    return total
