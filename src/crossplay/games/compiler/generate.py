"""A game's model -> the source text of its kernel module."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import crossplay.games.compiler.ludemes  # noqa: F401  (registers the ludemes)
from crossplay.games.compiler.ludemes.stacks import highest_stack
from crossplay.games.compiler.model import (
    MOVE_LIMIT,
    ROLES,
    TURN_LIMIT,
    GameModel,
    malformed,
    only_labels,
    refuse,
)
from crossplay.games.compiler.registry import Compiler
from crossplay.games.compiler.scope import Moves, Scope, cases, indent, lines
from crossplay.games.compiler.start import compile_start
from crossplay.games.language import Ludeme, Node, Symbol, Text

_GUESSES = 12

# Functions that only kernels call need no way in from Python, whose making takes a fifth of the time. As no
# kernel keeps or allocates an array, none needs its references counted either (``_nrt``). Which functions are
# folded into their callers is said of all, as a function would inherit it from a caller.
_IMPORTS = """\
import numpy as np
from numba import cfunc, njit

from crossplay.games.bits import highest_bit, trailing_zeros
from crossplay.games.random import below
from crossplay.games.stack import stack_int16, stack_int64
from crossplay.games.state import (
    AGENT,
    APPLY_SIGNATURE,
    BEYOND,
    DRAW,
    HEADER,
    LAST_FROM,
    LAST_TO,
    LEGAL_SIGNATURE,
    MOVER,
    MOVES,
    NEXT,
    OUTCOME,
    PASS,
    PASSES,
    PHASE,
    PLAYOUT_SIGNATURE,
    PREV,
    PREVIOUS_FROM,
    PREVIOUS_TO,
    RUNNING,
    START_SIGNATURE,
    SWAP,
    SWAPPED,
    TURNS,
)

inner = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False, forceinline=False)
folded = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False, forceinline=True)
"""


@dataclass(frozen=True)
class Generated:
    """A kernel module's text and what its users must know about it.

    Attributes:
        text: the source; it defines ``start``, ``legal``, ``apply`` and ``playout`` as described for
            :class:`crossplay.games.state.Kernels`.
        state_size: length of a state row.
        sections: offset of each named part of a row behind the components.
        max_moves: a bound on the legal moves of a position.
        max_plies: a bound on the moves of a game.
        tensor_size: how many cells at the row's beginning the tensors depend on.
        max_height: cells per site of the section ``LEVELS``, 0 without stacks.
    """

    text: str
    state_size: int
    sections: dict[str, int]
    max_moves: int
    max_plies: int
    tensor_size: int
    max_height: int = 0


def generate(model: GameModel, heading: str) -> Generated:
    """Compile a game.

    Raises:
        UnsupportedLudeme: a rule has no meaning here yet.
    """
    c = Compiler(model)
    if model.flags.stacking:
        c.actions.allow_stacks(highest_stack(c))
    tensor_size = c.source.state_size
    for meta in model.metas:
        _compile_meta(c, meta)
    phase_moves = [c.moves(phase.play, Scope()) for phase in model.phases]
    endings = [_end_rules(c, (*phase.end, *model.end)) for phase in model.phases]
    changes = _phase_changes(c)
    if c.needs_any_move:
        probes = c.any_move([phase.play for phase in model.phases], Scope())
        c.source.function(
            "any_move",
            "state",
            lines("moves = stack_int64(1)", "n = 0", _by_phase(c, probes, "state[MOVER]"), "return n"),
            "A positive number if the player to move has a legal decision.",
        )
    start = compile_start(c)
    max_moves = 2 + max(_bound(c, part) for part in phase_moves)
    c.source.constant("MAX_MOVES", max_moves)
    c.source.constant("QUESTION_MOVES", max((_bound(c, part) for part in c.questions), default=0) + 1)
    _finish(c, endings, changes)
    c.actions.finish()
    c.kinds.finish(c.owner("origin"), c.actions.arrival)
    _listing(c, phase_moves)
    c.source.close_sections()
    _kernels(c, phase_moves, lines(start, *c.at_start))
    text = f'"""{heading}"""\n\n{_IMPORTS}\n{c.source.body()}\n'
    grows_only = not c.actions.mutations
    return Generated(
        text,
        c.source.state_size,
        c.source.sections,
        max_moves,
        # Every move fills a site for good; then come the swap and a round of passes.
        model.board.n_sites * max(1, c.actions.max_height) + 3
        if grows_only and not model.flags.passes
        else MOVE_LIMIT,
        tensor_size,
        c.actions.max_height,
    )


def _compile_meta(c: Compiler, meta: Ludeme) -> None:
    if meta.name == "swap" and not meta.arguments:
        return
    c.meta(meta)


def _bound(c: Compiler, moves: Moves) -> int:
    return moves.bound + moves.per_piece * c.most_pieces()


def _block(statements: str, depth: int) -> str:
    """Indent statements to follow on from a line at ``depth - 1``; nothing for none."""
    stripped = statements.strip("\n")
    return "\n" + indent(stripped, depth) if stripped else ""


def _by_phase(c: Compiler, parts: list[str], player: str) -> str:
    """Statements of the phase that a player is in."""
    if len(set(parts)) == 1:
        return parts[0]
    branches = cases((f"phase == {number}", part) for number, part in enumerate(parts))
    return lines(f"phase = state[PHASE - 1 + {player}]", branches)


def _listing(c: Compiler, phase_moves: list[Moves]) -> None:
    """``list_pseudo`` (some moves may turn out illegal) and ``list_moves``."""
    source = c.source
    listed = _by_phase(c, [moves.code for moves in phase_moves], "state[MOVER]")
    source.function(
        "list_pseudo",
        "state, moves",
        lines("n = 0", listed, "return n"),
        "List the decisions of the player to move; some may be illegal.",
    )
    keep = "n = keep_legal(state, moves, 0, n)" if c.kinds.any_filters else ""
    swap = "if state[MOVES] == 1:\n    moves[n] = SWAP\n    n += 1" if c.model.flags.swap else ""
    source.function(
        "list_moves",
        "state, moves",
        lines(
            "if state[OUTCOME] != RUNNING:\n    return 0",
            "n = list_pseudo(state, moves)",
            keep,
            "if n == 0:\n    moves[0] = PASS\n    n = 1",
            swap,
            "return n",
        ),
        "List the legal moves, a forced pass included.",
    )


def _kernels(c: Compiler, phase_moves: list[Moves], start: str) -> None:
    source, model = c.source, c.model
    source.kernel(
        f'''
@cfunc(START_SIGNATURE, nopython=True, cache=True, _nrt=False)
def start(state):
    """Set up the initial position."""
    for i in range(STATE_SIZE):
        state[i] = 0
    state[MOVER] = state[AGENT] = state[TURNS] = 1
    state[NEXT] = 2
    state[LAST_FROM] = state[LAST_TO] = state[PREVIOUS_FROM] = state[PREVIOUS_TO] = -1
    state[BEYOND] = -1{_block(start, 1)}
'''
    )
    source.kernel(
        """
