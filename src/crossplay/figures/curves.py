"""Learning curves with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from crossplay.figures.style import COLOURS, FAINT, REFERENCE, house_style, new_figure

_LINES = ("-", ":", "-.")
_MARKERS = "s^D"


@dataclass(frozen=True)
class Curve:
    """Scores at several points of a training.

    Attributes:
        label: what to call it.
        positions: how far the training was.
        scores, low, high: score and the bounds of its interval, as shares (0 to 1).
        group: curves of one group share a colour; those of no group are dark and dashed, to compare with.
        style: line style and marker within the group, 0 to 2.
    """

    label: str
    positions: Sequence[float]
    scores: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    group: str | None = None
    style: int = 0


def draw_curves(panels: Mapping[str, Sequence[Curve]], score_of: str) -> Figure:
    """Draw a panel per title; ``score_of`` says against whom scores were made."""
    with house_style():
        figure, axes = new_figure([7.4] * len(panels), 4.4)
        for ax, (title, curves) in zip(axes, panels.items(), strict=True):
            _draw_panel(ax, title, curves)
        axes[0].set_ylabel(f"Score {score_of}")
    return figure


def _draw_panel(ax: Axes, title: str, curves: Sequence[Curve]) -> None:
    ax.set_title(title)
    ax.axhline(0.5, color=FAINT, linewidth=0.8, zorder=0)
    groups = list(dict.fromkeys(curve.group for curve in curves if curve.group is not None))
    last = max((max(curve.positions) for curve in curves if curve.positions), default=1) or 1
    for number, curve in enumerate(curves):
        colour = REFERENCE if curve.group is None else COLOURS[groups.index(curve.group) % len(COLOURS)]
        # Apart by a little, so that intervals at the same positions can be told apart.
        x = [p + 0.004 * last * (number - (len(curves) - 1) / 2) for p in curve.positions]
        below = [score - low for score, low in zip(curve.scores, curve.low, strict=True)]
        above = [high - score for score, high in zip(curve.scores, curve.high, strict=True)]
        ax.errorbar(
            x,
            curve.scores,
            yerr=(below, above),
            color=colour,
            label=curve.label,
            linestyle="none" if len(x) == 1 else "--" if curve.group is None else _LINES[curve.style],
            linewidth=1.8,
            marker="o" if curve.group is None else _MARKERS[curve.style],
            markersize=6,
            elinewidth=1.0,
            capsize=2.5,
        )
    ax.set_ylim(-0.03, 1.03)
    ax.set_xlim(left=-0.04 * last, right=1.04 * last)
    ax.set_xlabel("Self-play positions trained on the target game")
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.0f}%"))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    ax.grid(axis="y", color="#EEEEEE", zorder=0)
    ax.set_axisbelow(True)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=2.6)
