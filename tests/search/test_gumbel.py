"""Sequential halving visits as planned, and the improved policy is that of the paper."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from puct_reference import hash_network, new_state, random_state

from crossplay.errors import CrossplayError
from crossplay.games import load_game
from crossplay.search.gumbel import VISIT_OFFSET, improved_policy, scheduled_visits, winner
from crossplay.search.puct import BatchedSearch
from crossplay.search.tree import root_visits, search_parameters


@pytest.mark.parametrize(
    ("considered", "simulations", "visits"),
    [
        (8, 25, [7, 7, 3, 3, 1, 1, 1, 1]),  # three phases of 8
        (4, 17, [6, 6, 2, 2]),  # two of 8
        (16, 17, [1] * 16),  # no more than the first
        (9, 2, [1]),
    ],
)
def test_each_phase_halves_the_moves(considered, simulations, visits):
    game = load_game("Hex", ["Board Size/5x5"], "dense")
    search = BatchedSearch(game, search_parameters(simulations, considered=considered), 4, 5)
    slots = np.arange(4)
    search.search(slots, np.stack([new_state(game)] * 4), hash_network(game.n_actions))
    for slot in slots:
        found = root_visits(search.tree, int(slot))
        assert sorted(found.values(), reverse=True) == visits
        root = search.tree.nodes[slot, 0]
        edge = winner(search.tree, int(slot), search.parameters) - root["first_edge"]
        assert list(found.values())[edge] == visits[0]
    firsts = {tuple(root_visits(search.tree, int(slot))) for slot in slots}
    assert len(firsts) == 4  # every game draws its own


@given(considered=st.integers(2, 40), total=st.integers(1, 400))
def test_the_schedule_is_followed_by_visiting_what_is_due(considered, total):
    considered = min(considered, total)
    visits = np.zeros(considered, int)
    for simulation in range(total):
        due = np.flatnonzero(visits == scheduled_visits(considered, total, simulation))
        assert len(due) > 0
        visits[due[0]] += 1
    assert visits.min() >= 1


def test_the_improved_policy_is_that_of_the_paper():
    game = load_game("Hex", ["Board Size/4x4"], "dense")
    parameters = search_parameters(20, considered=6, value_scale=0.3)
    search = BatchedSearch(game, parameters, 5, 3)
    states = np.stack([random_state(game, plies, seed=plies) for plies in range(5)])
    search.search(np.arange(5), states, hash_network(game.n_actions))
    tree = search.tree
    for slot in range(5):
        root = tree.nodes[slot, 0]
        edges = tree.edges[slot, root["first_edge"] :][: root["n_edges"]]
        children = tree.nodes[slot, edges["child"][: root["n_children"]]]
        sign = 1 if root["agent"] == 1 else -1
        prior = edges["prior"].astype(float)
        visits, q = children["visits"].astype(float), sign * children["mean"]
        value = sign * (root["value_sum"] - children["value_sum"].sum())
        seen = prior[: len(children)]
        mixed = (value + visits.sum() * (seen * q).sum() / seen.sum()) / (1 + visits.sum())
        completed = np.full(len(edges), mixed)
        completed[: len(children)] = q
        logits = np.log(prior) + (VISIT_OFFSET + visits.max()) * 0.3 * (completed + 1) / 2
        expected = np.exp(logits - logits.max())
        expected /= expected.sum()
        improved_policy(tree, slot, parameters)
        found = tree.targets[: len(edges)]
        np.testing.assert_allclose(found / found.sum(), expected, rtol=1e-5, atol=1e-7)
        # Policy improvement: what it expects is no worse than what the priors expect.
        assert (expected * completed).sum() >= (prior * completed).sum() / prior.sum() - 1e-9


def test_scores_are_drawn_from_gumbels_distribution():
    """Without search the move of highest score is one drawn from the priors (the Gumbel-max trick)."""
    game = load_game("Tic-Tac-Toe")
    n = 4000
    search = BatchedSearch(game, search_parameters(1, considered=2), n, 11)
    search.search(np.arange(n), np.stack([new_state(game)] * n), hash_network(game.n_actions))
    edges = search.tree.edges[:, :9]
    for move in np.unique(edges["move"]):
        prior = float(edges[0]["prior"][edges[0]["move"] == move][0])
        share = float((edges[:, 0]["move"] == move).mean())
        assert abs(share - prior) < 4 * math.sqrt(prior * (1 - prior) / n)


def test_what_does_not_go_together_is_refused():
    for options in ({"tree_reuse": True}, {"noise_fraction": 0.25}, {"forced_playouts": 2.0}):
        with pytest.raises(CrossplayError, match="considered"):
            search_parameters(8, considered=4, **options)
    with pytest.raises(CrossplayError, match="considered"):
        search_parameters(8, considered=1)
