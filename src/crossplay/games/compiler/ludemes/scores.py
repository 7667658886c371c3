"""Scores: reading, setting and adding to them, and ranking the players by them."""

from __future__ import annotations

from crossplay.games.compiler.actions import SMALL
from crossplay.games.compiler.ludemes.results import winner
from crossplay.games.compiler.model import PLAYERS, items, malformed, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, effect, integer, result, start
from crossplay.games.compiler.scope import Scope, lines
from crossplay.games.language import Ludeme, Node, Symbol


def _cell(c: Compiler, player: str) -> str:
    c.source.section("SCORE", PLAYERS + 1)
    return f"state[SCORE + {player}]"


def _role_and_number(node: Ludeme) -> tuple[Node, Node]:
    match arguments_of(node):
        case [role, number]:
            return role, number
    malformed(node, f"({node.name} ...) takes a role and a number")


@integer("score")
def _score(c: Compiler, node: Ludeme, scope: Scope) -> str:
    match arguments_of(node):
        case [role]:
            return _cell(c, c.player(role, scope))
    refuse(node)


@effect("addScore")
def _add_score(c: Compiler, node: Ludeme, scope: Scope) -> str:
    role, number = _role_and_number(node)
    c.actions.define("add_score", f"{_cell(c, 'a')} += b - {SMALL}")
    return c.push("add_score", c.player(role, scope), f"{c.integer(number, scope)} + {SMALL}")


@effect("set", "Score")
def _set_score(c: Compiler, node: Ludeme, scope: Scope) -> str:
    role, number = _role_and_number(node)
    c.actions.define("set_score", f"{_cell(c, 'a')} = b - {SMALL}")
    return c.push("set_score", c.player(role, scope), f"{c.integer(number, scope)} + {SMALL}")


@start("set", "Score")
def _start_score(c: Compiler, node: Ludeme) -> str:
    """``(set Score role n)``; ``Each`` stands for every player."""
    role, number = _role_and_number(node)
    each = isinstance(role, Symbol) and role.name == "Each"
    players = ["1", "2"] if each else [c.player(role, Scope())]
    return lines(*(f"{_cell(c, player)} = {c.integer(number, Scope())}" for player in players))


@result("byScore")
def _by_score(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(byScore [{(score role n)...}])``: the higher score wins, after setting those given."""
    changes = []
    for part in (member for argument in arguments_of(node) for member in items(argument)):
        match part:
            case Ludeme(name="score", positional=(role, number)):
                changes.append(f"{_cell(c, c.player(role, scope))} = {c.integer(number, scope)}")
            case _:
                refuse(part)
    first, second = _cell(c, "1"), _cell(c, "2")
    return lines(
        *changes,
        f"if {first} == {second}:\n    state[OUTCOME] = DRAW",
        f"else:\n    colour = 1 if {first} > {second} else 2\n    {winner(c, 'colour')}",
        "state[NEXT] = state[MOVER]",  # as in Ludii the turn does not pass on then
    )
