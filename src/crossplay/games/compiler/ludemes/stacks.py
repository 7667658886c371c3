"""Several pieces on one site: stacks, whose top piece is the site's, and heaps of like pieces."""

from __future__ import annotations

import numpy as np

from crossplay.games.compiler.model import ludemes, malformed, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, integer
from crossplay.games.compiler.scope import CONTEXT, INSIDE, Scope, indent, lines
from crossplay.games.language import Boolean, Ludeme, Node, Number, walk

# Ludemes with a meaning in games of stacks: others would have to see more than the pieces on top.
_MEANT = {
    "+", "-", "*", "/", "%", "^", "abs", "min", "max", "=", "!=", "<", "<=", ">", ">=", "and", "or", "not",
    "if", "is", "move", "to", "from", "site", "sites", "forEach", "size", "count", "last", "who", "what",
    "mover", "next", "prev", "id", "union", "intersection", "difference", "piece", "then", "moveAgain",
    "result", "do", "priority", "remove", "apply", "column", "row", "place", "all", "no", "can",
}  # fmt: skip
_MEANT_AS: dict[str, set[str | None]] = {
    "is": {
        "Empty", "Occupied", "Enemy", "Friend", "Mover", "Next", "Prev", "In", "Line", "Even", "Odd", "Full"
    },
    "move": {"Add", "Pass", "Remove"},
    "forEach": {None, "Site"},
    "count": {"Moves", "Sites"},
    "place": {None},
}  # fmt: skip


def highest_stack(c: Compiler) -> int:
    """How many pieces a stack can hold, which the rules have to tell: each has its place in the row."""
    if c.model.flags.counts:
        refuse(c.model.phases[0].play, "of stacks with hands or counts")
    limits = [1]
    for rule in (*c.model.rules(), *c.model.start):
        for node in walk(rule):
            if not isinstance(node, Ludeme):
                continue
            if node.name not in _MEANT or node.keyword not in _MEANT_AS.get(node.name, {node.keyword}):
                refuse(node, "in a game of stacks")
            if node.name == "move" and node.keyword == "Add":
                limits.append(_limit(node))
    return max(limits)


def _limit(node: Ludeme) -> int:
    """The n of ``(to (forEach region if:(< (size Stack at:(site)) n)))``, or of the ``if:`` of ``to``."""
    for to in ludemes(node.positional, "to"):
        for part, here in ((to, "to"), *((part, "site") for part in ludemes(to.positional, "forEach"))):
            match part.named("if"):
                case Ludeme(name="<" | "<=" as sign, positional=(Ludeme() as size, Number(value=int(most)))):
                    at = size.named("at")
                    if size.name == "size" and isinstance(at, Ludeme) and at.name == here:
                        return most + (sign == "<=")
    refuse(node, "on stacks without a limit, such as (to (forEach ... if:(< (size Stack at:(site)) 6)))")


