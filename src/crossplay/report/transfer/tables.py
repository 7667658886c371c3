"""Tables of transfer as rows of plain values, for CSV files and for the page."""

from __future__ import annotations

from typing import Any

from crossplay.evaluation.intervals import difference_interval
from crossplay.report.transfer.results import Results, Score


def transfer_rows(results: Results) -> list[dict[str, Any]]:
    """A row for each source, target and mode. Scores and their differences are shares, not percent.

    ``scratch_*`` is the match against the model trained from scratch on the target; its
    ``difference`` is the score's distance from one half. ``uct_*`` is the match against untrained
    search; its ``difference`` is the distance from what the model trained from scratch scores there.
    """
    rows = []
    for transfer in results.transfers:
        evaluation, reference = transfer.evaluation, results.scratch[transfer.target].uct
        low, high = difference_interval(_counts(evaluation.uct), _counts(reference))
        rows.append(
            {
                "source": transfer.source,
                "target": transfer.target,
                "mode": transfer.mode,
                "source_positions": results.sources[transfer.source].positions,
                "target_positions": evaluation.positions,
                **_columns("scratch", transfer.scratch),
                "scratch_difference": _round(transfer.scratch.score - 0.5),
                **_columns("uct", evaluation.uct),
                "uct_difference": _round(evaluation.uct.score - reference.score),
                "uct_difference_low": _round(low),
                "uct_difference_high": _round(high),
            }
        )
    return rows


def curve_rows(results: Results) -> list[dict[str, Any]]:
    """A row for each point of each learning curve on a target; ``source`` is empty from scratch."""
    rows = []
    for target, evaluation in results.scratch.items():
        curves = [("", "from scratch", evaluation)]
        curves += [(t.source, t.mode, t.evaluation) for t in results.transfers_to(target)]
        for source, mode, of in curves:
            for positions, score in of.curve:
                rows.append(
                    {
                        "target": target,
                        "source": source,
                        "mode": mode,
                        "positions": positions,
                        **_columns("uct", score),
                    }
                )
    return rows


def similarity_rows(results: Results) -> list[dict[str, Any]]:
    """A row for each unordered pair of games."""
    table = results.similarity
    names = table["names"]
    return [
        {
            "first": names[i],
            "second": names[j],
            "rules_similarity": _round(table["ludemes"][i][j]),
            "rules_edits": table["distances"][i][j],
            "continuations_similarity": _round(table["continuations"][i][j]),
        }
        for i in range(len(names))
        for j in range(i + 1, len(names))
    ]


def _columns(prefix: str, score: Score) -> dict[str, Any]:
    return {
        f"{prefix}_games": score.games,
        f"{prefix}_wins": score.wins,
        f"{prefix}_draws": score.draws,
        f"{prefix}_losses": score.losses,
        f"{prefix}_score": _round(score.score),
        f"{prefix}_low": _round(score.low),
        f"{prefix}_high": _round(score.high),
    }


def _counts(score: Score) -> tuple[int, int, int]:
    return score.wins, score.draws, score.losses


def _round(value: float) -> float:
    return round(value, 4)
