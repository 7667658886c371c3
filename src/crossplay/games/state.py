"""The flat state row that every game shares, how a move is packed, and the kernels' types.

A state is one ``int16`` row. It begins with a header at fixed places, so that a search reads whose
turn it is and how the game ended without calling the game; then comes one component index per site,
then whatever sections a game's rules need.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types

MOVER = 0  # colour to move, 1..P
AGENT = 1  # player behind that colour: differs after a swap
OUTCOME = 2  # RUNNING, the winning agent 1..P, or DRAW
SWAPPED = 3  # 1 once the players have exchanged colours
MOVES = 4  # moves made, forced passes and swap included
TURNS = 5  # turns begun by a change of mover
PASSES = 6  # passes in a row
LAST_FROM = 7  # the last move's from and to, -1 for none (pass, swap, start)
LAST_TO = 8
PREVIOUS_FROM = 9
PREVIOUS_TO = 10
NEXT = 11  # who moves next as things stand: a move may give its mover another one
PREV = 12  # who made the move before, 0 at the start
PHASE = 13  # phase of colour 1; that of colour 2 stands behind it
BEYOND = 15  # always -1: what stands beyond the edge
HEADER = 16  # first of the per-site component indices, 0 = empty

RUNNING = 0
DRAW = 3

PASS = -1
SWAP = -2

STATE = types.Array(types.int16, 1, "C")
MOVE_LIST = types.Array(types.int64, 1, "C")
RANDOM_STATE = types.Array(types.uint64, 1, "C")

START_SIGNATURE = types.void(STATE)
LEGAL_SIGNATURE = types.int64(STATE, MOVE_LIST)
APPLY_SIGNATURE = types.void(STATE, types.int64)
PLAYOUT_SIGNATURE = types.int64(STATE, MOVE_LIST, RANDOM_STATE, types.int64)

START = types.FunctionType(START_SIGNATURE)
LEGAL = types.FunctionType(LEGAL_SIGNATURE)
APPLY = types.FunctionType(APPLY_SIGNATURE)
PLAYOUT = types.FunctionType(PLAYOUT_SIGNATURE)


class Kernels(NamedTuple):
    """A game's compiled rules as first-class functions of the types above.

    ``start(state)`` sets up the initial position; ``legal(state, moves) -> n`` lists the legal moves
    in a fixed order (none once the game is over); ``apply(state, move)`` makes a legal move;
    ``playout(state, moves, rng, limit) -> n`` makes uniformly random ones until the game is over, at most
    ``limit``, with ``moves`` as scratch space, and counts them.
    """

    start: Any
    legal: Any
    apply: Any
    playout: Any


@njit(nogil=True, inline="always")
def move_to(move: int) -> int:
    """Destination site of a move that is neither pass nor swap."""
    return move & 0xFFFF


@njit(nogil=True, inline="always")
def move_from(move: int) -> int:
    """Origin site of a move that is neither pass nor swap; a placement's is its destination."""
    return (move >> 16) & 0xFFFF


@njit(nogil=True)
def relabel_agents(state: np.ndarray) -> None:
    """Exchange which agent plays which colour, an exact symmetry once the swap offer is over.

    The pieces, the colour to move and the mover's value stay; only the agents' names change.
    """
    state[SWAPPED] = 1 - state[SWAPPED]
    state[AGENT] = 3 - state[AGENT]