@integer("size", "Stack")
def _size_of_stack(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(size Stack [at:site | in:region])``: how many pieces stand there, by default on ``(last To)``."""
    return _total(c, node, scope, "SIZE")


@integer("count", None, "Cell", "Vertex")
def _count(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(count [type] [at:site | in:region])``: how many pieces stand there, by default on ``(last To)``."""
    if node.keyword not in (None, c.model.board.site_type) and not _in_hand(node.named("at")):
        refuse(node)
    return _total(c, node, scope, "COUNT")


def _in_hand(place: Node | None) -> bool:
    """Whether a place is in a hand, whose sites are always cells."""
    return isinstance(place, Ludeme) and place.name == "handSite"


def _total(c: Compiler, node: Ludeme, scope: Scope, section: str) -> str:
    at, where = node.named("at"), node.named("in")
    if arguments_of(node, "at", "in") or (at is not None and where is not None):
        refuse(node)
    if where is None:
        site = "state[LAST_TO]" if at is None else c.integer(at, scope)
        if site.isdigit() or site.isidentifier():
            return f"state[{section} + {site}]"
        body = f"return state[{section} + site] if site >= 0 else 0"
        return f"{c.function('size_at', 'state, site', body)}(state, {site})"
    every = c.region(where, INSIDE).loop("s", f"n += state[{section} + s]")
    return f"{c.function('size_in', CONTEXT, lines('n = 0', every, 'return n'))}({scope.arguments})"


def stack_line(c: Compiler, node: Ludeme, length: str, rays: np.ndarray, scope: Scope) -> str:
    """``(is Line n ... byLevel:True)`` in a game of stacks: lines of equal pieces in space.

    They start from the top piece of a site and go down, along a level, or up or down one level with
    every step. Without ``byLevel:`` a site belongs to a line if any of its pieces is like that one.

    Args:
        rays: the next site along directions that come in pairs of opposite ones.
    """
    through = node.named("through")
    site = "state[LAST_TO]" if through is None else c.integer(through, scope)
    by_level = node.named("byLevel")
    for label in ("exact", "if", "what", "whats", "throughAny"):
        given = node.named(label)
        if given is not None and not (isinstance(given, Boolean) and not given.value):
            refuse(node, f"{label}: in a game of stacks")
    if not length.isdigit() or int(length) < 2:
        malformed(node, "a line has at least 2 pieces")
    if isinstance(by_level, Boolean) and by_level.value:
        name = c.function("line_in_space", "state, site", _in_space(c, int(length), rays))
    elif by_level is None or isinstance(by_level, Boolean):
        name = c.function("line_of_stacks", "state, site", _of_stacks(c, int(length), rays))
    else:
        refuse(node, "byLevel:")
    return f"{name}(state, {site})"


def _in_space(c: Compiler, length: int, rays: np.ndarray) -> str:
    # The places of LEVELS have one more behind them, which stays empty and ends every line.
    height, nowhere = c.actions.max_height, c.model.n_sites * c.actions.max_height
    reach = length - 1
    around = np.full((nowhere, 3 * len(rays) * reach), nowhere)
    for site, level in np.ndindex(c.model.n_sites, height):
        along = [
            _places(ray, site, level, rise, height)
            for forth, back in zip(rays[::2], rays[1::2], strict=True)
            for slope in (-1, 0, 1)
            for ray, rise in ((forth, slope), (back, -slope))
        ]
        for way, places in enumerate(along):
            near = places[:reach]
            around[site * height + level, way * reach : way * reach + len(near)] = near
    table = c.table("LINE_CELLS", (c.source.sections["LEVELS"] + around).astype(np.uint16))
    found = f"if forth + back >= {reach}:\n    return True"
    body = lines(count_like(f"state[{table}[place, way + {{}}]]", reach), found)
    return f"""
    if site < 0 or state[SIZE + site] == 0:
        return False
    top = state[SIZE + site] - 1
    place = site * MAX_HEIGHT + top
    piece = state[LEVELS + place]
    if top >= {reach}:
        level = place - 1
        while level > place - {length} and state[LEVELS + level] == piece:
            level -= 1
        if level == place - {length}:
            return True
    for way in range(0, {around.shape[1]}, {2 * reach}):
{indent(body, 2)}
    return False
    """


def count_like(cell: str, reach: int) -> str:
    """Statements that count like pieces, ``forth`` and ``back`` of one, as far as they stand without a gap.

    They take no branches: whether a neighbour is like is as good as a coin toss. ``cell`` is what stands
    at step ``{}``, counted from 0, first forth and then back.
    """
    statements = ["forth = back = 0"]
    for step in range(2 * reach):
        like = f"{cell.format(step)} == piece"
        statements.append(f"like = {like if step % reach == 0 else f'like & ({like})'}")
        statements.append(f"{'forth' if step < reach else 'back'} += like")
    return lines(*statements)


def _places(ray: np.ndarray, site: int, level: int, rise: int, height: int) -> list[int]:
    """The places along a ray that rises by so many levels a step."""
    found: list[int] = []
    at, level = int(ray[site]), level + rise
    while at >= 0 and 0 <= level < height and len(found) < len(ray):
        found.append(at * height + level)
        at, level = int(ray[at]), level + rise
    return found


def _of_stacks(c: Compiler, length: int, rays: np.ndarray) -> str:
    table = c.table("LINE_RAYS", rays)
    holds = c.function(
        "stack_holds",
        "state, site, piece",
        """
        for level in range(state[SIZE + site]):
            if state[LEVELS + site * MAX_HEIGHT + level] == piece:
                return True
        return False
        """,
        "Whether a component is anywhere in the stack of a site.",
    )
    return f"""
    if site < 0 or state[SIZE + site] == 0:
        return False
    piece = state[HEADER + site]
    for pair in range(0, {len(rays)}, 2):
        run = 1
        for ray in range(pair, pair + 2):
            s = {table}[ray, site]
            while s >= 0 and {holds}(state, s, piece):
                run += 1
                s = {table}[ray, s]
        if run >= {length}:
            return True
    return False
    """
