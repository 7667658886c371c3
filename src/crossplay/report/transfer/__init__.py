"""Transfer between board games in the report."""

from __future__ import annotations

from pathlib import Path

from crossplay.config import Experiment
from crossplay.report.part import Part
from crossplay.report.transfer.figures import curves_figure, similarity_figure, transfer_figure
from crossplay.report.transfer.results import read_results
from crossplay.report.transfer.section import build_section
from crossplay.report.transfer.tables import curve_rows, similarity_rows, transfer_rows


def transfer_part(experiment: Experiment, folder: Path) -> Part:
    """The part about board games, from the results in ``folder``.

    Raises:
        CrossplayError: a result is missing or damaged.
    """
    results = read_results(experiment, folder)
    return Part(
        tables={
            "transfer": transfer_rows(results),
            "learning_curves": curve_rows(results),
            "similarity": similarity_rows(results),
        },
        figures={
            "transfer": transfer_figure(results),
            "learning_curves": curves_figure(results),
            "similarity": similarity_figure(results),
        },
        section=lambda figures: build_section(results, figures),
    )
