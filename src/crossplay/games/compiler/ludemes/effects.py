"""Effects: what a move does besides moving its piece."""

from __future__ import annotations

from crossplay.games.compiler.ludemes.clearing import take_later, taken_later
from crossplay.games.compiler.model import items, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, branches_of, effect
from crossplay.games.compiler.scope import INSIDE, Scope, indent, lines
from crossplay.games.language import Ludeme, Node


@effect("and")
@effect("or")
def _and(c: Compiler, node: Ludeme, scope: Scope) -> str:
    members = [member for part in arguments_of(node) for member in items(part)]
    return lines(*(c.effect(member, scope) for member in members))


@effect("if")
def _if(c: Compiler, node: Ludeme, scope: Scope) -> str:
    condition, yes, no = branches_of(node, "effects")
    code = f"if {c.boolean(condition, scope)}:\n{indent(c.effect(yes, scope))}"
    return code + (f"\nelse:\n{indent(c.effect(no, scope))}" if no is not None else "")


@effect("apply")
def apply_effect(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(apply [if:condition] [effect])``; without an effect it is a condition on a move's end."""
    condition = node.named("if")
    match arguments_of(node, "if"):
        case [inner]:
            code = c.effect(inner, scope)
        case [] if condition is not None:
            return ""
        case _:
            refuse(node)
    return code if condition is None else f"if {c.boolean(condition, scope)}:\n{indent(code)}"


@effect("moveAgain")
def _move_again(c: Compiler, node: Ludeme, scope: Scope) -> str:
    if arguments_of(node):
        refuse(node)
    return c.push("again")


@effect("remove")
def _remove(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(remove region [at:EndOfTurn])``: every piece on the sites."""
    match arguments_of(node, "at"):
        case [where]:
            pass
        case _:
            refuse(node)

    def push(site: str) -> str:
        return take_later(c, site) if taken_later(node) else c.push("remove", site)

    single = c.region(where, scope).single
    if single is not None and not taken_later(node):
        return push(single) if single.isdigit() else f"if {single} >= 0:\n{indent(push(single))}"
    found = c.region(where, INSIDE)
    return c.collector("removals", scope, found.loop("s", f"if {c.what('s')} != 0:\n{indent(push('s'))}"))


@effect("forEach", "Site")
def _for_each_site(c: Compiler, node: Ludeme, scope: Scope) -> str:
    match arguments_of(node):
        case [where, inner]:
            pass
        case _:
            refuse(node)
    body = c.effect(inner, INSIDE.with_(origin="s", to="s", site="s"))
    return c.collector("each_site", scope, c.region(where, INSIDE).loop("s", body))


def attached_effect(c: Compiler, holder: Node | None, scope: Scope) -> str:
    """Statements that collect the ``(apply ...)`` of a ``(to ...)``, ``(from ...)`` or ``(between ...)``."""
    if not isinstance(holder, Ludeme):
        return ""
    found = [part for part in holder.positional if isinstance(part, Ludeme) and part.name == "apply"]
    return lines(*(apply_effect(c, part, scope) for part in found))
