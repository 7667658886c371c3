"""How all figures look, and saving them the same way each time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crossplay.files import write_atomically

# Okabe and Ito's colours, which readers with any colour vision can tell apart; ordered by contrast on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
REFERENCE = "#444444"  # what everything is compared with
FAINT = "#B8B8B8"

_STYLE: Any = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#666666",
    "axes.labelcolor": "#333333",
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.dpi": 160,
    # The same figure gives the same bytes.
    "svg.hashsalt": "crossplay",
}


@contextmanager
def house_style() -> Iterator[None]:
    """Within this block new figures have the house style."""
    with mpl.rc_context(_STYLE):
        yield


def new_figure(widths: Sequence[float], height: float) -> tuple[Figure, list[Axes]]:
    """A figure with panels of these widths side by side; sizes in inches."""
    figure, rows = new_grid(widths, [height])
    return figure, rows[0]


def new_grid(widths: Sequence[float], heights: Sequence[float]) -> tuple[Figure, list[list[Axes]]]:
    """A figure with rows of panels; sizes in inches. The panels are ``[row][column]``."""
    figure = Figure(figsize=(sum(widths), sum(heights)), layout="constrained")
    rows = figure.subplots(
        len(heights), len(widths), squeeze=False, width_ratios=widths, height_ratios=heights
    )
    return figure, [list(row) for row in rows]


def save_figure(figure: Figure, *paths: Path) -> None:
    """Write the figure to each path in the format of its name's ending (png, svg)."""
    for path in paths:
        kind = path.suffix.removeprefix(".")
        metadata = {"Date": None} if kind == "svg" else {"Software": None}

        def write(temporary: Path, kind: str = kind, metadata: dict[str, None] = metadata) -> None:
            with house_style():
                figure.savefig(temporary, format=kind, metadata=metadata)

        write_atomically(path, write)
