"""What a search remembers: the values of chance nodes, under the whole board and the depth.

No two nodes are taken for each other: an entry holds all of its board and depth. A new entry takes the
place of an old one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

ENTRIES_BITS = 18  # a table that fits the cache is faster than one that forgets less

_1, _2, _32 = np.uint64(1), np.uint64(2), np.uint64(32)
_FACTOR, _DEPTH_FACTOR = np.uint64(0xD6E8FEB86659FD93), np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(64 - ENTRIES_BITS)
_I32, _I64 = ir.IntType(32), ir.IntType(64)


def new_memory() -> np.ndarray:
    """An empty table, for one thread, and for as long as the weights stay the same.

    ``uint64[2 n]``: a board, then its depth (upper half of the word) and value (lower half, ``float32``).
    """
    return np.zeros(2 << ENTRIES_BITS, np.uint64)


@njit(nogil=True)
def find(memory: np.ndarray, board: np.uint64, depth: np.uint64) -> tuple[np.uint64, bool]:
    """The place of a node, and whether the value there is its own. Depths begin at 1."""
    place = _2 * (((board ^ (board >> _32)) * _FACTOR + depth * _DEPTH_FACTOR) >> _SHIFT)
    return place, memory[place] == board and memory[place + _1] >> _32 == depth


@njit(nogil=True)
def recall(memory: np.ndarray, place: np.uint64) -> np.float32:
    """The value at a place."""
    return _value(memory[place + _1])


@njit(nogil=True)
def remember(
    memory: np.ndarray, place: np.uint64, board: np.uint64, depth: np.uint64, value: np.float32
) -> None:
    """Put a node with its value at its place."""
    memory[place] = board
    memory[place + _1] = depth << _32 | _bits(value)


@intrinsic
def _bits(typing_context: Any, value: Any) -> Any:
    """The bits of a ``float32`` as a ``uint64``."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.zext(builder.bitcast(arguments[0], _I32), _I64)

    return types.uint64(types.float32), codegen


@intrinsic
def _value(typing_context: Any, word: Any) -> Any:
    """The ``float32`` in the lower half of a ``uint64``."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(builder.trunc(arguments[0], _I32), ir.FloatType())

    return types.float32(types.uint64), codegen
