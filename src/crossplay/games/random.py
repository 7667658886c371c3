"""Random numbers inside kernels: one 64-bit xorshift* state per stream.

A stream is a ``uint64[1]`` array (or a longer one, of which element 0 counts). Streams are seeded by
splitmix64, so neighbouring seeds give unrelated sequences and results never depend on threads.
Source: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled" (2016).
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True)
def next_random(rng: np.ndarray) -> int:
    """Advance the stream and return 64 random bits."""
    x = rng[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    rng[0] = x
    return x * np.uint64(0x2545F4914F6CDD1D)


@njit(nogil=True)
def uniform(rng: np.ndarray) -> float:
    """A float64 drawn uniformly from [0, 1)."""
    return float(next_random(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(nogil=True)
def below(rng: np.ndarray, n: int) -> np.int64:
    """An integer drawn uniformly from 0..n-1 (bias below n / 2**32, by multiply and shift)."""
    return np.int64(((next_random(rng) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


def seed_streams(seed: int, n: int) -> np.ndarray:
    """Return ``uint64[n]`` stream states, never zero, from one integer seed (splitmix64)."""
    golden_ratio = np.uint64(0x9E3779B97F4A7C15)
    z = np.uint64(seed & ((1 << 64) - 1)) + np.arange(1, n + 1, dtype=np.uint64) * golden_ratio
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.maximum(z, np.uint64(1))
