"""Pieces that become others, as a choice of the player's or as an effect."""

from __future__ import annotations

from crossplay.games.compiler.model import items, malformed, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, effect, moves, then_of
from crossplay.games.compiler.scope import INSIDE, Moves, Scope, indent, lines
from crossplay.games.language import Ludeme, Node, Symbol, Text

_CHANGE = "remove(state, {0})\nplace(state, {0}, {1}, 0)"


def _read(c: Compiler, node: Ludeme, scope: Scope) -> tuple[str, list[str]]:
    """The site, ``(to)`` by default, and the components it may become."""
    parts = arguments_of(node)
    owner: Node | None = None
    if (parts and isinstance(parts[-1], Symbol)) or (
        parts and isinstance(parts[-1], Ludeme) and parts[-1].name == "player"
    ):
        owner = parts.pop()
    match parts:
        case [Ludeme(name="piece") as piece]:
            site = scope.to
        case [place, Ludeme(name="piece") as piece]:
            site = c.integer(place, scope)
        case _:
            refuse(node)
    if len(piece.arguments) != 1 or len(piece.positional) != 1:
        refuse(piece)
    player = None if owner is None else c.player(owner, scope)
    return site, [_component(c, one, player, scope) for one in items(piece.positional[0])]


def _component(c: Compiler, node: Node, player: str | None, scope: Scope) -> str:
    """A component by number, by its whole name, or by a name and its owner."""
    if not isinstance(node, Text):
        return c.integer(node, scope)
    if player is None:
        return str(c.model.piece(node.value, node).index)
    found = c.model.likened(node.value, node)
    if player.isdigit():
        if int(player) not in found:
            malformed(node, f"there is no piece {node.value!r}")
        return str(found[int(player)])
    if 1 in found and found.get(2) == found[1] + 1:
        return f"({found[1] - 1} + {player})"
    return f"({found.get(1, 0)} if {player} == 1 else {found.get(2, 0)})"


@moves("move", "Promote")
@moves("promote")
def _promotion(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(move Promote [site] (piece ...) [role])``: turn the piece on a site into one of several."""
    then = (*then_of(node), *then)
    site, choices = _read(c, node, INSIDE)
    kind = c.kind(_CHANGE.format("to", "extra"), then)
    listed = []
    for choice in choices:
        emit = c.emit(kind, "place_", "place_", "which")
        test = "" if choice.isdigit() else "if which > 0:\n"
        listed.append(f"which = {choice}\n" + (test + indent(emit) if test else emit))
    body = lines(f"place_ = {site}", f"if place_ >= 0:\n{indent(lines(*listed))}")
    return Moves(c.generator("promotion", scope, body), len(choices))


@effect("promote")
@effect("move", "Promote")
def _promote(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(promote [site] (piece ...) [role])``."""
    site, choices = _read(c, node, scope)
    c.actions.define("promote", _CHANGE.format("a", "b"))
    return lines(
        *(
            f"if {site} >= 0 and {choice} > 0:\n{indent(c.push('promote', site, choice))}"
            for choice in choices
        )
    )
