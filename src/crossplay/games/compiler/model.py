"""A game's equipment and rules as plain data, read from its tree of ludemes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from crossplay.errors import LudSyntaxError, UnsupportedLudeme
from crossplay.games.board import Board, build_board
from crossplay.games.language import Array, Ludeme, Node, Number, Symbol, Text, head

ROLES = {"P1": 1, "P2": 2}
PLAYERS = 2


@dataclass(frozen=True)
class Component:
    """A piece type of one owner: index 1.., name with the owner's number, the ludeme of its moves if any."""

    index: int
    name: str
    owner: int
    ludeme: Ludeme | None


@dataclass(frozen=True)
class Container:
    """A place for pieces: the board first, then hands."""

    index: int
    name: str
    sites: int
    first_site: int


@dataclass(frozen=True)
class Flags:
    """What a game uses, as far as it decides the shape of its tensors (source: Ludii's game flags)."""

    swap: bool
    stacking: bool
    counts: bool
    local_state: bool
    moves_have_from: bool


@dataclass(frozen=True)
class GameModel:
    """Everything the code generator needs: the board, who owns what, and the rule trees."""

    name: str
    board: Board
    components: tuple[Component, ...]
    containers: tuple[Container, ...]
    regions: dict[int, tuple[frozenset[int], ...]]
    flags: Flags
    play: Node
    end: tuple[Ludeme, ...]


def refuse(node: Node, detail: str = "") -> NoReturn:
    """Raise :class:`UnsupportedLudeme` for ``node``, with ``detail`` naming the argument at fault."""
    raise UnsupportedLudeme(f"{head(node)} {detail}".strip(), node.position.file, node.position.line)


def malformed(node: Node, message: str) -> NoReturn:
    """Raise :class:`LudSyntaxError` at ``node``."""
    raise LudSyntaxError(message, *node.position)


def only_labels(node: Ludeme, *labels: str) -> None:
    """Refuse a ludeme with a named argument other than ``labels``."""
    for argument in node.arguments:
        if argument.label is not None and argument.label not in labels:
            refuse(node, f"{argument.label}:")


def items(node: Node | None) -> tuple[Node, ...]:
    """The members of a collection; a single node stands for a collection of one."""
    if node is None:
        return ()
    return node.items if isinstance(node, Array) else (node,)


def ludemes(nodes: Iterable[Node], name: str) -> list[Ludeme]:
    """Those of ``nodes`` that are ludemes called ``name``."""
    return [node for node in nodes if isinstance(node, Ludeme) and node.name == name]


def only_child(parent: Ludeme, name: str) -> Ludeme:
    """The one ludeme called ``name`` among a ludeme's positional arguments."""
    found = ludemes(parent.positional, name)
    if len(found) != 1:
        malformed(parent, f"({parent.name} ...) needs exactly one ({name} ...), found {len(found)}")
    return found[0]


def read_model(game: Ludeme) -> GameModel:
    """Read the whole ``(game ...)`` tree.

    Raises:
        LudSyntaxError: a part is missing or of the wrong kind.
        UnsupportedLudeme: a part has no meaning here yet.
    """
    if game.name != "game" or not game.positional or not isinstance(game.positional[0], Text):
        malformed(game, 'expected (game "Name" ...)')
    for node in game.positional[1:]:
        if not isinstance(node, Ludeme) or node.name not in ("players", "equipment", "rules", "mode"):
            refuse(node)
    _check_players(only_child(game, "players"))
    equipment = only_child(game, "equipment")
    equipped = [node for argument in equipment.positional for node in items(argument)]
    for node in equipped:
        if not isinstance(node, Ludeme) or node.name not in ("board", "piece", "regions"):
            refuse(node)
    board_node = ludemes(equipped, "board")
    if len(board_node) != 1:
        malformed(equipment, f"(equipment ...) needs exactly one (board ...), found {len(board_node)}")
    board = build_board(board_node[0])
    rules = only_child(game, "rules")
    for node in rules.positional:
        if not isinstance(node, Ludeme) or node.name not in ("meta", "play", "end"):
            refuse(node)
    only_labels(rules)
    play = only_child(rules, "play")
    only_labels(play)
    if len(play.positional) != 1:
        malformed(play, "(play ...) holds exactly one moves ludeme")
    end = only_child(rules, "end")
    only_labels(end)
    return GameModel(
        name=game.positional[0].value,
        board=board,
        components=_read_components(ludemes(equipped, "piece")),
        containers=(Container(0, "Board", board.n_sites, 0),),
        regions=_read_regions(ludemes(equipped, "regions"), board),
        flags=Flags(
            swap=_has_swap(rules),
            stacking=False,
            counts=False,
            local_state=False,
            moves_have_from=False,
        ),
        play=play.positional[0],
        end=_read_end(end),
    )


def _check_players(node: Ludeme) -> None:
    count = node.positional[0] if len(node.positional) == 1 else None
    if not (isinstance(count, Number) and count.value == PLAYERS):
        refuse(node)


def _read_components(pieces: list[Ludeme]) -> tuple[Component, ...]:
    components: list[Component] = []
    for piece in pieces:
        only_labels(piece)
        if not piece.positional or not isinstance(piece.positional[0], Text):
            malformed(piece, 'expected (piece "Name" <role> ...)')
        name = piece.positional[0].value
        role = piece.positional[1] if len(piece.positional) > 1 else None
        if len(piece.positional) > 2:
            refuse(piece.positional[2])
        if not isinstance(role, Symbol):
            malformed(piece, 'expected (piece "Name" <role> ...)')
        if role.name == "Each":
            owners = [1, 2]
        elif role.name in ROLES:
            owners = [ROLES[role.name]]
        else:
            refuse(piece, role.name)
        components += [
            Component(len(components) + i + 1, f"{name}{owner}", owner, None)
            for i, owner in enumerate(owners)
        ]
    return tuple(components)


def _read_regions(nodes: list[Ludeme], board: Board) -> dict[int, tuple[frozenset[int], ...]]:
    regions: dict[int, tuple[frozenset[int], ...]] = {}
    for node in nodes:
        only_labels(node)
        match node.positional:
            case (Symbol(name=role), members) if role in ROLES:
                found = tuple(static_region(member, board) for member in items(members))
                regions[ROLES[role]] = regions.get(ROLES[role], ()) + found
            case _:
                refuse(node)
    return regions


def static_region(node: Node, board: Board) -> frozenset[int]:
    """The sites of a region that never changes, such as ``(sites Side NE)``."""
    if isinstance(node, Ludeme) and node.name == "sites":
        only_labels(node)
        match node.positional:
            case (Symbol(name="Side"), Symbol(name=compass)) if compass in board.sides:
                return frozenset(board.sides[compass])
    refuse(node)


def _has_swap(rules: Ludeme) -> bool:
    swap = False
    for meta in ludemes(rules.positional, "meta"):
        only_labels(meta)
        for rule in (node for argument in meta.positional for node in items(argument)):
            if not isinstance(rule, Ludeme) or rule.name != "swap" or rule.arguments:
                refuse(rule)
            swap = True
    return swap


def _read_end(end: Ludeme) -> tuple[Ludeme, ...]:
    rules: list[Ludeme] = []
    for node in (node for argument in end.positional for node in items(argument)):
        if not isinstance(node, Ludeme) or node.name != "if":
            refuse(node)
        rules.append(node)
    if not rules:
        malformed(end, "(end ...) holds no (if ...) rule")
    return tuple(rules)
