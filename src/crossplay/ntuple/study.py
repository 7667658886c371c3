"""What the runs of a study are: their names, what each starts from, and what it needs.

Imported whenever the workflow is read, so nothing here takes time to import.
"""

from __future__ import annotations

from typing import NamedTuple

from crossplay.config import NtupleSettings, NtupleStudy
from crossplay.errors import CrossplayError
from crossplay.ntuple.folding import plan_folds
from crossplay.ntuple.shapes import network_tuples, stage_weights
from crossplay.ntuple.tables import ACCUMULATORS

# Beside the tables: the program itself, its libraries, and the games under way.
_PROGRAM_MB = 1000


class StudyRun(NamedTuple):
    """One run.

    Attributes:
        key: of its learning, in the study.
        repeat: which time it is, from 0; added to the seed.
        settings: of its learning.
        initial: name of the run that it starts from, if any.
        redundant: some of its tuples lie in others, into which they can be folded when it has learned.
        learning_mb, playing_mb: megabytes of memory that learning needs at most, and playing.
    """

    key: str
    repeat: int
    settings: NtupleSettings
    initial: str | None
    redundant: bool
    learning_mb: int
    playing_mb: int


def runs_of(study: NtupleStudy, origin: str) -> dict[str, StudyRun]:
    """The runs of a study by name; ``origin`` names the experiment's file in errors.

    Raises:
        CrossplayError: a network's name has an unknown shape, or it is too large, or a run starts from one
            with other tuples or stages.
    """
    networks = {}
    for key, settings in study.runs.items():
        try:
            networks[key] = network_tuples(settings.network)
        except CrossplayError as error:
            raise CrossplayError(f"{origin}: ntuple.runs.{key}.{error}") from error
    runs = {}
    for key, settings in study.runs.items():
        tuples = networks[key]
        if settings.initial is not None:
            first = study.runs[settings.initial]
            if networks[settings.initial] != tuples or first.stages not in (1, settings.stages):
                raise CrossplayError(
                    f"{origin}: ntuple.runs.{key}.initial: {settings.initial} has network {first.network} and"
                    f" {first.stages} stages; take that network, and so many stages if they are not 1"
                )
        size = 4 * settings.stages * stage_weights(tuples)
        initial = settings.initial
        for repeat in range(study.repeats):
            runs[run_name(study, key, repeat)] = StudyRun(
                key,
                repeat,
                settings,
                None if initial is None else run_name(study, initial, repeat),
                bool(plan_folds(tuples)),
                _megabytes(size * (1 + ACCUMULATORS[settings.rule])),
                _megabytes(size),
            )
    return runs


def run_name(study: NtupleStudy, key: str, repeat: int) -> str:
    """The name of a run: its key, numbered from 1 if there are repeats."""
    return key if study.repeats == 1 else f"{key}-{repeat + 1}"


def _megabytes(size: int) -> int:
    return _PROGRAM_MB + -(-size // 1_000_000)
