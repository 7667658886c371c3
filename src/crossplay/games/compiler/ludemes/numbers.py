"""Numbers and single sites: the context of a move, players, what stands where, arithmetic."""

from __future__ import annotations

from collections.abc import Callable

from crossplay.games.compiler.model import only_labels, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, integer
from crossplay.games.compiler.scope import Scope
from crossplay.games.language import Boolean, Ludeme, Symbol, Text


@integer("from")
def _from(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _bare(node, scope.origin)


@integer("to")
def _to(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _bare(node, scope.to)


@integer("between")
def _between(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _bare(node, scope.between)


@integer("site")
def _site(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _bare(node, scope.site)


@integer("value")
def _value(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _bare(node, scope.value)


@integer("mover")
def _mover(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _bare(node, "state[MOVER]")


@integer("next")
def _next(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _bare(node, "state[NEXT]")


@integer("prev")
def _prev(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _bare(node, "state[PREV]")


def _bare(node: Ludeme, expression: str) -> str:
    if node.arguments:
        refuse(node)
    return expression


@integer("last", "To", "From")
def _last(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(last To)``, ``(last From)``: of the decision made last, -1 after a pass.

    With ``afterConsequence:True`` of the last thing that the decision and its consequences did.
    """
    after = node.named("afterConsequence")
    if arguments_of(node, "afterConsequence") or not (after is None or isinstance(after, Boolean)):
        refuse(node)
    cell = "LAST_TO" if node.keyword == "To" else "LAST_FROM"
    if after is None or not after.value:
        return f"state[{cell}]"
    return f"(state[{c.actions.traced(cell)}] if state[LAST_TO] >= 0 else -1)"


@integer("what")
def _what(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _at(c, node, scope, c.what, "component_on")


@integer("who")
def _who(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _at(c, node, scope, c.owner, "owner_on")


@integer("state")
def _state(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _at(c, node, scope, lambda site: f"state[LOCAL + {site}]", "local_on")


def _at(c: Compiler, node: Ludeme, scope: Scope, read: Callable[[str], str], prefix: str) -> str:
    """A property of the site ``at:``, 0 off the board."""
    only_labels(node, "at")
    at = node.named("at")
    if at is None or node.positional:
        refuse(node)
    site = c.integer(at, scope)
    if site.isdigit() or site.isidentifier():
        return str(read(site))
    name = c.function(prefix, "state, site", f"return {read('site')} if site >= 0 else 0")
    return f"{name}(state, {site})"


@integer("id")
def _id(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(id "Pawn" Mover)``: a component's index; ``(id "Pawn1")`` by its whole name; ``(id Mover)``."""
    match arguments_of(node):
        case [Text(value=name)]:
            return str(c.model.piece(name, node).index)
        case [Text(value=name), role]:
            indices = c.model.likened(name, node)
            player = c.player(role, scope)
            if player.isdigit():
                return str(indices.get(int(player), -1))
            # 0 and 3 stand for nobody in particular: neutral and shared pieces.
            first, second = indices.get(1, -1), indices.get(2, -1)
            if second == first + 1:
                return f"({first - 1} + {player})"
            return f"({first} if {player} == 1 else {second})"
        case [Symbol() as role]:
            return c.player(role, scope)
    refuse(node)


@integer("count", "Moves")
def _count_moves(c: Compiler, node: Ludeme, scope: Scope) -> str:
    if arguments_of(node):
        refuse(node)
    return "state[MOVES]"
