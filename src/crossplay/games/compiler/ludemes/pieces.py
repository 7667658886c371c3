"""The moves of pieces, each by its own rules."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass

from crossplay.games.compiler.model import Component, items, refuse
from crossplay.games.compiler.pieces import each_owned, keep_lists
from crossplay.games.compiler.registry import Compiler, arguments_of, moves, then_of
from crossplay.games.compiler.scope import CONTEXT, INSIDE, Moves, Scope, cases, indent, lines
from crossplay.games.language import Ludeme, Node, Symbol, Text

_MOVER = "state[MOVER]"


@dataclass(frozen=True)
class _Choice:
    """Whose pieces are to move, which of them, and how if not by their own rules."""

    player: str
    pieces: list[Component]
    generator: Node | None

    @property
    def borrowed(self) -> bool:
        """Whether the pieces may be another player's than the mover's."""
        return self.player not in (_MOVER, "0")


def _read(c: Compiler, node: Ludeme, scope: Scope) -> _Choice:
    names: set[str] = set()
    generator: Node | None = None
    player = _MOVER
    for part in arguments_of(node):
        match part:
            case Text(value=name):
                names.add(name)
            case Symbol():
                player = c.player(part, scope)
            case Ludeme() if c.knows("moves", part) and generator is None:
                generator = part
            case _ if items(part) != (part,) and all(isinstance(item, Text) for item in items(part)):
                names |= {item.value for item in items(part) if isinstance(item, Text)}
            case _:
                refuse(part)
    pieces = [piece for piece in c.model.components if not names or {piece.base, piece.name} & names]
    return _Choice(player, [piece for piece in pieces if piece.owner != 0 or player == "0"], generator)


@moves("forEach", "Piece")
def _for_each_piece(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(forEach Piece ["Name"] [generator] [role])``: the moves of every piece of a player on the board.

    Each piece's own generator unless one is given; ``(from)`` and ``(site)`` are the piece's site.
    """
    then = (*then_of(node), *then)
    choice = _read(c, node, scope)
    if choice.borrowed and c.kinds.probing:
        return _probe_borrowed(c, node, scope, then)
    at = Scope(origin="s", site="s")
    found: list[tuple[Component, Moves]] = []
    with c.kinds.acting_owner() if choice.borrowed else nullcontext():
        for piece in choice.pieces:
            ludeme = choice.generator or piece.ludeme
            if ludeme is not None:
                found.append((piece, c.moves(ludeme, at, then)))
    if not found:
        return Moves("", 0)
    listed = choice.player != "0" and keep_lists(c)
    acting = _MOVER if choice.borrowed else choice.player  # it is made the mover, see below
    body = _dispatch(c, [(piece, part.code) for piece, part in found])
    if listed:
        loop = each_owned(acting, body)
    else:
        test = f"if {c.what('s')} != 0 and {c.owner('s')} == player:\n{indent(body)}"
        loop = lines(f"player = {acting}", f"for s in range(BOARD_SITES):\n{indent(test)}")
    code = c.generator("each_piece", scope, loop)
    if choice.borrowed:
        # Another player's pieces move as if it were that player's turn.
        code = lines(
            "mover, follower, before = state[MOVER], state[NEXT], state[PREV]",
            f"player = {choice.player}",
            "if player != mover:\n    state[MOVER], state[NEXT], state[PREV] = player, mover, mover",
            code,
            "state[MOVER], state[NEXT], state[PREV] = mover, follower, before",
        )
    bound = max(part.bound for _, part in found)
    if not listed or choice.borrowed or not all(part.slots for _, part in found):
        return Moves(code, 0, bound)
    if not all(part.slots.isdigit() for _, part in found):
        return Moves(code, 0, bound, *_places(c, found, choice.player))
    most = max(int(part.slots) for _, part in found)
    picks = [
        (piece, part.pick if int(part.slots) == most else f"if slot < {part.slots}:\n{indent(part.pick)}")
        for piece, part in found
    ]
    pick = lines(
        f"s = state[OWNED + {choice.player} * BOARD_SITES + slot // {most}]",
        f"slot = slot % {most}",
        _dispatch(c, picks),
    )
    return Moves(code, 0, bound, f"state[OWNED_COUNT + {choice.player}] * {most}", pick)


def _places(c: Compiler, found: list[tuple[Component, Moves]], player: str) -> tuple[str, str]:
    """The places of all pieces one after the other, where a piece has as many as its position gives it."""
    counted = _dispatch(c, [(piece, f"count = {part.slots}") for piece, part in found])
    every = each_owned("player", lines("count = 0", counted, "total += count"))
    total = c.function(
        "places_of_pieces",
        "state, player",
        lines("total = 0", every.removeprefix("player = player\n"), "return total"),
        "How many places the moves of a player's pieces have.",
    )
    picked = _dispatch(c, [(piece, part.pick) for piece, part in found])
    take = f"if slot < count:\n{indent(lines(picked, 'break'))}"
    pick = each_owned(player, lines("count = 0", counted, take, "slot -= count"))
    return f"{total}(state, {player})", pick


def _probe_borrowed(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """Whether another player's pieces have a move; whether it is legal is asked in the mover's name."""
    with c.kinds.listing():
        listed = c.moves(node, INSIDE, then)
    test = "passes(state, moves[i])" if c.kinds.filtering else "True"
    body = lines(
        c.question(listed),
        f"for i in range(n):\n    if {test}:\n        return 1",
        "return 0",
    )
    name = c.function("others_can_move", CONTEXT, body, "Whether another player's pieces have a legal move.")
    return Moves(f"n += {name}({scope.arguments})\nif n > 0:\n    return n", 1)


def _dispatch(c: Compiler, parts: list[tuple[Component, str]]) -> str:
    """Statements that do for the piece on site ``s``, a player's, what its component asks for."""
    groups: dict[str, list[Component]] = {}
    for piece, code in parts:
        groups.setdefault(code, []).append(piece)
    owned = [piece for piece in c.model.components if piece.owner in (1, 2)]
    if len(groups) == 1 and {piece.index for piece in owned} <= {piece.index for piece, _ in parts}:
        return next(iter(groups))
    tests = (" or ".join(f"component == {piece.index}" for piece in pieces) for pieces in groups.values())
    return lines(f"component = {c.what('s')}", cases(zip(tests, groups, strict=True)))
