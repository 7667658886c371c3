"""Learning 2048 in the report."""

from __future__ import annotations

from pathlib import Path

from crossplay.config import NtupleStudy
from crossplay.report.ntuple.figures import curves_figure
from crossplay.report.ntuple.results import read_learnings
from crossplay.report.ntuple.section import build_section
from crossplay.report.ntuple.tables import curve_rows, score_rows
from crossplay.report.part import Part


def ntuple_part(study: NtupleStudy, folder: Path) -> Part:
    """The part about 2048, from the results in ``folder``.

    Raises:
        CrossplayError: a result is missing or damaged.
    """
    learnings = read_learnings(study, folder)
    titles = study.tables or {"All runs": tuple(learnings)}
    tables = {title: [learnings[key] for key in keys] for title, keys in titles.items()}
    return Part(
        tables={"ntuple": score_rows(learnings.values()), "ntuple_curves": curve_rows(learnings.values())},
        figures={"ntuple_curves": curves_figure(tables)},
        section=lambda figures: build_section(study, tables, figures),
    )
