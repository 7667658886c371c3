"""Strength over trainings in the report: the ladders of all trainings, by the game they are on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from crossplay.config import Experiment
from crossplay.config.experiment import TrainingName
from crossplay.figures import Band, BandPanel, draw_bands
from crossplay.report.html import figure, fill
from crossplay.report.part import Part, read_json, unusable


@dataclass(frozen=True)
class Ladder:
    """The ratings of a training's models: rows with positions, elo, low, high; ``anchor`` has rating 0."""

    training: TrainingName
    anchor: str
    ratings: list[dict[str, Any]]

    @property
    def label(self) -> str:
        """What to call the training in a panel of its game."""
        if self.training.source is None:
            return {"source": "as a source", "scratch": "from scratch"}[self.training.mode]
        return f"{self.training.source}, {self.training.mode}"


def strength_part(experiment: Experiment, folder: Path) -> Part:
    """The part about ladders, from the results in ``folder``.

    Raises:
        CrossplayError: a result is missing or damaged.
    """
    ladders = [_read(training, folder) for training in experiment.trainings]
    return Part(
        tables={"ladder": [row for ladder in ladders for row in _rows(ladder)]},
        figures={"ladder": _figure(ladders)},
        section=lambda figures: fill(
            "crossplay.report",
            "strength.html",
            {
                "figure": figure(figures["ladder"], "Elo of the models of each training"),
                "anchor": ladders[0].anchor,
            },
        ),
    )


def _read(training: TrainingName, folder: Path) -> Ladder:
    path = folder / "ladder" / f"{training.player}.json"
    record = read_json(path)
    try:
        ratings = [
            {name: row[name] for name in ("positions", "elo", "low", "high")} for row in record["ratings"]
        ]
        if not ratings:
            raise unusable(path, "has no ratings")
        return Ladder(training, str(record["anchor"]), ratings)
    except (KeyError, TypeError) as error:
        raise unusable(path, "is no ladder, or of another version") from error


def _rows(ladder: Ladder) -> list[dict[str, Any]]:
    training = ladder.training
    about = {"game": training.game, "source": training.source or "", "mode": training.mode}
    return [
        {**about, "positions": row["positions"]}
        | {name: round(row[name], 1) for name in ("elo", "low", "high")}
        for row in ladder.ratings
    ]


def _figure(ladders: list[Ladder]) -> Figure:
    panels: dict[str, list[Band]] = {}
    for ladder in ladders:
        columns = ([row[name] for row in ladder.ratings] for name in ("positions", "elo", "low", "high"))
        panels.setdefault(ladder.training.game, []).append(Band(ladder.label, *columns))
    rows = [[BandPanel(game, bands)] for game, bands in panels.items()]
    return draw_bands(rows, "Positions of self-play", "Elo, with 95% intervals", ladders[0].anchor)
