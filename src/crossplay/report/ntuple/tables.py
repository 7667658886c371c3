"""Tables of learnings of 2048 as rows of plain values, for CSV files and for the page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from crossplay.report.ntuple.results import Games, Learning


def score_rows(learnings: Iterable[Learning]) -> list[dict[str, Any]]:
    """A row for each learning and kind of player: how strong its finished networks are.

    Mean and reach are over all repeats; the interval is that of the mean, over repeats if there are
    several, over games otherwise. ``learning_seconds`` and moves per second are of one CPU. ``repeats`` are
    those measured, ``diverged`` those that could not be; a learning of which all diverged has one row, with
    nothing in the columns of the games.
    """
    rows: list[dict[str, Any]] = []
    for learning in learnings:
        settings = learning.settings
        about = {
            "run": learning.key,
            "network": settings.network,
            "rule": settings.rule,
            "rate": settings.rate,
            "meta_rate": settings.meta_rate if settings.rule == "autostep" else "",
            "decay": settings.decay,
            "delayed": settings.delayed,
            "stages": settings.stages,
            "promotion": settings.promotion if settings.stages > 1 else "",
            "carousel_stages": settings.carousel_stages,
            "optimistic": settings.optimistic,
            "actions": settings.actions,
            "learning_seconds": round(learning.cpu_seconds, 1),
            "diverged": len(learning.runs) - len(learning.measured),
        }
        if not learning.plies:
            rows.append(about)
        for plies in learning.plies:
            games = [run.games[plies] for run in learning.measured]
            mean = learning.mean(plies)
            rows.append(
                {
                    **about,
                    "plies": plies,
                    "repeats": len(games),
                    "games": sum(repeat.games for repeat in games),
                    "mean": round(mean.value, 1),
                    "low": round(mean.low, 1),
                    "high": round(mean.high, 1),
                    "best": max(repeat.best for repeat in games),
                    **_reach(games),
                    "moves_per_second": round(
                        sum(repeat.moves for repeat in games)
                        / max(1e-9, sum(repeat.cpu_seconds for repeat in games))
                    ),
                }
            )
    return rows


def _reach(games: list[Games]) -> dict[str, float]:
    total = sum(repeat.games for repeat in games)
    return {
        f"reach_{tile}": round(sum(repeat.reach[tile] * repeat.games for repeat in games) / total, 4)
        for tile in games[0].reach
    }


def curve_rows(learnings: Iterable[Learning]) -> list[dict[str, Any]]:
    """A row for each point of each run's learning curve and kind of player."""
    return [
        {
            "run": run.name,
            "actions": point.actions,
            "learning_seconds": round(point.cpu_seconds, 1),
            "plies": plies,
            "games": games.games,
            "mean": round(games.mean, 1),
            "low": round(games.low, 1),
            "high": round(games.high, 1),
            **_reach([games]),
        }
        for learning in learnings
        for run in learning.runs
        for point in run.curve
        for plies, games in sorted(point.games.items())
    ]
