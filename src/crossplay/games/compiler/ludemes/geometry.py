"""Places by their position on the board: rows, columns, and what lies in a direction."""

from __future__ import annotations

import numpy as np

from crossplay.games.compiler.directions import is_direction
from crossplay.games.compiler.model import refuse
from crossplay.games.compiler.regions import Region
from crossplay.games.compiler.registry import Compiler, arguments_of, integer, region
from crossplay.games.compiler.scope import Scope
from crossplay.games.language import Boolean, Ludeme, Node, Number


@integer("row")
@integer("column")
def _row_or_column(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(row of:site)``, ``(column of:site)``: counted from 0."""
    of = node.named("of")
    if arguments_of(node, "of") or of is None:
        refuse(node)
    groups = c.model.board.rows if node.name == "row" else c.model.board.columns
    which = {site: number for number, members in enumerate(groups) for site in members}
    table = c.table(f"{node.name.upper()}_OF", np.array([which.get(s, -1) for s in range(c.model.n_sites)]))
    return f"{table}[{c.integer(of, scope)}]"


@region("sites", "Direction")
def _sites_direction(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    """``(sites Direction from:site [directions] [included:] [distance:])``: all sites that way."""
    labels = ("from", "included", "distance")
    start, included, distance = (node.named(label) for label in labels)
    ways_node: Node | None = None
    for part in arguments_of(node, *labels):
        if start is None:
            start = part
        elif ways_node is None and is_direction(part):
            ways_node = part
        else:
            refuse(part)
    if start is None:
        refuse(node)
    if included is not None and not isinstance(included, Boolean):
        refuse(node, "included:")
    match distance:
        case None:
            reach = c.model.board.n_sites
        case Number(value=int(reach)):
            pass
        case _:
            refuse(node, "distance:")
    ways = c.directions(ways_node, scope)
    if len(ways.compass) > 1:
        refuse(node, "of relative directions")
    board = c.model.board
    sets = []
    for site in range(board.n_sites):
        found = {there for way in ways.compass[0] for there in board.radial(site, way)[:reach]}
        sets.append(found | {site} if included is not None and included.value else found)
    return Region.by_site(c, sets, c.integer(start, scope))
