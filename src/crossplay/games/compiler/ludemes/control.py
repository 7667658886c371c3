"""Generators made of others: alternatives, conditions, loops over pieces and sites, afterthoughts."""

from __future__ import annotations

from crossplay.games.compiler.model import items, malformed, refuse
from crossplay.games.compiler.registry import MOVED, Compiler, arguments_of, moves, then_of
from crossplay.games.compiler.scope import INSIDE, Moves, Scope, indent, lines
from crossplay.games.language import Ludeme, Node, Symbol, Text


def join(parts: list[Moves]) -> Moves:
    """One generator after the other."""
    return Moves(
        lines(*(part.code for part in parts)),
        sum(part.bound for part in parts),
        sum(part.per_piece for part in parts),
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
    match arguments_of(node):
        case [condition, yes]:
            no = None
        case [condition, yes, no]:
            pass
        case _:
            malformed(node, "(if ...) takes a condition and one or two generators")
    test = c.boolean(condition, scope)
    first = c.moves(yes, scope, then)
    code = f"if {test}:\n{indent(first.code)}"
    bound, per_piece = first.bound, first.per_piece
    if no is not None:
        second = c.moves(no, scope, then)
        code += f"\nelse:\n{indent(second.code)}"
        bound, per_piece = max(bound, second.bound), max(per_piece, second.per_piece)
    return Moves(code, bound, per_piece)


@moves("priority")
def _priority(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """The moves of the first generator that has any."""
    then = (*then_of(node), *then)
    parts = []
    code = ""
    for member in reversed([member for part in arguments_of(node) for member in items(part)]):
        part, keep = exact_moves(c, member, INSIDE, then, "first")
        parts.append(part)
        code = lines(part.code, keep, f"if n == first:\n{indent(code)}" if code else "")
    call = c.generator("priority", scope, lines("first = n", code))
    return Moves(call, max(part.bound for part in parts), max(part.per_piece for part in parts))


def exact_moves(
    c: Compiler, node: Node, scope: Scope, then: tuple[Node, ...], first: str
) -> tuple[Moves, str]:
    """A generator, and the statement that drops its illegal moves from place ``first`` on, if need be."""
    filtered = c.kinds.count_filtered
    listed = c.moves(node, scope, then)
    return listed, f"n = keep_legal(state, moves, {first}, n)" if c.kinds.count_filtered > filtered else ""


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
    """``(forEach Site region generator)``: the generator for every ``(site)`` of the region."""
    then = (*then_of(node), *then)
    match arguments_of(node):
        case [where, generator]:
            pass
        case _:
            refuse(node)
    inner = c.moves(generator, INSIDE.with_(site="s"), then)
    code = c.generator("each_site", scope, c.region(where, INSIDE).loop("s", inner.code))
    return Moves(code, inner.bound * c.model.n_sites)


@moves("forEach", "Piece")
def _for_each_piece(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(forEach Piece ["Name"] [generator] [role])``: the moves of every piece of a player on the board.

    Each piece's own generator unless one is given; ``(from)`` and ``(site)`` are the piece's site.
    """
    then = (*then_of(node), *then)
    names: list[str] = []
    generator: Node | None = None
    player = "state[MOVER]"
    for part in arguments_of(node):
        match part:
            case Text(value=name):
                names.append(name)
            case Symbol():
                player = c.player(part, scope)
            case Ludeme() if c.knows("moves", part) and generator is None:
                generator = part
            case _ if items(part) != (part,) and all(isinstance(item, Text) for item in items(part)):
                names += [item.value for item in items(part) if isinstance(item, Text)]
            case _:
                refuse(part)
    chosen = [piece for piece in c.model.components if not names or {piece.base, piece.name} & {*names}]
    at = Scope(origin="s", site="s")
    calls: dict[str, list[int]] = {}
    bound = 0
    for piece in chosen:
        ludeme = generator or piece.ludeme
        if ludeme is not None and (piece.owner != 0 or player == "0"):
            inner = c.moves(ludeme, at, then)
            calls.setdefault(inner.code, []).append(piece.index)
            bound = max(bound, inner.bound)
    whole = len(calls) == 1 and len(chosen) == len(c.model.components)
    everybody = len(next(iter(calls.values()), [])) == len(c.model.components)
    if whole and (everybody or all(p.owner in (0, 1, 2) and (p.ludeme or p.owner == 0) for p in chosen)):
        dispatch = next(iter(calls))
    else:
        dispatch = ""
        for call, which in calls.items():
            word = "elif" if dispatch else "if"
            test = " or ".join(f"component == {number}" for number in which)
            dispatch = lines(dispatch, f"{word} {test}:\n{indent(call)}")
    body = lines(
        f"player = {player}",
        "for s in range(BOARD_SITES):",
        indent(
            lines(
                f"component = {c.what('s')}",
                f"if component != 0 and {c.owner_of('component')} == player:\n{indent(dispatch)}",
            )
        ),
    )
    return Moves(c.generator("each_piece", scope, body), 0, bound)
