"""The search trees of many independent games in a few blocks of arrays.

Each *slot* holds one tree; row ``slot`` of an array belongs to it. A node is an index into ``nodes``, 0
being the root. Its edges, one per legal move, are ``n_edges`` consecutive entries of ``edges``. Those
already visited form a prefix of ``n_children`` edges, and the best of the remaining priors (a random edge
if all are equal) stands right behind it: unvisited moves share one first-play value, so no other of them
can be selected, and a selection has to look at visited children only.

There is room for as many edges as positions usually have. A leaf that finds no room for its own stays a leaf,
evaluated at every visit.

Values are kept from agent 1's view, +1 for a win of agent 1, and turned by the agent to move wherever they
are compared. Nothing assumes that agents alternate.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np
from numba import types

from crossplay.errors import CrossplayError
from crossplay.games.random import seed_streams

if TYPE_CHECKING:
    from crossplay.games import Game

UNEXPANDED = -1  # n_edges of a node that awaits its evaluation, or that there was no room to expand
TERMINAL = 0  # n_edges of a node where the game is over

# Sums are from agent 1's view.
NODE = np.dtype(
    [
        ("value_sum", np.float64),
        ("mean", np.float64),  # value_sum / visits, as selection reads it far more often than it changes
        ("first_value_sum", np.float64),  # of the visited children's first evaluations
        ("visits", np.int32),
        ("first_edge", np.int32),
        ("n_edges", np.int32),  # or UNEXPANDED or TERMINAL
        ("n_children", np.int32),
        ("agent", np.int32),  # to move; the outcome if terminal
    ],
    align=True,
)
EDGE = np.dtype([("move", np.int64), ("prior", np.float32), ("child", np.int32)], align=True)
PROGRESS = np.dtype(
    [
        ("depth", np.int32),  # of the leaf that the last descent reached
        ("nodes", np.int32),  # in use
        ("edges", np.int32),
        ("simulations", np.int32),  # finished since the reset
    ],
    align=True,
)


class SearchParameters(NamedTuple):
    """What a search does, as plain numbers for the kernels; made by :func:`search_parameters`."""

    simulations: int
    exploration: float
    sibling_first_play: bool
    first_play_reduction: float
    forced_playouts: float
    noise_fraction: float
    noise_alpha: float
    ucb1: bool
    uniform: bool
    terminal_weight: float
    tree_reuse: bool
    considered: int
    value_scale: float


class Tree(NamedTuple):
    """Arrays of S slots; a state has L cells, a tree at most N nodes and E edges."""

    roots: np.ndarray  # int16[S, L] position to search
    leaves: np.ndarray  # int16[S, L] position at the leaf that the last descent reached
    nodes: np.ndarray  # NODE[S, N]
    edges: np.ndarray  # EDGE[S, E]
    path: np.ndarray  # int32[S, N] nodes from the root to the leaf
    progress: np.ndarray  # PROGRESS[S]
    rng: np.ndarray  # uint64[S, 1] random stream per slot
    moves: np.ndarray  # int64[max_moves] scratch
    noise: np.ndarray  # float64[max_moves] scratch
    marks: np.ndarray  # int64[n_actions + 1] scratch: stamp of the last expansion that used an action
    targets: np.ndarray  # float32[max_moves] scratch: of the root's edges, see root.root_targets
    scores: np.ndarray  # float64[S, max_moves] of the root's moves, see crossplay.search.gumbel
    spare_nodes: np.ndarray  # NODE[N] scratch
    spare_edges: np.ndarray  # EDGE[E] scratch
    spare_path: np.ndarray  # int32[N] scratch


def search_parameters(
    simulations: int,
    *,
    exploration: float = 1.5,
    first_play: str = "polygames",
    first_play_reduction: float = 0.2,
    forced_playouts: float = 0.0,
    noise_fraction: float = 0.0,
    noise_alpha: float = 10.0,
    selection: str = "puct",
    uniform: bool = False,
    terminal_weight: float = 1.0,
    tree_reuse: bool = False,
    considered: int = 0,
    value_scale: float = 1.0,
) -> SearchParameters:
    """Check and bundle the parameters of a search.

    Args:
        simulations: evaluations per search, that of the root included.
        exploration: the constant c.
        first_play: value of an unvisited move: "polygames", the mean of its visited siblings' first
            evaluations (0 if none), or "reduction", the node's mean less ``first_play_reduction``.
        forced_playouts: k > 0 forces ``floor(sqrt(k P simulations))`` visits of each visited root child of
            prior P, and takes from the targets those that PUCT alone would not have made (Wu 2019,
            "Accelerating self-play learning in Go", section 3.2).
        noise_fraction: share of Dirichlet noise in the root's priors.
        noise_alpha: total concentration; each of n legal moves has ``noise_alpha / n``.
        selection: "puct" or "ucb1".
        uniform: priors are equal (set by a search without a network).
        terminal_weight: how often the result of a finished game counts beside an evaluation (Polygames: 2).
        tree_reuse: a search of the position after the move played begins with what the search before found
            out about it, and makes ``simulations`` complete.
        considered: moves that a Gumbel root considers, see :mod:`crossplay.search.gumbel`; 0 is PUCT.
        value_scale: weight of values beside priors at a Gumbel root, c_scale.

    Raises:
        CrossplayError: a value out of range.
    """
    if simulations < 1:
        raise CrossplayError(f"simulations: must be at least 1, got {simulations}")
    if first_play not in ("polygames", "reduction"):
        raise CrossplayError(f"first_play: must be 'polygames' or 'reduction', got {first_play!r}")
    if selection not in ("puct", "ucb1"):
        raise CrossplayError(f"selection: must be 'puct' or 'ucb1', got {selection!r}")
    if not 0 <= noise_fraction <= 1:
        raise CrossplayError(f"noise_fraction: must be between 0 and 1, got {noise_fraction}")
    if terminal_weight <= 0:
        raise CrossplayError(f"terminal_weight: must be above 0, got {terminal_weight}")
    if considered < 0 or considered == 1:
        raise CrossplayError(f"considered: must be at least 2, or 0 for no Gumbel root, got {considered}")
    if considered and (tree_reuse or forced_playouts or noise_fraction):
        raise CrossplayError(
            "considered: a Gumbel root goes without tree_reuse, forced_playouts and noise_fraction;"
            " set those to 0"
        )
    return SearchParameters(
        int(simulations),
        float(exploration),
        first_play == "polygames",
        float(first_play_reduction),
        float(forced_playouts),
        float(noise_fraction),
        float(noise_alpha),
        selection == "ucb1",
        uniform,
        float(terminal_weight),
        bool(tree_reuse),
        int(considered),
        float(value_scale),
    )


def make_tree(game: Game, slots: int, simulations: int, streams: np.ndarray | int) -> Tree:
    """Allocate trees for ``slots`` games.

    Args:
        game: the game to be searched.
        slots: number of trees.
        simulations: most simulations in one search.
        streams: ``uint64[slots]`` states of the slots' random streams, or one seed for them all.

    Raises:
        CrossplayError: more simulations than a tree's indices can count.
    """
    if isinstance(streams, int):
        streams = seed_streams(streams, slots)
    # Memory is touched only as far as searches really grow. A root always has room.
    nodes, edges = simulations + 1, max(simulations * game.usual_moves, game.max_moves)
    if edges >= 2**31:
        raise CrossplayError(
            f"simulations: at most {2**31 // game.usual_moves} for this game, got {simulations}"
        )
    return Tree(
        roots=np.zeros((slots, game.state_size), np.int16),
        leaves=np.zeros((slots, game.state_size), np.int16),
        nodes=np.zeros((slots, nodes), NODE),
        edges=np.zeros((slots, edges), EDGE),
        path=np.zeros((slots, nodes), np.int32),
        progress=np.zeros(slots, PROGRESS),
        rng=np.array(streams, np.uint64).reshape(slots, 1),
        moves=np.zeros(game.max_moves, np.int64),
        noise=np.zeros(game.max_moves, np.float64),
        marks=np.zeros(game.n_actions + 1, np.int64),
        targets=np.zeros(game.max_moves, np.float32),
        scores=np.zeros((slots, game.max_moves), np.float64),
        spare_nodes=np.zeros(nodes, NODE),
        spare_edges=np.zeros(edges, EDGE),
        spare_path=np.zeros(nodes, np.int32),
    )


def root_visits(tree: Tree, slot: int) -> dict[int, int]:
    """Visits of a searched root's children by move, in the order of their first visits."""
    root = tree.nodes[slot, 0]
    edges = tree.edges[slot, root["first_edge"] :][: root["n_children"]]
    visits = tree.nodes[slot, edges["child"]]["visits"]
    return dict(zip(edges["move"].tolist(), visits.tolist(), strict=True))


def root_value(tree: Tree, slot: int) -> float:
    """A searched root's mean value for the agent to move."""
    root = tree.nodes[slot, 0]
    return float(root["mean"] if root["agent"] == 1 else -root["mean"])


_any_game: Any = SimpleNamespace(state_size=1, max_moves=1, usual_moves=1, n_actions=1)
PARAMETERS: Any = numba.typeof(search_parameters(1))
TREE: Any = numba.typeof(make_tree(_any_game, 1, 1, 0))
STATES = types.Array(types.int16, 2, "C")
SLOTS = types.Array(types.int64, 1, "C")
ROWS = types.Array(types.float32, 2, "C")
VALUES = types.Array(types.float32, 1, "C")
EXPONENTS = types.Array(types.float64, 1, "C")
