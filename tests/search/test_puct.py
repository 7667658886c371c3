"""Batched PUCT: the same visits as the equations give, and right moves with right values."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from puct_reference import (
    after,
    hash_network,
    legal_moves,
    new_state,
    random_state,
    reference_search,
)
from scipy import stats
from two_stones import HAND_OVER, two_stones

from crossplay.errors import CrossplayError
from crossplay.games import load_game
from crossplay.games.kernels import call_action
from crossplay.games.state import AGENT, DRAW, HEADER, OUTCOME, RUNNING
from crossplay.search.puct import BatchedSearch
from crossplay.search.root import gamma
from crossplay.search.tree import UNEXPANDED, make_tree, root_value, root_visits, search_parameters


@cache
def game_called(name):
    if name == "Two Stones":
        return two_stones()
    return load_game(name, ["Board Size/3x3"] if name == "Hex" else [])


@pytest.mark.parametrize("name", ["Tic-Tac-Toe", "Hex", "Two Stones"])
@pytest.mark.parametrize(
    ("simulations", "options"),
    [
        (1, {}),
        (2, {}),
        (60, {"exploration": 0.7}),
        (250, {"first_play": "reduction", "first_play_reduction": 0.25}),
        (120, {"forced_playouts": 2.0, "exploration": 1.1}),
    ],
)
def test_visits_are_those_of_the_equations(name, simulations, options):
    game = game_called(name)
    evaluate = hash_network(game.n_actions)
    states = np.stack([random_state(game, plies, seed=plies) for plies in range(6)])
    parameters = search_parameters(simulations, **options)
    search = BatchedSearch(game, parameters, 8)
    slots = np.array([3, 1, 7, 0, 5, 2])
    search.search(slots, states, evaluate)
    for slot, state in zip(slots, states, strict=True):
        reduction = options.get("first_play_reduction")
        expected = reference_search(
            game,
            state,
            evaluate,
            simulations,
            parameters.exploration,
            reduction,
            parameters.forced_playouts,
        )
        visits = root_visits(search.tree, slot)
        by_action = Counter()
        for move, child in expected.children.items():
            by_action[call_action(game.encoding, move)] += child.n
        for move, n in visits.items():
            by_action[call_action(game.encoding, move)] -= n
        # Of two moves with one action that both end the game the same way, either may be visited.
        assert set(by_action.values()) <= {0}
        assert sum(visits.values()) == simulations - 1
        sign = 1 if state[AGENT] == 1 else -1
        assert root_value(search.tree, slot) == pytest.approx(sign * expected.w / expected.n, abs=1e-6)


def test_aliased_moves_share_a_prior_that_counts_once():
    game = game_called("Two Stones")
    search = BatchedSearch(game, search_parameters(2), 1)
    state = after(game, new_state(game), 0)
    search.search(np.array([0]), state[np.newaxis], hash_network(game.n_actions))
    edges = search.tree.edges[0][: len(legal_moves(game, state))]
    prior = {int(edge["move"]): edge["prior"] for edge in edges}
    going_on = {move: p for move, p in prior.items() if move < HAND_OVER}
    assert len(prior) == 2 * len(going_on) == 16
    assert all(prior[move | HAND_OVER] == p for move, p in going_on.items())
    assert sum(going_on.values()) == pytest.approx(1, abs=1e-6)


@cache
def tic_tac_toe_positions():
    """Value for agent 1 of every running position, by its cells, from minimax."""
    game = game_called("Tic-Tac-Toe")
    values: dict[bytes, int] = {}
    states = []

    def value(state):
        if state[OUTCOME] != RUNNING:
            return 0 if state[OUTCOME] == DRAW else 1 if state[OUTCOME] == 1 else -1
        key = state[HEADER : HEADER + 9].tobytes()
        if key not in values:
            best = max if state[AGENT] == 1 else min
            values[key] = best(value(after(game, state, move)) for move in legal_moves(game, state))
            states.append(state)
        return values[key]

    value(new_state(game))
    return np.stack(states), values, value


@pytest.mark.parametrize("first_play", ["polygames", "reduction"])
def test_exact_values_find_every_forced_win_and_block(first_play):
    """With equal priors and the true values, 120 simulations keep every position's value."""
    game = game_called("Tic-Tac-Toe")
    states, values, value = tic_tac_toe_positions()
    states = states[(states[:, HEADER : HEADER + 9] == 0).any(axis=1)]  # on a full board players pass
    assert len(states) == 4520
    places = 3 ** np.arange(9)
    table = np.zeros(3**9, np.float32)
    for key, exact in values.items():
        cells = np.frombuffer(key, np.int16)
        stones = np.count_nonzero(cells)
        table[cells @ places] = exact if stones % 2 == 0 else -exact  # for the agent to move

    # Cells of the tensor are x * 3 + y, sites are y * 3 + x.
    sites = np.arange(9).reshape(3, 3).T.ravel()

    def evaluate(batch):
        planes = batch.reshape(len(batch), -1, 9)
        indices = (planes[:, 0] + 2 * planes[:, 1])[:, sites] @ places
        return np.ones((len(batch), game.n_actions), np.float32), table[indices.astype(int)]

    search = BatchedSearch(game, search_parameters(120, first_play=first_play), len(states))
    slots = np.arange(len(states))
    search.search(slots, states, evaluate)
    moves = search.choose(slots)
    kept = [
        value(after(game, state, move)) == value(state) for state, move in zip(states, moves, strict=True)
    ]
    assert np.mean(kept) == 1


