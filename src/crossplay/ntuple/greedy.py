"""Playing 2048 greedily: the move with the largest reward and value of the afterstate, ties at random.

Like learning, a thread plays :data:`GAMES` games in turns, so that the weights of one game's boards come
from memory while the others are played. A game depends on its seed and number alone, whichever thread
plays it.

Source: W. Jaśkowski (2016), section III.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit, types

from crossplay.ntuple.board import GOLDEN, add_tile, afterstates, mix, stage_of, takes_turn, transpose
from crossplay.ntuple.downgrade import downgraded
from crossplay.ntuple.game import begin_game, largest_tile, make_move
from crossplay.ntuple.intrinsics import FLOATS, NONE, prefetch_weights, store_indices, sum_weights
from crossplay.ntuple.shapes import Tuples, format_tuples, large_tables, stage_weights

GAMES = 2  # played in turns by each thread
WEIGHTS = types.Array(types.float32, 1, "C", readonly=True)
_0, _1 = np.uint64(0), np.uint64(1)

_KERNEL = types.boolean(
    WEIGHTS, types.uint64[::1],
    types.uint32[::1], types.uint64[::1], types.uint64[::1], types.float32[::1],  # the room
    types.uint64[::1], types.uint64[::1], types.uint64[::1], types.int64[::1],
    types.uint64, types.int64,
    types.int64[::1], types.int8[::1], types.int64[::1],
)  # fmt: skip


class Room(NamedTuple):
    """Room for the games that a thread has under way; the kernel would make it more slowly."""

    indices: np.ndarray  # uint32[GAMES * 4 * m]: active weights after each of the four moves
    boards: np.ndarray  # uint64[GAMES * 4]: these afterstates
    bases: np.ndarray  # uint64[GAMES * 4]: first weights of their stages
    rewards: np.ndarray  # float32[GAMES * 4]
    current: np.ndarray  # uint64[GAMES]: the boards
    seen: np.ndarray  # uint64[GAMES]: the boards that the player looks at
    randoms: np.ndarray  # uint64[GAMES]: the random counters
    numbers: np.ndarray  # int64[GAMES]: places of the games among the outputs, or -1


def new_room(m: int) -> Room:
    """Room for a thread that plays a network of ``m`` active weights."""
    return Room(
        np.zeros(GAMES * 4 * m, np.uint32),
        np.zeros(GAMES * 4, np.uint64),
        np.zeros(GAMES * 4, np.uint64),
        np.zeros(GAMES * 4, np.float32),
        np.zeros(GAMES, np.uint64),
        np.zeros(GAMES, np.uint64),
        np.zeros(GAMES, np.uint64),
        np.zeros(GAMES, np.int64),
    )


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
        ``kernel(weights, rows, *room, seed, first, scores, largest, moves)``, which plays the games
        numbered ``first``, ``first + 1``, ... of ``seed`` (``uint64``), as many as the outputs have places:

        * ``weights``: ``float32[stages * weights of a stage]``; ``rows``: see
          :func:`crossplay.ntuple.board.row_table`; ``room``: see :func:`new_room`;
        * ``scores`` and ``moves``: ``int64[n]``; ``largest``: ``int8[n]``, exponents of the largest tiles.

        It returns whether all went well; it stops where the value of every move is not a number.
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
        indices: np.ndarray,
        boards: np.ndarray,
        bases: np.ndarray,
        rewards: np.ndarray,
        current: np.ndarray,
        seen: np.ndarray,
        randoms: np.ndarray,
        numbers: np.ndarray,
        seed: int,
        first: int,
        scores: np.ndarray,
        largest: np.ndarray,
        moves: np.ndarray,
    ) -> bool:
        started = finished = 0
        for game in range(GAMES):
            numbers[game] = -1
            if started < len(scores):
                numbers[game] = started
                current[game], randoms[game] = begin_game(seed, np.uint64(first + started))
                started += 1
        for number in range(len(scores)):
            scores[number] = moves[number] = 0
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
                        current[game], random = begin_game(seed, np.uint64(first + started))
                        started += 1
                randoms[game] = random
        return True

    return play


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
