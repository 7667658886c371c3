"""Boards cut from tilings, with Ludii's geometry: the same turn, the same site order.

``cells`` says whether a board's sites are cells: of squares and triangles as many are wanted, or else
as many vertices. Hexagons, bricks and diamonds of squares have the same sizes for both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from crossplay.games.board.graph import Edge, Graph, assemble, by_rows, from_polygons, inside, pair

_HALF = math.sqrt(3) / 2
REACH = 0.1  # sites this close to the edge of a polygon are inside

Place = Callable[[int, int], tuple[float, float]]
DIAGONALS = ("Implied", "Alternating", "Solid", "SolidNoSplit", "Concentric", "Radiating")


def square_grid(rows: int, columns: int, cells: bool, diagonals: str = "Implied") -> Graph:
    """``rows`` x ``columns`` unit squares or vertices, A1 at the bottom left."""
    rows, columns = rows + cells, columns + cells
    points = [(float(column), float(row)) for row in range(rows) for column in range(columns)]
    return _squares(points, diagonals, rows, columns)


def square_diamond(size: int, diagonals: str = "Implied") -> Graph:
    """Unit squares in a diamond that stands on a corner, ``2 * size - 1`` across."""
    points = [
        (float(c), float(r))
        for r in range(2 * size)
        for c in range(2 * size)
        if size - 1 <= r + c < 3 * size and abs(c - r) <= size
    ]
    return _squares(points, diagonals, 2 * size, 2 * size)


def hex_hexagon(size: int) -> Graph:
    """A hexagon of hexagons with ``size`` cells a side, in horizontal rows."""
    return _hexagons(_hexagon(size), _row_place(math.sqrt(3), 1.5), key=_along_rows)


def hex_rhombus(size: int) -> Graph:
    """``size`` x ``size`` hexagons in a rhombus that stands on A1; letters run to the upper right."""
    return hex_prism(size, 1)


def hex_prism(rows: int, columns: int) -> Graph:
    """A rhombus of hexagons drawn out upwards by ``columns - 1`` rows."""
    last = rows + columns - 1
    grid = [(r, c) for r in range(last) for c in range(last) if abs(r - c) < rows]
    return _hexagons(grid, _upright_place(math.sqrt(3), 1.5), upright=True)


def hex_rectangle(rows: int, columns: int) -> Graph:
    """Rows of hexagons in turn ``columns`` and one less long."""
    return _hexagons(_staggered(rows, columns), _row_place(math.sqrt(3), 1.5))


def hex_triangle(size: int) -> Graph:
    """A triangle of hexagons with its longest row, of ``size``, at the bottom."""
    return _hexagons(_triangle(size), _row_place(math.sqrt(3), 1.5))


def hex_star(size: int) -> Graph:
    """A six-pointed star of hexagons; its points are ``size`` long."""
    return _hexagons(_star(size), _row_place(math.sqrt(3), 1.5))


def square_polygon(polygon: np.ndarray, diagonals: str = "Implied") -> Graph:
    """The points with whole coordinates in a polygon (float64[k, 2])."""
    low, high = np.floor(polygon.min(axis=0)).astype(int), np.ceil(polygon.max(axis=0)).astype(int)
    grid = [(float(x), float(y)) for y in range(low[1], high[1] + 1) for x in range(low[0], high[0] + 1)]
    points = [grid[i] for i in np.flatnonzero(inside(np.array(grid), polygon, REACH))]
    return _squares(points, diagonals, int(low[1] + high[1]), int(low[0] + high[0]))


def hex_polygon(polygon: np.ndarray) -> Graph:
    """The hexagons, of rows from the origin up, whose centres lie in a polygon."""
    place = _row_place(math.sqrt(3), 1.5)
    return _hexagons(_inside_polygon(polygon, place), place)


def tri_polygon(polygon: np.ndarray) -> Graph:
    """The vertices of a triangular grid, of rows from the origin up, that lie in a polygon."""
    place = _row_place(1, _HALF)
    return _triangles(_inside_polygon(polygon, place), place)


def hex_outline(lengths: Sequence[int]) -> Graph:
    """Hexagons inside a polygon with these sides, clockwise from A1; a negative one turns the other way."""
    place = _row_place(math.sqrt(3), 1.5)
    return _hexagons(_inside_outline(lengths, place), place)


def tri_hexagon(size: int, cells: bool) -> Graph:
    """A hexagon of triangles with sides of ``size`` cells or vertices."""
    return _triangles(_hexagon(size + cells), _row_place(1, _HALF))


def tri_triangle(size: int, cells: bool) -> Graph:
    """A triangle of triangles with sides of ``size`` cells or vertices."""
    return _triangles(_triangle(size + cells), _row_place(1, _HALF))


def tri_rectangle(rows: int, columns: int, cells: bool) -> Graph:
    """Rows of triangles between straight lines, with ragged ends."""
    return _triangles(_staggered(rows + cells, columns + cells), _row_place(1, _HALF))


def tri_rhombus(size: int, cells: bool) -> Graph:
    """A rhombus of triangles that stands on a corner."""
    grid = [(r, c) for r in range(size + cells) for c in range(size + cells)]
    return _triangles(grid, _upright_place(1, _HALF))


def tri_prism(rows: int, columns: int, cells: bool) -> Graph:
    """A rhombus of triangles drawn out upwards."""
    rows, last = rows + cells, rows + columns + 2 * cells - 1
    grid = [(r, c) for r in range(last) for c in range(last) if abs(r - c) < rows]
    return _triangles(grid, _upright_place(1, _HALF))


def tri_star(size: int) -> Graph:
    """A six-pointed star of triangles; its points are ``size`` edges long."""
    return _triangles(_star(size), _row_place(1, _HALF))


def tri_outline(lengths: Sequence[int], cells: bool) -> Graph:
    """Triangles inside a polygon with these sides, clockwise."""
    place = _row_place(1, _HALF)
    longer = [length + (cells if length > 0 else -cells) for length in lengths]
    return _triangles(_inside_outline(longer, place), place)


def brick_rectangle(rows: int, columns: int, trim: bool) -> Graph:
    """Courses of bricks two wide, every other one shifted by half a brick."""
    width = 2 * columns + 1
    grid = [(r, c) for r in range(rows) for c in range(r % 2, width, 2)]
    return _bricks(grid, width, trim)


def brick_prism(size: int, middle: int, trim: bool) -> Graph:
    """A diamond of bricks, drawn out upwards by ``middle``."""
    grid = [
        (r, c)
        for r in range(2 * size + 2 * middle)
        for c in range((r + 1) % 2, 2 * size, 2)
        if size - 1 <= r + c < 3 * size - 1 and -size <= c - r < size
    ]
    return _bricks(grid, 2 * size, trim)


def _squares(points: list[tuple[float, float]], diagonals: str, rows: int, columns: int) -> Graph:
    at = {point: index for index, point in enumerate(points)}
    edges = [
        pair(index, at[other])
        for (x, y), index in at.items()
        for other in ((x, y + 1), (x + 1, y))
        if other in at
    ]
    edges += _diagonals(diagonals, points, rows, columns)
    return by_rows(assemble("square", np.array(points), edges))


def _diagonals(kind: str, points: list[tuple[float, float]], rows: int, columns: int) -> list[Edge]:
    """Edges across squares; ``Solid`` appends to ``points`` the middles of the squares."""
    at = {point: index for index, point in enumerate(points)}
    edges: list[Edge] = []
    if kind == "Radiating":
        row, column = rows // 2, columns // 2
        for n in range(max(row, column) + 1):
            for dx, dy in ((1, 1), (1, -1), (-1, -1), (-1, 1)):
                # Ludii starts from (row, column) where x and y are meant.
                ends = [(row + k * dx, column + k * dy) for k in (n, n + 1)]
                if all(end in at for end in ends):
                    edges.append(pair(*(at[end] for end in ends)))
        return edges
    for c, r in list(at):
        corners = [(c, r), (c, r + 1), (c + 1, r + 1), (c + 1, r)]
        if kind == "Implied" or not all(corner in at for corner in corners):
            continue
        a, b, d, e = (at[corner] for corner in corners)
        rising, falling = pair(a, d), pair(b, e)
        if kind == "Alternating":
            edges.append(rising if (r + c) % 2 == 0 else falling)
        elif kind == "Concentric":
            same = (r < rows // 2) == (c < columns // 2)
            edges.append(falling if same else rising)
        elif kind == "SolidNoSplit":
            edges += [rising, falling]
        else:
            points.append((c + 0.5, r + 0.5))
            edges += [pair(corner, len(points) - 1) for corner in (a, b, d, e)]
    return edges


def _row_place(dx: float, dy: float) -> Place:
    """Rows upwards, each shifted to the left by half a site."""
    return lambda row, column: (dx * (column - row / 2), dy * row)


def _upright_place(dy: float, dx: float) -> Place:
    """Rows to the upper left, columns to the upper right."""
    return lambda row, column: (dx * (column - row), dy * (row + column) / 2)


def _hexagon(size: int) -> list[tuple[int, int]]:
    return [(r, c) for r in range(2 * size - 1) for c in range(2 * size - 1) if abs(c - r) < size]


def _triangle(size: int) -> list[tuple[int, int]]:
    return [(r, c) for r in range(size) for c in range(r, size)]


def _staggered(rows: int, columns: int) -> list[tuple[int, int]]:
    return [(r, c) for r in range(rows) for c in range((r + 1) // 2, columns + r // 2)]


def _star(size: int) -> list[tuple[int, int]]:
    found = []
    for r in range(4 * size + 1):
        widening = r < size or 2 * size < r <= 3 * size
        low, high = (size, size + r) if widening else (r - size, 3 * size)
        found += [(r, c) for c in range(low, high + 1)]
    return found


def _inside_outline(lengths: Sequence[int], place: Place) -> list[tuple[int, int]]:
    turns = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))
    row = column = 0
    turn = 1
    corners = [(0, 0)]
    for n in range(max(5, len(lengths))):
        length = lengths[n % len(lengths)]
        length += 1 if length < 0 else -1
        turn = (turn + (-1 if length < 0 else 1)) % 6
        if length > 0:
            row, column = row + length * turns[turn][0], column + length * turns[turn][1]
            corners.append((row, column))
    return _inside_polygon(np.array([place(*corner) for corner in corners]), place)


def _inside_polygon(polygon: np.ndarray, place: Place) -> list[tuple[int, int]]:
    # From places back to rows and columns: the row tells how far the columns are shifted.
    rows = polygon[:, 1] / place(1, 0)[1]
    columns = polygon[:, 0] / place(0, 1)[0] + rows / 2
    low, high = np.floor([rows.min(), columns.min()]), np.ceil([rows.max(), columns.max()])
    across = range(int(low[1]), int(high[1]) + 1)
    grid = [(r, c) for r in range(int(low[0]), int(high[0]) + 1) for c in across]
    kept = inside(np.array([place(*cell) for cell in grid]), polygon, REACH)
    return [grid[i] for i in np.flatnonzero(kept)]


def _along_rows(corners: np.ndarray) -> np.ndarray:
    """Order corners along the zigzags below and above each row of hexagons."""
    x, y = corners.T
    return np.floor((y + 1) / 1.5 + 0.1) * 1000 + x


def _hexagons(
    grid: list[tuple[int, int]],
    place: Place,
    upright: bool = False,
    key: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Graph:
    corners = np.array([(0, 1), (_HALF, 0.5), (_HALF, -0.5), (0, -1), (-_HALF, -0.5), (-_HALF, 0.5)])
    if upright:
        corners = corners[:, ::-1]
    return from_polygons("hex", [corners + place(*cell) for cell in grid], key)


def _triangles(grid: list[tuple[int, int]], place: Place) -> Graph:
    points = np.array([place(*cell) for cell in grid])
    near = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    first, second = np.nonzero(np.triu(np.abs(near - 1) < 0.01))
    return by_rows(assemble("tri", points, list(zip(first.tolist(), second.tolist(), strict=True))))


def _bricks(grid: list[tuple[int, int]], width: int, trim: bool) -> Graph:
    polygons = []
    for r, c in grid:
        left, right = c, c + 2
        if trim and c == 0:
            left = 1
        elif trim and c >= width - 1:
            right = c + 1
        # Corners of the courses above and below divide the long sides.
        above = [(x, r + 1) for x in range(left, right + 1)]
        below = [(x, r) for x in range(right, left, -1)]
        polygons.append(np.array([(left, r), *above, *below], float))
    return from_polygons("brick", polygons)