@cfunc(LEGAL_SIGNATURE, nopython=True, cache=True, _nrt=False)
def legal(state, moves):
    return list_moves(state, moves)
"""
    )
    swap = (
        """
if move == SWAP:
    # The players exchange colours; the colour to move stays.
    state[PREVIOUS_FROM] = state[LAST_FROM]
    state[PREVIOUS_TO] = state[LAST_TO]
    state[LAST_FROM] = state[LAST_TO] = -1
    state[PASSES] = 0
    state[SWAPPED] = 1
    state[AGENT] = 3 - state[AGENT]
    return"""
        if model.flags.swap
        else ""
    )
    source.function(
        "make",
        "state, move",
        f"""
state[MOVES] += 1{_block(lines(*c.before), 0)}{_block(swap, 0)}
if move == PASS:
    state[PREVIOUS_FROM] = state[LAST_FROM]
    state[PREVIOUS_TO] = state[LAST_TO]
    state[LAST_FROM] = state[LAST_TO] = -1
    state[PASSES] += 1{_block(lines(c.kinds.pass_consequences or "", *c.kinds.endings), 1)}
else:
    make_move(state, move)
    state[PASSES] = 0
finish(state)
""",
        "Make a legal move.",
    )
    source.kernel(
        """
@cfunc(APPLY_SIGNATURE, nopython=True, cache=True, _nrt=False)
def apply(state, move):
    make(state, move)
