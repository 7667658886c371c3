"""The report of an experiment: tables, figures, and a page that explains them."""

from crossplay.report.write import write_report

__all__ = ["write_report"]
