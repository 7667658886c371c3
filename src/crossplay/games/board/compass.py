"""Compass names of directions in the plane, x to the east and y to the north."""

from __future__ import annotations

import math

NAMES = (
    "N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW",
)  # fmt: skip


# One direction of every line through a site, and the one that leads back.
OPPOSITE = dict(zip(NAMES[: len(NAMES) // 2], NAMES[len(NAMES) // 2 :], strict=True))


def nearest(bearing: float, points: int = 16) -> str:
    """Name of the compass point nearest to ``bearing`` (degrees clockwise from north).

    ``points`` is how finely the compass is divided: 4, 8 or 16.
    """
    return NAMES[round(bearing * points / 360) % points * (16 // points)]


def bearing(dx: float, dy: float) -> float:
    """Direction of ``(dx, dy)`` in degrees clockwise from north, in [0, 360)."""
    return math.degrees(math.atan2(dx, dy)) % 360
