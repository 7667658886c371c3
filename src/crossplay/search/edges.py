"""The order of a node's edges.

Those visited come first, in the order of their first visits, then the one that is to be visited next.
"""

from __future__ import annotations

from numba import njit

from crossplay.games.random import below
from crossplay.search.tree import Tree

# The steps become part of the kernels that take them, and count no references to a tree's many arrays
# (``_nrt``): a search of a small game spends more on calls than on the game.
step = njit(nogil=True, error_model="numpy", _nrt=False, forceinline=True)


@step
def exchange_edges(tree: Tree, slot: int, a: int, b: int) -> None:
    """Exchange two unvisited edges."""
    edge_a, edge_b = tree.edges[slot, a], tree.edges[slot, b]
    edge_a.move, edge_b.move = edge_b.move, edge_a.move
    edge_a.prior, edge_b.prior = edge_b.prior, edge_a.prior


@step
def bring_next(tree: Tree, slot: int, first: int, end: int, uniform: bool) -> None:
    """Exchange edge ``first`` with the one of ``first .. end - 1`` (may be none) that is to be visited next.

    It has the highest prior. If all are equal it is drawn: in a fixed order a search with fewer
    simulations than moves would never try the last moves.
    """
    if first >= end:
        return
    if uniform:
        exchange_edges(tree, slot, first, first + below(tree.rng[slot], end - first))
        return
    best = first
    for edge in range(first + 1, end):
        if tree.edges[slot, edge].prior > tree.edges[slot, best].prior:
            best = edge
    if best != first:
        exchange_edges(tree, slot, first, best)
