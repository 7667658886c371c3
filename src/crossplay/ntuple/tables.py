"""Memory for tables of weights: mapped lazily, on huge pages."""

from __future__ import annotations

import mmap

import numpy as np

_HUGE = 1 << 21


def new_table(length: int) -> np.ndarray:
    """``float32[length]`` of zeros; memory is taken by what is written, in pieces of 2 MB."""
    size = length * 4
    memory = mmap.mmap(-1, size + _HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    raw = np.frombuffer(memory, np.uint8)
    start = -raw.ctypes.data % _HUGE
    return raw[start : start + size].view(np.float32)