"""
    )
    source.function("draw", "state, moves, rng", _sampling(c, phase_moves), "Draw a legal move uniformly.")
    source.kernel(
        '''
@cfunc(PLAYOUT_SIGNATURE, nopython=True, cache=True, _nrt=False)
def playout(state, moves, rng, limit):
    """Make random moves until the game is over."""
    made = 0
    while state[OUTCOME] == RUNNING and made < limit:
        make(state, draw(state, moves, rng))
        made += 1
    return made
'''
    )


def _sampling(c: Compiler, phase_moves: list[Moves]) -> str:
    """Drawing with the costly part of legality tested only on the move that was drawn."""
    guess = _by_phase(c, [_guess(c, moves) for moves in phase_moves], "state[MOVER]")
    listed = "n = list_moves(state, moves)\nreturn moves[below(rng, n)]"
    draw = listed
    if c.kinds.any_filters:
        # Reject and draw again: the same as a draw among the legal ones.
        draw = _flat("""
        n = list_pseudo(state, moves)
        while n > 0:
            i = below(rng, n)
            if passes(state, moves[i]):
                return moves[i]
            n -= 1
            moves[i] = moves[n]
        return PASS
        """)
    offer = f"if state[MOVES] == 1:\n{indent(listed)}" if c.model.flags.swap else ""
    return lines(offer, guess, draw)


def _guess(c: Compiler, moves: Moves) -> str:
    """Trying places at random is much cheaper than a list as long as many of them hold a legal move."""
    if not moves.slots:
        return ""
    c.source.constant("NOTHING", -3)
    test = "guessed != NOTHING" + (" and passes(state, guessed)" if c.kinds.any_filters else "")
    count = moves.slots
    if not count.isdigit():
        count = "places"
    attempt = lines(
        f"slot = below(rng, {count})",
        "guessed = NOTHING",
        moves.pick,
        f"if {test}:\n    return guessed",
    )
    attempts = f"for _ in range({_GUESSES}):\n{indent(attempt)}"
    if count == "places":
        return f"places = {moves.slots}\nif places > 0:\n{indent(attempts)}"
    return attempts


def _flat(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


def _finish(c: Compiler, endings: list[str], changes: str) -> None:
    # A round in which nobody could move ends the game, unless passing is part of its rules.
    stuck = "" if c.model.flags.passes else "state[PASSES] >= 2 or "
    over = f"{stuck}state[MOVES] >= {MOVE_LIMIT} or state[TURNS] >= {TURN_LIMIT}"
    body = lines(
        "mover = state[MOVER]",
        *c.at_turn,
        _by_phase(c, endings, "mover"),
        f"if state[OUTCOME] == RUNNING and ({over}):\n    state[OUTCOME] = DRAW",
        # As in Ludii the turn passes on when somebody wins, but not after a draw or when somebody loses.
        "if state[OUTCOME] == DRAW:\n    state[NEXT] = mover",
        changes,
        *c.after,
        "state[PREV] = mover",
        "if state[NEXT] != mover:\n    state[AGENT] = 3 - state[AGENT]\n    state[TURNS] += 1",
        "state[MOVER] = state[NEXT]",
        "state[NEXT] = 3 - state[MOVER]",
    )
    c.source.function("finish", "state", body, "Apply the end rules after a move, then hand the turn over.")


def _end_rules(c: Compiler, rules: tuple[Node, ...]) -> str:
    """The first rule that fires decides the game, as with two players it does in Ludii."""
    code = ""
    for rule in reversed(rules):
        if not isinstance(rule, Ludeme) or rule.name != "if":
            refuse(rule)
        only_labels(rule)
        if len(rule.positional) not in (2, 3):
            malformed(rule, "an end rule is (if <condition> (result <role> <result>))")
        condition, *outcomes = rule.positional
        fired = _ending(c, outcomes[0])
        otherwise = lines(_ending(c, outcomes[1]) if len(outcomes) == 2 else "", code)
        code = f"if {c.boolean(condition, Scope())}:\n{indent(fired)}"
        if otherwise:
            code += f"\nelse:\n{indent(otherwise)}"
    return code


def _ending(c: Compiler, node: Node) -> str:
    if isinstance(node, Ludeme) and node.name == "if":
        return _end_rules(c, (node,))
    return c.result(node, Scope())


def _phase_changes(c: Compiler) -> str:
    """Statements that move each player on to the next phase where its rule says so."""
    phases = c.model.phases
    if len(phases) == 1:
        return ""
    players = [_changes_of(c, player) for player in (1, 2)]
    return lines(f"if state[OUTCOME] == RUNNING:\n{indent(lines(*players))}") if any(players) else ""


def _changes_of(c: Compiler, player: int) -> str:
    cell = f"state[{_phase_cell(player)}]"
    branches = []
    for number, phase in enumerate(c.model.phases):
        changes = [part for rule in phase.following if (part := _change(c, rule, number, player))]
        if changes:
            code = cases((condition, f"{cell} = {target}") for condition, target in changes)
            branches.append((f"{cell} == {number}", code))
    return cases(branches)


def _phase_cell(player: int) -> str:
    return "PHASE" if player == 1 else "PHASE + 1"


def _change(c: Compiler, rule: Ludeme, number: int, player: int) -> tuple[str, int] | None:
    """Condition and target of ``(nextPhase [role] [condition] ["Name"])`` for one player."""
    only_labels(rule)
    condition, target = "True", (number + 1) % len(c.model.phases)
    for part in rule.positional:
        match part:
            case Symbol(name="Mover" | "Next" as role):
                same = "==" if role == "Mover" else "!="
                condition = f"state[MOVER] {same} {player}"
            case Symbol(name=role) if role in ROLES:
                if ROLES[role] != player:
                    return None
            case Text(value=name):
                found = [i for i, phase in enumerate(c.model.phases) if phase.name == name]
                if not found:
                    malformed(rule, f"there is no phase {name!r}")
                target = found[0]
            case _:
                test = c.boolean(part, Scope())
                condition = test if condition == "True" else f"{condition} and ({test})"
    return condition, target
