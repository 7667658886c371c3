"""Putting the report together."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from crossplay.config import Experiment
from crossplay.figures import Curve, Matrix, draw_curves, draw_matrices, save_figure
from crossplay.files import write_text
from crossplay.report.page import build_page
from crossplay.report.results import Evaluation, Results, Score, read_results
from crossplay.report.tables import curve_rows, similarity_rows, transfer_rows, write_csv

# Line styles by mode: fine-tuned solid, with fresh heads dotted; zero-shot is a single point.
_STYLES = ("fine-tune", "fine-tune-reinit", "zero-shot")


def write_report(experiment: Experiment, results_folder: Path, output: Path, version: str) -> list[Path]:
    """Write tables (CSV), figures (PNG, SVG) and ``index.html`` to ``output``.

    Args:
        experiment: the experiment's settings.
        results_folder: where its stages wrote, ``results/NAME``.
        output: folder of the report.
        version: of the code, to stand on the page.

    Returns:
        The files, the page last.

    Raises:
        CrossplayError: a result is missing or damaged, or the folder cannot be written.
    """
    results = read_results(experiment, results_folder)
    written = []
    tables = {
        "transfer": transfer_rows(results),
        "learning_curves": curve_rows(results),
        "similarity": similarity_rows(results),
    }
    for name, rows in tables.items():
        write_csv(output / f"{name}.csv", rows, list(rows[0]))
        written.append(output / f"{name}.csv")
    figures = {
        "transfer": transfer_figure(results),
        "learning_curves": curves_figure(results),
        "similarity": similarity_figure(results),
    }
    for name, figure in figures.items():
        paths = [output / f"{name}.png", output / f"{name}.svg"]
        save_figure(figure, *paths)
        written += paths
    vector = {name: (output / f"{name}.svg").read_bytes() for name in figures}
    write_text(output / "index.html", build_page(results, vector, version))
    return [*written, output / "index.html"]


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
