"""A board: the sites a game is played on, and everything geometry says about them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from crossplay.games.board.compass import NAMES, bearing, nearest
from crossplay.games.board.graph import (
    Graph,
    Pairs,
    cell_relations,
    dense_rank,
    outer_edges,
    vertex_relations,
)

Sites = tuple[int, ...]

_CLOSE = 1e-6


@dataclass(frozen=True, eq=False)
class Board:
    """Sites ``0 .. n_sites - 1``, numbered as in Ludii: row by row from the bottom, left to right.

    Attributes:
        tiling: ``"square"`` or ``"hex"``.
        site_type: ``"Cell"`` or ``"Vertex"``.
        centroids: float64[n, 2], x to the right and y upwards.
        labels: ``A1``, ``B1``, ...
        directions: compass names, clockwise from north, of the relations ``Orthogonal``,
            ``Diagonal``, ``Adjacent`` and ``All``.
        steps: compass name -> int32[n], the next site that way or -1.
        sides: compass name -> sites on that side; corners belong to both of theirs.
        sets: ``top``, ``bottom``, ``left``, ``right``, ``corners``, ``centre``, ``outer``, ``inner``
            and ``perimeter`` -> sites.
        phases: sites of each colour of the tiling (2 on squares, 3 on hexagons), A1's first.
        rows: sites by the number in their label.
        columns: sites by the letter in their label.
        axial: int32[n, 2] on hexagons, None elsewhere: column and row of the label. A cell's six
            neighbours are at (1, 0), (0, 1), (1, 1) and their opposites.
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

    @property
    def n_sites(self) -> int:
        """Number of sites."""
        return len(self.labels)

    def neighbours(self, relation: str) -> tuple[Sites, ...]:
        """For every site its neighbours by ``relation``, clockwise from north."""
        tables = [self.steps[compass] for compass in self.directions[relation]]
        return tuple(
            tuple(int(table[site]) for table in tables if table[site] >= 0) for site in range(self.n_sites)
        )

    def radial(self, site: int, compass: str) -> Sites:
        """The sites met on the way from ``site`` in one direction, nearest first."""
        found: list[int] = []
        step = self.steps[compass]
        while (site := int(step[site])) >= 0:
            found.append(site)
        return tuple(found)

    def rank_coordinates(self) -> tuple[np.ndarray, np.ndarray]:
        """(int32[n], int32[n]): each site's column and row among the distinct coordinates that occur."""
        return dense_rank(self.centroids[:, 0]), dense_rank(self.centroids[:, 1])

    def symmetries(self) -> np.ndarray:
        """int32[k, n]: where each site goes when the board is turned or reflected onto itself.

        The identity comes first, then rotations, then reflections; at most 8 on squares and 12 on
        hexagons.
        """
        points = self.centroids - (self.centroids.min(axis=0) + self.centroids.max(axis=0)) / 2
        if self.tiling == "hex":  # a triangle's centre is not that of its bounding box
            points = self.centroids - self.centroids.mean(axis=0)
        links = self._links(range(self.n_sites))
        found: dict[bytes, np.ndarray] = {}  # a row of cells has the same symmetry twice
        for mirror in (1, -1):
            for angle in np.radians(30 * np.arange(12)):
                cos, sin = np.cos(angle), np.sin(angle)
                matrix = np.array([(cos, -sin), (sin, cos)]) * (1, mirror)
                image = _permutation(points, points @ matrix.T)
                if image is not None and self._links(image) == links:
                    found.setdefault(image.tobytes(), image)
        return np.array(list(found.values()), np.int32)

    def _links(self, image: Iterable[int]) -> set[tuple[int, int]]:
        to = [int(site) for site in image]
        nearby = self.neighbours("Orthogonal")
        return {(to[site], to[other]) for site, others in enumerate(nearby) for other in others}


