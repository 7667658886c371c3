"""A board: the sites a game is played on, and everything geometry says about them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crossplay.games.board import compass
from crossplay.games.board.graph import Graph, dense_rank
from crossplay.games.board.labels import label, rows_and_columns
from crossplay.games.board.lattice import hexagonal_coordinates, strip_coordinates
from crossplay.games.board.measure import Outline, centre, face_corners, outline, phases
from crossplay.games.board.relations import RELATIONS, cell_neighbours, vertex_neighbours
from crossplay.games.board.symmetry import symmetries

Sites = tuple[int, ...]

_CLOSE = 0.01
_SIX_WAYS = {("hex", "Cell"), ("brick", "Cell"), ("tri", "Vertex")}


class CrossingWaysError(ValueError):
    """A graph has two neighbours of one site in the same compass direction."""


@dataclass(frozen=True, eq=False)
class Board:
    """Sites ``0 .. n_sites - 1``, numbered as in Ludii: mostly row by row from the bottom.

    Relations are ``Orthogonal``, ``Diagonal``, ``OffDiagonal``, ``Adjacent`` and ``All``.

    Attributes:
        tiling: ``"square"``, ``"hex"``, ``"tri"``, ``"brick"``, ``"concentric"``, or ``"free"``.
        site_type: ``"Cell"`` or ``"Vertex"``.
        centroids: float64[n, 2], x to the right and y upwards.
        labels: ``A1``, ``B1``, ... by column and row.
        directions: relation -> compass names, clockwise from north.
        steps: compass name -> int32[n], the next site that way or -1.
        sides: compass name -> sites on that side; corners belong to both of theirs.
        sets: ``top``, ``bottom``, ``left``, ``right``, ``corners``, ``convex`` and ``concave`` corners,
            ``centre``, ``outer``, ``inner``, ``perimeter``, ``major`` and ``minor`` cells -> sites.
        phases: sites of each colour of the tiling (2 on squares, 3 on hexagons), site 0's first.
        rows: sites by the number in their label.
        columns: sites by the letter in their label.
        axial: int32[n, 2] where every site has its neighbours in six directions, as hexagons have;
            None elsewhere. They are at (1, 1), (1, 0), (0, -1) and their opposites.
    """

    tiling: str
    site_type: str
    centroids: np.ndarray
    labels: tuple[str, ...]
    directions: dict[str, tuple[str, ...]]
    steps: dict[str, np.ndarray]
    sides: dict[str, Sites]
    sets: dict[str, Sites]
    phases: tuple[Sites, ...]
    rows: tuple[Sites, ...]
    columns: tuple[Sites, ...]
    axial: np.ndarray | None
    _near: dict[str, tuple[Sites, ...]]

    @property
    def n_sites(self) -> int:
        """Number of sites."""
        return len(self.labels)

    def neighbours(self, relation: str) -> tuple[Sites, ...]:
        """For every site its neighbours by ``relation``, clockwise from north."""
        return self._near[relation]

    def ways(self, relation: str) -> dict[str, np.ndarray]:
        """Compass name -> int32[n]: the neighbour by ``relation`` that way, or -1.

        Following one of these tables runs along the board as Ludii's radials of the relation do.
        """
        near = self._near[relation]
        tables = {}
        for name in self.directions[relation]:
            step = self.steps[name]
            kept = [int(to) in near[site] for site, to in enumerate(step)]
            tables[name] = np.where(kept, step, -1).astype(np.int32)
        return tables

    def radial(self, site: int, way: str) -> Sites:
        """The sites met on the way from ``site`` in one compass direction, nearest first."""
        found: list[int] = []
        step = self.steps[way]
        while (site := int(step[site])) >= 0:
            found.append(site)
        return tuple(found)

    def site_of_label(self, text: str) -> int | None:
        """The first site with a label such as ``B3``, or None."""
        return self._by_label.get(text)

    def relative(self, facing: str, name: str, relation: str = "Adjacent") -> tuple[str, ...]:
        """The compass names that ``Forward``, ``FL``, ... mean for one who looks to ``facing``.

        Only directions that the board has for ``relation`` are returned. With rows of hexagons and a
        facing of N there is no ``Forward``, and ``FL`` is NNW.
        """
        return compass.relative(facing, name, self.directions[relation])

    def headings(self, relation: str = "Adjacent") -> np.ndarray:
        """int8[n, n]: which of ``directions[relation]`` leads from one site straight to another, or -1."""
        found = np.full((self.n_sites, self.n_sites), -1, np.int8)
        for index, way in reversed(list(enumerate(self.directions[relation]))):
            for site in range(self.n_sites):
                found[site, list(self.radial(site, way))] = index
        return found

    def distances(self, relation: str = "Adjacent") -> np.ndarray:
        """int16[n, n]: the least number of steps between sites, -1 where no way leads."""
        found = np.full((self.n_sites, self.n_sites), -1, np.int16)
        near = self._near[relation]
        for start in range(self.n_sites):
            row = found[start]
            row[start] = 0
            front = [start]
            while front:
                following = []
                for site in front:
                    for other in near[site]:
                        if row[other] < 0:
                            row[other] = row[site] + 1
                            following.append(other)
                front = following
        return found

    def rank_coordinates(self) -> tuple[np.ndarray, np.ndarray]:
        """(int32[n], int32[n]): each site's column and row among the distinct coordinates that occur."""
        return dense_rank(self.centroids[:, 0]), dense_rank(self.centroids[:, 1])

    def dense_coordinates(self) -> tuple[np.ndarray, np.ndarray]:
        """(int32[n], int32[n]): as ``rank_coordinates``, but without the gaps that slanted rows leave.

        A site's neighbours keep their places relative to it, so that a convolution sees the same
        pattern everywhere (on triangles there are two patterns).
        """
        if self.axial is not None:
            columns, rows = self.axial.T
            return columns - columns.min(), rows - rows.min()
        if self.tiling == "tri" and self.site_type == "Cell":
            strips = strip_coordinates(self.centroids)
            if strips is not None:
                return strips
        return self.rank_coordinates()

    def symmetries(self) -> np.ndarray:
        """int32[k, n]: where each site goes when the board is turned or reflected onto itself.

        The identity comes first, then rotations, then reflections; at most 8 on squares and 12 on
        hexagons.
        """
        return symmetries(self.centroids, [self._near[name] for name in RELATIONS])

    @cached_property
    def _by_label(self) -> dict[str, int]:
        return {text: site for site, text in reversed(list(enumerate(self.labels)))}


