"""Games that a search plays against itself, side by side, recorded for training.

A record holds what a training sample is made of: the part of the state that tensors show, the legal moves and
the visits. Whatever else a state remembers, such as the history that forbids repetitions, is left out.

One call of :func:`selfplay_step` moves every game on by as much as it can without the network: it takes
the evaluations of the leaves left by the call before, and per game expands, selects and, when a search is
complete, records the position, plays a move and starts the next search or game, until a leaf needs the
network again. So a batch always has exactly one row per game.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np
from numba import njit, types

from crossplay.errors import CrossplayError
from crossplay.games.state import AGENT, APPLY, DRAW, LEGAL, OUTCOME, RUNNING, START, SWAPPED
from crossplay.games.tensors import ENCODING, encode_state
from crossplay.search.puct import accept_evaluation
from crossplay.search.root import pick, root_targets
from crossplay.search.steps import descend, reset
from crossplay.search.tree import PARAMETERS, ROWS, TREE, VALUES, SearchParameters, Tree, make_tree

if TYPE_CHECKING:
    from crossplay.games import Game

# Entries of Records.counters.
POSITIONS = 0
GAMES = 1
WINS_1 = 2
WINS_2 = 3
DRAWS = 4
SWAPS = 5
PLIES = 6

FIRST_PLIES = 256  # room for unfinished games to begin with


class Records(NamedTuple):
    """A ring of searched positions of finished games; the next one goes to ``counters[POSITIONS] % R``.

    ``R`` is the capacity, ``T`` the cells of a state that tensors depend on, ``M`` the legal moves there is
    room for (should there be more, unvisited ones are left out) and ``K`` the most root children a search
    can have.
    """

    states: np.ndarray  # int16[R, T]
    legal: np.ndarray  # int32[R, M] lower halves of the legal moves, the visited ones first
    legal_count: np.ndarray  # uint16[R]
    visit_count: np.ndarray  # uint16[R, K] visits of the first moves, less pruned ones; 0 in unused entries
    outcome: np.ndarray  # float32[R] the game's result for the agent to move: 1, 0 or -1
    root_value: np.ndarray  # float32[R] value found by the search, for the agent to move
    counters: np.ndarray  # int64[8] totals: POSITIONS, GAMES, WINS_1, WINS_2, DRAWS, SWAPS, PLIES


class Unfinished(NamedTuple):
    """The positions so far of the games being played, in S slots with room for P plies."""

    plies: np.ndarray  # int32[S], -1 before the first game
    states: np.ndarray  # int16[S, P, T]
    legal: np.ndarray  # int32[S, P, M]
    legal_count: np.ndarray  # uint16[S, P]
    visit_count: np.ndarray  # uint16[S, P, K]
    root_value: np.ndarray  # float32[S, P]


def make_records(capacity: int, game: Game, simulations: int) -> Records:
    """Allocate an empty ring of ``capacity`` positions."""
    children = _children(game, simulations)
    return Records(
        states=np.zeros((capacity, game.tensor_size), np.int16),
        legal=np.zeros((capacity, max(game.usual_moves, children)), np.int32),
        legal_count=np.zeros(capacity, np.uint16),
        visit_count=np.zeros((capacity, children), np.uint16),
        outcome=np.zeros(capacity, np.float32),
        root_value=np.zeros(capacity, np.float32),
        counters=np.zeros(8, np.int64),
    )


def make_unfinished(slots: int, game: Game, simulations: int) -> Unfinished:
    """Allocate space for ``slots`` games of usual length."""
    children = _children(game, simulations)
    plies = min(game.max_plies, FIRST_PLIES)
    return Unfinished(
        plies=np.full(slots, -1, np.int32),
        states=np.zeros((slots, plies, game.tensor_size), np.int16),
        legal=np.zeros((slots, plies, max(game.usual_moves, children)), np.int32),
        legal_count=np.zeros((slots, plies), np.uint16),
        visit_count=np.zeros((slots, plies, children), np.uint16),
        root_value=np.zeros((slots, plies), np.float32),
    )


def with_room(unfinished: Unfinished) -> Unfinished:
    """The games with room for one more ply of each: themselves, or a copy with twice the room."""
    room = unfinished.root_value.shape[1]
    if unfinished.plies.max() < room:
        return unfinished
    grown = [np.concatenate([array, np.zeros_like(array)], axis=1) for array in unfinished[1:]]
    return Unfinished(unfinished.plies, *grown)


def _children(game: Any, simulations: int) -> int:
    if not 2 <= simulations <= np.iinfo(np.uint16).max:
        raise CrossplayError(f"simulations: must be 2..65535 in self-play, got {simulations}")
    return int(min(simulations, game.max_moves))


_any_game: Any = SimpleNamespace(tensor_size=1, max_moves=1, usual_moves=1, max_plies=1)
RECORDS: Any = numba.typeof(make_records(1, _any_game, 2))
UNFINISHED: Any = numba.typeof(make_unfinished(1, _any_game, 2))


@njit(nogil=True, error_model="numpy")
def record_position(tree: Tree, slot: int, unfinished: Unfinished, ply: int) -> None:
    """Note a searched root: its state, its value, its moves and their targets."""
    for i in range(unfinished.states.shape[2]):
        unfinished.states[slot, ply, i] = tree.roots[slot, i]
    root = tree.nodes[slot, 0]
    unfinished.root_value[slot, ply] = root.mean if root.agent == 1 else -root.mean
    n_moves = min(root.n_edges, unfinished.legal.shape[2])
    unfinished.legal_count[slot, ply] = n_moves
    for i in range(n_moves):  # the search has brought the visited ones to the front
        unfinished.legal[slot, ply, i] = np.int32(tree.edges[slot, root.first_edge + i].move)
    for i in range(root.n_children):
        child = tree.edges[slot, root.first_edge + i].child
        unfinished.visit_count[slot, ply, i] = tree.nodes[slot, child].target
    for i in range(root.n_children, unfinished.visit_count.shape[2]):
        unfinished.visit_count[slot, ply, i] = 0


@njit(nogil=True)
def finish_game(tree: Tree, slot: int, plies: int, unfinished: Unfinished, records: Records) -> None:
    """Move the positions of a game that is over at ``tree.roots[slot]`` to the records."""
    outcome = tree.roots[slot, OUTCOME]
    for ply in range(plies):
        to = records.counters[POSITIONS] % records.outcome.shape[0]
        records.counters[POSITIONS] += 1
        for i in range(records.states.shape[1]):
            records.states[to, i] = unfinished.states[slot, ply, i]
        for i in range(records.visit_count.shape[1]):
            records.visit_count[to, i] = unfinished.visit_count[slot, ply, i]
        records.legal_count[to] = unfinished.legal_count[slot, ply]
        for i in range(records.legal_count[to]):
            records.legal[to, i] = unfinished.legal[slot, ply, i]
        records.root_value[to] = unfinished.root_value[slot, ply]
        if outcome == DRAW:
            records.outcome[to] = 0.0
        else:
            records.outcome[to] = 1.0 if unfinished.states[slot, ply, AGENT] == outcome else -1.0
    records.counters[GAMES] += 1
    records.counters[WINS_1] += outcome == 1
    records.counters[WINS_2] += outcome == 2
    records.counters[DRAWS] += outcome == DRAW
    records.counters[SWAPS] += tree.roots[slot, SWAPPED]
    records.counters[PLIES] += plies


@njit(
    types.void(
        START, LEGAL, APPLY, ENCODING, TREE, UNFINISHED, RECORDS, PARAMETERS, types.int64, ROWS, VALUES, ROWS
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
)
def selfplay_step(
    start: Any,
    legal: Any,
    apply: Any,
    encoding: Any,
    tree: Tree,
    unfinished: Unfinished,
    records: Records,
    parameters: SearchParameters,
    temperature_plies: int,
    priors: np.ndarray,
    values: np.ndarray,
    batch: np.ndarray,
) -> None:
    """Move every game on until its next leaf awaits the network.

    Args:
        temperature_plies: at the first so many plies of a game moves are drawn by their visits, later the
            most visited one is played.
        priors, values: ``float32[S, A]`` and ``float32[S]``, the evaluations of the rows of ``batch`` as the
            call before left them; ignored by the first call.
        batch: ``float32[S, C*X*Y]``, overwritten with the next leaves.
    """
    for slot in range(tree.roots.shape[0]):
        if unfinished.plies[slot] < 0:
            start(tree.roots[slot])
            reset(tree, slot)
            unfinished.plies[slot] = 0
        else:
            accept_evaluation(legal, encoding, tree, slot, priors, values, slot, parameters)
        while True:
            if tree.progress[slot].simulations >= parameters.simulations:
                ply = unfinished.plies[slot]
                root_targets(tree, slot, parameters)
                record_position(tree, slot, unfinished, ply)
                edge = pick(tree, slot, 1.0 if ply < temperature_plies else 0.0)
                apply(tree.roots[slot], tree.edges[slot, edge].move)
                unfinished.plies[slot] = ply + 1
                if tree.roots[slot, OUTCOME] != RUNNING:
                    finish_game(tree, slot, ply + 1, unfinished, records)
                    start(tree.roots[slot])
                    unfinished.plies[slot] = 0
                reset(tree, slot)
            if descend(apply, tree, slot, parameters):
                break
        encode_state(encoding, 0, tree.leaves[slot], batch[slot])


class SelfPlay:
    """Games in progress and the search trees behind them; one object per thread.

    Args:
        game: the game to play.
        parameters: see :func:`crossplay.search.tree.search_parameters`.
        slots: number of games side by side.
        temperature_plies: plies at which moves are drawn by their visits.
        seed: decides everything random here.

    Attributes:
        batch: ``float32[slots, C*X*Y]``, the leaves that await an evaluation.

    Raises:
        CrossplayError: fewer than 2 or more than 65535 simulations.
    """

    def __init__(
        self, game: Game, parameters: SearchParameters, slots: int, temperature_plies: int, seed: int
    ) -> None:
        self.game, self.parameters, self.temperature_plies = game, parameters, temperature_plies
        self.batch = np.zeros((slots, int(np.prod(game.state_shape))), np.float32)
        self._tree = make_tree(game, slots, parameters.simulations, seed)
        self._unfinished = make_unfinished(slots, game, parameters.simulations)

    def step(self, priors: np.ndarray, values: np.ndarray, records: Records) -> None:
        """Take the evaluations of ``batch`` (ignored the first time) and fill it with the next leaves.

        Args:
            priors: ``float32[slots, A]``, up to a factor per row.
            values: ``float32[slots]``, for the agent to move.
            records: where the positions of games that end are added.
        """
        # A game moves on by at most one ply, as the next position needs an evaluation first.
        self._unfinished = with_room(self._unfinished)
        kernels = self.game.kernels
        selfplay_step(
            kernels.start,
            kernels.legal,
            kernels.apply,
            self.game.encoding,
            self._tree,
            self._unfinished,
            records,
            self.parameters,
            self.temperature_plies,
            priors,
            values,
            self.batch,
        )
