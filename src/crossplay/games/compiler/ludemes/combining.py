"""Several effects made into one decision, or joined in pairs."""

from __future__ import annotations

from crossplay.games.compiler.model import items, refuse
from crossplay.games.compiler.registry import MOVED, Compiler, arguments_of, effect, moves, then_of
from crossplay.games.compiler.scope import Moves, Scope, indent, lines
from crossplay.games.language import Ludeme, Node

# Effects that are one action each, if any.
_SINGLE = ("add", "flip", "addScore", "moveAgain")


@effect("allCombinations")
def _all_combinations(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(allCombinations effect effect)``: both, one after the other, if both do anything."""
    match arguments_of(node):
        case [Ludeme(name=first_name) as first, Ludeme(name=second_name) as second]:
            if first_name not in _SINGLE or second_name not in _SINGLE:
                refuse(node, "of effects with several actions")
        case _:
            refuse(node)
    if c.actions.probing:
        return f"if {c.happens(first, scope)} and {c.happens(second, scope)}:\n    return n + 1"
    return lines(
        "first = n",
        c.effect(first, scope),
        "second = n",
        c.effect(second, scope),
        "if second == first or n == second:\n    n = first",
    )


@moves("append")
def _append(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(append effect)``: one decision that does everything the effect does, if that is anything.

    In Ludii such a move goes by its first action, which has to be a piece added to the ``(site)`` at hand.
    """
    then = (*then_of(node), *then)
    match arguments_of(node):
        case [inner] if _begins_at_site(inner) and scope.origin == scope.to == scope.site != "-1":
            pass
        case _:
            refuse(node)
    kind = c.kind(c.run(c.effect(inner, MOVED.with_(origin="to", site="to"))), then)
    happens = c.happens(inner, scope)
    emit = f"if {happens}:\n{indent(c.emit(kind, scope.site, scope.site))}"
    pick = f"if {happens}:\n    guessed = {c.kinds.packed(kind, scope.site, scope.site)}"
    return Moves(emit, 1, slots="1", pick=pick)


def _begins_at_site(node: Node) -> bool:
    """Whether the first action of an effect adds a piece to ``(site)``."""
    match node:
        case Ludeme(name="add"):
            targets = [part for part in node.positional if isinstance(part, Ludeme) and part.name == "to"]
            places = [part for to in targets for part in to.positional]
            return len(places) == 1 and isinstance(places[0], Ludeme) and places[0].name == "site"
        case Ludeme(name="custodial"):
            held = [part for part in node.positional if isinstance(part, Ludeme) and part.name == "between"]
            return any(_begins_at_site(part) for part in held)
        case Ludeme(name="between" | "apply" | "allCombinations" | "and"):
            inner = [member for part in node.positional for member in items(part)]
            inner = [
                part
                for part in inner
                if isinstance(part, Ludeme) and part.name not in ("max", "exact", "range")
            ]
            return bool(inner) and _begins_at_site(inner[0])
    return False
