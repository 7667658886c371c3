"""Calling a game's first-class functions from Python, one position at a time, and counting move trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types

from crossplay.games.state import APPLY, LEGAL, MOVE_LIST, START, STATE
from crossplay.games.tensors import ENCODING, Encoding, action_index, encode_state

_FLOATS = types.Array(types.float32, 1, "C")
_STATES = types.Array(types.int16, 2, "C")
_MOVE_LISTS = types.Array(types.int64, 2, "C")
_COUNTS = types.Array(types.int64, 1, "C")


@njit(types.void(START, STATE), nogil=True, cache=True)
def call_start(start: Any, state: np.ndarray) -> None:
    """``start(state)``."""
    start(state)


@njit(types.int64(LEGAL, STATE, MOVE_LIST), nogil=True, cache=True)
def call_legal(legal: Any, state: np.ndarray, moves: np.ndarray) -> int:
    """``legal(state, moves)``."""
    return legal(state, moves)


@njit(types.void(APPLY, STATE, types.int64), nogil=True, cache=True)
def call_apply(apply: Any, state: np.ndarray, move: int) -> None:
    """``apply(state, move)``."""
    apply(state, move)


@njit(types.void(ENCODING, STATE, _FLOATS), nogil=True, cache=True)
def call_encode(encoding: Encoding, state: np.ndarray, out: np.ndarray) -> None:
    """:func:`~crossplay.games.tensors.encode_state` without a symmetry."""
    encode_state(encoding, 0, state, out)


@njit(types.int64(ENCODING, types.int64), nogil=True, cache=True)
def call_action(encoding: Encoding, move: int) -> int:
    """:func:`~crossplay.games.tensors.action_index` without a symmetry."""
    return action_index(encoding, 0, move)


@njit(types.int64(LEGAL, APPLY, _STATES, _MOVE_LISTS, _COUNTS, types.int64), nogil=True, cache=True)
def count_leaves(
    legal: Any, apply: Any, states: np.ndarray, moves: np.ndarray, cursor: np.ndarray, depth: int
) -> int:
    """Count the move sequences of exactly ``depth`` plies from ``states[0]``.

    Args:
        states: ``int16[depth, state_size]``, row 0 filled, the rest scratch.
        moves: ``int64[depth, max_moves]`` scratch.
        cursor: ``int64[2 * depth]`` scratch.
    """
    leaves = 0
    level = 0
    cursor[0] = 0
    cursor[depth] = legal(states[0], moves[0])
    while level >= 0:
        if level == depth - 1:
            leaves += cursor[depth + level]  # the last ply needs counting, not playing
            level -= 1
        elif cursor[level] == cursor[depth + level]:
            level -= 1
        else:
            for i in range(states.shape[1]):
                states[level + 1, i] = states[level, i]
            apply(states[level + 1], moves[level, cursor[level]])
            cursor[level] += 1
            level += 1
            cursor[level] = 0
            cursor[depth + level] = legal(states[level], moves[level])
    return leaves