def test_moves_are_drawn_by_powers_of_their_visits():
    game = game_called("Tic-Tac-Toe")
    search = BatchedSearch(game, search_parameters(30), 4000, streams=5)
    slots = np.arange(4000)
    states = np.stack([new_state(game)] * 4000)
    network = hash_network(game.n_actions)
    answers = {}

    def evaluate(batch):  # all slots search the same tree
        key = batch[0].tobytes()
        if key not in answers:
            answers[key] = network(batch[:1])
        priors, values = answers[key]
        return np.repeat(priors, len(batch), 0), np.repeat(values, len(batch))

    search.search(slots, states, evaluate)
    visits = root_visits(search.tree, 0)
    for exponent in (1.0, 2.0):
        moves = search.choose(slots, exponent)
        weights = np.array(list(visits.values())) ** exponent
        counts = [int((moves == move).sum()) for move in visits]
        assert stats.chisquare(counts, 4000 * weights / weights.sum()).pvalue > 1e-3
    assert set(search.choose(slots)) == {max(visits, key=visits.get)}


def test_forced_playouts_are_pruned_from_the_targets():
    game = game_called("Hex")
    states = np.stack([random_state(game, plies, seed=plies) for plies in range(4)])
    slots = np.arange(len(states))
    search = BatchedSearch(game, search_parameters(200, forced_playouts=2.0), len(states))
    search.search(slots, states, hash_network(game.n_actions))
    pruned = 0
    for slot in slots:
        search.choose(slots[slot : slot + 1])
        root = search.tree.nodes[slot, 0]
        edges = search.tree.edges[slot][: root["n_children"]]
        children = search.tree.nodes[slot][edges["child"]]
        sign = 1 if root["agent"] == 1 else -1
        q = sign * children["value_sum"] / children["visits"]
        weight = 1.5 * edges["prior"] * np.sqrt(root["visits"])
        forced = np.floor(np.sqrt(2.0 * edges["prior"] * 200))
        best = children["visits"].argmax()
        limit = q[best] + weight[best] / (1 + children["visits"][best])
        for i, (visits, target) in enumerate(zip(children["visits"], search.tree.targets, strict=False)):
            allowed = [
                kept
                for kept in range(visits, max(visits - int(forced[i]), 0) - 1, -1)
                if kept == visits or q[i] + weight[i] / (1 + kept) <= limit
            ]
            least = visits if i == best else min(allowed)
            assert target == (0 if least < visits and least <= 1 else least)
            pruned += visits - target
    assert pruned > 0


def test_noise_is_dirichlet_of_the_given_concentration():
    rng = np.array([12345], np.uint64)
    for shape in (0.3, 1.0, 2.5):
        drawn = [gamma(rng, shape) for _ in range(4000)]
        assert stats.kstest(drawn, stats.gamma(shape).cdf).pvalue > 1e-3
    game = game_called("Hex")
    n = 2000
    search = BatchedSearch(game, search_parameters(2, noise_fraction=1.0, noise_alpha=9.0), n, streams=1)
    search.search(
        np.arange(n),
        np.stack([new_state(game)] * n),
        lambda batch: (np.ones((len(batch), game.n_actions), np.float32), np.zeros(len(batch), np.float32)),
    )
    edges = search.tree.edges[:, :9]
    noise = np.take_along_axis(edges["prior"], np.argsort(edges["move"], axis=1), axis=1)
    np.testing.assert_allclose(noise.sum(axis=1), 1, atol=1e-5)
    # Nine moves with alpha 1 each: every share has the distribution Beta(1, 8).
    assert stats.kstest(noise[:, 0], stats.beta(1, 8).cdf).pvalue > 1e-3


def test_faults_of_the_user_say_what_to_change():
    for arguments, word in (
        ({"simulations": 0}, "simulations"),
        ({"simulations": 2, "first_play": "x"}, "first_play"),
        ({"simulations": 2, "selection": "x"}, "selection"),
        ({"simulations": 2, "noise_fraction": 2.0}, "noise_fraction"),
    ):
        with pytest.raises(CrossplayError, match=word):
            search_parameters(**arguments)
    game = game_called("Tic-Tac-Toe")
    with pytest.raises(CrossplayError, match="at most"):
        make_tree(game, 1, 2**31, 0)
    over = new_state(game)
    over[OUTCOME] = DRAW
    with pytest.raises(ValueError, match="finished"):
        BatchedSearch(game, search_parameters(2), 1).search(np.array([0]), over[np.newaxis], hash_network(27))


def test_a_leaf_without_room_is_evaluated_again_and_stays_a_leaf():
    game = load_game("Tic-Tac-Toe")
    search = BatchedSearch(game, search_parameters(60), 1)
    room = 40  # edges of a few nodes only
    search.tree = search.tree._replace(edges=np.zeros((1, room), search.tree.edges.dtype))
    search.search(np.arange(1), new_state(game)[None], hash_network(game.n_actions))
    progress = search.tree.progress[0]
    assert progress["edges"] <= room
    assert progress["simulations"] == 60
    nodes = search.tree.nodes[0, : progress["nodes"]]
    assert nodes["visits"][0] == 60
    assert (nodes["visits"][nodes["n_edges"] == UNEXPANDED] > 1).any()
    for node in nodes[nodes["n_edges"] > 0]:
        children = search.tree.edges[0, node["first_edge"] :][: node["n_children"]]["child"]
        assert nodes["visits"][children].sum() == node["visits"] - 1
