"""The part of the page about transfer between board games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

from crossplay.report.html import figure, fill, listing, table
from crossplay.report.transfer.results import Results, Score, Transfer
from crossplay.report.transfer.tables import curve_rows, similarity_rows, transfer_rows


def build_section(results: Results, figures: Mapping[str, bytes]) -> str:
    """The HTML of the section.

    Args:
        results: everything there is to tell.
        figures: SVG files by name: transfer, learning_curves, similarity.
    """
    experiment = results.experiment
    evaluation = experiment.evaluation
    gaps = {
        "sources": listing(_game(results, key) for key in experiment.sources),
        "targets": listing(_game(results, key) for key in experiment.targets),
        "findings": "".join(f"<p>{line}</p>" for line in _findings(results)),
        "transfer_figure": figure(figures["transfer"], "Scores of transferred networks"),
        "transfer_table": _transfer_table(results),
        "curves_figure": figure(
            figures["learning_curves"], "Learning curves from scratch and after transfer"
        ),
        "curves_table": _curve_table(results),
        "source_table": _source_table(results),
        "similarity_figure": figure(figures["similarity"], "Similarity of the games by both measures"),
        "similarity_table": _similarity_table(results),
        "depth": results.similarity["depth"],
        "simulations": evaluation.simulations,
        "sampled_plies": evaluation.sampled_plies,
        "uct_iterations": evaluation.uct.iterations,
        "uct_playouts": evaluation.uct.playouts,
        "mappings": "".join(_mappings(results)),
    }
    return fill("crossplay.report.transfer", "section.html", gaps)


def _game(results: Results, key: str) -> str:
    """A game's full name for its key, such as ``hex7 (Hex, Board Size/7x7)``."""
    choice = results.experiment.games[key]
    return f"{escape(key)} ({escape(', '.join((choice.game, *choice.options)))})"


def _findings(results: Results) -> Iterable[str]:
    """The main results as sentences, one for each source and target."""
    for source, target in results.experiment.pairs:
        parts = [_finding(t) for t in results.transfers_to(target) if t.source == source]
        yield f"<b>{escape(source)} → {escape(target)}:</b> {'; '.join(parts)}."


def _finding(transfer: Transfer) -> str:
    how = {
        "zero-shot": "without a single game of training on the target",
        "fine-tune": "fine-tuned",
        "fine-tune-reinit": "fine-tuned with fresh heads",
    }[transfer.mode]
    score = transfer.scratch
    verdict = "better than" if score.low > 0.5 else "worse than" if score.high < 0.5 else "about level with"
    return f"{how} it is {verdict} the model from scratch, {_percent(score)}"


def _transfer_table(results: Results) -> str:
    rows = []
    for transfer, row in zip(results.transfers, transfer_rows(results), strict=True):
        low, high = row["uct_difference_low"], row["uct_difference_high"]
        rows.append(
            (
                transfer.source,
                transfer.target,
                transfer.mode,
                f"{row['target_positions']:,}",
                _percent(transfer.scratch),
                _points(row["scratch_difference"]),
                str(row["scratch_games"]),
                _percent(transfer.evaluation.uct),
                f"{_points(row['uct_difference'])} [{_points(low)}, {_points(high)}]",
                str(row["uct_games"]),
            )
        )
    for target, evaluation in results.scratch.items():
        uct = evaluation.uct
        count = f"{evaluation.positions:,}"
        rows.append(("", target, "from scratch", count, "", "", "", _percent(uct), "", str(uct.games)))
    heads = ("source", "target", "mode", "positions", "against from scratch", "difference", "games")
    return table((*heads, "against UCT", "difference", "games"), rows, text_columns=3)


def _curve_table(results: Results) -> str:
    rows = [
        (
            row["target"],
            row["source"],
            row["mode"],
            f"{row['positions']:,}",
            _interval(row["uct_score"], row["uct_low"], row["uct_high"]),
            str(row["uct_games"]),
        )
        for row in curve_rows(results)
    ]
    return table(("target", "source", "mode", "positions", "score against UCT", "games"), rows, 3)


def _source_table(results: Results) -> str:
    rows = [
        (
            key,
            ", ".join((results.experiment.games[key].game, *results.experiment.games[key].options)),
            f"{evaluation.positions:,}",
            _percent(evaluation.uct),
            str(evaluation.uct.games),
        )
        for key, evaluation in results.sources.items()
    ]
    return table(("key", "game", "positions", "score against UCT", "games"), rows, text_columns=2)


def _similarity_table(results: Results) -> str:
    rows = [
        (
            row["first"],
            row["second"],
            f"{row['rules_similarity']:.3f}",
            str(row["rules_edits"]),
            f"{row['continuations_similarity']:.3f}",
        )
        for row in similarity_rows(results)
    ]
    return table(("game", "game", "rules as written", "edits", "moves"), rows, text_columns=2)


def _mappings(results: Results) -> Iterable[str]:
    for pair, mapping in results.mappings.items():
        rows = [
            (kind, match["target"], match["source"] or "none", match["why"])
            for kind in ("state", "moves")
            for match in mapping[kind]
        ]
        matches = table(("", "channel of the target", "channel of the source", "why"), rows, text_columns=4)
        title = escape(pair.replace("--", " → "))
        yield f"<details><summary>Channels that correspond, {title}</summary>{matches}</details>"


def _percent(score: Score) -> str:
    return _interval(score.score, score.low, score.high)


def _interval(score: float, low: float, high: float) -> str:
    return f"{100 * score:.1f}% [{100 * low:.0f}, {100 * high:.0f}]"


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"
