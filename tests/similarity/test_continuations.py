"""Continuations of local game trees: the worked example, edge cases, and real games."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplay.errors import CrossplayError
from crossplay.games import load_game
from crossplay.similarity import compare_games, continuations, local_tree


def leaves(labels):
    return {label: {} for label in labels}


# Move sets within two plies {a..f} and {a,b,c,d,e,g,h}, as in the publication's example.
FIRST = {"a": leaves("b"), "b": leaves("ad"), "c": leaves("bef")}
SECOND = {"a": leaves("de"), "b": leaves("ac"), "c": leaves("abgh")}


def tree_strategy(depth):
    children = tree_strategy(depth - 1) if depth else st.just({})
    return st.dictionaries(st.sampled_from("abcde"), children, max_size=3)


trees = tree_strategy(3)


def test_worked_example():
    assert continuations(FIRST, SECOND, 1) == 1
    assert continuations(FIRST, SECOND, 2) == 5 / 8
    assert continuations(FIRST["a"], SECOND["a"], 1) == 0
    assert continuations(FIRST, FIRST["c"], 1) == 1 / 5


def test_edges():
    assert continuations({}, {}, 3) == 1  # two finished games
    assert continuations({}, FIRST, 2) == 0
    assert continuations(FIRST, SECOND, 9) == 5 / 8  # nothing lies deeper
    # A label counts once, at whatever depth: a pseudo-metric, blind to order.
    assert continuations({"a": leaves("b")}, {"b": leaves("a")}, 2) == 1
    with pytest.raises(CrossplayError, match="depth must be at least 1, got 0"):
        continuations(FIRST, SECOND, 0)


@given(trees, trees, trees, st.integers(1, 4))
def test_one_minus_the_measure_is_a_pseudo_metric(a, b, c, depth):
    def distance(x, y):
        return 1 - continuations(x, y, depth)

    assert distance(a, a) == 0
    assert 0 <= distance(a, b) <= 1
    assert distance(a, b) == distance(b, a)
    assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-12


@pytest.fixture(scope="module")
def hex5():
    return load_game("Hex", ["Board Size/5x5"])


def count(tree, depth):
    return len(tree) if depth == 1 else sum(count(child, depth - 1) for child in tree.values())


def test_local_tree_has_as_many_moves_as_the_game(hex5):
    state = hex5.new_state()
    before = state.copy()
    tree = local_tree(hex5, state, 2)
    assert [count(tree, 1), count(tree, 2)] == [25, 625]  # perft of Ludii's Hex 5x5, swap included
    assert (state == before).all()
    assert set(tree["A1"]) == set(tree) - {"A1"} | {"swap"}
    assert continuations(tree, tree["A1"], 1) == 24 / 26


def test_local_tree_ends_with_the_game_and_at_the_cap(hex5):
    state = hex5.new_state()
    while not hex5.is_terminal(state):
        last = state.copy()
        hex5.apply(state, hex5.legal_moves(state)[0].move)
    assert local_tree(hex5, state, 2) == {}
    assert {} in local_tree(hex5, last, 2).values()
    with pytest.raises(CrossplayError, match="Hex has more than 600 positions within 2 plies"):
        local_tree(hex5, hex5.new_state(), 2, max_nodes=600)


def test_games_are_compared_by_both_measures(hex5):
    games = [
        hex5,
        load_game("Hex", ["Board Size/7x7"]),
        load_game("Gomoku", ["Board Size/9x9"]),
        load_game("Tic-Tac-Toe"),
    ]
    names = ["hex5", "hex7", "gomoku", "tictactoe"]
    table = compare_games(games, 2, names)
    assert table.names == tuple(names)
    for matrix in (table.ludemes, table.continuations):
        assert (matrix == matrix.T).all()
        assert (matrix.diagonal() == 1).all()
        assert (matrix >= 0).all()
        assert (matrix <= 1).all()
    assert table.distances[0, 1] == 1  # the board's size
    assert table.ludemes[0, 1] > table.ludemes[0, 2] > 0
    assert table.continuations[0, 1] == 26 / 50  # 25 of 49 cells, and the swap
    assert table.continuations[2, 3] == 9 / 81
    rows = table.rows()
    assert len(rows) == 6
    assert rows[0]["first"] == "hex5"
    assert rows[0]["ludeme_similarity"] == table.ludemes[0, 1]
    assert table.to_dict()["continuations"][0][1] == 26 / 50
