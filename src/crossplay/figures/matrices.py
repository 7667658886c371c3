"""Tables of numbers as coloured cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from crossplay.figures.style import house_style, new_figure

# Orange below the middle, blue above, and near white at it.
_DIVERGING = LinearSegmentedColormap.from_list(
    "difference", ["#B35806", "#F1A340", "#F7F7F7", "#67A9CF", "#2166AC"]
)
_SEQUENTIAL = LinearSegmentedColormap.from_list("amount", ["#F7FBFF", "#9ECAE1", "#2171B5", "#08306B"])


@dataclass(frozen=True)
class Matrix:
    """A table of values from 0 to 1.

    Attributes:
        title: stands above it.
        rows, columns: names.
        values: ``[row][column]``, None for an empty cell.
        texts: what to write into the cells.
        notes: smaller text below that; none by default.
        diverging: whether 0.5 is the neutral value (scores) or 0 the least (similarities).
    """

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    texts: Sequence[Sequence[str]]
    notes: Sequence[Sequence[str]] | None = None
    diverging: bool = False


def draw_matrices(matrices: Sequence[Matrix]) -> Figure:
    """Draw the tables side by side."""
    rows = max(len(matrix.rows) for matrix in matrices)
    widths = [_width(matrix) for matrix in matrices]
    with house_style():
        figure, axes = new_figure(widths, 1.0 + 0.72 * rows)
        for ax, matrix in zip(axes, matrices, strict=True):
            _draw(ax, matrix)
    return figure


def _width(matrix: Matrix) -> float:
    """Inches for the row names beside cells of a fixed size, at least for the title above them."""
    names = 0.2 + 0.085 * max(len(row) for row in matrix.rows)
    return names + max(1.25 * len(matrix.columns), 0.105 * len(matrix.title))


def _draw(ax: Axes, matrix: Matrix) -> None:
    ax.set_title(matrix.title, pad=12)
    colours = _DIVERGING if matrix.diverging else _SEQUENTIAL
    for y, row in enumerate(matrix.values):
        for x, value in enumerate(row):
            fill = to_rgb("#EEEEEE") if value is None else to_rgb(colours(float(value)))
            ink = _ink(fill)
            ax.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=fill, edgecolor="none"))
            note = matrix.notes[y][x] if matrix.notes else ""
            height = y - 0.1 if note else y
            ax.text(x, height, matrix.texts[y][x], ha="center", va="center", color=ink, fontweight="bold")
            ax.text(x, y + 0.2, note, ha="center", va="center", color=ink, fontsize=8)
    ax.set_xlim(-0.5, len(matrix.columns) - 0.5)
    ax.set_ylim(len(matrix.rows) - 0.5, -0.5)
    ax.set_xticks(range(len(matrix.columns)), matrix.columns)
    ax.set_yticks(range(len(matrix.rows)), matrix.rows)
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)


def _ink(fill: tuple[float, float, float]) -> str:
    """Black or white, whichever is easier to read on the fill."""
    red, green, blue = fill
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.55 else "#222222"
