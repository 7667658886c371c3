"""Strength over a training, in Elo."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from crossplay.figures.bands import Band
from crossplay.figures.style import COLOURS, REFERENCE, house_style, new_figure


def draw_ladders(ladders: Sequence[Band], reference: str) -> Figure:
    """Draw the Elo ratings of models over their positions; ``reference`` says who has rating 0."""
    with house_style():
        figure, (ax,) = new_figure([7.4], 4.4)
        ax.axhline(0.0, color=REFERENCE, linewidth=1.0, linestyle="--", label=reference)
        for number, ladder in enumerate(ladders):
            colour = COLOURS[number % len(COLOURS)]
            ax.plot(ladder.x, ladder.middle, color=colour, marker="o", linewidth=1.8, label=ladder.label)
            ax.fill_between(ladder.x, ladder.low, ladder.high, color=colour, alpha=0.18, linewidth=0)
        ax.set_xlabel("Self-play positions")
        ax.set_ylabel("Elo, with 95% intervals")
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        ax.grid(axis="y", color="#EEEEEE", zorder=0)
        ax.set_axisbelow(True)
        ax.legend(loc="lower right")
    return figure
