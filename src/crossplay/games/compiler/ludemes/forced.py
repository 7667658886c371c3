"""Decisions written as effects: what would be on offer is carried out, all of it."""

from __future__ import annotations

from crossplay.games.compiler.kinds import Kinds
from crossplay.games.compiler.model import refuse
from crossplay.games.compiler.registry import Compiler, effect, then_of
from crossplay.games.compiler.scope import INSIDE, LIST_CONTEXT, Scope, indent, lines
from crossplay.games.language import Ludeme, walk


@effect("move", "Step", "Slide", "Leap", "Hop", None)
def _forced_moves(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(move Slide ...)`` within ``(then ...)``: the pieces make every move that the generator lists."""
    if then_of(node) or any(isinstance(part, Ludeme) and part.name == "apply" for part in walk(node)):
        refuse(node, "with effects of its own")
    kinds, c.kinds = c.kinds, Kinds(c.source)  # nobody plays these moves
    listed = c.moves(node, INSIDE)
    c.kinds = kinds
    parameters = LIST_CONTEXT.format(list="moves")
    name = c.function("forced", parameters, f"{listed.code}\nreturn n", "List the moves to be made.")
    shift = c.push("shift", "(listed[i] >> 16) & 0xFFFF", "listed[i] & 0xFFFF")
    body = lines(
        f"listed = stack_int64({max(1, listed.bound)})",
        f"for i in range({name}({INSIDE.list_arguments('listed').replace('n,', '0,', 1)})):",
        indent(shift),
    )
    return c.collector("forced_moves", scope, body)
