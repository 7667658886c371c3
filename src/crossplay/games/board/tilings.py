"""Constructors of board graphs, with Ludii's geometry: the same turn, the same site order."""

from __future__ import annotations

import math

import numpy as np

from crossplay.games.board.graph import Graph, make_graph

_HALF = math.sqrt(3) / 2


def square_grid(rows: int, columns: int) -> Graph:
    """``rows`` x ``columns`` unit squares, A1 at the bottom left."""
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], float)
    grid = np.array([(column, row) for row in range(rows) for column in range(columns)])
    vertex_grid = np.array([(c, r) for r in range(rows + 1) for c in range(columns + 1)], np.int32)
    polygons = [corners + place for place in grid]
    # Ludii 1.0.8 names the sides of square boards oddly (the left one NW, the bottom one SE); the
    # natural names are meant, and no game of the study asks for a side of a square board.
    return make_graph("square", polygons, grid, (0, 90, 180, 270), vertex_grid)


def hex_hexagon(size: int) -> Graph:
    """A hexagon of hexagons with ``size`` cells a side, in horizontal rows; A1 at the bottom left."""
    last = 2 * size - 2
    grid = np.array(
        [(column, row) for row in range(last + 1) for column in range(last + 1) if abs(column - row) < size]
    )
    columns, rows = grid.T
    centres = np.stack([(2 * columns - rows) * _HALF, rows * 1.5], axis=1)
    return make_graph("hex", _hexagons(centres, 90), grid, (0, 60, 120, 180, 240, 300))


def hex_rhombus(size: int) -> Graph:
    """``size`` x ``size`` hexagons in a rhombus that stands on A1; letters run to the upper right."""
    grid = np.array([(column, row) for column in range(size) for row in range(size)])
    columns, rows = grid.T
    centres = np.stack([(columns - rows) * 1.5, (columns + rows) * _HALF], axis=1)
    # As in Ludii the topmost and the bottommost cell count as sides N and S besides the real four.
    return make_graph("hex", _hexagons(centres, 0), grid, (0, 30, 150, 180, 210, 330))


def _hexagons(centres: np.ndarray, first_angle: float) -> list[np.ndarray]:
    angles = np.radians(first_angle + 60 * np.arange(6))
    corners = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return [corners + centre for centre in centres]
