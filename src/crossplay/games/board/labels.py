"""Rows, columns and labels such as ``B3``, found as Ludii finds them.

Sites are sorted by their distance from a line far out, and a new row begins where the distance jumps.
Of several directions of that line the one that gives the fewest and straightest rows is taken.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

_ROW_ANGLES = (0, 15, 30, 45, 60)
_COLUMN_ANGLES = (90, 105, 120)  # from the rows
_GOOD = 0.01
_MARGIN = 0.25  # of a site's breadth; fits every board and game of Ludii 1.0.8 that we know of


def rows_and_columns(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(int32[n], int32[n]): the row and the column of each site of float64[n, 2]."""
    low, high = points.min(axis=0), points.max(axis=0)
    width, height = high - low
    middle = (low + high) / 2
    below = np.array([middle[0], low[1] - height])
    left = np.array([low[0] - width, middle[1]])
    margin = _MARGIN * float(width + height) / 2 / float(np.sqrt(len(points)))
    row_angle, rows = _best(points, below, _ROW_ANGLES, margin)
    _, columns = _best(points, left, [row_angle + angle for angle in _COLUMN_ANGLES], margin)
    return rows, columns


def label(column: int, row: int) -> str:
    """``A1`` for 0, 0; after column Z come AA, AB, ..."""
    text = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        text = chr(ord("A") + letter) + text
    return f"{text}{row + 1}"


def _best(
    points: np.ndarray, origin: np.ndarray, angles: Iterable[float], margin: float
) -> tuple[float, np.ndarray]:
    best_error, best_angle, best = np.inf, 0.0, np.zeros(len(points), np.int32)
    for angle in angles:
        direction = np.radians(angle)
        offset = points - origin
        distance = np.abs(np.cos(direction) * offset[:, 1] - np.sin(direction) * offset[:, 0])
        groups, error = _cluster(distance, margin)
        if error < best_error:
            best_error, best_angle, best = error, angle, groups
            if error < _GOOD:
                break
    return best_angle, best


def _cluster(distances: np.ndarray, margin: float) -> tuple[np.ndarray, float]:
    """Group numbers by size, and how bad the grouping is (a hundredth per group, plus their spread)."""
    groups = np.empty(len(distances), np.int32)
    error, group, total, count, last = 0.0, -1, 0.0, 0, 0.0
    for index in np.argsort(distances, kind="stable"):
        value = float(distances[index])
        if not count or abs(value - total / count) > margin:
            error += (total / count - last) ** 2 / count if count else 0.0
            group, total, count = group + 1, 0.0, 0
        total, count, last = total + value, count + 1, value
        groups[index] = group
    # As in Ludii a group's spread is told by its last member alone.
    error += (total / count - last) ** 2 / count
    return groups, error + _GOOD * (group + 1)
