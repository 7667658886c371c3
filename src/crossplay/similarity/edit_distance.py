"""The edit distance of ordered labelled trees as one kernel.

Source: K. Zhang and D. Shasha, "Simple fast algorithms for the editing distance between trees and related
problems", SIAM J. Comput. 18 (1989). All operations cost 1.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

_LABELS = types.Array(types.int32, 1, "C")
_DISTANCES = types.Array(types.int32, 2, "C")


@njit(nogil=True)
def keyroots(leftmost: np.ndarray) -> np.ndarray:
    """The nodes that are the last to begin with their leftmost leaf, ascending."""
    last = np.zeros(leftmost.shape[0], np.bool_)
    seen = np.zeros(leftmost.shape[0], np.bool_)
    for node in range(leftmost.shape[0] - 1, -1, -1):
        if not seen[leftmost[node]]:
            seen[leftmost[node]] = last[node] = True
    return np.flatnonzero(last)


@njit(types.int64(_LABELS, _LABELS, _LABELS, _LABELS), cache=True, nogil=True)
def edit_distance(
    first: np.ndarray, first_leftmost: np.ndarray, second: np.ndarray, second_leftmost: np.ndarray
) -> int:
    """Least number of insertions, deletions and relabellings that turn the first tree into the second.

    Args:
        first, second: ``int32[n]`` labels of the nodes in postorder.
        first_leftmost, second_leftmost: ``int32[n]`` the leftmost leaf below each node, as its number.
    """
    trees = np.zeros((first.shape[0], second.shape[0]), np.int32)
    forests = np.zeros((first.shape[0] + 1, second.shape[0] + 1), np.int32)
    for i in keyroots(first_leftmost):
        for j in keyroots(second_leftmost):
            a, b = first_leftmost[i], second_leftmost[j]
            # forests[x, y]: the forests of x and y nodes that begin at a and b.
            for x in range(1, i - a + 2):
                forests[x, 0] = x
            for y in range(1, j - b + 2):
                forests[0, y] = y
            for x in range(1, i - a + 2):
                node = a + x - 1
                for y in range(1, j - b + 2):
                    other = b + y - 1
                    least = min(forests[x - 1, y], forests[x, y - 1]) + 1
                    if first_leftmost[node] == a and second_leftmost[other] == b:
                        least = min(least, forests[x - 1, y - 1] + (first[node] != second[other]))
                        trees[node, other] = least
                    else:
                        before = forests[first_leftmost[node] - a, second_leftmost[other] - b]
                        least = min(least, before + trees[node, other])
                    forests[x, y] = least
    return int(trees[-1, -1])
