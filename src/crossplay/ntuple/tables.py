"""Memory for tables of weights: mapped lazily, on huge pages."""

from __future__ import annotations

import mmap

import numpy as np

from crossplay.errors import CrossplayError
from crossplay.memory import gibibytes

# Numbers that a rule keeps beside every weight; stored together, apart from the weights that playing needs.
ACCUMULATORS = {"td": 0, "tc": 2, "autostep": 4}

_HUGE = 1 << 21


def new_table(length: int) -> np.ndarray:
    """``float32[length]`` of zeros; memory is taken by what is written, in pieces of 2 MB.

    Raises:
        CrossplayError: the system does not give so much, however little of it would be used.
    """
    size = length * 4
    try:
        memory = mmap.mmap(-1, size + _HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, ValueError, OverflowError) as error:
        raise CrossplayError(
            f"the system refuses {gibibytes(size)} of memory for a table; choose a smaller network or fewer"
            " stages, or raise the limit (ulimit -v)"
        ) from error
    if hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)
    raw = np.frombuffer(memory, np.uint8)
    start = -raw.ctypes.data % _HUGE
    return raw[start : start + size].view(np.float32)
