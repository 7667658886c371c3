"""Lines of equal pieces through a site."""

from __future__ import annotations

import numpy as np

from crossplay.games.board.compass import OPPOSITE
from crossplay.games.compiler.directions import RELATIONS
from crossplay.games.compiler.model import malformed, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, boolean
from crossplay.games.compiler.scope import Scope
from crossplay.games.language import Boolean, Ludeme, Number, Symbol


@boolean("is", "Line")
def _is_line(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(is Line n [relation] [exact:])``: equal pieces in a row through the last move's site."""
    relation = "Adjacent"
    match arguments_of(node, "exact"):
        case [Number(value=int(length))]:
            pass
        case [Number(value=int(length)), Symbol(name=given)] if given in RELATIONS:
            relation = given
        case _:
            refuse(node)
    if length < 2:
        malformed(node, f"a line has at least 2 pieces, not {length}")
    exact = node.named("exact")
    if exact is not None and not isinstance(exact, Boolean):
        refuse(node, "exact:")
    steps = c.model.board.steps
    compass = c.model.board.directions[relation]
    rays = [ray for way in compass if way in OPPOSITE for ray in (steps[way], steps[OPPOSITE[way]])]
    table = c.table("LINE_RAYS", np.array(rays))
    run = c.function(
        "run",
        "state, site, ray",
        f"""
        piece = state[HEADER + site]
        length = 0
        site = {table}[ray, site]
        while site >= 0 and state[HEADER + site] == piece:
            length += 1
            site = {table}[ray, site]
        return length
        """,
        "How many pieces like the site's follow it without a gap along a ray.",
    )
    comparison = "==" if exact is not None and exact.value else ">="
    name = c.function(
        "line",
        "state, site",
        f"""
        if site < 0:
            return False
        for ray in range(0, {len(rays)}, 2):
            if 1 + {run}(state, site, ray) + {run}(state, site, ray + 1) {comparison} {length}:
                return True
        return False
        """,
        f"Whether a line of {length} goes through a site.",
    )
    return f"{name}(state, state[LAST_TO])"
