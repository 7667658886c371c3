"""What a search has found out below the move played is kept, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from puct_reference import hash_network, new_state
from two_stones import two_stones

from crossplay.games import load_game
from crossplay.games.kernels import call_apply
from crossplay.games.state import OUTCOME, RUNNING
from crossplay.search.puct import BatchedSearch, expand_leaves, select_leaves
from crossplay.search.reuse import keep_subtree
from crossplay.search.tree import root_visits, search_parameters


def described(tree, slot, node):
    """The tree below a node as nested plain values, whatever its numbering."""
    record = tree.nodes[slot, node]
    first = int(record["first_edge"])
    edges = tree.edges[slot, first : first + max(int(record["n_edges"]), 0)]
    children = [described(tree, slot, int(edge["child"])) for edge in edges[: record["n_children"]]]
    values = tuple(float(record[name]) for name in ("value_sum", "mean", "visits", "n_edges", "agent"))
    # A leaf's other fields are whatever they were.
    return values, [(int(e["move"]), float(e["prior"])) for e in edges], children


def game_called(name):
    return two_stones() if name == "Two Stones" else load_game(name)


@pytest.mark.parametrize("name", ["Tic-Tac-Toe", "Reversi", "Two Stones"])
def test_the_subtree_of_the_move_played_becomes_the_tree(name):
    game = game_called(name)
    evaluate = hash_network(game.n_actions)
    parameters = search_parameters(60, tree_reuse=True)
    search = BatchedSearch(game, parameters, 3)
    state = new_state(game)
    slots = np.array([1])
    search.search(slots, state[None], evaluate)
    kept = 0
    while state[OUTCOME] == RUNNING:
        tree = search.tree
        visits = root_visits(tree, 1)
        move = max(visits, key=visits.get)
        root = tree.nodes[1, 0]
        edge = next(
            i for i in range(root["first_edge"], root["first_edge"] + root["n_edges"])
            if tree.edges[1, i]["move"] == move
        )  # fmt: skip
        below = described(tree, 1, int(tree.edges[1, edge]["child"]))
        call_apply(game.kernels.apply, state, move)
        tree.roots[1] = state
        if state[OUTCOME] != RUNNING:
            assert not keep_subtree(tree, 1, edge, parameters)
            break
        assert keep_subtree(tree, 1, edge, parameters)
        assert described(tree, 1, 0) == below
        assert tree.progress[1]["simulations"] == visits[move]
        kept += 1
        # The search goes on from there as if it had never been interrupted.
        waiting, batch = np.zeros(1, np.int64), np.zeros((1, int(np.prod(game.state_shape))), np.float32)
        kernels, encoding = game.kernels, game.encoding
        while select_leaves(kernels.apply, encoding, tree, slots, parameters, waiting, batch):
            priors, values = evaluate(batch)
            expand_leaves(kernels.legal, encoding, tree, waiting, parameters, priors, values)
        assert tree.nodes[1, 0]["visits"] == 60
        assert sum(root_visits(tree, 1).values()) == 59
        assert tree.progress[1]["nodes"] <= 60
    assert kept > 1


def test_a_move_without_a_visit_keeps_nothing():
    game = load_game("Tic-Tac-Toe")
    search = BatchedSearch(game, search_parameters(3), 1)
    search.search(np.array([0]), new_state(game)[None], hash_network(game.n_actions))
    root = search.tree.nodes[0, 0]
    assert not keep_subtree(search.tree, 0, int(root["first_edge"] + root["n_edges"] - 1), search.parameters)
