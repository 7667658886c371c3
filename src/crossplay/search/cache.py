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
def stirred(key: np.uint64, cell: int) -> np.uint64:
    """The hash of what came before and one more cell."""
    key = (key ^ np.uint64(np.int64(cell) + 1)) * np.uint64(0x9E3779B97F4A7C15)
    return key ^ (key >> np.uint64(29))


@njit(nogil=True, _nrt=False)
def position_key(cache: EvaluationCache, state: np.ndarray) -> np.uint64:
    """A hash, never 0, of what the tensor of a state is made of; 1 where nothing is remembered anyway."""
    if cache.keys.shape[0] == 0:
        return np.uint64(1)
    key = np.uint64(state[AGENT]) * np.uint64(2) + np.uint64(state[SWAPPED])
    for i in range(LAST_FROM, PREVIOUS_TO + 1):
        key = stirred(key, state[i])
    for i in range(HEADER, cache.tensor_size):
        key = stirred(key, state[i])
    return key | np.uint64(1)


@njit(nogil=True, _nrt=False)
def place_of(cache: EvaluationCache, key: np.uint64) -> np.int64:
    """The only entry that a position can have, if there are any."""
    return np.int64(key >> np.uint64(16)) & (cache.keys.shape[0] - 1)


@njit(nogil=True, _nrt=False)
def remembered(cache: EvaluationCache, key: np.uint64) -> int:
    """The entry of a position, or -1."""
    if cache.keys.shape[0] == 0:
        return -1
    entry = place_of(cache, key)
    return entry if cache.keys[entry] == key else -1


@njit(nogil=True, _nrt=False)
def remember(
    cache: EvaluationCache, key: np.uint64, priors: np.ndarray, values: np.ndarray, row: int
) -> None:
    """Keep the evaluation in row ``row`` of a position."""
    if cache.keys.shape[0] == 0:
        return
    entry = place_of(cache, key)
    cache.keys[entry] = key
    cache.values[entry] = values[row]
    for i in range(cache.priors.shape[1]):
        cache.priors[entry, i] = priors[row, i]
