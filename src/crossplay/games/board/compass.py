"""Compass names of directions in the plane, x to the east and y to the north."""

from __future__ import annotations

import math
from collections.abc import Sequence

NAMES = (
    "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
)  # fmt: skip

# One direction of every line through a site, and the one that leads back.
OPPOSITE = dict(zip(NAMES[: len(NAMES) // 2], NAMES[len(NAMES) // 2 :], strict=True))

# Relative name -> sixteenths of a turn to the right from the facing, for those that are one direction.
_STRAIGHT = {"Forward": 0, "Rightward": 4, "Backward": 8, "Leftward": 12}
# Relative name -> the open range of directions, clockwise from the facing.
_HALVES = {"Forwards": (-4, 4), "Rightwards": (0, 8), "Backwards": (4, 12), "Leftwards": (8, 16)}
# Relative name -> where the search for the next direction starts, and which way it goes.
_NEXT = {"FL": (0, -1), "FR": (0, 1), "BL": (8, -1), "BR": (8, 1)}

RELATIVE_NAMES = (
    *_STRAIGHT,
    *_HALVES,
    *(front + side * times for front in "FB" for side in "LR" for times in (1, 2, 3)),
)


def nearest(bearing: float, points: int = 16) -> str:
    """Name of the compass point nearest to ``bearing`` (degrees clockwise from north).

    ``points`` is how finely the compass is divided: 4, 8 or 16.
    """
    return NAMES[round(bearing * points / 360) % points * (16 // points)]


def bearing(dx: float, dy: float) -> float:
    """Direction of ``(dx, dy)`` in degrees clockwise from north, in [0, 360)."""
    return math.degrees(math.atan2(dx, dy)) % 360


def relative(facing: str, name: str, supported: Sequence[str]) -> tuple[str, ...]:
    """The compass names that a relative direction stands for.

    Args:
        facing: compass name of where the piece or player looks.
        name: one of ``RELATIVE_NAMES``.
        supported: the compass names that a board has; others are never returned.

    As in Ludii FLL and FLLL are the same as FL, the first supported direction to the left of straight
    ahead, and likewise for the other three.
    """
    start = NAMES.index(facing)
    if name in _STRAIGHT:
        wanted = [_STRAIGHT[name]]
    elif name in _HALVES:
        low, high = _HALVES[name]
        wanted = list(range(low + 1, high))
        if name == "Leftwards":
            wanted.reverse()
    else:
        first, step = _NEXT[name[:2]]
        turns = (first + step * k for k in range(1, 17))
        wanted = [turn for turn in turns if NAMES[(start + turn) % 16] in supported][:1]
    names = [NAMES[(start + turn) % 16] for turn in wanted]
    return tuple(name for name in names if name in supported)
