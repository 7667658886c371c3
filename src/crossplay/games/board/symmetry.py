"""Turns and reflections that take a board onto itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from crossplay.games.board.graph import dense_rank

# Squares, hexagons and triangles, and the pentagons of concentric boards.
_ANGLES = sorted({*range(0, 360, 30), *range(0, 360, 45), *range(0, 360, 36)})


def symmetries(points: np.ndarray, relations: Sequence[Sequence[Sequence[int]]]) -> np.ndarray:
    """int32[k, n]: permutations of the sites that come from turning and reflecting their points.

    Args:
        points: float64[n, 2].
        relations: for each relation every site's neighbours; all of them must be kept.

    The identity comes first, then rotations, then reflections.
    """
    centred = points - points.mean(axis=0)
    links = [_links(range(len(points)), near) for near in relations]
    found: dict[bytes, np.ndarray] = {}  # a row of cells has the same symmetry twice
    for mirror in (1, -1):
        for angle in np.radians(_ANGLES):
            cos, sin = np.cos(angle), np.sin(angle)
            matrix = np.array([(cos, -sin), (sin, cos)]) * (1, mirror)
            image = _permutation(centred, centred @ matrix.T)
            if image is not None and all(
                _links(image.tolist(), near) == kept for near, kept in zip(relations, links, strict=True)
            ):
                found.setdefault(image.tobytes(), image)
    return np.array(list(found.values()), np.int32)


def _links(image: Iterable[int], near: Sequence[Sequence[int]]) -> set[tuple[int, int]]:
    to = list(image)
    return {(to[site], to[other]) for site, others in enumerate(near) for other in others}


def _permutation(points: np.ndarray, moved: np.ndarray) -> np.ndarray | None:
    """For each moved point the index of the point it lies on, or None if one lies on none."""
    if not np.allclose([points.min(axis=0), points.max(axis=0)], [moved.min(axis=0), moved.max(axis=0)]):
        return None
    together = np.concatenate([points, moved])
    x, y = dense_rank(together[:, 0]), dense_rank(together[:, 1])
    keys = x.astype(np.int64) * len(together) + y
    here, there = keys[: len(points)], keys[len(points) :]
    by_key = np.argsort(here)
    at = np.searchsorted(here[by_key], there) % len(points)
    image = by_key[at]
    return image if np.array_equal(here[image], there) else None
