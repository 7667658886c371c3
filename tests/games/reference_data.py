"""Numbers measured on Ludii 1.0.8: one entry per game variant, and recorded random games."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

REFERENCE = Path(__file__).parent.parent / "reference" / "ludii"
TRACES = sorted(path.name.removesuffix(".json.gz") for path in (REFERENCE / "traces").iterdir())


def _read(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def read_reference() -> list[dict[str, Any]]:
    """One entry per game variant: shapes, names, perft, statistics of random play."""
    return _read(REFERENCE / "reference.json.gz")


def read_trace(variant: str) -> dict[str, Any]:
    """Recorded random games of a variant: legal actions and tensor checksums at every ply."""
    return _read(REFERENCE / "traces" / f"{variant}.json.gz")
