"""Trees of ludemes and their edit distance."""

from fractions import Fraction

import pytest
import zss
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplay.games.language import parse
from crossplay.similarity import LudemeTree, game_tree, ludeme_tree, tree_distance, tree_similarity
from crossplay.similarity.ludemes import tree_size


def tree_strategy(depth):
    children = st.lists(tree_strategy(depth - 1), max_size=3).map(tuple) if depth else st.just(())
    return st.builds(LudemeTree, st.sampled_from("abc"), children)


trees = tree_strategy(2)


def from_moves(moves, label=""):
    """A local game tree as an ordered labelled one: children sorted by label."""
    return LudemeTree(label, tuple(from_moves(moves[move], move) for move in sorted(moves)))


def leaves(labels):
    return {label: {} for label in labels}


def test_worked_example():
    first = from_moves({"a": leaves("b"), "b": leaves("ad"), "c": leaves("bef")})
    second = from_moves({"a": leaves("de"), "b": leaves("ac"), "c": leaves("abgh")})
    assert (tree_size(first), tree_size(second)) == (10, 12)
    assert tree_distance(first, second) == 6
    assert tree_similarity(6, 10, 12) == pytest.approx(float(Fraction(4, 7)))


@settings(max_examples=60, deadline=None)
@given(trees, trees, trees)
def test_distance_is_a_metric_within_its_bounds(a, b, c):
    distance = tree_distance(a, b)
    assert distance == tree_distance(b, a)
    assert (distance == 0) == (a == b)
    assert abs(tree_size(a) - tree_size(b)) <= distance <= max(tree_size(a) + tree_size(b) - 1, 0)
    assert tree_distance(a, c) <= distance + tree_distance(b, c)
    assert 0 < tree_similarity(distance, tree_size(a), tree_size(b)) <= 1


@settings(max_examples=200, deadline=None)
@given(tree_strategy(3), tree_strategy(3))
def test_distance_is_that_of_another_program(a, b):
    expected = zss.distance(
        a, b, lambda node: node.children, *[lambda node: 1] * 2, lambda x, y: int(x.label != y.label)
    )
    assert tree_distance(a, b) == expected


def test_labels():
    tree = ludeme_tree(parse('(if (is Line 5 exact:True) {(result Mover Win) (item "X" 1..3)} if:(not P1))'))
    assert tree == LudemeTree(
        "if",
        (
            LudemeTree("is Line", (LudemeTree("5"), LudemeTree("exact:True"))),
            LudemeTree("result", (LudemeTree("Mover"), LudemeTree("Win"))),
            LudemeTree("item", (LudemeTree('"X"'), LudemeTree("1..3"))),
            LudemeTree("not", (LudemeTree("P1"),)),
        ),
    )
    assert ludeme_tree(None) == LudemeTree("")


def test_without_symbols_directions_are_alike_but_keywords_are_not():
    def distance(a, b):
        return tree_distance(*(ludeme_tree(parse(text), symbols=False) for text in (a, b)))

    assert distance("(move Step (directions {FL FR}))", "(move Step (directions {Forward}))") == 0
    assert distance("(move Slide Orthogonal)", "(move Slide)") == 0
    assert distance("(move Slide)", "(move Step)") == 1


def test_the_games_name_is_no_rule():
    text = '(game "{}" (players 2) (rules (play (move Add (to (sites Empty))))))'
    first, second = (game_tree(parse(text.format(name))) for name in ("One", "Two"))
    assert first == second
