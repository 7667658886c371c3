"""The ``play`` rule -> the parts of the kernels that list, draw and make its moves."""

from __future__ import annotations

from dataclasses import dataclass

from crossplay.games.compiler.model import Component, malformed, only_labels, refuse
from crossplay.games.compiler.source import KernelSource
from crossplay.games.language import Ludeme, Node, Symbol


@dataclass(frozen=True)
class MoveCode:
    """Statements over ``state``, ``moves``, ``n``, ``move`` and ``mover``, one per line.

    ``legal`` appends to ``moves`` and counts ``n``; ``sample`` may return a uniformly drawn move early
    and otherwise falls through to a draw from the list; ``apply`` changes the pieces.
    """

    legal: str
    sample: str
    apply: str


def compile_play(node: Node, source: KernelSource) -> MoveCode:
    """Compile the moves ludeme of ``(play ...)``.

    Raises:
        UnsupportedLudeme: the moves, or one of their arguments, have no meaning here yet.
    """
    match node:
        case Ludeme(name="move", keyword="Add"):
            return _move_add(node, source)
    refuse(node)


def _move_add(node: Ludeme, source: KernelSource) -> MoveCode:
    """``(move Add (to (sites Empty)))``: place a piece of the mover's on any empty site."""
    only_labels(node)
    match node.positional[1:]:
        case (Ludeme(name="to") as to,):
            pass
        case (_, *others):
            refuse(next((other for other in others), node))
        case _:
            malformed(node, "(move Add ...) needs (to <region>)")
    only_labels(to)
    match to.positional:
        case (Ludeme(name="sites", positional=(Symbol(name="Empty"),)) as region,) if all(
            argument.label is None for argument in region.arguments
        ):
            pass
        case (region,):
            refuse(region)
        case _:
            malformed(to, "(to ...) needs a region")
    pieces = [_first_piece(source.model.components, player, node) for player in (1, 2)]
    piece = "mover" if pieces == [1, 2] else f"({pieces[0]} if mover == 1 else {pieces[1]})"
    source.constant("SITES", source.model.board.n_sites)
    hooks = "".join(f"\n{hook}(state, site)" for hook in source.place_hooks)
    return MoveCode(
        legal="""
for site in range(SITES):
    if state[HEADER + site] == 0:
        moves[n] = site * 0x10001
        n += 1
""",
        # Guessing a site is much cheaper than a list until the board is nearly full.
        sample="""
for _ in range(6):
    site = below(rng, SITES)
    if state[HEADER + site] == 0:
        return site * 0x10001
""",
        apply=f"""
site = move & 0xFFFF
state[HEADER + site] = {piece}{hooks}
""",
    )


def _first_piece(components: tuple[Component, ...], player: int, node: Node) -> int:
    for component in components:
        if component.owner == player:
            return component.index
    malformed(node, f"player {player} owns no piece to place")
