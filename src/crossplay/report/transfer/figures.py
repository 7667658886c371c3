"""Figures of transfer."""

from __future__ import annotations

from matplotlib.figure import Figure

from crossplay.figures import Curve, Matrix, draw_curves, draw_matrices
from crossplay.report.transfer.results import Evaluation, Results, Score

# Line styles by mode: fine-tuned solid, with fresh heads dotted; zero-shot is a single point.
_STYLES = ("fine-tune", "fine-tune-reinit", "zero-shot")


def transfer_figure(results: Results) -> Figure:
    """Scores by source, target and mode, against the model from scratch and against UCT."""
    modes = results.experiment.modes
    pairs = results.experiment.pairs
    cells = {(t.source, t.target, t.mode): t for t in results.transfers}
    columns = [mode.replace("fine-tune-", "fine-tune,\n") for mode in modes]

    def matrix(title: str, columns: list[str], scores: list[list[Score]], names: list[str]) -> Matrix:
        return Matrix(
            title,
            names,
            columns,
            [[score.score for score in row] for row in scores],
            [[f"{100 * s.score:.1f}%" for s in row] for row in scores],
            [[f"[{100 * s.low:.0f}, {100 * s.high:.0f}]" for s in row] for row in scores],
            diverging=True,
        )

    head_to_head = [[cells[*pair, mode].scratch for mode in modes] for pair in pairs]
    against_uct = [
        [*(cells[*pair, mode].evaluation.uct for mode in modes), results.scratch[pair[1]].uct]
        for pair in pairs
    ]
    return draw_matrices(
        [
            matrix(
                "Score against the model from scratch",
                columns,
                head_to_head,
                [f"{source} → {target}" for source, target in pairs],
            ),
            matrix("Score against UCT", [*columns, "from\nscratch"], against_uct, [""] * len(pairs)),
        ]
    )


def curves_figure(results: Results) -> Figure:
    """Scores against UCT while training on each target."""
    panels = {}
    for target, scratch in results.scratch.items():
        curves = [_curve("from scratch", scratch)]
        for transfer in results.transfers_to(target):
            style = _STYLES.index(transfer.mode)
            label = f"{transfer.source}, {transfer.mode}"
            curves.append(_curve(label, transfer.evaluation, transfer.source, style))
        panels[target] = curves
    uct = results.experiment.evaluation.uct
    return draw_curves(panels, f"against UCT ({uct.iterations} x {uct.playouts})")


def _curve(label: str, evaluation: Evaluation, group: str | None = None, style: int = 0) -> Curve:
    positions, scores = zip(*evaluation.curve, strict=True)
    return Curve(
        label,
        positions,
        [score.score for score in scores],
        [score.low for score in scores],
        [score.high for score in scores],
        group,
        style,
    )


def similarity_figure(results: Results) -> Figure:
    """Both similarities of every pair of games."""
    table = results.similarity
    names = table["names"]

    def matrix(title: str, values: list[list[float]], rows: list[str]) -> Matrix:
        return Matrix(title, rows, names, values, [[f"{value:.2f}" for value in row] for row in values])

    return draw_matrices(
        [
            matrix("Rules as written", table["ludemes"], names),
            matrix(f"Moves up to ply {table['depth']}", table["continuations"], [""] * len(names)),
        ]
    )
