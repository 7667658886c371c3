"""A game's equipment and rules as plain data, read from its tree of ludemes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NoReturn

from crossplay.errors import LudSyntaxError, UnsupportedLudeme
from crossplay.games.board import Board, build_board
from crossplay.games.board.compass import NAMES
from crossplay.games.compiler.flags import Flags, read_flags
from crossplay.games.language import Array, Ludeme, Node, Number, Symbol, Text, head

PLAYERS = 2
# Ludii ends a game as a draw at these bounds (turns are counted per player).
MOVE_LIMIT = 10_000
TURN_LIMIT = PLAYERS * 1_250
NEUTRAL, SHARED = 0, PLAYERS + 1
ROLES = {"P1": 1, "P2": 2}
_OWNERS = {"Each": (1, 2), "P1": (1,), "P2": (2,), "Neutral": (NEUTRAL,), "Shared": (SHARED,)}


@dataclass(frozen=True)
class Component:
    """A piece type of one owner.

    Attributes:
        index: 1.., as in the state row.
        name: with the owner's number, ``"Pawn1"``, unless all share it.
        owner: a player, ``NEUTRAL`` or ``SHARED``.
        ludeme: its moves, if any.
        node: the whole ``(piece ...)``.
        facing: the direction it faces, its owner's unless it has one of its own.
    """

    index: int
    name: str
    owner: int
    ludeme: Ludeme | None
    node: Ludeme | None = None
    facing: str | None = None

    @property
    def base(self) -> str:
        """The name as the description gives it, without the owner's number."""
        return self.name if self.owner == SHARED else self.name.removesuffix(str(self.owner))


@dataclass(frozen=True)
class Container:
    """A place for pieces: the board first, then hands; ``owner`` is 0 for the board."""

    index: int
    name: str
    sites: int
    first_site: int
    owner: int = 0


@dataclass(frozen=True)
class Regions:
    """``(regions ["Name"] [role] {...})``: sites that a name or a player stands for."""

    name: str | None
    owner: int | None
    members: tuple[Node, ...]
    node: Ludeme


@dataclass(frozen=True)
class Phase:
    """A stage of the game with its own moves, endings and ways out.

    Attributes:
        owner: the player whom it is for; 0 for all.
        following: the ``(nextPhase ...)`` ludemes in order.
    """

    name: str
    owner: int
    play: Node
    end: tuple[Node, ...]
    following: tuple[Ludeme, ...]


