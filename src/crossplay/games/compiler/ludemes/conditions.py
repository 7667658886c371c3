"""Conditions: comparisons, whose piece, which site, who can move."""

from __future__ import annotations

from crossplay.games.compiler.model import items, malformed, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, boolean
from crossplay.games.compiler.scope import CONTEXT, INSIDE, Scope, lines
from crossplay.games.language import Ludeme, Node


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
    left, right = (c.integer(part, scope) for part in node.positional)
    return f"{left} {sign} {right}"


@boolean("is", "Empty", "Occupied")
def _is_empty(c: Compiler, node: Ludeme, scope: Scope) -> str:
    match arguments_of(node):
        case [place]:
            site = c.integer(place, scope)
        case _:
            refuse(node)
    sign = "==" if node.keyword == "Empty" else "!="
    if site.isdigit() or site.isidentifier():
        return f"{c.what(site)} {sign} 0"
    name = c.function("is_empty", "state, site", "return site >= 0 and state[HEADER + site] == 0")
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
    body = "for s in range(BOARD_SITES):\n    if state[HEADER + s] == 0:\n        return False\nreturn True"
    return f"{c.function('is_full', 'state', body)}(state)"


@boolean("all", "Passed")
def _all_passed(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return "state[PASSES] >= 2"


@boolean("no", "Moves")
def _no_moves(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(no Moves role)``: that player could not move, were it their turn."""
    match arguments_of(node):
        case [role]:
            player = c.player(role, scope)
        case _:
            refuse(node)
    body = """
    mover, follower, before = state[MOVER], state[NEXT], state[PREV]
    state[MOVER] = player
    state[NEXT] = 3 - player
    state[PREV] = mover
    found = has_moves(state)
    state[MOVER], state[NEXT], state[PREV] = mover, follower, before
    return not found
    """
    c.needs_has_moves = True
    return f"{c.function('no_moves', 'state, player', body)}(state, {player})"


@boolean("can", "Move")
def _can_move(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(can Move generator)``: the generator has at least one legal move."""
    match arguments_of(node):
        case [generator]:
            pass
        case _:
            refuse(node)
    filtered = c.kinds.count_filtered
    listed = c.moves(generator, INSIDE)
    keep = "n = keep_legal(state, moves, 0, n)" if c.kinds.count_filtered > filtered else ""
    body = lines("moves = stack_int64(MAX_MOVES)", "n = 0", listed.code, keep, "return n > 0")
    return f"{c.function('can_move', CONTEXT, body)}({scope.arguments})"


@boolean("if")
def _if(c: Compiler, node: Ludeme, scope: Scope) -> str:
    parts = [f"({c.boolean(part, scope)})" for part in node.positional]
    if len(parts) not in (2, 3):
        malformed(node, "(if ...) takes a condition and one or two conclusions")
    return f"({parts[1]} if {parts[0]} else {parts[2] if len(parts) == 3 else 'True'})"
