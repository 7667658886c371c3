"""The steps of a tree search: descend to a leaf, expand it, back its value up.

Inner parts of the search kernels in the sibling modules; each works on one slot of a
:class:`crossplay.search.tree.Tree`. Selection is PUCT as in Polygames, ``Q + c P sqrt(N) / (1 + n)`` with N
counting the node's own evaluation, or UCB1. Between equal scores the child visited first wins. The end of
a game counts plainly as +1, 0 or -1 (Polygames counts it twice).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from crossplay.games.state import AGENT, DRAW, OUTCOME, RUNNING
from crossplay.games.tensors import action_index
from crossplay.search.edges import bring_next, step
from crossplay.search.gumbel import choose_considered, draw_scores
from crossplay.search.root import add_noise, forced_visits
from crossplay.search.tree import TERMINAL, UNEXPANDED, SearchParameters, Tree

# Keeps every legal move reachable when the network puts all its weight on illegal ones.
PRIOR_FLOOR = np.float32(1e-8)


@step
def reset(tree: Tree, slot: int) -> None:
    """Forget the tree; ``tree.roots[slot]`` is searched from now on."""
    progress = tree.progress[slot]
    progress.depth = 0
    progress.nodes = 0
    progress.edges = 0
    progress.simulations = 0
    tree.path[slot, 0] = add_node(tree, slot)


@step
def add_node(tree: Tree, slot: int) -> int:
    """Add a node that awaits its evaluation."""
    node = tree.progress[slot].nodes
    tree.progress[slot].nodes = node + 1
    new = tree.nodes[slot, node]
    new.visits = 0
    new.value_sum = 0.0
    new.n_edges = UNEXPANDED
    return node


@step
def outcome_value(outcome: int) -> float:
    """A finished game's result from agent 1's view."""
    if outcome in (DRAW, RUNNING):
        return 0.0
    return 1.0 if outcome == 1 else -1.0


@step
def backup(tree: Tree, slot: int, value: float) -> None:
    """End a simulation: add ``value``, from agent 1's view, to the nodes on the path."""
    for i in range(tree.progress[slot].depth + 1):
        node = tree.nodes[slot, tree.path[slot, i]]
        node.visits += 1
        node.value_sum += value
        node.mean = node.value_sum / node.visits
    tree.progress[slot].simulations += 1


@step
def backup_first(tree: Tree, slot: int, value: float) -> None:
    """As :func:`backup`; the parent takes note of the first evaluation of the leaf."""
    depth = tree.progress[slot].depth
    if depth > 0 and tree.nodes[slot, tree.path[slot, depth]].visits == 0:
        tree.nodes[slot, tree.path[slot, depth - 1]].first_value_sum += value
    backup(tree, slot, value)


@step
def choose_puct(tree: Tree, slot: int, index: int, parameters: SearchParameters) -> int:
    """The edge of highest PUCT score; the one right behind the visited prefix means a new child."""
    node = tree.nodes[slot, index]
    end_visited = node.first_edge + node.n_children
    sign = 1.0 if node.agent == 1 else -1.0
    weight = parameters.exploration * math.sqrt(node.visits)
    best = node.first_edge
    best_score = -np.inf
    forced = index == 0 and parameters.forced_playouts > 0.0
    for i in range(node.first_edge, end_visited):
        edge = tree.edges[slot, i]
        child = tree.nodes[slot, edge.child]
        if forced and child.visits < forced_visits(edge.prior, parameters):
            return i
        score = sign * child.mean + weight * edge.prior / (1 + child.visits)
        if score > best_score:
            best = i
            best_score = score
    if node.n_children == node.n_edges:
        return best
    if node.n_children == 0:
        return end_visited
    if parameters.sibling_first_play:
        first_play = sign * node.first_value_sum / node.n_children
    else:
        first_play = sign * node.mean - parameters.first_play_reduction
    return end_visited if first_play + weight * tree.edges[slot, end_visited].prior > best_score else best


@step
def choose_ucb1(tree: Tree, slot: int, index: int, parameters: SearchParameters) -> int:
    """The first unvisited edge, or else the one of highest UCB1 score, for rewards in 0..1."""
    node = tree.nodes[slot, index]
    if node.n_children < node.n_edges:
        return node.first_edge + node.n_children
    sign = 1.0 if node.agent == 1 else -1.0
    log_visits = math.log(node.visits)
    best = node.first_edge
    best_score = -np.inf
    for i in range(node.first_edge, node.first_edge + node.n_edges):
        child = tree.nodes[slot, tree.edges[slot, i].child]
        reward = 0.5 + 0.5 * sign * child.mean
        score = reward + parameters.exploration * math.sqrt(log_visits / child.visits)
        if score > best_score:
            best = i
            best_score = score
    return best