@dataclass(frozen=True)
class GameModel:
    """Everything the code generator needs: the board, who owns what, and the rule trees."""

    name: str
    board: Board
    components: tuple[Component, ...]
    containers: tuple[Container, ...]
    facings: dict[int, str]
    regions: tuple[Regions, ...]
    maps: dict[str, Ludeme]
    flags: Flags
    metas: tuple[Ludeme, ...]
    start: tuple[Node, ...]
    phases: tuple[Phase, ...]
    end: tuple[Node, ...]

    @property
    def n_sites(self) -> int:
        """Number of sites of all containers together."""
        return sum(container.sites for container in self.containers)

    def named(self, name: str, node: Node, owner: int | None = None) -> list[Component]:
        """The pieces called that, with their owner's number or without, the former first.

        Only ``owner``'s of the latter, if given. ``node`` is where the name stands.
        """
        whole = [part for part in self.components if part.name == name]
        rest = [part for part in self.components if part.base == name and owner in (None, part.owner)]
        return whole + rest or malformed(node, f"there is no piece {name!r}")

    def piece(self, name: str, node: Node) -> Component:
        """The piece of that whole name, with its owner's number."""
        found = [part for part in self.components if part.name == name]
        return found[0] if found else malformed(node, f"there is no piece {name!r}")

    def likened(self, name: str, node: Node) -> dict[int, int]:
        """For each owner the index of the first piece whose name contains the given one, as in Ludii."""
        found = {part.owner: part.index for part in reversed(self.components) if name in part.name}
        return found or malformed(node, f"there is no piece {name!r}")

    def rules(self) -> tuple[Node, ...]:
        """The trees that say how the game is played and ends."""
        play = [node for phase in self.phases for node in (phase.play, *phase.end, *phase.following)]
        pieces = [component.ludeme for component in self.components if component.ludeme is not None]
        return (*play, *self.end, *pieces)


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
    for mode in ludemes(game.positional, "mode"):
        if mode.arguments and mode.keyword != "Alternating":
            refuse(mode)
    equipment = only_child(game, "equipment")
    equipped = [node for argument in equipment.positional for node in items(argument)]
    for node in equipped:
        if not isinstance(node, Ludeme) or node.name not in ("board", "piece", "regions", "hand", "map"):
            refuse(node)
    board_node = ludemes(equipped, "board")
    if len(board_node) != 1:
        malformed(equipment, f"(equipment ...) needs exactly one (board ...), found {len(board_node)}")
    board = build_board(board_node[0])
    rules = only_child(game, "rules")
    only_labels(rules, "phases")
    for node in rules.positional:
        if not isinstance(node, Ludeme) or node.name not in ("meta", "start", "play", "end"):
            refuse(node)
    metas = _listed(ludemes(rules.positional, "meta"))
    containers = _read_containers(ludemes(equipped, "hand"), board)
    facings, components = _with_facings(
        _read_players(only_child(game, "players")), _read_components(ludemes(equipped, "piece"))
    )
    return GameModel(
        name=game.positional[0].value,
        board=board,
        components=components,
        containers=containers,
        facings=facings,
        regions=tuple(_read_regions(node) for node in ludemes(equipped, "regions")),
        maps={_map_name(node): node for node in ludemes(equipped, "map")},
        flags=read_flags(game, metas, has_hands=len(containers) > 1),
        metas=tuple(_ludeme(node) for node in metas),
        start=tuple(_listed(ludemes(rules.positional, "start"))),
        phases=_read_phases(rules),
        end=tuple(_listed(ludemes(rules.positional, "end"))),
    )


def _listed(nodes: Iterable[Ludeme]) -> list[Node]:
    """The members of ludemes that hold a list, such as ``(start {...})``."""
    found: list[Node] = []
    for node in nodes:
        only_labels(node)
        found += [member for argument in node.positional for member in items(argument)]
    return found


def _ludeme(node: Node) -> Ludeme:
    if not isinstance(node, Ludeme):
        refuse(node)
    return node


def _read_players(node: Ludeme) -> dict[int, str]:
    """The facing of each player: north unless ``(player <compass>)`` says otherwise."""
    members = items(node.positional[0]) if len(node.positional) == 1 else ()
    facings = dict.fromkeys(ROLES.values(), "N")
    if len(members) == 1 and isinstance(members[0], Number) and members[0].value == PLAYERS:
        return facings
    if len(members) != PLAYERS:
        refuse(node)
    for colour, member in enumerate(members, 1):
        match member:
            case Ludeme(name="player", positional=(Symbol(name=compass),)):
                facings[colour] = compass
            case Ludeme(name="player", positional=()):
                pass
            case _:
                refuse(member)
    return facings


def _with_facings(
    players: dict[int, str], components: tuple[Component, ...]
) -> tuple[dict[int, str], tuple[Component, ...]]:
    """The players' facings and the pieces with theirs.

    A piece without a facing of its own has its owner's. Where a player's pieces have facings of their own
    these must agree, and count as the player's wherever no particular piece is meant.
    """
    facings = dict(players)
    for part in components:
        if part.facing is not None and part.owner in facings:
            if any(part.owner == o.owner and o.facing not in (None, part.facing) for o in components):
                assert part.node is not None
                refuse(part.node, "with another facing than other pieces of the same player")
            facings[part.owner] = part.facing
    faced = [replace(part, facing=part.facing or players.get(part.owner, "N")) for part in components]
    return facings, tuple(faced)


