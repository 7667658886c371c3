"""The results of transfer between board games, read from their files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossplay.config import Experiment
from crossplay.report.part import read_json, unusable


@dataclass(frozen=True)
class Score:
    """A match: a draw counts as half a win in ``score``, ``low`` and ``high`` bound its 95% interval."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float
    low: float
    high: float

    @classmethod
    def of(cls, record: dict[str, Any]) -> Score:
        """From a match in an evaluation file."""
        return cls(**{name: record[name] for name in cls.__dataclass_fields__})


@dataclass(frozen=True)
class Evaluation:
    """All matches of one model.

    Attributes:
        positions: self-play positions it was trained with on the game it plays.
        uct: against search without a network.
        scratch: against the model trained from scratch; None for that model itself and for sources.
        curve: positions and score against UCT on the way, the finished model last.
    """

    positions: int
    uct: Score
    scratch: Score | None
    curve: list[tuple[int, Score]]


@dataclass(frozen=True)
class Transfer:
    """One cell of the transfer table."""

    source: str
    target: str
    mode: str
    evaluation: Evaluation

    @property
    def scratch(self) -> Score:
        """Against the model trained from scratch."""
        assert self.evaluation.scratch is not None
        return self.evaluation.scratch


@dataclass(frozen=True)
class Results:
    """Everything this part of the report is about; evaluations are by game key."""

    experiment: Experiment
    sources: dict[str, Evaluation]
    scratch: dict[str, Evaluation]
    transfers: list[Transfer]
    similarity: dict[str, Any]
    mappings: dict[str, dict[str, Any]]

    def transfers_to(self, target: str) -> list[Transfer]:
        """In the order of sources and modes."""
        return [transfer for transfer in self.transfers if transfer.target == target]


def read_results(experiment: Experiment, folder: Path) -> Results:
    """Read the results that the stages wrote to ``folder``.

    Raises:
        CrossplayError: a file is missing or damaged.
    """
    return Results(
        experiment,
        {game: _evaluation(folder / f"evaluate/source/{game}.json") for game in experiment.sources},
        {game: _evaluation(folder / f"evaluate/scratch/{game}.json") for game in experiment.targets},
        [
            Transfer(
                source,
                target,
                mode,
                _evaluation(folder / f"evaluate/transfer/{source}--{target}/{mode}.json", head_to_head=True),
            )
            for source, target in experiment.pairs
            for mode in experiment.modes
        ],
        read_json(folder / "similarity/similarity.json"),
        {f"{s}--{t}": read_json(folder / f"mapping/{s}--{t}.json") for s, t in experiment.pairs},
    )


def _evaluation(path: Path, head_to_head: bool = False) -> Evaluation:
    record = read_json(path)
    try:
        matches = record["matches"]
        return Evaluation(
            record["positions"],
            Score.of(matches["uct"]),
            Score.of(matches["scratch"]) if head_to_head else None,
            [(point["positions"], Score.of(point)) for point in record["curve"]],
        )
    except (KeyError, TypeError) as error:
        raise unusable(path, "is no evaluation, or of another version") from error
