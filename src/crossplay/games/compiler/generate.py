"""A game's model -> the source text of its kernel module."""

from __future__ import annotations

import textwrap

from crossplay.games.compiler.conditions import RELATIONS, compile_condition
from crossplay.games.compiler.model import ROLES, GameModel, malformed, only_labels, refuse
from crossplay.games.compiler.moves import compile_play
from crossplay.games.compiler.source import KernelSource
from crossplay.games.language import Ludeme, Node, Symbol, walk

# Ludii ends a game as a draw at these bounds (turns are counted per player).
MOVE_LIMIT = 10_000
TURN_LIMIT = 2 * 1_250

_WORDS_WITHOUT_DIRECTION = frozenset(
    {"Add", "Connected", "Draw", "Empty", "Line", "Loss", "Mover", "Next", "Win", *RELATIONS, *ROLES}
)

_IMPORTS = """\
import numpy as np
from numba import cfunc, njit

from crossplay.games.random import below
from crossplay.games.state import (
    AGENT,
    APPLY_SIGNATURE,
    DRAW,
    HEADER,
    LAST_FROM,
    LAST_TO,
    LEGAL_SIGNATURE,
    MOVER,
    MOVES,
    OUTCOME,
    PASS,
    PASSES,
    PREVIOUS_FROM,
    PREVIOUS_TO,
    RUNNING,
    SAMPLE_SIGNATURE,
    START_SIGNATURE,
    SWAP,
    SWAPPED,
    TURNS,
)
"""


def generate(model: GameModel, heading: str) -> tuple[str, int]:
    """Return the module's source and the length of a state row.

    The module defines ``start``, ``legal``, ``apply`` and ``sample`` as described for
    :class:`crossplay.games.state.Kernels`.

    Raises:
        UnsupportedLudeme: a rule has no meaning here yet.
    """
    source = KernelSource(model)
    # Conditions come first: what they keep up to date decides what a placement has to do.
    ending = "\n".join(_end_rule(rule, source, first=i == 0) for i, rule in enumerate(model.end))
    moves = compile_play(model.play, source)
    swap_move = "if state[MOVES] == 1:\n    moves[n] = SWAP\n    n += 1" if model.flags.swap else ""
    swap_apply = (
        """
if move == SWAP:
    # The players exchange colours; the colour to move stays.
    state[LAST_FROM] = state[LAST_TO] = -1
    state[PASSES] = 0
    state[SWAPPED] = 1
    state[AGENT] = 3 - state[AGENT]
    return"""
        if model.flags.swap
        else ""
    )
    sample = f"if state[MOVES] != 1:{_block(moves.sample, 1)}" if model.flags.swap else moves.sample
    source.constant("STATE_SIZE", source.state_size)
    source.function(
        "start",
        '''
        @cfunc(START_SIGNATURE, nopython=True, cache=True)
        def start(state):
            """Set up the initial position."""
            for i in range(STATE_SIZE):
                state[i] = 0
            state[MOVER] = state[AGENT] = state[TURNS] = 1
            state[LAST_FROM] = state[LAST_TO] = state[PREVIOUS_FROM] = state[PREVIOUS_TO] = -1
        ''',
    )
    source.function(
        "list_moves",
        f'''
@njit(nogil=True)
def list_moves(state, moves):
    """Write the legal moves, a forced pass included, and return how many there are."""
    n = 0
    if state[OUTCOME] != RUNNING:
        return n{_block(moves.legal, 1)}
    if n == 0:
        moves[0] = PASS
        n = 1{_block(swap_move, 1)}
    return n
''',
    )
    source.function(
        "legal",
        """
        @cfunc(LEGAL_SIGNATURE, nopython=True, cache=True)
        def legal(state, moves):
            return list_moves(state, moves)
        """,
    )
    source.function(
        "sample",
        f'''
@cfunc(SAMPLE_SIGNATURE, nopython=True, cache=True)
def sample(state, moves, rng):
    """Draw a legal move uniformly."""{_block(sample, 1)}
    n = list_moves(state, moves)
    return moves[below(rng, n)]
''',
    )
    source.function(
        "finish",
        f'''
@njit(nogil=True)
def finish(state, mover):
    """Apply the end rules after a move by a colour, then hand the turn over."""
    agent = state[AGENT]{_block(ending, 1)}
    if state[OUTCOME] == RUNNING:
        # Nobody could move in a whole round, or Ludii's bounds on a game's length were reached.
        if state[PASSES] >= 2 or state[MOVES] >= {MOVE_LIMIT} or state[TURNS] >= {TURN_LIMIT}:
            state[OUTCOME] = DRAW
    state[MOVER] = 3 - mover
    state[AGENT] = 3 - agent
    state[TURNS] += 1
''',
    )
    source.function(
        "apply",
        f'''
@cfunc(APPLY_SIGNATURE, nopython=True, cache=True)
def apply(state, move):
    """Make a legal move."""
    mover = state[MOVER]
    state[PREVIOUS_FROM] = state[LAST_FROM]
    state[PREVIOUS_TO] = state[LAST_TO]
    state[MOVES] += 1{_block(swap_apply, 1)}
    if move == PASS:
        state[LAST_FROM] = state[LAST_TO] = -1
        state[PASSES] += 1
    else:{_block(moves.apply, 2)}
        state[LAST_FROM] = (move >> 16) & 0xFFFF
        state[LAST_TO] = move & 0xFFFF
        state[PASSES] = 0
    finish(state, mover)
''',
    )
    text = f'"""{heading}"""\n\n{_IMPORTS}\n{source.body()}\n'
    return text, source.state_size


