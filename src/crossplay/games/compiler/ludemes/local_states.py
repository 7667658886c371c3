"""Local states: flipping pieces, and sites by their state."""

from __future__ import annotations

from crossplay.games.compiler.model import refuse
from crossplay.games.compiler.regions import Region
from crossplay.games.compiler.registry import Compiler, arguments_of, effect, region
from crossplay.games.compiler.scope import Scope, indent, lines
from crossplay.games.language import Ludeme, Number


@region("sites", "State")
def _sites_of_state(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    """``(sites State n)``: the board's sites with local state n; that of empty sites is 0."""
    match arguments_of(node):
        case [number]:
            local = c.integer(number, scope)
            return Region.where(c, lambda site: f"state[LOCAL + {site}] == {local}")
    refuse(node)


@effect("flip")
def _flip(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(flip [site])``: turn the piece over to the other of its two ``(flips a b)``, if it has any."""
    match arguments_of(node):
        case []:
            site = scope.to
        case [place]:
            site = c.integer(place, scope)
        case _:
            refuse(node)
    sides = {part.index: flips for part in c.model.components if (flips := _flips(part.node)) is not None}
    if not sides:
        return ""
    c.actions.define("local", "state[LOCAL + a] = b")
    flip = ""
    for pair in sorted(set(sides.values())):
        which = [number for number, flips in sides.items() if flips == pair]
        test = " or ".join(f"state[HEADER + {site}] == {number}" for number in which)
        first, second = pair
        turned = lines(
            f"turned = state[LOCAL + {site}]",
            f"turned = {second} if turned == {first} else {first} if turned == {second} else turned",
            c.push("local", site, "turned"),
        )
        flip = lines(flip, f"{'elif' if flip else 'if'} {test}:\n{indent(turned)}")
    return flip if site.isdigit() or site.isidentifier() else f"if {site} >= 0:\n{indent(flip)}"


def _flips(piece: Ludeme | None) -> tuple[int, int] | None:
    for part in piece.positional if piece is not None else ():
        match part:
            case Ludeme(name="flips", positional=(Number(value=int(first)), Number(value=int(second)))):
                return first, second
            case Ludeme(name="flips"):
                refuse(part)
    return None
