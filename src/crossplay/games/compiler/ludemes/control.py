"""Generators made of others: alternatives, conditions, loops over pieces and sites, afterthoughts."""

from __future__ import annotations

from crossplay.games.compiler.model import items, refuse
from crossplay.games.compiler.registry import MOVED, Compiler, arguments_of, branches_of, moves, then_of
from crossplay.games.compiler.scope import CONTEXT, INSIDE, Moves, Scope, indent, lines
from crossplay.games.language import Ludeme, Node

# Functions in conditions that look at many moves.
_LONG_QUESTIONS = ("can_move", "no_moves", "in_danger", "threatened")


def join(parts: list[Moves]) -> Moves:
    """One generator after the other."""
    slots, pick = "", ""
    if all(part.slots for part in parts):
        slots = " + ".join(part.slots for part in parts)
        if all(part.slots.isdigit() for part in parts):
            slots = str(sum(int(part.slots) for part in parts))
        for part in reversed(parts):
            rest = f"else:\n{indent(lines(f'slot -= {part.slots}', pick))}" if pick else ""
            pick = lines(f"if slot < {part.slots}:\n{indent(part.pick)}", rest) if rest else part.pick
    return Moves(
        lines(*(part.code for part in parts)),
        sum(part.bound for part in parts),
        sum(part.per_piece for part in parts),
        slots,
        pick,
    )


@moves("or", None)
@moves("and", None)
def _or(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """The moves of all the generators together."""
    then = (*then_of(node), *then)
    members = [member for part in arguments_of(node) for member in items(part)]
    return join([c.moves(member, scope, then) for member in members])


@moves("if")
def _if(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(if condition generator [generator])``."""
    then = (*then_of(node), *then)
    condition, yes, no = branches_of(node, "generators")
    test = c.boolean(condition, scope)
    first = c.moves(yes, scope, then)
    code = f"if {test}:\n{indent(first.code)}"
    bound, per_piece = first.bound, first.per_piece
    slots, pick = first.slots, f"if {test}:\n{indent(first.pick)}"
    if no is not None:
        second = c.moves(no, scope, then)
        code += f"\nelse:\n{indent(second.code)}"
        bound, per_piece = max(bound, second.bound), max(per_piece, second.per_piece)
        slots = _places(first.slots, second.slots, test)
        pick = f"{pick}\nelse:\n{indent(second.pick)}"
        if first.slots.isdigit() and second.slots.isdigit():
            # Places that only one of the two has are empty when it is the other's turn.
            slots = str(max(int(first.slots), int(second.slots)))
            picks = [f"if slot < {part.slots}:\n{indent(part.pick)}" for part in (first, second)]
            pick = f"if {test}:\n{indent(picks[0])}\nelse:\n{indent(picks[1])}"
    return Moves(code, bound, per_piece, slots, pick)


def _places(first: str, second: str, test: str) -> str:
    """The places of one of two generators; a generator that has none of its own is listed.

    A condition that takes long had better not be asked for every place that is tried.
    """
    if not (first and second) and (not (first or second) or any(word in test for word in _LONG_QUESTIONS)):
        return ""
    return f"({first or 0} if {test} else {second or 0})"


@moves("priority")
def _priority(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """The moves of the first generator that has any."""
    then = (*then_of(node), *then)
    parts = []
    code = ""
    filtered = c.kinds.count_filtered
    members = [member for part in arguments_of(node) for member in items(part)]
    for member in reversed(members):
        part, keep = exact_moves(c, member, INSIDE, then, "first")
        parts.append(part)
        code = lines(part.code, keep, f"if n == first:\n{indent(code)}" if code else "")
    call = c.generator("priority", scope, lines("first = n", code))
    bound, per_piece = max(part.bound for part in parts), max(part.per_piece for part in parts)
    if c.kinds.probing or c.kinds.count_filtered > filtered or not parts[0].slots:
        return Moves(call, bound, per_piece)
    # The last generator's moves are drawn place by place if the others have none.
    *others, last = members
    body = lines("moves = stack_int64(1)", "n = 0", *c.any_move(others, INSIDE), "return n")
    other = f"{c.function('has_priority', CONTEXT, body)}({scope.arguments}) > 0"
    drawn = c.moves(last, scope, then)
    return Moves(call, bound, per_piece, f"(0 if {other} else {drawn.slots})", drawn.pick)


def exact_moves(
    c: Compiler, node: Node, scope: Scope, then: tuple[Node, ...], first: str
) -> tuple[Moves, str]:
    """A generator, and the statement that drops its illegal moves from place ``first`` on, if need be."""
    filtered = c.kinds.count_filtered
    listed = c.moves(node, scope, then)
    if c.kinds.probing or c.kinds.count_filtered == filtered:
        return listed, ""
    return listed, f"n = keep_legal(state, moves, {first}, n)"


@moves("do")
def _do(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(do generator ifAfterwards:condition)``: the moves after which the condition holds."""
    then = (*then_of(node), *then)
    condition = node.named("ifAfterwards")
    match arguments_of(node, "ifAfterwards"):
        case [generator] if condition is not None:
            with c.kinds.filtered(c.boolean(condition, MOVED)):
                return c.moves(generator, scope, then)
    refuse(node)


@moves("forEach", "Site")
def _for_each_site(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(forEach Site region generator)``: the generator for every site of the region.

    It is the generator's ``(site)``, and as in Ludii ``(from)`` and ``(to)``, too.
    """
    then = (*then_of(node), *then)
    match arguments_of(node):
        case [where, generator]:
            pass
        case _:
            refuse(node)
    at = {"origin": "s", "to": "s", "site": "s"}
    inner = c.moves(generator, INSIDE.with_(**at), then)
    code = c.generator("each_site", scope, c.region(where, INSIDE).loop("s", inner.code))
    sites, slots, pick = c.model.n_sites, "", ""
    if inner.slots.isdigit():
        slots = str(int(inner.slots) * sites)
        there = c.moves(generator, scope.with_(**at), then).pick
        which = (
            f"s = slot // {inner.slots}\nslot = slot % {inner.slots}" if inner.slots != "1" else "s = slot"
        )
        pick = lines(which, f"if {c.region(where, scope).contains('s')}:\n{indent(there)}")
    return Moves(code, inner.bound * sites, 0, slots, pick)