def board_from_graph(graph: Graph, site_type: str) -> Board:
    """The board whose sites are the graph's faces (``"Cell"``) or vertices (``"Vertex"``).

    Raises:
        CrossingWaysError: a site has two neighbours in the same one of sixteen directions.
    """
    on_cells = site_type == "Cell"
    points = graph.face_centroids if on_cells else graph.vertices
    found = cell_neighbours(graph) if on_cells else vertex_neighbours(graph)
    near = {
        name: tuple(_clockwise(points, site, found[name]) for site in range(len(points))) for name in found
    }
    steps = _steps(points, near["All"])
    rows, columns = rows_and_columns(points)
    border = outline(graph)
    return Board(
        tiling=graph.tiling,
        site_type=site_type,
        centroids=points,
        labels=tuple(label(*place) for place in zip(columns.tolist(), rows.tolist(), strict=True)),
        directions={name: _names(points, near[name]) for name in RELATIONS},
        steps=steps,
        sides=_sides(graph, border, on_cells),
        sets=_sets(graph, border, points, on_cells),
        phases=phases(found["Orthogonal"]),
        rows=_groups(rows),
        columns=_groups(columns),
        axial=hexagonal_coordinates(steps, _names(points, near["Orthogonal"]), near["Orthogonal"])
        if (graph.tiling, site_type) in _SIX_WAYS
        else None,
        _near=near,
    )


def _direction(points: np.ndarray, start: int, end: int) -> str:
    dx, dy = points[end] - points[start]
    return compass.nearest(compass.bearing(dx, dy))


def _clockwise(points: np.ndarray, site: int, near: list[list[int]]) -> Sites:
    def turn(other: int) -> float:
        dx, dy = points[other] - points[site]
        return (compass.bearing(dx, dy) + 1e-3) % 360  # due north comes first, whatever the rounding

    return tuple(sorted(near[site], key=turn))


def _steps(points: np.ndarray, near: tuple[Sites, ...]) -> dict[str, np.ndarray]:
    steps = {name: np.full(len(points), -1, np.int32) for name in compass.NAMES}
    for site, others in enumerate(near):
        for other in others:
            table = steps[_direction(points, site, other)]
            if table[site] >= 0:
                raise CrossingWaysError(f"sites {table[site]} and {other} lie in one direction from {site}")
            table[site] = other
    return {name: table for name, table in steps.items() if (table >= 0).any()}


def _names(points: np.ndarray, near: tuple[Sites, ...]) -> tuple[str, ...]:
    found = {_direction(points, site, other) for site, others in enumerate(near) for other in others}
    return tuple(name for name in compass.NAMES if name in found)


def _groups(keys: np.ndarray) -> tuple[Sites, ...]:
    return tuple(_sites(keys == key) for key in range(int(keys.max()) + 1))


def _sites(mask: np.ndarray) -> Sites:
    return tuple(int(site) for site in np.flatnonzero(mask))


def _sides(graph: Graph, border: Outline, on_cells: bool) -> dict[str, Sites]:
    if not on_cells:
        found = {name: tuple(sorted(vertices)) for name, vertices in border.sides.items()}
    else:
        found = {
            name: tuple(i for i, face in enumerate(graph.faces) if not vertices.isdisjoint(face))
            for name, vertices in border.sides.items()
        }
    return {name: found[name] for name in compass.NAMES if found.get(name)}


def _sets(graph: Graph, border: Outline, points: np.ndarray, on_cells: bool) -> dict[str, Sites]:
    sites = range(len(points))
    if on_cells:
        outer = {i for i, face in enumerate(graph.faces) if not border.vertices.isdisjoint(face)}
        corners, convex, concave = face_corners(graph, border)
    else:
        outer = set(border.vertices)
        corners, convex, concave = set(border.corners), set(border.convex), set(border.concave)
    x, y = points.T
    most = max((len(face) for face in graph.faces), default=0)
    major = [i for i, face in enumerate(graph.faces) if on_cells and len(face) == most]
    return {
        "top": _sites(y > y.max() - _CLOSE),
        "bottom": _sites(y < y.min() + _CLOSE),
        "left": _sites(x < x.min() + _CLOSE),
        "right": _sites(x > x.max() - _CLOSE),
        "corners": tuple(sorted(corners)),
        "convex": tuple(sorted(convex)),
        "concave": tuple(sorted(concave)),
        "centre": centre(points, sorted(outer), sorted(corners)),
        "outer": tuple(sorted(outer)),
        "inner": tuple(site for site in sites if site not in outer),
        "perimeter": tuple(sorted(outer)),
        "major": tuple(major),
        "minor": tuple(site for site in sites if on_cells and site not in major),
    }
