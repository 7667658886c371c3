"""The ludemes, by family; importing this package registers them all."""

from crossplay.games.compiler.ludemes import (
    conditions,
    connection,
    control,
    effects,
    events,
    flanking,
    hopping,
    lines,
    numbers,
    placing,
    results,
    sites,
    stepping,
    whereabouts,
)

__all__ = [
    "conditions",
    "connection",
    "control",
    "effects",
    "events",
    "flanking",
    "hopping",
    "lines",
    "numbers",
    "placing",
    "results",
    "sites",
    "stepping",
    "whereabouts",
]
