"""Keeping what a search has found out about the position after the move that is played."""

from __future__ import annotations

from numba import njit

from crossplay.search.edges import bring_next
from crossplay.search.root import add_noise
from crossplay.search.tree import TERMINAL, UNEXPANDED, SearchParameters, Tree


@njit(nogil=True, error_model="numpy", _nrt=False)
def keep_subtree(tree: Tree, slot: int, edge: int, parameters: SearchParameters) -> bool:
    """Make the child behind the root's ``edge`` the root, with all that is below it.

    Its visits count as simulations of the next search. ``tree.roots[slot]`` is left to the caller.

    Returns:
        False, with the tree as it was, if there is nothing to keep: no visit, no legal moves listed.
    """
    root = tree.nodes[slot, 0]
    if edge >= root.first_edge + root.n_children:
        return False
    child = tree.edges[slot, edge].child
    if tree.nodes[slot, child].n_edges in (UNEXPANDED, TERMINAL):
        return False
    copy_subtree(tree, slot, child)
    progress = tree.progress[slot]
    progress.depth = 0
    tree.path[slot, 0] = 0
    new = tree.nodes[slot, 0]
    progress.simulations = new.visits
    if parameters.noise_fraction > 0.0:
        add_noise(tree, slot, parameters)
        bring_next(tree, slot, new.first_edge + new.n_children, new.first_edge + new.n_edges, False)
    return True


@njit(nogil=True, _nrt=False)
def copy_subtree(tree: Tree, slot: int, top: int) -> None:
    """Renumber the nodes below ``top`` from 0, breadth first, and forget all others."""
    nodes = 1
    edges = 0
    tree.spare_path[0] = top
    node = 0
    while node < nodes:
        tree.spare_nodes[node] = tree.nodes[slot, tree.spare_path[node]]
        new = tree.spare_nodes[node]
        if new.n_edges > 0:
            for i in range(new.n_edges):
                tree.spare_edges[edges + i] = tree.edges[slot, new.first_edge + i]
            for i in range(edges, edges + new.n_children):
                tree.spare_path[nodes] = tree.spare_edges[i].child
                tree.spare_edges[i].child = nodes
                nodes += 1
            new.first_edge = edges
            edges += new.n_edges
        node += 1
    for i in range(nodes):
        tree.nodes[slot, i] = tree.spare_nodes[i]
    for i in range(edges):
        tree.edges[slot, i] = tree.spare_edges[i]
    tree.progress[slot].nodes = nodes
    tree.progress[slot].edges = edges
