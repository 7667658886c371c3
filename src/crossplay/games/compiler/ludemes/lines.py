"""Lines of like pieces through a site."""

from __future__ import annotations

import numpy as np

from crossplay.games.board import Board
from crossplay.games.board.compass import NAMES, OPPOSITE
from crossplay.games.board.relations import RELATIONS
from crossplay.games.compiler.ludemes.stacks import count_like, stack_line
from crossplay.games.compiler.model import ROLES, items, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, boolean
from crossplay.games.compiler.scope import CONTEXT, INSIDE, Scope, indent, lines
from crossplay.games.language import Boolean, Ludeme, Node, Symbol
from crossplay.games.state import BEYOND, HEADER

_LABELS = ("through", "throughAny", "what", "whats", "exact", "if", "byLevel")
_ROLES = (*ROLES, "Mover", "Next", "Prev", "Neutral", "Shared")


@boolean("is", "Line")
def _is_line(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(is Line [type] n [relation] [through:|throughAny:] [role|what:|whats:] [exact:] [if:])``.

    True if a line of ``n`` like pieces, or more, goes through the site of the last move. Like pieces are
    of one component; or of those in ``what:``, or of a role's. ``if:`` must hold for ``(to)`` on every
    site of the line.
    """
    length, relation, role = _positional(c, node)
    rays = line_rays(c.model.board, relation)
    if not len(rays):
        return "False"
    if c.model.flags.stacking:
        if role is not None:
            refuse(role)  # whom Ludii does not heed there
        return stack_line(c, node, length, rays, scope)
    condition = node.named("if")
    parameters = "state" if condition is None else CONTEXT
    like = _likeness(c, node, role)
    test = "True" if condition is None else c.boolean(condition, INSIDE.with_(to="s"))
    fits = like if condition is None else f"{like} and ({test})"
    # As in Ludii a piece is a line of one only where no like one follows it.
    sign = "==" if _is_exact(node) or length == "1" else ">="
    if fits == _SAME and length in _COUNTED:
        body = _near_line(c, int(length), sign, rays)
    else:
        body = _far_line(c, length, sign, rays, parameters, fits)
    line = c.function("line", f"{parameters}, s", body, f"Whether a line of {length} goes through a site.")
    pivots = node.named("throughAny")
    if pivots is not None:
        if node.named("through") is not None:
            refuse(node, "through: and throughAny:")
        found = f"if {line}({parameters}, s):\n    return True"
        if condition is not None:  # as in Ludii a pivot that does not meet it ends the search
            found = f"if not ({test}):\n    return False\n{found}"
        if node.named("what") is not None or node.named("whats") is not None:
            found = f"if {like}:\n{indent(found)}"
        body = lines(c.region(pivots, INSIDE).loop("s", found), "return False")
        return f"{c.function('line_through', CONTEXT, body)}({scope.arguments})"
    through = node.named("through")
    site = "state[LAST_TO]" if through is None else c.integer(through, scope)
    arguments = "state" if condition is None else scope.arguments
    if site.isdigit() or site in ("origin", "to", "s"):
        return f"{line}({arguments}, {site})"
    checked = f"return 0 <= s < BOARD_SITES and {line}({parameters}, s)"
    return f"{c.function('line_at', f'{parameters}, s', checked)}({arguments}, {site})"


def line_rays(board: Board, relation: str) -> np.ndarray:
    """int[2 * k, sites]: next sites along ``k`` lines, each in one direction and then in the other.

    Where a board has no way back, as on triangles, the second direction has no sites.
    """
    ways = board.ways(relation)
    back = OPPOSITE | {there: here for here, there in OPPOSITE.items()}
    none = np.full(board.n_sites, -1)
    rays = []
    for name in NAMES:
        if name in ways and (name in OPPOSITE or back[name] not in ways):
            rays += [ways[name], ways.get(back[name], none)]
    return np.array(rays) if rays else np.full((0, board.n_sites), -1)


_SAME = "state[HEADER + s] == piece"
# Lengths of lines so short that all the sites they may take up are looked at.
_COUNTED = ("2", "3", "4")


def _near_line(c: Compiler, length: int, sign: str, rays: np.ndarray) -> str:
    """Whether a line of pieces like that on ``s`` goes through it."""
    reach = length - 1 if sign == ">=" else length
    around = np.full((rays.shape[1], len(rays) * reach), BEYOND, np.uint16)
    for way, ray in enumerate(rays):
        at = np.arange(rays.shape[1])
        for step in range(way * reach, way * reach + reach):
            at = np.where(at < 0, -1, ray[at])
            around[at >= 0, step] = HEADER + at[at >= 0]
    table = c.table("LINE_CELLS", around)
    return lines(
        "piece = state[HEADER + s]",
        f"for way in range(0, {around.shape[1]}, {2 * reach}):",
        indent(count_like(f"state[{table}[s, way + {{}}]]", reach)),
        f"    if forth + back {sign} {length - 1}:\n        return True",
        "return False",
    )


def _far_line(c: Compiler, length: str, sign: str, rays: np.ndarray, parameters: str, fits: str) -> str:
    """Whether a line of pieces for which ``fits`` holds goes through ``s``."""
    table = c.table("LINE_RAYS", rays)
    run = c.function(
        "run",
        f"{parameters}, s, ray, piece",
        f"""
        length = 0
        s = {table}[ray, s]
        while s >= 0 and {fits}:
            length += 1
            s = {table}[ray, s]
        return length
        """,
        "How many pieces like ``piece`` follow a site without a gap along a ray.",
    )
    each = f"1 + {run}({parameters}, s, ray, piece) + {run}({parameters}, s, ray + 1, piece) {sign} {length}"
    return lines(
        "piece = state[HEADER + s]",
        f"if not ({fits}):\n    return False" if fits != _SAME else "",
        f"for ray in range(0, {len(rays)}, 2):\n    if {each}:\n        return True",
        "return False",
    )


def _positional(c: Compiler, node: Ludeme) -> tuple[str, str, Node | None]:
    """The length, the relation and the role, if any."""
    rest = arguments_of(node, *_LABELS)
    if rest and isinstance(rest[0], Symbol) and rest[0].name == c.model.board.site_type:
        rest.pop(0)
    if not rest:
        refuse(node)
    length = c.integer(rest.pop(0), Scope())
    relation, role = "Adjacent", None
    for part in rest:
        match part:
            case Symbol(name=name) if name in RELATIONS:
                relation = name
            case Symbol(name=name) if name in _ROLES and role is None:
                role = part
            case _:
                refuse(node)
    if sum(part is not None for part in (role, node.named("what"), node.named("whats"))) > 1:
        refuse(node, "with two sorts of pieces")
    return length, relation, role


def _is_exact(node: Ludeme) -> bool:
    exact = node.named("exact")
    if exact is not None and not isinstance(exact, Boolean):
        refuse(node, "exact:")
    return exact is not None and exact.value


def _likeness(c: Compiler, node: Ludeme, role: Node | None) -> str:
    """Whether the piece on site ``s`` is of the line's sort, as an expression."""
    what = c.what("s")
    if role is not None:
        return f"{what} != 0 and {c.owner('s')} == {c.player(role, Scope())}"
    wanted = [*items(node.named("what")), *items(node.named("whats"))]
    if not wanted:
        return _SAME
    return "(" + " or ".join(f"{what} == {c.integer(one, Scope())}" for one in wanted) + ")"