def _read_components(pieces: list[Ludeme]) -> tuple[Component, ...]:
    components: list[Component] = []
    for piece in pieces:
        match piece.positional:
            case (Text(value=name), Symbol(name=role), *others) if role in _OWNERS:
                pass
            case (Text(), Symbol(name=role), *_):
                refuse(piece, role)
            case (Text(value=name), *others):
                role = "Each"
            case _:
                malformed(piece, 'expected (piece "Name" [role] ...)')
        moves: Ludeme | None = None
        facing: str | None = None
        match others:
            case [Symbol(name=compass), *others] if compass in NAMES:
                facing = compass
        for other in others:
            if not isinstance(other, Ludeme):
                refuse(piece, head(other))
            if other.name != "flips":
                if moves is not None:
                    refuse(other)
                moves = other
        only_labels(piece)
        components += [
            Component(
                len(components) + i + 1,
                name if owner == SHARED else f"{name}{owner}",
                owner,
                moves,
                piece,
                facing,
            )
            for i, owner in enumerate(_OWNERS[role])
        ]
    return tuple(components)


def _read_containers(hands: list[Ludeme], board: Board) -> tuple[Container, ...]:
    containers = [Container(0, "Board", board.n_sites, 0)]
    for hand in hands:
        only_labels(hand, "size")
        size = hand.named("size")
        match hand.positional, size:
            case (Symbol(name=role),), None if role in _OWNERS:
                sites = 1
            case (Symbol(name=role),), Number(value=int(sites)) if role in _OWNERS and sites > 0:
                pass
            case _:
                refuse(hand)
        for owner in _OWNERS[role]:
            before = containers[-1]
            first = before.first_site + before.sites
            containers.append(Container(len(containers), f"Hand{owner}", sites, first, owner))
    return tuple(containers)


def _read_regions(node: Ludeme) -> Regions:
    only_labels(node)
    rest = list(node.positional)
    name = None
    if rest and isinstance(rest[0], Text):
        name = rest[0].value
        rest.pop(0)
    owner = None
    if rest and isinstance(rest[0], Symbol) and rest[0].name in _OWNERS:
        owners = _OWNERS[rest[0].name]
        if len(owners) != 1:
            refuse(node, rest[0].name)
        owner = owners[0]
        rest.pop(0)
    if len(rest) != 1:
        refuse(node)
    return Regions(name, owner, items(rest[0]), node)


def _map_name(node: Ludeme) -> str:
    """The name of a map; Ludii calls the only one without a name ``"Map"``."""
    return node.positional[0].value if node.positional and isinstance(node.positional[0], Text) else "Map"


def _read_phases(rules: Ludeme) -> tuple[Phase, ...]:
    phases = rules.named("phases")
    if phases is None:
        return (Phase("Default Phase", 0, _play(rules), (), ()),)
    return tuple(_read_phase(_ludeme(node)) for node in items(phases))


def _read_phase(node: Ludeme) -> Phase:
    only_labels(node)
    if node.name != "phase" or not node.positional or not isinstance(node.positional[0], Text):
        malformed(node, 'expected (phase "Name" ...)')
    owner, following = 0, []
    for part in node.positional[1:]:
        match part:
            case Symbol(name=role) if role in ROLES:
                owner = ROLES[role]
            case Ludeme(name="play" | "end"):
                pass
            case Ludeme(name="nextPhase"):
                following.append(part)
            case Array() if all(isinstance(item, Ludeme) and item.name == "nextPhase" for item in part):
                following += [_ludeme(item) for item in part]
            case _:
                refuse(part)
    end = tuple(_listed(ludemes(node.positional, "end")))
    return Phase(node.positional[0].value, owner, _play(node), end, tuple(following))


def _play(parent: Ludeme) -> Node:
    play = only_child(parent, "play")
    only_labels(play)
    if len(play.positional) != 1:
        malformed(play, "(play ...) holds exactly one moves ludeme")
    return play.positional[0]
