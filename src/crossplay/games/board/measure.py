"""Outlines, corners, sides, centres and phases of a graph, found as Ludii finds them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from crossplay.games.board.graph import Edge, Graph, inside, pair
from crossplay.games.board.relations import distance_to_line

_CLOSE = 1e-4


@dataclass(frozen=True, slots=True)
class Outline:
    """The outer boundary of a graph.

    Attributes:
        rings: the vertices around every connected part, counterclockwise.
        convex: corners that stick out.
        concave: corners that go in.
        sides: compass name -> the vertices on that side.
    """

    rings: tuple[tuple[int, ...], ...]
    convex: frozenset[int]
    concave: frozenset[int]
    sides: dict[str, frozenset[int]]

    @property
    def vertices(self) -> frozenset[int]:
        """All vertices on the boundary."""
        return frozenset(vertex for ring in self.rings for vertex in ring)

    @property
    def corners(self) -> frozenset[int]:
        """Corners of both sorts."""
        return self.convex | self.concave


def outline(graph: Graph) -> Outline:
    """The boundary of a graph with its corners and sides."""
    rings = _rings(graph)
    convex: set[int] = set()
    concave: set[int] = set()
    for ring in rings:
        out, into = _corners(graph.vertices[ring])
        convex.update(ring[i] for i in out)
        concave.update(ring[i] for i in into)
    found: dict[str, set[int]] = {}
    middle = graph.vertices.mean(axis=0)
    for ring in rings:
        corners = [i for i, vertex in enumerate(ring) if vertex in convex or vertex in concave]
        for start, end in zip(
            corners, corners[1:] + [corner + len(ring) for corner in corners[:1]], strict=True
        ):
            run = [ring[i % len(ring)] for i in range(start, end + 1)]
            # Ludii 1.0.8 divides by one too few, so that its names of sides depend on where the board
            # lies. On hexagons we follow it; elsewhere the natural names are meant.
            points = graph.vertices[run].sum(axis=0) / (len(run) - (graph.tiling == "hex"))
            found.setdefault(_side(points - middle), set()).update(run)
    return Outline(
        tuple(tuple(ring) for ring in rings),
        frozenset(convex),
        frozenset(concave),
        {name: frozenset(vertices) for name, vertices in found.items()},
    )


def face_corners(graph: Graph, border: Outline) -> tuple[set[int], set[int], set[int]]:
    """The faces at corners of any sort, at convex ones, and at concave ones."""
    beside, around = graph.beside(), graph.around()
    ring_edges = {
        pair(*ends) for ring in border.rings for ends in zip(ring, ring[1:] + ring[:1], strict=True)
    }
    convex: set[int] = set()
    concave: set[int] = set()
    for vertex, others in enumerate(graph.spokes()):
        if vertex not in border.corners:
            continue
        found = concave if vertex in border.concave else convex
        doubled = [pair(vertex, other) for other in others if other in border.corners]
        if doubled:  # the edge between two corners is the corner
            found.update(face for edge in doubled for face in _first_beside(graph, beside, edge))
        elif vertex in border.concave:
            found.update(
                face for face in around[vertex] if sum(v in border.vertices for v in graph.faces[face]) == 1
            )
        else:
            outer = [pair(vertex, other) for other in others if pair(vertex, other) in ring_edges]
            found.update(face for edge in outer for face in _first_beside(graph, beside, edge))
    return convex | concave, convex, concave


def centre(points: np.ndarray, perimeter: Iterable[int], corners: Iterable[int]) -> tuple[int, ...]:
    """The sites for which the squared distances to perimeter and corners have the least sum."""
    far = [*(perimeter if len(points) < 100 else ()), *corners]
    if not far:
        far = list(range(len(points)))
    squares = ((points[:, None] - points[None, far]) ** 2).sum(axis=(1, 2))
    return tuple(np.flatnonzero(squares < squares.min() + _CLOSE).tolist())


def phases(near: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Sites by colour, so that no two orthogonal neighbours have the same where four colours suffice.

    The colours spread from the first site; sites between several colours go first.
    """
    phase = [-1] * len(near)
    for first in range(len(near)):
        if phase[first] >= 0:
            continue
        phase[first] = 0
        queue = deque([first])
        visited: set[int] = set()
        while queue:
            site = queue.popleft()
            if site in visited:
                continue
            visited.add(site)
            taken = {phase[other] for other in near[site]}
            phase[site] = next((colour for colour in range(4) if colour not in taken), -1)
            for other in near[site]:
                if other not in visited:
                    several = len({phase[third] for third in near[other] if phase[third] >= 0}) > 1
                    (queue.appendleft if several else queue.append)(other)
    return tuple(
        tuple(site for site, colour in enumerate(phase) if colour == wanted)
        for wanted in range(max(phase, default=-1) + 1)
    )


