"""What is kept of self-play games: the ring of searched positions that training draws from.

A record holds what a training sample is made of: the part of the state that tensors show, the legal moves and
the weights that the policy is to give them. Whatever else a state remembers, such as the history that forbids
repetitions, is left out.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np
from numba import njit

from crossplay.errors import CrossplayError
from crossplay.games.state import AGENT, DRAW, OUTCOME, SWAPPED
from crossplay.search.tree import Tree

if TYPE_CHECKING:
    from crossplay.games import Game

# Entries of Records.counters.
POSITIONS = 0  # recorded
GAMES = 1
WINS_1 = 2
WINS_2 = 3
DRAWS = 4
SWAPS = 5
PLIES = 6  # of all games, recorded or not
RESIGNATIONS = 7
CHECKED_RESIGNATIONS = 8  # games that were to go on although an agent would have resigned
WRONG_RESIGNATIONS = 9  # those of them that this agent did not lose
N_COUNTERS = 10

FIRST_PLIES = 256  # room for unfinished games to begin with

# One game in progress.
GAME = np.dtype(
    [
        ("plies", np.int32),  # made so far, -1 before the first game
        ("positions", np.int32),  # recorded so far
        ("agreed", np.int32),  # searches in a row that take the same agent to be lost
        ("losing", np.int32),  # this agent, or 0
        ("given_up", np.int32),  # the first agent that resigned or would have, or 0
        ("random_agents", np.int32),  # bit a: agent a moves at random now and then
        ("may_resign", np.bool_),
        ("full_search", np.bool_),  # whether the search in progress is to be recorded
    ],
    align=True,
)


class Records(NamedTuple):
    """A ring of searched positions of finished games; the next one goes to ``counters[POSITIONS] % R``.

    ``R`` is the capacity, ``T`` the cells of a state that tensors depend on, ``M`` the legal moves there is
    room for (should there be more, those that the search likes least are left out) and ``K`` the most moves
    that a search gives weights to.
    """

    states: np.ndarray  # int16[R, T]
    legal: np.ndarray  # int32[R, M] lower halves of the legal moves
    legal_count: np.ndarray  # uint16[R]
    weights: np.ndarray  # uint16[R, K] policy targets of the first moves, up to a factor per position
    outcome: np.ndarray  # float32[R] the game's result for the agent to move: 1, 0 or -1
    root_value: np.ndarray  # float32[R] value found by the search, for the agent to move
    counters: np.ndarray  # int64[N_COUNTERS] totals


class Unfinished(NamedTuple):
    """The games being played in S slots, and their positions so far with room for P."""

    games: np.ndarray  # GAME[S]
    states: np.ndarray  # int16[S, P, T]
    legal: np.ndarray  # int32[S, P, M]
    legal_count: np.ndarray  # uint16[S, P]
    weights: np.ndarray  # uint16[S, P, K]
    root_value: np.ndarray  # float32[S, P]


def make_records(capacity: int, game: Game, simulations: int) -> Records:
    """Allocate an empty ring of ``capacity`` positions.

    Raises:
        CrossplayError: fewer than 2 or more than 65535 simulations.
    """
    children = _children(game, simulations)
    return Records(
        states=np.zeros((capacity, game.tensor_size), np.int16),
        legal=np.zeros((capacity, max(game.usual_moves, children)), np.int32),
        legal_count=np.zeros(capacity, np.uint16),
        weights=np.zeros((capacity, children), np.uint16),
        outcome=np.zeros(capacity, np.float32),
        root_value=np.zeros(capacity, np.float32),
        counters=np.zeros(N_COUNTERS, np.int64),
    )


def make_unfinished(slots: int, game: Game, simulations: int) -> Unfinished:
    """Allocate space for ``slots`` games of usual length."""
    children = _children(game, simulations)
    plies = min(game.max_plies, FIRST_PLIES)
    games = np.zeros(slots, GAME)
    games["plies"] = -1
    return Unfinished(
        games=games,
        states=np.zeros((slots, plies, game.tensor_size), np.int16),
        legal=np.zeros((slots, plies, max(game.usual_moves, children)), np.int32),
        legal_count=np.zeros((slots, plies), np.uint16),
        weights=np.zeros((slots, plies, children), np.uint16),
        root_value=np.zeros((slots, plies), np.float32),
    )


def with_room(unfinished: Unfinished) -> Unfinished:
    """The games with room for one more position of each: themselves, or a copy with twice the room."""
    room = unfinished.root_value.shape[1]
    if unfinished.games["positions"].max() < room:
        return unfinished
    grown = [np.concatenate([array, np.zeros_like(array)], axis=1) for array in unfinished[1:]]
    return Unfinished(unfinished.games, *grown)


def _children(game: Any, simulations: int) -> int:
    if not 2 <= simulations <= np.iinfo(np.uint16).max:
        raise CrossplayError(f"simulations: must be 2..65535 in self-play, got {simulations}")
    return int(min(simulations, game.max_moves))


_any_game: Any = SimpleNamespace(tensor_size=1, max_moves=1, usual_moves=1, max_plies=1)
RECORDS: Any = numba.typeof(make_records(1, _any_game, 2))
UNFINISHED: Any = numba.typeof(make_unfinished(1, _any_game, 2))


@njit(nogil=True, error_model="numpy")
def record_position(tree: Tree, slot: int, unfinished: Unfinished) -> None:
    """Note a searched root: its state, its value, its moves and their targets."""
    at = unfinished.games[slot].positions
    unfinished.games[slot].positions = at + 1
    for i in range(unfinished.states.shape[2]):
        unfinished.states[slot, at, i] = tree.roots[slot, i]
    root = tree.nodes[slot, 0]
    unfinished.root_value[slot, at] = root.mean if root.agent == 1 else -root.mean
    n_moves = min(root.n_edges, unfinished.legal.shape[2])
    unfinished.legal_count[slot, at] = n_moves
    for i in range(n_moves):  # the search has brought the visited ones to the front
        unfinished.legal[slot, at, i] = np.int32(tree.edges[slot, root.first_edge + i].move)
    for i in range(unfinished.weights.shape[2]):
        weight = tree.targets[i] if i < n_moves else np.float32(0.0)
        unfinished.weights[slot, at, i] = np.uint16(weight + np.float32(0.5))


@njit(nogil=True, error_model="numpy")
def finish_game(tree: Tree, slot: int, unfinished: Unfinished, records: Records) -> None:
    """Move the positions of a game that is over at ``tree.roots[slot]`` to the records."""
    outcome = tree.roots[slot, OUTCOME]
    game = unfinished.games[slot]
    for at in range(game.positions):
        to = records.counters[POSITIONS] % records.outcome.shape[0]
        records.counters[POSITIONS] += 1
        for i in range(records.states.shape[1]):
            records.states[to, i] = unfinished.states[slot, at, i]
        for i in range(records.weights.shape[1]):
            records.weights[to, i] = unfinished.weights[slot, at, i]
        records.legal_count[to] = unfinished.legal_count[slot, at]
        for i in range(records.legal_count[to]):
            records.legal[to, i] = unfinished.legal[slot, at, i]
        records.root_value[to] = unfinished.root_value[slot, at]
        if outcome == DRAW:
            records.outcome[to] = 0.0
        else:
            records.outcome[to] = 1.0 if unfinished.states[slot, at, AGENT] == outcome else -1.0
    records.counters[GAMES] += 1
    records.counters[WINS_1] += outcome == 1
    records.counters[WINS_2] += outcome == 2
    records.counters[DRAWS] += outcome == DRAW
    records.counters[SWAPS] += tree.roots[slot, SWAPPED]
    records.counters[PLIES] += game.plies
    if game.given_up != 0:
        records.counters[RESIGNATIONS] += game.may_resign
        records.counters[CHECKED_RESIGNATIONS] += not game.may_resign
        records.counters[WRONG_RESIGNATIONS] += outcome != 3 - game.given_up