def _block(statements: str, depth: int) -> str:
    """Indent statements to follow on from a line at ``depth - 1``; nothing for none."""
    stripped = statements.strip("\n")
    return "\n" + textwrap.indent(stripped, "    " * depth) if stripped else ""


def _end_rule(rule: Ludeme, source: KernelSource, first: bool) -> str:
    """``(if <condition> (result <role> <Win|Loss|Draw>))``: with two players the first that fires decides."""
    only_labels(rule)
    if len(rule.positional) != 2:
        malformed(rule, "an end rule is (if <condition> (result <role> <result>))")
    condition, result = rule.positional
    if not isinstance(result, Ludeme) or result.name != "result":
        refuse(result)
    keyword = "if" if first else "elif"
    return f"{keyword} {compile_condition(condition, source)}:\n    state[OUTCOME] = {_outcome(result)}"


def _outcome(result: Ludeme) -> str:
    """The outcome code of ``(result role kind)`` as an expression over ``mover`` and ``agent``."""
    match result.positional:
        case (Symbol(name=role), Symbol(name=kind)):
            pass
        case _:
            malformed(result, "expected (result <role> <result>)")
    if kind == "Draw":
        return "DRAW"
    if role == "Mover":
        winner, loser = "agent", "3 - agent"
    elif role == "Next":
        winner, loser = "3 - agent", "agent"
    elif role in ROLES:
        # Roles name colours; the outcome names the agent behind one.
        colour = ROLES[role]
        winner, loser = (
            f"agent if mover == {colour} else 3 - agent",
            f"3 - agent if mover == {colour} else agent",
        )
    else:
        refuse(result, role)
    if kind == "Win":
        return winner
    if kind == "Loss":
        return loser
    refuse(result, kind)


def uses_symmetric_rules(nodes: tuple[Node, ...]) -> bool:
    """Whether the rules stay the same when the board is turned or reflected.

    Only words known to name no direction count as such, so that what is added later (compass points,
    directions relative to a player's facing) is never taken for symmetric unawares.
    """
    return all(
        node.name in _WORDS_WITHOUT_DIRECTION
        for root in nodes
        for node in walk(root)
        if isinstance(node, Symbol)
    )
