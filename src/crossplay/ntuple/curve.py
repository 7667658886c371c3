"""A learning's evaluations in other forms: numbers by name, words, a table.

An evaluation is what ``curve.json`` lists::

    {"actions", "games": finished while learning, "seconds": {"wall", "cpu"}: spent learning,
     "training_score": mean of the games finished since the evaluation before, or null,
     "plies": {"1": scores, "3": scores}}

with scores as of :meth:`crossplay.ntuple.evaluation.Scores.as_dict`. One with ``"diverged": true`` ends the
curve of a learning whose values grew beyond all bounds; it has no scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def point_metrics(point: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of an evaluation under names of their own."""
    metrics = {"games": point["games"], "seconds": point["seconds"]["wall"]}
    if point["training_score"] is not None:
        metrics["training_score"] = point["training_score"]
    for plies, scores in point["plies"].items():
        metrics[f"score_{plies}ply"] = scores["mean"]
        if scores["interval"] is not None:
            metrics[f"score_{plies}ply_low"], metrics[f"score_{plies}ply_high"] = scores["interval"]
        metrics |= {f"reach_{tile}_{plies}ply": share for tile, share in scores["reach"].items()}
    return metrics


def describe(point: Mapping[str, Any]) -> str:
    """An evaluation in a few words."""
    if point.get("diverged"):
        return "diverged, the values grew beyond all bounds"
    parts = []
    for plies, scores in point["plies"].items():
        low, high = scores["interval"] or (scores["mean"], scores["mean"])
        parts.append(f"{plies}-ply score {scores['mean']:,.0f} [{low:,.0f}, {high:,.0f}]")
    if point["training_score"] is not None:
        parts.append(f"training games {point['training_score']:,.0f}")
    return ", ".join(parts) or "no finished game"


def markdown_table(curve: Sequence[Mapping[str, Any]]) -> str:
    """All evaluations as a table, the shares of games with the large tiles last."""
    scores = [scores for point in curve for scores in point["plies"].values()]
    tiles = list(scores[0]["reach"]) if scores else []
    lines = [
        ["actions", "plies", "games", "mean score", "95% interval", "best", *tiles],
        ["---:"] * (6 + len(tiles)),
    ]
    for point in curve:
        for plies, found in point["plies"].items():
            interval = " to ".join(f"{limit:,.0f}" for limit in found["interval"] or ())
            numbers = [f"{number:,.0f}" for number in (found["games"], found["mean"])]
            reach = [f"{100 * found['reach'][tile]:.1f}%" for tile in tiles]
            lines.append([f"{point['actions']:,}", plies, *numbers, interval, f"{found['best']:,}", *reach])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
