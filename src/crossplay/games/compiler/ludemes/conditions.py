"""Conditions: comparisons, whose piece, which site, who can move."""

from __future__ import annotations

from crossplay.games.compiler.ludemes.arithmetic import is_region
from crossplay.games.compiler.model import items, malformed, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, boolean
from crossplay.games.compiler.scope import CONTEXT, INSIDE, Scope, lines
from crossplay.games.language import Ludeme, Node, Number, Symbol


def _parts(node: Ludeme) -> list[Node]:
    return [member for part in node.positional for member in items(part)]


@boolean("not")
def _not(c: Compiler, node: Ludeme, scope: Scope) -> str:
    if len(node.positional) != 1:
        malformed(node, "(not ...) takes one condition")
    return f"not ({c.boolean(node.positional[0], scope)})"


@boolean("and")
def _and(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return " and ".join(f"({c.boolean(part, scope)})" for part in _parts(node))


@boolean("or")
def _or(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return " or ".join(f"({c.boolean(part, scope)})" for part in _parts(node))


@boolean("=")
def _equal(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _compare(c, node, scope, "==")


@boolean("!=")
def _unequal(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _compare(c, node, scope, "!=")


@boolean("<")
def _less(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _compare(c, node, scope, "<")


@boolean("<=")
def _at_most(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _compare(c, node, scope, "<=")


@boolean(">")
def _greater(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _compare(c, node, scope, ">")


@boolean(">=")
def _at_least(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return _compare(c, node, scope, ">=")


def _compare(c: Compiler, node: Ludeme, scope: Scope, sign: str) -> str:
    if len(node.positional) != 2 or len(node.arguments) != 2:
        malformed(node, f"({node.name} ...) compares two numbers")
    first, second = node.positional
    if sign in ("==", "!=") and is_region(c, first) and is_region(c, second):
        return _same_sites(c, first, second, scope, "" if sign == "==" else "not ")
    left = _counted(c, first, second, scope, sign in (">", "<=", "==", "!="))
    right = _counted(c, second, first, scope, sign in ("<", ">=", "==", "!="))
    return f"{left} {sign} {right}"


def _same_sites(c: Compiler, first: Node, second: Node, scope: Scope, negation: str) -> str:
    """Whether two regions are the same set of sites."""
    one, other = c.region(first, INSIDE), c.region(second, INSIDE)
    if one.static is not None and other.static is not None:
        return str((one.static == other.static) != bool(negation))
    body = f"""
    for s in range(ALL_SITES):
        if ({one.contains("s")}) != ({other.contains("s")}):
            return False
    return True
    """
    return f"{negation}{c.function('same_sites', CONTEXT, body)}({scope.arguments})"


def _counted(c: Compiler, node: Node, other: Node, scope: Scope, beyond: bool) -> str:
    """A number of which it matters only whether it reaches, or goes beyond, another."""
    if isinstance(other, Number) and isinstance(other.value, int) and other.value >= 0:
        return c.capped(node, scope, other.value + beyond)
    return c.integer(node, scope)


@boolean("is", "Empty", "Occupied")
def _is_empty(c: Compiler, node: Ludeme, scope: Scope) -> str:
    match arguments_of(node):
        case [place]:
            site = c.integer(place, scope)
        case _:
            refuse(node)
    sign = "==" if node.keyword == "Empty" else "!="
    if site.isdigit() or site.isidentifier():
        return c.empty(site).replace("==", sign)
    name = c.function("is_empty", "state, site", f"return site >= 0 and {c.empty('site')}")
    return f"{name}(state, {site})" if sign == "==" else f"not {name}(state, {site})"


@boolean("is", "Enemy")
def _is_enemy(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return f"{_only(c, node, scope)} == 3 - state[MOVER]"


@boolean("is", "Friend", "Mover")
def _is_friend(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return f"{_only(c, node, scope)} == state[MOVER]"


@boolean("is", "Next")
def _is_next(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return f"{_only(c, node, scope)} == state[NEXT]"


@boolean("is", "Prev")
def _is_prev(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return f"{_only(c, node, scope)} == state[PREV]"


@boolean("is", "Even")
def _is_even(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return f"({_number(c, node, scope)}) & 1 == 0"


@boolean("is", "Odd")
def _is_odd(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return f"({_number(c, node, scope)}) & 1 == 1"


def _only(c: Compiler, node: Ludeme, scope: Scope) -> str:
    match arguments_of(node):
        case [who]:
            return c.player(who, scope)
    refuse(node)


def _number(c: Compiler, node: Ludeme, scope: Scope) -> str:
    match arguments_of(node):
        case [number]:
            return c.integer(number, scope)
    refuse(node)


@boolean("is", "In")
def _is_in(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(is In site region)``: false off the board. Of several sites all must be in the region."""
    match arguments_of(node):
        case [place, where]:
            pass
        case [where]:  # the site being looked at
            return c.region(where, scope).contains(scope.to)
        case _:
            refuse(node)
    region = c.region(where, scope)
    if not c.knows("integer", place) and c.knows("region", place):
        body = c.region(place, INSIDE).loop(
            "s", f"if not ({c.region(where, INSIDE).contains('s')}):\n    return False"
        )
        name = c.function("all_in", CONTEXT, f"{body}\nreturn True")
        return f"{name}({scope.arguments})"
    site = c.integer(place, scope)
    test = region.contains(site)
    return test if site.isdigit() or site in ("origin", "to", "s") else f"({site} >= 0 and ({test}))"


@boolean("is", "Full")
def _is_full(c: Compiler, node: Ludeme, scope: Scope) -> str:
    if arguments_of(node):
        refuse(node)
    body = f"for s in range(BOARD_SITES):\n    if {c.empty('s')}:\n        return False\nreturn True"
    return f"{c.function('is_full', 'state', body)}(state)"


@boolean("all", "Passed")
def _all_passed(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return "state[PASSES] >= 2"


@boolean("no", "Moves")
def _no_moves(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(no Moves Next)``: the next player could not move; ``(no Moves Mover)``: the mover had to pass."""
    match arguments_of(node):
        case [Symbol(name="Mover")] if not c.model.flags.passes:
            return "state[PASSES] > 0"
        case [Symbol(name="Next")]:
            pass
        case _:
            refuse(node)
    body = """
    mover, follower, before = state[MOVER], state[NEXT], state[PREV]
    state[MOVER] = follower
    state[NEXT] = 3 - follower
    state[PREV] = mover
    found = any_move(state)
    state[MOVER], state[NEXT], state[PREV] = mover, follower, before
    return found == 0
    """
    c.needs_any_move = True
    return f"{c.function('no_moves', 'state', body)}(state)"


@boolean("can", "Move")
def _can_move(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(can Move generator)``: there is a legal move at least; of an effect, that it would do something."""
    match arguments_of(node):
        case [generator]:
            pass
        case _:
            refuse(node)
    if c.knows("effect", generator) and not c.knows("moves", generator):
        return c.happens(generator, scope)
    with c.kinds.unfiltered():
        (probe,) = c.any_move([generator], INSIDE)
    body = lines("moves = stack_int64(1)", "n = 0", probe, "return n")
    return f"{c.function('can_move', CONTEXT, body)}({scope.arguments}) > 0"


@boolean("if")
def _if(c: Compiler, node: Ludeme, scope: Scope) -> str:
    parts = [f"({c.boolean(part, scope)})" for part in node.positional]
    if len(parts) not in (2, 3):
        malformed(node, "(if ...) takes a condition and one or two conclusions")
    return f"({parts[1]} if {parts[0]} else {parts[2] if len(parts) == 3 else 'True'})"
