"""The results of learning 2048, read from their files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crossplay.config import NtupleSettings, NtupleStudy
from crossplay.ntuple.evaluation import mean_interval
from crossplay.ntuple.study import run_name
from crossplay.report.part import read_json, unusable


@dataclass(frozen=True)
class Games:
    """What games with one kind of player say of a network: their number, mean score, and more.

    ``low`` and ``high`` bound the mean's 95% interval; ``reach`` has the share of games by tile.
    """

    games: int
    mean: float
    low: float
    high: float
    best: int
    reach: dict[str, float]
    moves: int
    cpu_seconds: float

    @classmethod
    def of(cls, record: dict[str, Any]) -> Games:
        """From what an evaluation wrote."""
        low, high = record["interval"] or (record["mean"], record["mean"])
        plain = {name: record[name] for name in ("games", "mean", "best", "reach", "moves", "cpu_seconds")}
        return cls(low=low, high=high, **plain)


@dataclass(frozen=True)
class Point:
    """A network on its way: moves learned from, CPU seconds of learning, and games by plies of search."""

    actions: int
    cpu_seconds: float
    games: dict[int, Games]


@dataclass(frozen=True)
class Run:
    """One learning, one time: its curve, and the games of the finished network by plies of search.

    If its values grew beyond all bounds it has ``diverged`` and there are no such games.
    """

    name: str
    curve: list[Point]
    games: dict[int, Games]
    diverged: bool


@dataclass(frozen=True)
class Mean:
    """A mean over repeats; a single one has the interval of its games."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Learning:
    """All repeats of one learning; its settings with the rule's defaults filled in."""

    key: str
    settings: NtupleSettings
    runs: list[Run]

    @property
    def measured(self) -> list[Run]:
        """The repeats that did not diverge."""
        return [run for run in self.runs if not run.diverged]

    @property
    def plies(self) -> list[int]:
        """What finished networks were measured with; nothing if all diverged."""
        return sorted(self.measured[0].games) if self.measured else []

    def mean(self, plies: int) -> Mean:
        """The mean score of the networks that did not diverge, with its 95% interval."""
        return over_repeats(run.games[plies] for run in self.measured)

    @property
    def cpu_seconds(self) -> float:
        """Time that one learning took."""
        return sum(run.curve[-1].cpu_seconds for run in self.runs) / len(self.runs)


def over_repeats(games: Iterable[Games]) -> Mean:
    """The mean of repeats' means and its interval (Student's t); of a single one, that of its games."""
    repeats = list(games)
    means = np.array([repeat.mean for repeat in repeats])
    low, high = mean_interval(means) or (repeats[0].low, repeats[0].high)
    return Mean(float(means.mean()), low, high)


def read_learnings(study: NtupleStudy, folder: Path) -> dict[str, Learning]:
    """Read what the runs of a study wrote to ``folder/ntuple``, by key.

    Raises:
        CrossplayError: a file is missing or damaged.
    """
    return {
        key: Learning(
            key,
            settings.resolved(),
            [_read_run(run_name(study, key, repeat), folder / "ntuple") for repeat in range(study.repeats)],
        )
        for key, settings in study.runs.items()
    }


def _read_run(name: str, folder: Path) -> Run:
    path = folder / name / "curve.json"
    try:
        curve = [
            Point(point["actions"], point["seconds"]["cpu"], _games(point["plies"]))
            for point in read_json(path, list)
        ]
        if not curve:
            raise unusable(path, "has no points")
        path = folder / name / "evaluation.json"
        evaluation = read_json(path)
        diverged = bool(evaluation.get("diverged", False))
        games = _games(evaluation["plies"])
        if not games and not diverged:
            raise unusable(path, "has no games")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise unusable(path, "is no evaluation, or of another version") from error
    return Run(name, curve, games, diverged)


def _games(record: dict[str, Any]) -> dict[int, Games]:
    return {int(plies): Games.of(games) for plies, games in record.items()}
