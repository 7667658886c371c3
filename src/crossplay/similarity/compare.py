"""Every pair of some games, by both measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from crossplay.errors import CrossplayError
from crossplay.similarity.continuations import continuations, local_tree
from crossplay.similarity.ludemes import game_tree, tree_distance, tree_similarity, tree_size

if TYPE_CHECKING:
    from crossplay.games import Game


@dataclass(frozen=True, slots=True)
class SimilarityTable:
    """Similarities of ``n`` games; the matrices are symmetric and 1 (distances: 0) on the diagonal."""

    names: tuple[str, ...]
    depth: int  # plies of the compared continuations
    sizes: np.ndarray  # int64[n], nodes of the ludeme trees
    distances: np.ndarray  # int64[n, n], edit distance between ludeme trees
    ludemes: np.ndarray  # float64[n, n], similarity of ludeme trees
    continuations: np.ndarray  # float64[n, n], similarity of the continuations of the start positions

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for every unordered pair of different games."""
        return [
            {
                "first": self.names[i],
                "second": self.names[j],
                "ludeme_distance": int(self.distances[i, j]),
                "ludeme_similarity": float(self.ludemes[i, j]),
                "continuation_similarity": float(self.continuations[i, j]),
            }
            for i in range(len(self.names))
            for j in range(i + 1, len(self.names))
        ]

    def to_dict(self) -> dict[str, Any]:
        """All of it as values that JSON can hold."""
        return {
            "names": list(self.names),
            "depth": self.depth,
            "sizes": self.sizes.tolist(),
            "distances": self.distances.tolist(),
            "ludemes": self.ludemes.tolist(),
            "continuations": self.continuations.tolist(),
        }


def compare_games(
    games: Sequence[Game],
    depth: int,
    names: Sequence[str] | None = None,
    max_nodes: int = 200_000,
    progress: Callable[[], object] | None = None,
) -> SimilarityTable:
    """Compare all pairs of games by their ludemes and by what can follow their start positions.

    Args:
        games: the games.
        depth: plies of the continuations, at least 1.
        names: what to call the games in the table; their own names by default.
        max_nodes: largest number of positions in one game's local tree.
        progress: called after each pair.

    Raises:
        CrossplayError: ``depth`` is below 1, or a local tree is too large.
    """
    n = len(games)
    names = [game.name for game in games] if names is None else names
    if len(names) != n:
        raise CrossplayError(f"similarity: {n} games but {len(names)} names; give one name per game")
    trees = [game_tree(game.description.game) for game in games]
    starts = [local_tree(game, game.new_state(), depth, max_nodes) for game in games]
    sizes = np.array([tree_size(tree) for tree in trees], np.int64)
    distances = np.zeros((n, n), np.int64)
    ludemes, alike = np.ones((n, n)), np.ones((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            distance = tree_distance(trees[i], trees[j])
            distances[i, j] = distances[j, i] = distance
            ludemes[i, j] = ludemes[j, i] = tree_similarity(distance, int(sizes[i]), int(sizes[j]))
            alike[i, j] = alike[j, i] = continuations(starts[i], starts[j], depth)
            if progress is not None:
                progress()
    return SimilarityTable(tuple(names), depth, sizes, distances, ludemes, alike)
