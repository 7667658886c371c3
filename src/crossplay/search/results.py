"""What every search object shares: its trees, and reading the searched roots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit, types

from crossplay.games.state import OUTCOME, RUNNING
from crossplay.search.root import pick, root_targets
from crossplay.search.tree import PARAMETERS, SLOTS, TREE, SearchParameters, Tree

if TYPE_CHECKING:
    from crossplay.games import Game


@njit(
    types.void(TREE, SLOTS, PARAMETERS, types.Array(types.float64, 1, "C"), types.Array(types.int64, 1, "C")),
    cache=True,
    nogil=True,
)
def choose_moves(
    tree: Tree, slots: np.ndarray, parameters: SearchParameters, exponents: np.ndarray, chosen: np.ndarray
) -> None:
    """Write the move to play of each searched slot, see :func:`crossplay.search.tree.pick`."""
    for i in range(slots.shape[0]):
        root_targets(tree, slots[i], parameters)
        chosen[i] = tree.edges[slots[i], pick(tree, slots[i], exponents[i])].move


class SearchResults:
    """Trees of several games; ``slots`` arguments are distinct row numbers, ``int[n]``."""

    def __init__(self, game: Game, parameters: SearchParameters, tree: Tree) -> None:
        self.game, self.parameters, self.tree = game, parameters, tree

    def set_roots(self, slots: np.ndarray, states: np.ndarray) -> np.ndarray:
        """Copy ``states int16[n, L]`` into the slots' roots and return the slots as the kernels want them.

        Raises:
            ValueError: a state of a finished game, which has no move to search for.
        """
        if (states[:, OUTCOME] != RUNNING).any():
            raise ValueError("a finished game cannot be searched")
        slots = np.ascontiguousarray(slots, np.int64)
        self.tree.roots[slots] = states
        return slots

    def choose(self, slots: np.ndarray, exponents: np.ndarray | float = 0.0) -> np.ndarray:
        """The moves to play in searched slots, ``int64[n]``.

        An exponent of 0 takes the most visited move; otherwise a move is drawn with probability
        proportional to its visits to that power.
        """
        slots = np.ascontiguousarray(slots, np.int64)
        chosen = np.empty(len(slots), np.int64)
        exponents = np.ascontiguousarray(np.broadcast_to(exponents, chosen.shape), np.float64)
        choose_moves(self.tree, slots, self.parameters, exponents, chosen)
        return chosen

    def root_visits(self, slot: int) -> dict[int, int]:
        """Visits of the root's children by move, in the order of their first visits."""
        root = self.tree.nodes[slot, 0]
        edges = self.tree.edges[slot, root["first_edge"] :][: root["n_children"]]
        visits = self.tree.nodes[slot, edges["child"]]["visits"]
        return dict(zip(edges["move"].tolist(), visits.tolist(), strict=True))

    def root_value(self, slot: int) -> float:
        """The root's mean value for the agent to move."""
        root = self.tree.nodes[slot, 0]
        mean = root["value_sum"] / root["visits"]
        return float(mean if root["agent"] == 1 else -mean)
