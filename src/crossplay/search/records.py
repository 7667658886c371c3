"""What is kept of self-play games: the ring of searched positions that training draws from.

A record holds what a training sample is made of: the part of the state that tensors show, the legal moves and
the weights that the policy is to give them. Whatever else a state remembers, such as the history that forbids
repetitions, is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np
from numba import njit, types

from crossplay.errors import CrossplayError
from crossplay.games.state import DRAW, MOVE_LIST, OUTCOME, SWAPPED
from crossplay.search.packing import (
    AGENT_BITS,
    PACKING,
    Packing,
    count_moves,
    get_bits,
    make_packing,
    pack_position,
    unpack_move,
    unpack_state,
)
from crossplay.search.tree import STATES, SearchParameters, Tree

if TYPE_CHECKING:
    from crossplay.games import Game

FORMAT = 2  # of the records: those of another one cannot be read

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
SIMULATIONS = 10  # of complete searches, those kept from the search before included
N_COUNTERS = 11

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

    ``R`` is the capacity, ``W`` the words of a packed position and ``K`` the most moves that a search gives
    weights to. There is room for as many moves as positions usually have; should there be more, those that
    the search likes least are left out.
    """

    packed: np.ndarray  # uint64[R, W] state and legal moves, see crossplay.search.packing
    weights: np.ndarray  # uint16[R, K] policy targets of the first moves, up to a factor per position
    outcome: np.ndarray  # float32[R] the game's result for the agent to move: 1, 0 or -1
    root_value: np.ndarray  # float32[R] value found by the search, for the agent to move
    counters: np.ndarray  # int64[N_COUNTERS] totals


class Unfinished(NamedTuple):
    """The games being played in S slots, and their positions so far with room for P."""

    games: np.ndarray  # GAME[S]
    packed: np.ndarray  # uint64[S, P, W]
    weights: np.ndarray  # uint16[S, P, K]
    root_value: np.ndarray  # float32[S, P]


class Positions(NamedTuple):
    """Unpacked records."""

    states: np.ndarray  # int16[n, T] as far as tensors show them, other cells are 0
    moves: np.ndarray  # int64[n, M] origins and destinations of the legal moves
    counts: np.ndarray  # int64[n] how many there are


def targets_wanted(game: Game, search: SearchParameters) -> int:
    """The most moves that a search gives weights to, where there are no more than usual.

    Raises:
        CrossplayError: fewer than 2 or more than 65535 simulations.
    """
    if not 2 <= search.simulations <= np.iinfo(np.uint16).max:
        raise CrossplayError(f"simulations: must be 2..65535 in self-play, got {search.simulations}")
    if search.considered > 0:  # a Gumbel root has a target for every legal move
        return game.usual_moves
    return min(search.simulations - 1, game.usual_moves)


def record_packing(game: Game) -> Packing:
    """How positions are packed in records."""
    return make_packing(game, game.usual_moves)


def make_records(capacity: int, game: Game, targets: int) -> Records:
    """Allocate an empty ring of ``capacity`` positions with weights for ``targets`` moves."""
    return _empty_records(capacity, record_packing(game).words, targets)


def record_bytes(game: Game, targets: int) -> int:
    """What a position takes in a ring."""
    return sum(array.nbytes for array in make_records(1, game, targets)[:-1])


def _empty_records(capacity: int, words: int, targets: int) -> Records:
    return Records(
        packed=np.zeros((capacity, words), np.uint64),
        weights=np.zeros((capacity, targets), np.uint16),
        outcome=np.zeros(capacity, np.float32),
        root_value=np.zeros(capacity, np.float32),
        counters=np.zeros(N_COUNTERS, np.int64),
    )


def make_unfinished(slots: int, game: Game, targets: int) -> Unfinished:
    """Allocate space for ``slots`` games of usual length."""
    words = record_packing(game).words
    return _empty_unfinished(slots, min(game.max_plies, FIRST_PLIES), words, targets)


