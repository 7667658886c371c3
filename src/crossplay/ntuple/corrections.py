"""How an error changes the active weights: temporal differences, temporal coherence, Autostep.

With m active weights, each with accumulators of its own:

* TD: V_i += alpha / m * error;
* TC: V_i += beta / m * (|E_i| / A_i) * error, then E_i += error and A_i += |error|; the rate is 1 at first;
* Autostep: step sizes after Mahmood et al. (2012), "Tuning-free step-size adaptation", table 1.

Arguments of all: ``weights`` and ``accumulators`` as for :func:`crossplay.ntuple.learning.learner`; the
active weights are ``base + indices[at + i]`` for ``i < m``; ``scratch`` is room for ``3 m`` numbers.

Source: W. Jaśkowski (2016), algorithms 1 and 2 and section IV.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from crossplay.ntuple.intrinsics import FLOATS

_TINY = np.float32(1e-30)
_0, _1 = np.uint64(0), np.uint64(1)


@njit(nogil=True, fastmath=FLOATS)
def correct_td(weights: np.ndarray, base: int, indices: np.ndarray, at: int, m: int, step: float) -> None:
    """Add ``step`` to the active weights."""
    for i in range(np.uint64(m)):
        weights[base + np.uint64(indices[at + i])] += step


@njit(nogil=True, fastmath=FLOATS)
def correct_tc(
    weights: np.ndarray,
    accumulators: np.ndarray,
    base: int,
    indices: np.ndarray,
    at: int,
    m: int,
    error: float,
    rate: float,
    scratch: np.ndarray,
) -> None:
    """Algorithm 2: each active weight by its own rate ``|E| / A``; all are read before any is written."""
    size, step = abs(error), error * rate
    e, a, change = _0, np.uint64(m), np.uint64(2 * m)
    for i in range(np.uint64(m)):
        place = (base + np.uint64(indices[at + i])) * np.uint64(2)
        scratch[e + i], scratch[a + i] = accumulators[place], accumulators[place + _1]
    for i in range(np.uint64(m)):
        # The tiny number makes the rate of an untouched weight 1.
        scratch[change + i] = step * ((abs(scratch[e + i]) + _TINY) / (scratch[a + i] + _TINY))
        scratch[e + i] += error
        scratch[a + i] += size
    for i in range(np.uint64(m)):
        place = base + np.uint64(indices[at + i])
        weights[place] += scratch[change + i]
        accumulators[place * np.uint64(2)] = scratch[e + i]
        accumulators[place * np.uint64(2) + _1] = scratch[a + i]


@njit(nogil=True)
def correct_autostep(
    weights: np.ndarray,
    accumulators: np.ndarray,
    base: int,
    indices: np.ndarray,
    at: int,
    m: int,
    error: float,
    initial: float,
    meta_rate: float,
    scratch: np.ndarray,
) -> None:
    """One step of Autostep with all active inputs 1; a step size of 0 stands for the initial one.

    As in :func:`correct_tc` all accumulators are read before any is written: a board that is its own mirror
    image hits a weight several times, and its step size must not grow with every hit.
    """
    tau, total = np.float32(1e-4), np.float32(0.0)
    sizes, traces, normalisers = _0, np.uint64(m), np.uint64(2 * m)
    for i in range(np.uint64(m)):
        place = (base + np.uint64(indices[at + i])) * np.uint64(4)
        size, trace = accumulators[place], accumulators[place + _1]
        if size == np.float32(0.0):
            size = initial
        correlation = error * trace
        g = abs(correlation)
        normaliser = accumulators[place + np.uint64(2)]
        normaliser = max(g, normaliser + tau * size * (g - normaliser))
        if normaliser > np.float32(0.0):
            size *= np.float32(math.exp(meta_rate * correlation / normaliser))
        scratch[sizes + i], scratch[traces + i], scratch[normalisers + i] = size, trace, normaliser
        total += size
    shrink = np.float32(1.0) / max(total, np.float32(1.0))
    for i in range(np.uint64(m)):
        weight = base + np.uint64(indices[at + i])
        place = weight * np.uint64(4)
        size = scratch[sizes + i] * shrink
        weights[weight] += size * error
        accumulators[place] = size
        accumulators[place + _1] = scratch[traces + i] * (np.float32(1.0) - size) + size * error
        accumulators[place + np.uint64(2)] = scratch[normalisers + i]
