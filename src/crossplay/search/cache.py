"""Evaluations that a network has made already, for positions met again.

One table per thread, indexed by a hash of what tensors show of a state; a new entry takes the place of
what was there. It must be emptied whenever the network changes.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np
from numba import njit

from crossplay.games.state import AGENT, HEADER, LAST_FROM, PREVIOUS_TO, SWAPPED

if TYPE_CHECKING:
    from crossplay.games import Game


class EvaluationCache(NamedTuple):
    """Room for N evaluations, a power of two, or none if N is 0."""

    keys: np.ndarray  # uint64[N], 0 in unused entries
    values: np.ndarray  # float32[N]
    priors: np.ndarray  # float32[N, A]
    tensor_size: int  # cells of a state that tensors depend on


def make_cache(game: Game, megabytes: float) -> EvaluationCache:
    """Allocate an empty table of at most so many megabytes; memory is touched only as far as it is used."""
    entries = int(megabytes * 2**20) // (4 * game.n_actions + 12)
    entries = 1 << entries.bit_length() - 1 if entries > 0 else 0
    return EvaluationCache(
        keys=np.zeros(entries, np.uint64),
        values=np.zeros(entries, np.float32),
        priors=np.zeros((entries, game.n_actions), np.float32),
        tensor_size=game.tensor_size,
    )


_any_game: Any = SimpleNamespace(n_actions=1, tensor_size=1)
CACHE: Any = numba.typeof(make_cache(_any_game, 0))


@njit(nogil=True, _nrt=False)
def position_key(cache: EvaluationCache, state: np.ndarray) -> np.uint64:
    """A hash, never 0, of the part of a state that its tensor is made of."""
    key = np.uint64(state[AGENT]) * np.uint64(2) + np.uint64(state[SWAPPED])
    for i in range(LAST_FROM, PREVIOUS_TO + 1):
        key = (key ^ np.uint64(np.int64(state[i]) + 1)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    for i in range(HEADER, cache.tensor_size):
        key = (key ^ np.uint64(np.int64(state[i]) + 1)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    return key | np.uint64(1)


@njit(nogil=True, _nrt=False)
def remembered(cache: EvaluationCache, key: np.uint64) -> int:
    """The entry of a position, or -1."""
    if cache.keys.shape[0] == 0:
        return -1
    entry = np.int64(key >> np.uint64(16)) & (cache.keys.shape[0] - 1)
    return entry if cache.keys[entry] == key else -1


@njit(nogil=True, _nrt=False)
def remember(
    cache: EvaluationCache, key: np.uint64, priors: np.ndarray, values: np.ndarray, row: int
) -> None:
    """Keep the evaluation in row ``row`` of a position."""
    if cache.keys.shape[0] == 0:
        return
    entry = np.int64(key >> np.uint64(16)) & (cache.keys.shape[0] - 1)
    cache.keys[entry] = key
    cache.values[entry] = values[row]
    for i in range(cache.priors.shape[1]):
        cache.priors[entry, i] = priors[row, i]