def _empty_unfinished(slots: int, positions: int, words: int, targets: int) -> Unfinished:
    games = np.zeros(slots, GAME)
    games["plies"] = -1
    return Unfinished(
        games=games,
        packed=np.zeros((slots, positions, words), np.uint64),
        weights=np.zeros((slots, positions, targets), np.uint16),
        root_value=np.zeros((slots, positions), np.float32),
    )


def with_room(unfinished: Unfinished) -> Unfinished:
    """The games with room for more positions of each: themselves, or a copy with twice the room."""
    room = unfinished.root_value.shape[1]
    if unfinished.games["positions"].max() < room:
        return unfinished
    grown = [np.concatenate([array, np.zeros_like(array)], axis=1) for array in unfinished[1:]]
    return Unfinished(unfinished.games, *grown)


RECORDS: Any = numba.typeof(_empty_records(1, 1, 1))
UNFINISHED: Any = numba.typeof(_empty_unfinished(1, 1, 1, 1))


@njit(nogil=True, error_model="numpy")
def record_position(packing: Packing, tree: Tree, slot: int, unfinished: Unfinished) -> None:
    """Note a searched root: its state, its value, its moves and their targets."""
    at = unfinished.games[slot].positions
    unfinished.games[slot].positions = at + 1
    root = tree.nodes[slot, 0]
    unfinished.root_value[slot, at] = root.mean if root.agent == 1 else -root.mean
    for i in range(root.n_edges):  # the search has brought the visited ones to the front
        tree.moves[i] = tree.edges[slot, root.first_edge + i].move
    pack_position(packing, tree.roots[slot], tree.moves, root.n_edges, unfinished.packed[slot, at])
    for i in range(unfinished.weights.shape[2]):
        weight = tree.targets[i] if i < root.n_edges else np.float32(0.0)
        unfinished.weights[slot, at, i] = np.uint16(weight + np.float32(0.5))


@njit(nogil=True, error_model="numpy")
def finish_game(tree: Tree, slot: int, unfinished: Unfinished, records: Records) -> None:
    """Move the positions of a game that is over at ``tree.roots[slot]`` to the records."""
    outcome = tree.roots[slot, OUTCOME]
    game = unfinished.games[slot]
    for at in range(game.positions):
        to = records.counters[POSITIONS] % records.outcome.shape[0]
        records.counters[POSITIONS] += 1
        for i in range(records.packed.shape[1]):
            records.packed[to, i] = unfinished.packed[slot, at, i]
        for i in range(records.weights.shape[1]):
            records.weights[to, i] = unfinished.weights[slot, at, i]
        records.root_value[to] = unfinished.root_value[slot, at]
        if outcome == DRAW:
            records.outcome[to] = 0.0
        else:
            agent = get_bits(unfinished.packed[slot, at], 0, AGENT_BITS)
            records.outcome[to] = 1.0 if agent == outcome else -1.0
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


_WORDS = types.Array(types.uint64, 2, "C")
_MOVES = types.Array(types.int64, 2, "C")


@njit(types.void(PACKING, _WORDS, STATES, _MOVES, MOVE_LIST), cache=True, nogil=True)
def unpack_rows(
    packing: Packing, packed: np.ndarray, states: np.ndarray, moves: np.ndarray, counts: np.ndarray
) -> None:
    """Fill in :class:`Positions`."""
    for row in range(packed.shape[0]):
        unpack_state(packing, packed[row], states[row])
        counts[row] = count_moves(packing, packed[row])
        for i in range(counts[row]):
            moves[row, i] = unpack_move(packing, packed[row], i)


def unpack(game: Game, records: Records, rows: np.ndarray) -> Positions:
    """Unpack rows ``int64[n]`` of a ring."""
    packing = record_packing(game)
    n = len(rows)
    positions = Positions(
        np.zeros((n, game.tensor_size), np.int16),
        np.zeros((n, packing.max_moves), np.int64),
        np.zeros(n, np.int64),
    )
    unpack_rows(packing, records.packed[rows], *positions)
    return positions
