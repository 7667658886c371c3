"""What is special about a tree's root: noise, forced visits, training targets and the move to play."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from crossplay.games.random import uniform
from crossplay.search.tree import SearchParameters, Tree


@njit(nogil=True)
def forced_visits(prior: float, parameters: SearchParameters) -> int:
    """Visits that a root child of this prior gets regardless of its value."""
    return int(math.sqrt(parameters.forced_playouts * prior * parameters.simulations))


@njit(nogil=True, error_model="numpy")
def add_noise(tree: Tree, slot: int, parameters: SearchParameters) -> None:
    """Mix Dirichlet noise into the root's priors."""
    root = tree.nodes[slot, 0]
    total = 0.0
    for i in range(root.n_edges):
        tree.noise[i] = gamma(tree.rng[slot], parameters.noise_alpha / root.n_edges)
        total += tree.noise[i]
    if total > 0.0:
        share = parameters.noise_fraction
        for i in range(root.n_edges):
            edge = tree.edges[slot, root.first_edge + i]
            edge.prior = (1.0 - share) * edge.prior + share * tree.noise[i] / total


@njit(nogil=True)
def gamma(rng: np.ndarray, shape: float) -> float:
    """Draw from the gamma distribution of scale 1 (Marsaglia and Tsang 2000)."""
    raised = shape + 1.0 if shape < 1.0 else shape
    d = raised - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        # One of the two normal deviates of Box and Muller; 1 - u is never 0.
        x = math.sqrt(-2.0 * math.log(1.0 - uniform(rng))) * math.cos(2.0 * math.pi * uniform(rng))
        v = (1.0 + c * x) ** 3
        if v > 0.0 and math.log(1.0 - uniform(rng)) < 0.5 * x * x + d - d * v + d * math.log(v):
            break
    if shape < 1.0:
        return d * v * (1.0 - uniform(rng)) ** (1.0 / shape)
    return d * v


@njit(nogil=True, error_model="numpy")
def root_score(tree: Tree, slot: int, edge: int, visits: int, parameters: SearchParameters) -> float:
    """PUCT score of the root's child behind ``edge`` if it had this many visits and the same mean value."""
    root = tree.nodes[slot, 0]
    child = tree.nodes[slot, tree.edges[slot, edge].child]
    sign = 1.0 if root.agent == 1 else -1.0
    weight = parameters.exploration * math.sqrt(root.visits)
    return sign * child.mean + weight * tree.edges[slot, edge].prior / (1 + visits)


@njit(nogil=True)
def root_targets(tree: Tree, slot: int, parameters: SearchParameters) -> None:
    """Write the targets of the root's edges to ``tree.targets``: the visits that they have had.

    With forced playouts, a child other than the most visited loses up to its forced number of visits, as
    long as its score stays at or below the best child's, and falls out when only one would be left.

    Targets are weights of any scale between 0 and 65535, as records round them to integers.
    """
    first = tree.nodes[slot, 0].first_edge
    end = first + tree.nodes[slot, 0].n_children
    for i in range(tree.nodes[slot, 0].n_edges):
        tree.targets[i] = 0.0
    best = first
    most = 0
    for edge in range(first, end):
        child = tree.nodes[slot, tree.edges[slot, edge].child]
        tree.targets[edge - first] = child.visits
        if child.visits > most:
            best = edge
            most = child.visits
    if parameters.forced_playouts <= 0.0 or most == 0:
        return
    limit = root_score(tree, slot, best, most, parameters)
    for edge in range(first, end):
        if edge == best:
            continue
        child = tree.nodes[slot, tree.edges[slot, edge].child]
        least = max(child.visits - forced_visits(tree.edges[slot, edge].prior, parameters), 0)
        kept = child.visits
        while kept > least and root_score(tree, slot, edge, kept - 1, parameters) <= limit:
            kept -= 1
        tree.targets[edge - first] = 0 if kept < child.visits and kept <= 1 else kept


@njit(nogil=True)
def pick(tree: Tree, slot: int, exponent: float) -> int:
    """Choose a root edge by its target in ``tree.targets``.

    Exponent 0 stands for the highest target (the earliest visited of equals, the highest prior if nothing
    was visited); otherwise an edge is drawn with probability proportional to its target to that power.
    """
    first = tree.nodes[slot, 0].first_edge
    n_edges = tree.nodes[slot, 0].n_edges
    best = 0
    total = 0.0
    for i in range(n_edges):
        total += float(tree.targets[i]) ** exponent
        if tree.targets[i] > tree.targets[best]:
            best = i
    if exponent == 0.0:
        return first + best
    rest = uniform(tree.rng[slot]) * total
    for i in range(n_edges):
        rest -= float(tree.targets[i]) ** exponent
        if rest < 0.0:
            return first + i
    return first + best
