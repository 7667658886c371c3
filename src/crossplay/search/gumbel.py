"""A root whose moves are drawn without replacement and halved in turn: good with few simulations.

Each legal move gets the score ``g + log(prior)``, g drawn from Gumbel's distribution; the moves of highest
score are considered. All of them are visited equally often, then the better half by ``score + sigma(Q)``, and
so on until the simulations are used up. The training target is the improved policy
``softmax(log(prior) + sigma(Q))``, where moves without a visit have the mixed value of the root for Q. Below
the root a search is PUCT. Source: I. Danihelka, A. Guez, J. Schrittwieser, D. Silver, "Policy improvement by
planning with Gumbel" (2022), sections 2 to 4.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from crossplay.games.random import uniform
from crossplay.search.edges import exchange_edges, step
from crossplay.search.tree import SearchParameters, Tree

# c_visit: visits by which the weight of values beside priors begins.
VISIT_OFFSET = 50.0


@njit(nogil=True, error_model="numpy", _nrt=False)
def draw_scores(tree: Tree, slot: int, parameters: SearchParameters) -> None:
    """Score the root's moves and bring those to be considered to the front, the best first."""
    root = tree.nodes[slot, 0]
    first = root.first_edge
    for i in range(root.n_edges):
        # 1 - u is never 0; a stream may well give u = 0.
        gumbel = -math.log(-math.log(1.0 - uniform(tree.rng[slot]) + 1e-300) + 1e-300)
        tree.scores[slot, i] = gumbel + math.log(tree.edges[slot, first + i].prior)
    for i in range(n_considered(tree, slot, parameters)):
        best = i
        for j in range(i + 1, root.n_edges):
            if tree.scores[slot, j] > tree.scores[slot, best]:
                best = j
        if best != i:
            exchange_edges(tree, slot, first + i, first + best)
            score = tree.scores[slot, i]
            tree.scores[slot, i] = tree.scores[slot, best]
            tree.scores[slot, best] = score


@step
def n_considered(tree: Tree, slot: int, parameters: SearchParameters) -> int:
    """How many moves are considered; each is visited once at least."""
    return min(parameters.considered, tree.nodes[slot, 0].n_edges, max(parameters.simulations - 1, 1))


@njit(nogil=True)
def scheduled_visits(considered: int, total: int, simulation: int) -> int:
    """Visits that a move has had which is due at ``simulation`` of ``total``, both without the root's own.

    Sequential halving: there are log2(considered) phases of equal length, and in each all moves left are
    visited in turn.
    """
    if considered <= 1:
        return simulation
    phases = int(np.ceil(np.log2(considered)))
    begin = 0
    visits = 0
    while True:
        rounds = max(1, total // (phases * considered))
        if simulation < begin + rounds * considered:
            return visits + (simulation - begin) // considered
        begin += rounds * considered
        visits += rounds
        considered = max(2, considered // 2)


@step
def weighed(value: float, most: int, parameters: SearchParameters) -> float:
    """sigma(Q) of a value in -1..1, ``most`` being the visits of the most visited move."""
    return (VISIT_OFFSET + most) * parameters.value_scale * (0.5 + 0.5 * value)


@step
def most_visits(tree: Tree, slot: int) -> int:
    """Visits of the root's most visited child, 0 if it has none."""
    root = tree.nodes[slot, 0]
    most = 0
    for edge in range(root.first_edge, root.first_edge + root.n_children):
        most = max(most, tree.nodes[slot, tree.edges[slot, edge].child].visits)
    return most


@njit(nogil=True, error_model="numpy", _nrt=False)
def winner(tree: Tree, slot: int, parameters: SearchParameters) -> int:
    """The root's edge that comes out best of a complete search."""
    return best_considered(tree, slot, most_visits(tree, slot), parameters)


@njit(nogil=True, error_model="numpy", _nrt=False)
def choose_considered(tree: Tree, slot: int, parameters: SearchParameters) -> int:
    """The root's edge that is due: of those with the scheduled number of visits the one of highest score."""
    root = tree.nodes[slot, 0]
    m = n_considered(tree, slot, parameters)
    due = scheduled_visits(m, parameters.simulations - 1, root.visits - 1)
    if due == 0:
        return root.first_edge + root.n_children
    return best_considered(tree, slot, due, parameters)


@njit(nogil=True, error_model="numpy", _nrt=False)
def best_considered(tree: Tree, slot: int, visits: int, parameters: SearchParameters) -> int:
    """Of the root's edges with so many visits the one of highest ``score + sigma(Q)``; the first if none."""
    root = tree.nodes[slot, 0]
    sign = 1.0 if root.agent == 1 else -1.0
    most = most_visits(tree, slot)
    best = root.first_edge
    best_score = -np.inf
    for i in range(root.n_children):
        child = tree.nodes[slot, tree.edges[slot, root.first_edge + i].child]
        if child.visits == visits:
            score = tree.scores[slot, i] + weighed(sign * child.mean, most, parameters)
            if score > best_score:
                best = root.first_edge + i
                best_score = score
    return best


@njit(nogil=True, error_model="numpy", _nrt=False)
def improved_policy(tree: Tree, slot: int, parameters: SearchParameters) -> None:
    """Write the improved policy over the root's moves, times 2^15, to ``tree.targets``."""
    root = tree.nodes[slot, 0]
    first = root.first_edge
    sign = 1.0 if root.agent == 1 else -1.0
    most = most_visits(tree, slot)
    child_visits = 0
    value = root.value_sum
    prior_sum = 0.0
    prior_value = 0.0
    for edge in range(first, first + root.n_children):
        child = tree.nodes[slot, tree.edges[slot, edge].child]
        child_visits += child.visits
        value -= child.value_sum
        prior_sum += tree.edges[slot, edge].prior
        prior_value += tree.edges[slot, edge].prior * child.mean
    mixed = value
    if child_visits > 0:
        mixed = (value + child_visits * prior_value / prior_sum) / (1 + child_visits)
    highest = -np.inf
    for i in range(root.n_edges):
        edge = tree.edges[slot, first + i]
        mean = tree.nodes[slot, edge.child].mean if i < root.n_children else mixed
        tree.noise[i] = math.log(edge.prior) + weighed(sign * mean, most, parameters)
        highest = max(highest, tree.noise[i])
    total = 0.0
    for i in range(root.n_edges):
        tree.noise[i] = math.exp(tree.noise[i] - highest)
        total += tree.noise[i]
    for i in range(root.n_edges):
        tree.targets[i] = np.float32(32768.0 * tree.noise[i] / total)
