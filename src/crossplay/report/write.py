"""Putting the report together."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from html import escape
from pathlib import Path

import yaml

from crossplay.config import Experiment
from crossplay.figures import save_figure
from crossplay.files import write_text
from crossplay.report.html import fill
from crossplay.report.ntuple import ntuple_part
from crossplay.report.part import Part, Row
from crossplay.report.strength import strength_part
from crossplay.report.transfer import transfer_part


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
    parts = []
    if experiment.games:
        parts.append(transfer_part(experiment, results_folder))
        if experiment.evaluation.ladder_games:
            parts.append(strength_part(experiment, results_folder))
    if experiment.ntuple.runs:
        parts.append(ntuple_part(experiment.ntuple, results_folder))
    written: list[Path] = []
    sections = []
    for part in parts:
        written += _write_files(part, output)
        vector = {name: (output / f"{name}.svg").read_bytes() for name in part.figures}
        sections.append(part.section(vector))
    page = output / "index.html"
    write_text(page, _page(experiment, sections, version))
    return [*written, page]


def _write_files(part: Part, output: Path) -> list[Path]:
    written = []
    for name, rows in part.tables.items():
        written.append(output / f"{name}.csv")
        _write_csv(written[-1], rows)
    for name, figure in part.figures.items():
        paths = [output / f"{name}.png", output / f"{name}.svg"]
        save_figure(figure, *paths)
        written += paths
    return written


def _write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write rows as CSV with a heading line."""
    text = io.StringIO()
    columns = max(rows, key=len, default={})  # a row may lack what was not measured
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, text.getvalue())


def _page(experiment: Experiment, sections: Sequence[str], version: str) -> str:
    """One self-contained page for a reader who was not there."""
    settings = yaml.safe_dump(experiment.model_dump(mode="json"), sort_keys=False, width=100)
    gaps = {
        "experiment": escape(experiment.experiment),
        "version": escape(version),
        "seed": experiment.seed,
        "sections": "\n".join(sections),
        "settings": escape(settings),
    }
    return fill("crossplay.report", "page.html", gaps)
