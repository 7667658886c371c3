"""Figures from plain data; nothing here knows how the data was made."""

from crossplay.figures.bands import Band, BandPanel, draw_bands
from crossplay.figures.curves import Curve, draw_curves
from crossplay.figures.ladder import draw_ladders
from crossplay.figures.matrices import Matrix, draw_matrices
from crossplay.figures.style import save_figure

__all__ = [
    "Band",
    "BandPanel",
    "Curve",
    "Matrix",
    "draw_bands",
    "draw_curves",
    "draw_ladders",
    "draw_matrices",
    "save_figure",
]
