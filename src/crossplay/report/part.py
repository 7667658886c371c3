"""What each kind of experiment adds to the report."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.figure import Figure

from crossplay.errors import CrossplayError

Row = Mapping[str, Any]


class Part(NamedTuple):
    """A part of the report.

    Attributes:
        tables: rows by the name of their file (without ``.csv``); never empty.
        figures: by the name of their files (without ``.png`` and ``.svg``).
        section: HTML that explains it all; it is given the figures as SVG, by name.
    """

    tables: Mapping[str, Sequence[Row]]
    figures: Mapping[str, Figure]
    section: Callable[[Mapping[str, bytes]], str]


def read_json(path: Path, kind: type = dict) -> Any:
    """What a stage wrote, which must be of this kind.

    Raises:
        CrossplayError: the file is missing, no JSON or of another kind.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise unusable(path, "is missing") from error
    except ValueError as error:
        raise unusable(path, "is not valid JSON") from error
    if not isinstance(content, kind):
        raise unusable(path, f"is not a JSON {'list' if kind is list else 'object'}")
    return content


def unusable(path: Path, fault: str) -> CrossplayError:
    """The error of a result that is missing or damaged."""
    return CrossplayError(f"{path} {fault}; let the workflow (snakemake) make it again")
