"""Trees of ludemes and the edit distance between them.

The distance is Zhang and Shasha's for ordered trees ("Simple fast algorithms for the editing distance
between trees and related problems", SIAM J. Comput. 18, 1989) with unit costs: inserting, deleting or
relabelling a node costs 1. It compares whole games here and piece types in :mod:`crossplay.transfer`.
Distances are remembered, so that equal pairs are computed once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from crossplay.games.language import Argument, Array, Ludeme, Symbol, Text, to_text
from crossplay.similarity.edit_distance import edit_distance

# Ludemes whose first word chooses what they mean ("is Line" and "is Empty" have nothing in common);
# the first word of any other ludeme is a value, such as a direction.
KEYWORD_LUDEMES = frozenset(
    {"all", "can", "count", "forEach", "hex", "is", "last", "move", "no", "place", "set", "sites", "tri"}
)


class LudemeTree(NamedTuple):
    """An ordered labelled tree; equal trees are equal values."""

    label: str
    children: tuple[LudemeTree, ...] = ()


def ludeme_tree(node: Ludeme | None, symbols: bool = True) -> LudemeTree:
    """The labelled tree of a ludeme.

    A ludeme is a node labelled with its name, and its keyword where that chooses its meaning. Items of
    an array are children of the ludeme that holds the array. Numbers, texts, booleans and ranges are
    leaves with their text, preceded by the argument's name if it has one.

    Args:
        node: the ludeme; None, a piece without moves of its own, is a single node with an empty label.
        symbols: whether bare words (roles, directions) are leaves too. Without them the tree is the
            nearest that text alone comes to Ludii's own, which leaves out every enumerated value.
    """
    if node is None:
        return LudemeTree("")
    label, arguments = node.name, list(node.arguments)
    if node.name in KEYWORD_LUDEMES and node.keyword is not None:
        label = f"{node.name} {node.keyword}"
        arguments.remove(Argument(None, node.positional[0]))
    return LudemeTree(label, tuple(child for item in arguments for child in _children(item, symbols)))


def game_tree(game: Ludeme) -> LudemeTree:
    """The tree of a whole description ``(game "Name" ...)``; the game's name is no rule and left out."""
    named = game.arguments and isinstance(game.arguments[0].value, Text)
    tree = ludeme_tree(game)
    return LudemeTree(tree.label, tree.children[1:]) if named else tree


def _children(argument: Argument, symbols: bool) -> Iterator[LudemeTree]:
    value = argument.value
    if isinstance(value, Ludeme):
        yield ludeme_tree(value, symbols)
    elif isinstance(value, Array):
        for item in value.items:
            yield from _children(Argument(argument.label, item), symbols)
    elif symbols or not isinstance(value, Symbol):
        label = "" if argument.label is None else f"{argument.label}:"
        yield LudemeTree(label + to_text(value))


def tree_size(tree: LudemeTree) -> int:
    """Number of nodes."""
    return 1 + sum(tree_size(child) for child in tree.children)


@lru_cache(maxsize=4096)
def tree_distance(first: LudemeTree, second: LudemeTree) -> int:
    """Least number of node insertions, deletions and relabellings that turn one tree into the other."""
    if first == second:
        return 0
    numbers: dict[str, int] = {}
    return edit_distance(*_postorder(first, numbers), *_postorder(second, numbers))


def _postorder(tree: LudemeTree, numbers: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """``int32[n]`` labels, numbered in ``numbers``, and leftmost leaves of the nodes in postorder."""
    labels: list[int] = []
    leftmost: list[int] = []

    def visit(node: LudemeTree) -> int:
        first = [visit(child) for child in node.children]
        leftmost.append(first[0] if first else len(labels))
        labels.append(numbers.setdefault(node.label, len(numbers)))
        return leftmost[-1]

    visit(tree)
    return np.array(labels, np.int32), np.array(leftmost, np.int32)


def tree_similarity(distance: int, first_size: int, second_size: int) -> float:
    """Similarity in (0, 1] from an edit distance and the sizes of the two trees, 1 for equal trees.

    One minus the normalised edit distance ``2 e / (n1 + n2 + e)``, which is itself a metric (Li and
    Zhang, "A metric normalization of tree edit distance", Frontiers of Computer Science 5, 2011).
    """
    return 1.0 - 2.0 * distance / (first_size + second_size + distance)
