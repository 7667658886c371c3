"""A strength ladder: the models of one training against each other and against search without a network."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from crossplay.errors import CrossplayError
from crossplay.evaluation.elo import Pairing, Rating, fit_ratings
from crossplay.networks import ModelHeader, read_header

# Matches back to the two models before: more of them would tell more of the same.
PREVIOUS = 2


class Rung(NamedTuple):
    """A model on the ladder."""

    positions: int  # self-play positions it was trained with
    file: Path


def rungs_of(folder: Path) -> tuple[ModelHeader, list[Rung]]:
    """The models that a training left in ``folder``, the least trained first, and the last one's header.

    Raises:
        CrossplayError: there is no trained model, or one is damaged.
    """
    final = folder / "model.safetensors"
    if not final.is_file():
        raise CrossplayError(
            f"no model.safetensors in {folder}; give the --output folder of a finished training"
        )
    header = read_header(final)
    rungs = {**snapshots_of(folder), header.positions: final}
    return header, [Rung(positions, rungs[positions]) for positions in sorted(rungs)]


def snapshots_of(folder: Path) -> dict[int, Path]:
    """The models that a training kept on its way in ``folder``, by the positions they were trained with.

    Where the training says which these are, files that another one has left there are passed over.

    Raises:
        CrossplayError: one is damaged.
    """
    files = sorted((folder / "snapshots").glob("*.safetensors"))
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        kept = set(json.loads((folder / "training.json").read_text(encoding="utf-8"))["snapshots"])
        files = [file for file in files if file.name in kept]
    return {read_header(file).positions: file for file in files}


def pairs_of(n_rungs: int) -> Iterable[tuple[int, int | None]]:
    """Which rungs meet: each meets search (None) and those up to :data:`PREVIOUS` below it."""
    for rung in range(n_rungs):
        yield rung, None
        for below in range(max(0, rung - PREVIOUS), rung):
            yield rung, below


def play_ladder(
    rungs: Sequence[Rung], play: Callable[[Path, Path | None], dict[str, Any]]
) -> tuple[list[Rating], list[dict[str, Any]]]:
    """Play all matches and rate the rungs, search without a network being 0.

    Args:
        rungs: the models.
        play: plays a model file against another one, or None for search, and returns the match as JSON values
            (:meth:`crossplay.evaluation.match.MatchResult.to_json`).

    Returns:
        A rating per rung, and the matches with the positions of both sides.
    """
    matches, pairings = [], []
    for first, second in pairs_of(len(rungs)):
        result = play(rungs[first].file, None if second is None else rungs[second].file)
        opponent = "uct" if second is None else rungs[second].positions
        matches.append({"positions": rungs[first].positions, "opponent": opponent, **result})
        score = result["wins"] + result["draws"] / 2
        pairings.append(Pairing(first + 1, 0 if second is None else second + 1, score, result["games"]))
    return fit_ratings(len(rungs) + 1, pairings)[1:], matches