def _rings(graph: Graph) -> list[list[int]]:
    """The boundary of every connected part that lies in no other, from its leftmost vertex down."""
    spokes = graph.spokes()
    covered = np.zeros(len(graph.vertices), bool)
    rings: list[list[int]] = []
    while not covered.all():
        open_ = np.flatnonzero(~covered)
        x = graph.vertices[open_, 0]
        ring = _ring(graph.vertices, spokes, int(open_[np.argmin(x)]))
        rings.append(ring)
        covered[ring] = True
        covered |= inside(graph.vertices, graph.vertices[ring])
    starts = graph.vertices[[ring[0] for ring in rings]]
    enclosed = np.zeros(len(rings), bool)
    for index, ring in enumerate(rings):
        others = inside(starts, graph.vertices[ring])
        others[index] = False
        enclosed |= others
    return [ring for ring, within in zip(rings, enclosed, strict=True) if not within]


def _ring(vertices: np.ndarray, spokes: Sequence[Sequence[int]], start: int) -> list[int]:
    ring = [start]
    if not spokes[start]:
        return ring
    steps = vertices[list(spokes[start])] - vertices[start]
    here, there = start, spokes[start][int(np.argmin(np.arctan2(steps[:, 0], -steps[:, 1])))]
    while there != start and len(ring) <= 4 * len(vertices):
        ring.append(there)
        around = spokes[there]
        here, there = there, around[(around.index(here) + 1) % len(around)]
    return ring


def _corners(ring: np.ndarray) -> tuple[list[int], list[int]]:
    """Positions of the convex and the concave corners on a boundary (float64[k, 2]).

    A vertex's score says how far it stands out from the lines between vertices up to three away.
    """
    n = len(ring)
    if n < 6:
        return list(range(n)), []
    raw = np.zeros(n)
    for k in (1, 2, 3):
        for i in range(n):
            before, after = ring[(i - k) % n], ring[(i + k) % n]
            (ax, ay), (bx, by) = ring[i] - before, after - ring[i]
            sign = -1 if ax * by - ay * bx < 1e-7 else 1
            raw[i] += sign * distance_to_line(ring[i], before, after) / k
    score = (4 * raw + np.roll(raw, -1) + np.roll(raw, 1)) / 6
    higher = np.maximum(np.roll(score, 1), np.roll(score, -1))
    lower = np.minimum(np.roll(score, 1), np.roll(score, -1))
    keep = (score >= 0.32) & (score >= higher - 0.001)
    i = 0
    while i < n:  # neighbours that stand out almost as far; one found ahead is looked at in turn
        if keep[i]:
            for other in ((i - 1) % n, (i + 1) % n):
                keep[other] |= score[other] >= 0.95 * score[i]
        i += 1
    concave = (score <= -0.25) & (score <= lower + 0.001)
    return np.flatnonzero(keep).tolist(), np.flatnonzero(concave).tolist()


def _side(offset: np.ndarray) -> str:
    """The compass name of a side that lies off the middle by (dx, dy).

    Only sides within 11.25 degrees of a cardinal point are named after it; the rest of each quadrant
    has its diagonal's name.
    """
    dx, dy = offset
    sixteenth = int(np.arctan2(dy, dx) % (2 * np.pi) / (np.pi / 8) + 0.5) % 16
    quarter, between = divmod(sixteenth, 4)
    return (("NE", "NW", "SW", "SE") if between else ("E", "N", "W", "S"))[quarter]


def _first_beside(graph: Graph, beside: dict[Edge, list[int]], edge: Edge) -> list[int]:
    # Between two faces Ludii takes the one on the left of the edge; a corner has one face.
    return beside[edge][:1]
