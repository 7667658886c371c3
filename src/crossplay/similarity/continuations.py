"""How alike the next few moves of two positions are.

The measure is the overlap of the sets of moves that can occur within ``d`` plies,

    sc(a, b) = |M(a) & M(b)| / |M(a) | M(b)|,

where ``M`` collects the labels of all edges at most ``d`` plies below the root of a local game tree
(S. Evans and P. Turrini, "Similarity Measures based on Local Game Trees", 2019). One minus it is a
pseudo-metric: symmetric, in [0, 1], with the triangle inequality, and 0 for some trees that differ.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from crossplay.errors import CrossplayError

if TYPE_CHECKING:
    from crossplay.games import Game

Tree = Mapping[Hashable, Any]  # label of a move -> Tree after it; empty where the game is over


def continuations(a: Tree, b: Tree, depth: int) -> float:
    """Overlap of the moves within ``depth`` plies of two local game trees, in [0, 1].

    A tree is a nested mapping ``{label of a move: tree after it}``. A label counts once however often
    it occurs. Two trees without moves are alike (1); one without moves is unlike any other (0). Trees
    that end above ``depth`` simply contribute what they have.

    Raises:
        CrossplayError: ``depth`` is below 1, where nothing could be compared.
    """
    if depth < 1:
        raise CrossplayError(f"similarity: depth must be at least 1, got {depth}")
    first, second = _moves(a, depth), _moves(b, depth)
    union = first | second
    return len(first & second) / len(union) if union else 1.0


def _moves(tree: Tree, depth: int) -> set[Hashable]:
    moves: set[Hashable] = set()
    layer = [tree]
    for _ in range(depth):
        moves.update(*layer)
        layer = [child for node in layer for child in node.values()]
    return moves


def local_tree(game: Game, state: np.ndarray, depth: int, max_nodes: int = 200_000) -> dict[Hashable, Any]:
    """The game tree below ``state`` to ``depth`` plies, as nested dictionaries.

    A move's label is its readable text, such as ``B2`` or ``B2-B3``, which does not depend on when or
    by whom it is made. Moves of one position with the same text share one branch.

    Args:
        game: the game.
        state: ``int16[state_size]``, left as it is.
        depth: plies to look ahead, at least 1.
        max_nodes: largest number of positions to visit.

    Raises:
        CrossplayError: the tree has more than ``max_nodes`` positions.
    """
    root: dict[Hashable, Any] = {}
    layer = [(state, root)]
    visited = 0
    for ply in range(depth):
        following = []
        for position, branches in layer:
            moves = game.legal_moves(position)
            visited += len(moves)
            if visited > max_nodes:
                raise CrossplayError(
                    f"similarity: {game.name} has more than {max_nodes} positions within {depth} plies; "
                    "choose a smaller depth or a smaller board"
                )
            for move in moves:
                child = branches.setdefault(move.text, {})
                if ply + 1 < depth:  # of the last layer only the labels matter
                    after = position.copy()
                    game.apply(after, move.move)
                    following.append((after, child))
        layer = following
    return root
