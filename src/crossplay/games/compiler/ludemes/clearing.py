"""Pieces that are taken off together at the end of a turn of several moves."""

from __future__ import annotations

from crossplay.games.compiler.model import refuse
from crossplay.games.compiler.regions import Region
from crossplay.games.compiler.registry import Compiler, arguments_of, region
from crossplay.games.compiler.scope import Scope
from crossplay.games.language import Ludeme, Symbol, walk


def taken_later(node: Ludeme) -> bool:
    """Whether a ``(remove ...)`` says ``at:EndOfTurn``."""
    match node.named("at"):
        case None | Symbol(name="StartOfTurn"):
            return False
        case Symbol(name="EndOfTurn"):
            return True
    refuse(node, "at:")


@region("sites", "ToClear")
def _to_clear(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    """The sites whose pieces are to go at the end of the turn."""
    if arguments_of(node):
        refuse(node)
    removals = [
        found
        for rule in c.model.rules()
        for found in walk(rule)
        if isinstance(found, Ludeme) and found.name == "remove"
    ]
    if not any(map(taken_later, removals)):
        return Region.fixed(c, ())
    section = _section(c)
    return Region.where(c, lambda site: f"state[{section} + {site}] != 0")


def take_later(c: Compiler, site: str) -> str:
    """Statements that mark the piece on a site; it goes when a move gives the turn away."""
    section = _section(c)
    c.actions.define("take_later", f"state[{section} + a] = 1\nstate[{section} + BOARD_SITES] = 1")
    clear = c.function(
        "clear_taken",
        "state",
        f"""
        state[{section} + BOARD_SITES] = 0
        for s in range(BOARD_SITES):
            if state[{section} + s] != 0:
                state[{section} + s] = 0
                remove(state, s)
        """,
        "Take off the pieces that were marked during the turn.",
    )
    waiting = f"state[{section} + BOARD_SITES] != 0 and state[NEXT] != state[MOVER]"
    c.kinds.endings[f"if {waiting}:\n    {clear}(state)"] = None
    c.actions.mutations = True
    return c.push("take_later", site)


def _section(c: Compiler) -> str:
    """One cell for each site of the board, and one that says whether any is marked."""
    return c.source.section("TO_CLEAR", c.model.board.n_sites + 1)
