"""How a game ends: results for players, ranking by score."""

from __future__ import annotations

from crossplay.games.compiler.model import malformed, refuse
from crossplay.games.compiler.registry import Compiler, result
from crossplay.games.compiler.scope import Scope, lines
from crossplay.games.language import Ludeme, Symbol


@result("result")
def _result(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(result role Win|Loss|Draw)``: with two players one result decides both.

    Roles name colours; the outcome names the agent behind one.
    """
    match node.positional:
        case (role, Symbol(name=kind)):
            pass
        case _:
            malformed(node, "expected (result <role> <result>)")
    if kind == "Draw":
        return "state[OUTCOME] = DRAW"
    if kind not in ("Win", "Loss"):
        refuse(node, kind)
    if kind == "Win":
        return winner(c, c.player(role, scope))
    # As in Ludii the turn does not pass on then.
    return lines(winner(c, c.player(role, scope), won=False), "state[NEXT] = state[MOVER]")


def winner(c: Compiler, colour: str, won: bool = True) -> str:
    """The statement that ends the game in favour of a colour, or of the other one."""
    agent, other = ("state[AGENT]", "3 - state[AGENT]") if won else ("3 - state[AGENT]", "state[AGENT]")
    if colour == "state[MOVER]":
        return f"state[OUTCOME] = {agent}"
    return f"state[OUTCOME] = {agent} if state[MOVER] == {colour} else {other}"
