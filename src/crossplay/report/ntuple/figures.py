"""Figures of learning 2048."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from crossplay.figures import Band, BandPanel, draw_bands
from crossplay.report.ntuple.results import Games, Learning


def curves_figure(tables: Mapping[str, Sequence[Learning]]) -> Figure:
    """Mean scores while learning: a row of panels for each table, a panel for each kind of player."""
    everything = [learning for learnings in tables.values() for learning in learnings]
    found = {
        number for learning in everything for run in learning.runs for p in run.curve for number in p.games
    }
    plies = sorted(found) or [1]
    rows = [
        [
            BandPanel(
                f"{title}, {number}-ply" if len(tables) > 1 else f"{number}-ply",
                [_band(learning, number) for learning in learnings],
            )
            for number in plies
        ]
        for title, learnings in tables.items()
    ]
    return draw_bands(rows, "Moves learned from", "Mean score")


def _band(learning: Learning, plies: int) -> Band:
    """The mean of the repeats in a band from the lowest to the highest; of one, in its games' interval.

    Those that diverged are left out, unless all did: then the first of them is shown.
    """
    points: dict[int, list[Games]] = {}
    for run in learning.measured or learning.runs[:1]:  # up to where it diverged
        for point in run.curve:
            if plies in point.games:
                points.setdefault(point.actions, []).append(point.games[plies])
    whole = {x: games for x, games in sorted(points.items()) if len(games) == max(len(learning.measured), 1)}
    alone = len(learning.runs) == 1
    return Band(
        learning.key,
        list(whole),
        [sum(repeat.mean for repeat in games) / len(games) for games in whole.values()],
        [games[0].low if alone else min(repeat.mean for repeat in games) for games in whole.values()],
        [games[0].high if alone else max(repeat.mean for repeat in games) for games in whole.values()],
    )
