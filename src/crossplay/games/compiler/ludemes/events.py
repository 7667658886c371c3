"""Events: flags that effects raise for a player and that conditions read."""

from __future__ import annotations

from crossplay.games.compiler.model import refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, boolean, effect
from crossplay.games.compiler.scope import Scope
from crossplay.games.language import Ludeme, Text


@effect("trigger")
def _trigger(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(trigger "Event" role)``: from now on the event holds for that player."""
    player = _player(c, node, scope)
    c.actions.define("trigger", f"state[{_flags(c)}] |= 1 << a")
    return c.push("trigger", player)


@boolean("is", "Triggered")
def _is_triggered(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return f"(state[{_flags(c)}] >> {_player(c, node, scope)}) & 1 != 0"


def _flags(c: Compiler) -> str:
    """The cell with one bit per player: as in Ludii 1.0.8 the event's name tells nothing apart."""
    return c.source.section("TRIGGERED", 1)


def _player(c: Compiler, node: Ludeme, scope: Scope) -> str:
    match arguments_of(node):
        case [Text(), role]:
            return c.player(role, scope)
    refuse(node)
