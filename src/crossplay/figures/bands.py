"""Learning curves of many runs, each a line in a band, in a grid of panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from crossplay.figures.style import COLOURS, REFERENCE, house_style, new_grid

_LINES = ("-", "--", ":", "-.")
_UNITS = ((1e9, "billions"), (1e6, "millions"), (1e3, "thousands"), (1.0, ""))


@dataclass(frozen=True)
class Band:
    """A value that changes, and how far it may be off.

    Attributes:
        label: what to call it.
        x: where it was measured.
        middle, low, high: the line and the bounds of the band around it.
    """

    label: str
    x: Sequence[float]
    middle: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


@dataclass(frozen=True)
class BandPanel:
    """One panel; bands of equal place in the panels of a row have equal colours."""

    title: str
    bands: Sequence[Band]


def draw_bands(
    rows: Sequence[Sequence[BandPanel]], x_label: str, y_label: str, reference: str | None = None
) -> Figure:
    """Draw rows of panels, of equal length; each row has one legend, at its end.

    Args:
        rows: the panels.
        x_label, y_label: what the axes show.
        reference: who or what has the value 0, drawn as a line; values may then be negative. Without it no
            value is, and panels begin at 0.
    """
    most = max(len(panel.bands) for row in rows for panel in row)
    labels = [band.label for row in rows for panel in row for band in panel.bands]
    legend = 0.8 + 0.08 * max(map(len, [*labels, reference or ""]))
    widths = [5.2] * len(rows[0])
    widths[-1] += legend
    with house_style():
        figure, grid = new_grid(widths, [max(3.6, 1.2 + 0.2 * most)] * len(rows))
        for axes, row in zip(grid, rows, strict=True):
            for ax, panel in zip(axes, row, strict=True):
                _draw_panel(ax, panel, x_label)
                if reference is None:
                    ax.set_ylim(bottom=0)
                else:
                    ax.axhline(0.0, color=REFERENCE, linewidth=1.0, linestyle="--", label=reference)
            axes[0].set_ylabel(y_label)
            axes[-1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=2.6)
    return figure


def _draw_panel(ax: Axes, panel: BandPanel, x_label: str) -> None:
    ax.set_title(panel.title)
    last = max((x for band in panel.bands for x in band.x), default=1.0)
    unit, name = next((unit, name) for unit, name in _UNITS if last >= unit or unit == 1.0)
    for number, band in enumerate(panel.bands):
        colour = COLOURS[number % len(COLOURS)]
        line = _LINES[number // len(COLOURS) % len(_LINES)]
        x = [value / unit for value in band.x]
        ax.fill_between(x, band.low, band.high, color=colour, alpha=0.15, linewidth=0)
        # A single point has no line; its marker stands at the end of a stroke as long as its band.
        alone = len(x) == 1
        if alone:
            ax.vlines(x, band.low, band.high, color=colour, linewidth=1.0)
        ax.plot(
            x, band.middle, line, color=colour, label=band.label, linewidth=1.7, marker="o" if alone else None
        )
    ax.set_xlim(left=0)
    ax.set_xlabel(f"{x_label} ({name})" if name else x_label)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    ax.grid(axis="y", color="#EEEEEE", zorder=0)
    ax.set_axisbelow(True)
