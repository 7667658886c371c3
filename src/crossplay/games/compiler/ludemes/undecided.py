"""The names that Ludii has for decisions where nobody decides: ``(hop ...)`` for ``(move Hop ...)``."""

from __future__ import annotations

from dataclasses import replace

from crossplay.games.compiler.registry import Compiler, effect, moves
from crossplay.games.compiler.scope import Moves, Scope
from crossplay.games.language import Argument, Ludeme, Node, Symbol

_DECISIONS = {"step": "Step", "slide": "Slide", "hop": "Hop", "leap": "Leap", "fromTo": None}


def _decision(node: Ludeme) -> Ludeme:
    """The same ludeme as a decision."""
    keyword = _DECISIONS[node.name]
    first = () if keyword is None else (Argument(None, Symbol(keyword, node.position)),)
    return Ludeme("move", (*first, *node.arguments), node.position)


def _as_moves(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    return c.moves(_decision(node), scope, then)


def _as_effect(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """The consequences of the effect are seen to already."""
    plain = [
        part for part in node.arguments if not (isinstance(part.value, Ludeme) and part.value.name == "then")
    ]
    return c.effect(_decision(replace(node, arguments=tuple(plain))), scope)


for _name in _DECISIONS:
    moves(_name)(_as_moves)
    effect(_name)(_as_effect)