def board_from_graph(graph: Graph, site_type: str) -> Board:
    """The board whose sites are the graph's faces (``"Cell"``) or vertices (``"Vertex"``)."""
    on_cells = site_type == "Cell"
    centroids = graph.face_centroids if on_cells else graph.vertices
    grid = graph.face_grid if on_cells else graph.vertex_grid
    assert grid is not None, "the caller offers only labelled sites"
    orthogonal, diagonal, adjacent = cell_relations(graph) if on_cells else vertex_relations(graph)
    relations = {
        "Orthogonal": orthogonal,
        "Diagonal": diagonal,
        "Adjacent": adjacent,
        "All": orthogonal | diagonal | adjacent,
    }
    perimeter = {site for edge, face in outer_edges(graph) for site in ((face,) if on_cells else edge)}
    columns, rows = grid.T
    return Board(
        tiling=graph.tiling,
        site_type=site_type,
        centroids=centroids,
        labels=tuple(f"{_letters(column)}{row + 1}" for column, row in grid.tolist()),
        directions={name: _compass_names(pairs, centroids) for name, pairs in relations.items()},
        steps=_steps(relations["All"], centroids),
        sides={
            nearest(angle, 8): _furthest(centroids, np.sin(np.radians(angle)), np.cos(np.radians(angle)))
            for angle in graph.side_bearings
        },
        sets=_sets(centroids, perimeter),
        phases=_groups((columns + rows) % (3 if graph.tiling == "hex" else 2)),
        rows=_groups(rows),
        columns=_groups(columns),
        axial=grid if graph.tiling == "hex" else None,
    )


def _letters(column: int) -> str:
    """A .. Z, then AA, AB, ..."""
    text = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        text = chr(ord("A") + letter) + text
    return text


def _steps(pairs: Pairs, centroids: np.ndarray) -> dict[str, np.ndarray]:
    steps: dict[str, np.ndarray] = defaultdict(lambda: np.full(len(centroids), -1, np.int32))
    for first, second in pairs:
        for start, end in ((first, second), (second, first)):
            steps[_direction(centroids, start, end)][start] = end
    return {name: steps[name] for name in NAMES if name in steps}


def _compass_names(pairs: Pairs, centroids: np.ndarray) -> tuple[str, ...]:
    found = {
        _direction(centroids, *pair) for first, second in pairs for pair in ((first, second), (second, first))
    }
    return tuple(name for name in NAMES if name in found)


def _direction(centroids: np.ndarray, start: int, end: int) -> str:
    dx, dy = centroids[end] - centroids[start]
    return nearest(bearing(dx, dy))


def _groups(keys: np.ndarray) -> tuple[Sites, ...]:
    return tuple(_sites(keys == key) for key in range(int(keys.max()) + 1))


def _sites(mask: np.ndarray) -> Sites:
    return tuple(int(site) for site in np.flatnonzero(mask))


def _furthest(centroids: np.ndarray, dx: float, dy: float) -> Sites:
    reach = centroids @ (dx, dy)
    return _sites(reach > reach.max() - _CLOSE)


def _sets(centroids: np.ndarray, perimeter: set[int]) -> dict[str, Sites]:
    distance = np.linalg.norm(centroids - centroids.mean(axis=0), axis=1)
    outer = tuple(sorted(perimeter))
    return {
        "top": _furthest(centroids, 0, 1),
        "bottom": _furthest(centroids, 0, -1),
        "left": _furthest(centroids, -1, 0),
        "right": _furthest(centroids, 1, 0),
        "corners": _hull(centroids),
        "centre": _sites(distance < distance.min() + _CLOSE),
        "outer": outer,
        "inner": tuple(site for site in range(len(centroids)) if site not in perimeter),
        "perimeter": outer,
    }


def _hull(centroids: np.ndarray) -> Sites:
    """The sites at the corners of the convex hull (Andrew's monotone chain), in order of their number."""
    order = np.lexsort((dense_rank(centroids[:, 1]), dense_rank(centroids[:, 0])))
    corners: set[int] = set()
    for walk in (order, order[::-1]):
        chain: list[int] = []
        for site in walk.tolist():
            while len(chain) > 1 and _turn(centroids, chain[-2], chain[-1], site) < _CLOSE:
                chain.pop()
            chain.append(site)
        corners.update(chain)
    return tuple(sorted(corners))


def _turn(centroids: np.ndarray, first: int, second: int, third: int) -> float:
    (ax, ay), (bx, by) = centroids[second] - centroids[first], centroids[third] - centroids[first]
    return float(ax * by - ay * bx)


def _permutation(points: np.ndarray, moved: np.ndarray) -> np.ndarray | None:
    """For each moved point the index of the point it lies on, or None if one lies on none."""
    together = np.concatenate([points, moved])
    x, y = dense_rank(together[:, 0]), dense_rank(together[:, 1])
    keys = x.astype(np.int64) * len(together) + y
    here, there = keys[: len(points)], keys[len(points) :]
    by_key = np.argsort(here)
    at = np.searchsorted(here[by_key], there) % len(points)
    image = by_key[at]
    return image if np.array_equal(here[image], there) else None
