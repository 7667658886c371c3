"""Tic-tac-toe in which a player, after the first stone of all, may set one or two stones in a turn.

So agents do not alternate, and setting a stone has two moves of the same action: going on and handing over.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numba import cfunc, njit

from crossplay.games import load_game
from crossplay.games.random import below
from crossplay.games.state import (
    AGENT,
    APPLY_SIGNATURE,
    DRAW,
    HEADER,
    LEGAL_SIGNATURE,
    MOVER,
    MOVES,
    OUTCOME,
    PLAYOUT_SIGNATURE,
    START_SIGNATURE,
    Kernels,
)

LINES = np.array([(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)])
SET = HEADER + 9  # stones set in this turn; the first turn begins as if one had been
SIZE = SET + 1
HAND_OVER = 1 << 32


@cfunc(START_SIGNATURE, cache=True)
def start(state):
    for i in range(SIZE):
        state[i] = -1 if 7 <= i <= 10 else 0
    state[MOVER] = state[AGENT] = state[SET] = 1


@njit
def list_moves(state, moves):
    n = 0
    if state[OUTCOME] == 0:
        for site in range(9):
            if state[HEADER + site] == 0:
                moves[n] = site * 0x10001
                n += 1
                if state[SET] == 0:
                    moves[n] = site * 0x10001 | HAND_OVER
                    n += 1
    return n


@cfunc(LEGAL_SIGNATURE, cache=True)
def legal(state, moves):
    return list_moves(state, moves)


@njit
def make(state, move):
    player = state[MOVER]
    state[HEADER + (move & 0xFFFF)] = player
    state[MOVES] += 1
    for i in range(8):
        line = LINES[i]
        if (
            state[HEADER + line[0]] == player
            and state[HEADER + line[1]] == player
            and state[HEADER + line[2]] == player
        ):
            state[OUTCOME] = player
    if state[OUTCOME] == 0 and state[MOVES] == 9:
        state[OUTCOME] = DRAW
    state[SET] += 1
    if state[SET] == 2 or move & HAND_OVER:
        state[SET] = 0
        state[MOVER] = state[AGENT] = 3 - player


@cfunc(APPLY_SIGNATURE, cache=True)
def apply(state, move):
    make(state, move)


@cfunc(PLAYOUT_SIGNATURE, cache=True)
def playout(state, moves, rng, limit):
    made = 0
    while state[OUTCOME] == 0 and made < limit:
        make(state, moves[below(rng, list_moves(state, moves))])
        made += 1
    return made


def two_stones() -> Any:
    """What a search reads of a game, with the tensors of Tic-Tac-Toe."""
    board = load_game("Tic-Tac-Toe")
    return SimpleNamespace(
        kernels=Kernels(start, legal, apply, playout),
        encoding=board.encoding,
        state_size=SIZE,
        tensor_size=SIZE,
        max_moves=18,
        usual_moves=18,
        max_plies=9,
        n_actions=board.n_actions,
        state_shape=board.state_shape,
    )