@step
def descend(apply: Any, tree: Tree, slot: int, parameters: SearchParameters) -> bool:
    """Walk from the root to a leaf and leave its state in ``tree.leaves[slot]``.

    Returns:
        True if the leaf awaits an evaluation. False if the game is over there: the result is backed up
        already and the simulation done.
    """
    state = tree.leaves[slot]
    for i in range(state.shape[0]):
        state[i] = tree.roots[slot, i]
    progress = tree.progress[slot]
    progress.depth = 0
    index = 0
    while tree.nodes[slot, index].n_edges > 0:
        node = tree.nodes[slot, index]
        if index == 0 and parameters.considered > 0:
            chosen = choose_considered(tree, slot, parameters)
        elif parameters.ucb1:
            chosen = choose_ucb1(tree, slot, index, parameters)
        else:
            chosen = choose_puct(tree, slot, index, parameters)
        edge = tree.edges[slot, chosen]
        apply(state, edge.move)
        progress.depth += 1
        if chosen < node.first_edge + node.n_children:
            index = edge.child
            tree.path[slot, progress.depth] = index
            continue
        index = add_node(tree, slot)
        tree.path[slot, progress.depth] = index
        edge.child = index
        node.n_children += 1
        if progress.depth > 1 or parameters.considered == 0:
            bring_next(tree, slot, chosen + 1, node.first_edge + node.n_edges, parameters.uniform)
        if state[OUTCOME] == RUNNING:
            return True
        tree.nodes[slot, index].n_edges = TERMINAL
        tree.nodes[slot, index].agent = state[OUTCOME]
        backup_first(tree, slot, parameters.terminal_weight * outcome_value(state[OUTCOME]))
        return False
    if tree.nodes[slot, index].n_edges == TERMINAL:
        backup(tree, slot, parameters.terminal_weight * outcome_value(tree.nodes[slot, index].agent))
        return False
    return True


@step
def add_edges(legal: Any, tree: Tree, slot: int) -> int:
    """Turn the leaf into a node whose edges have no priors yet, if there is room, and return its index."""
    progress = tree.progress[slot]
    index = tree.path[slot, progress.depth]
    node = tree.nodes[slot, index]
    node.agent = tree.leaves[slot, AGENT]
    node.first_value_sum = 0.0
    node.first_edge = progress.edges
    node.n_children = 0
    n_moves = legal(tree.leaves[slot], tree.moves)
    if progress.edges + n_moves > tree.edges.shape[1]:
        return index
    node.n_edges = n_moves
    for i in range(n_moves):
        tree.edges[slot, node.first_edge + i].move = tree.moves[i]
    progress.edges += n_moves
    return index


@step
def expand_uniform(legal: Any, tree: Tree, slot: int) -> None:
    """Expand the leaf with equal priors."""
    node = tree.nodes[slot, add_edges(legal, tree, slot)]
    prior = np.float32(1.0) / np.float32(node.n_edges)
    for i in range(node.n_edges):
        tree.edges[slot, node.first_edge + i].prior = prior
    bring_next(tree, slot, node.first_edge, node.first_edge + node.n_edges, True)


@step
def expand(
    legal: Any,
    encoding: Any,
    tree: Tree,
    slot: int,
    weights: np.ndarray,
    row: int,
    parameters: SearchParameters,
) -> None:
    """Expand the leaf with priors proportional to ``weights[row, action]``.

    Moves that share an action each get the action's prior, and it counts once in the sum.
    """
    index = add_edges(legal, tree, slot)
    first = tree.nodes[slot, index].first_edge
    end = first + tree.nodes[slot, index].n_edges
    stamp = tree.marks[-1] + 1
    tree.marks[-1] = stamp
    total = np.float32(0.0)
    for i in range(first, end):
        edge = tree.edges[slot, i]
        action = action_index(encoding, 0, edge.move)
        edge.prior = weights[row, action] + PRIOR_FLOOR
        if tree.marks[action] != stamp:
            tree.marks[action] = stamp
            total += edge.prior
    scale = np.float32(1.0) / total
    for i in range(first, end):
        tree.edges[slot, i].prior *= scale
    if index == 0:
        if parameters.noise_fraction > 0.0:
            add_noise(tree, slot, parameters)
        elif parameters.considered > 0:
            draw_scores(tree, slot, parameters)
            return
    bring_next(tree, slot, first, end, False)
