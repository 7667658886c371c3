"""Which symmetries of the board the rules respect.

The trees of rules are read as shapes: nested tuples, and sets where the order of parts does not matter.
Whatever names a place stands there as sites and ways, so that a symmetry of the board can be applied to it.
A symmetry under which the shape of the rules stays the same is one of the rules. Only words that are known
to name no place count as such, so that what is added later is never taken for symmetric unawares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np

from crossplay.games.board import Board
from crossplay.games.board.compass import OPPOSITE
from crossplay.games.compiler.directions import OF_LAST_MOVE, compass_of, direction_words, is_direction
from crossplay.games.compiler.ludemes.connection import BOARD_REGIONS, board_regions
from crossplay.games.compiler.ludemes.sites import static_sites
from crossplay.games.compiler.model import ROLES, GameModel, items
from crossplay.games.compiler.registry import Compiler
from crossplay.games.compiler.start import compile_start
from crossplay.games.language import Array, Boolean, Ludeme, Node, Number, Symbol, Text, walk

# Names and keywords of ludemes, and other words, that mean the same everywhere on the board.
_WORDS_WITHOUT_PLACE = frozenset(
    {
        "!=", "%", "*", "+", "-", "/", "<", "<=", "=", ">", ">=", "Add", "Around", "Blocked", "Cell",
        "Connected", "Direction", "Draw", "Each", "Empty", "Enemy", "Even", "Friend", "From", "Full",
        "Group", "Groups", "Hand", "Hop", "In", "Liberties", "Line", "Loop", "Loss", "Move", "Mover",
        "Moves", "Next", "Occupied", "Odd", "Off", "Own", "Pass", "Passed", "Piece", "Pieces", "Prev",
        "Remove", "Score", "Shoot", "Site", "Sites", "Slide", "Stack", "State", "Step",
        "To", "Triggered", "Vertex", "Win", "Within", "^", "abs", "add", "addScore", "all",
        "allCombinations", "and", "append", "apply", "between", "byScore", "can", "count", "custodial",
        "difference", "do", "enclose", "exact", "expand", "flip", "forEach", "from", "fromTo",
        "handSite", "hop", "id", "if", "intersection", "intervene", "is", "last", "max", "min", "move",
        "moveAgain", "mover", "next", "nextPhase", "no", "not", "or", "piece", "player", "prev",
        "priority", "range", "remove", "result", "score", "set", "site", "sites", "size", "slide",
        "state", "step", "surround", "then", "to", "trigger", "union", "what", "who", *ROLES,
    }
)  # fmt: skip
_PARTS = frozenset(
    {
        "Board", "Bottom", "Centre", "Corners", "Inner", "Left", "Outer", "Perimeter", "Right", "Side",
        "Top",
    }
)  # fmt: skip
# Whose parts may come in any order.
_UNORDERED = frozenset({"!=", "*", "+", "=", "Connected", "intersection", "or", "union"})
_ARITHMETIC = frozenset({"%", "*", "+", "-", "/", "<", "<=", ">", ">=", "^", "abs", "max", "min"})
# Where numbers are none of sites: among the arguments of these, by name or keyword, and behind labels.
_OF_NUMBERS = _ARITHMETIC | {
    "!=", "=", "Connected", "Even", "Line", "Odd", "Score", "State", "addScore", "exact", "piece",
    "player", "range",
}  # fmt: skip
_NUMBER_LABELS = frozenset({"after", "before", "count", "distance", "except", "min", "state", "steps"})
_SITES = frozenset({"between", "centrePoint", "from", "handSite", "last", "site", "to", "where"})
# Ludemes that bring pieces onto the board or make others of them.
_BRINGS = frozenset({"Add", "add", "flip", "Promote", "promote", "Shoot"})
_BACK = OPPOSITE | {back: way for way, back in OPPOSITE.items()}


class _UnprovenError(Exception):
    """Something in the rules is not known to be the same everywhere on the board."""


class _Site(NamedTuple):
    number: int


class _Way(NamedTuple):
    name: str


class _Image(NamedTuple):
    """What a symmetry of the board makes of its sites and of its compass directions."""

    sites: list[int]
    ways: dict[str, str]


def rule_symmetries(model: GameModel) -> np.ndarray:
    """int32[k, board sites]: the board's symmetries under which the whole game stays the same.

    The identity comes first. A symmetry must keep the shape of the rules, the initial pieces, and every
    region of a player's.
    """
    candidates = model.board.symmetries()
    c = Compiler(model)
    compile_start(c)
    try:
        reader = _Reader(c)
        rules = tuple([reader.shape(root) for root in {id(root): root for root in model.rules()}.values()])
    except _UnprovenError:
        return candidates[:1]
    owned = tuple(
        _unordered(_sites(static_sites(c, member)) for member in found.members)
        for found in model.regions
        if found.owner is not None
    )
    initial = frozenset((_Site(site), *placed) for site, *placed in c.initial if site < model.board.n_sites)
    images = [_image(model.board, candidate) for candidate in candidates]
    kept = [
        image is not None and all(_moved(shape, image) == shape for shape in (initial, owned, rules))
        for image in images
    ]
    return candidates[kept]


def _image(board: Board, sites: np.ndarray) -> _Image | None:
    """A symmetry's image, or None if it does not make compass directions of compass directions."""
    names = {step.astype(np.int32).tobytes(): name for name, step in board.steps.items()}
    ways = {}
    for name, step in board.steps.items():
        moved = np.full(board.n_sites, -1, np.int32)
        moved[sites] = np.where(step >= 0, sites[step], -1)
        ways[name] = names.get(moved.tobytes(), "")
    known = all(ways.values())
    both = [(way, back) for way, back in OPPOSITE.items() if way in ways and back in ways]
    if not known or any(_BACK[ways[way]] != ways[back] for way, back in both):
        return None
    return _Image(sites.tolist(), ways)


def _moved(shape: Hashable, image: _Image) -> Hashable:
    """A shape after a symmetry of the board."""
    match shape:
        case _Site(number):
            return _Site(image.sites[number])
        case _Way(name):
            return _Way(image.ways[name])
        case tuple():
            return tuple([_moved(part, image) for part in shape])
        case frozenset():
            return frozenset([_moved(part, image) for part in shape])
    return shape


def _sites(members: Iterable[int]) -> frozenset[_Site]:
    return frozenset(map(_Site, members))


def _unordered(parts: Iterable[Hashable]) -> Hashable:
    """Parts in any order, each with how often it occurs."""
    return frozenset(Counter(parts).items())


class _Reader:
    """Reads rules as shapes; whatever is not known to be without a place must be understood as one."""

    def __init__(self, c: Compiler) -> None:
        self._c = c
        self._model = c.model
        self._board = c.model.board
        lines = {"row": self._board.rows, "column": self._board.columns}
        self._lines = {name: tuple(map(_sites, groups)) for name, groups in lines.items()}
        facings = [c.model.facings.get(player, "N") for player in (0, 1, 2)]
        self._facings = dict.fromkeys([*facings, *(part.facing or "N" for part in c.model.components)])

    def shape(self, node: Node, numbers: bool = False, acting: bool = False) -> Hashable:
        """The shape of a node.

        Args:
            numbers: whether a number is none of a site.
            acting: whether it is an effect or part of one, so that the order of several may matter.
        """
        if is_direction(node):
            return self._directions(node)
        match node:
            case Number(value=value) if numbers:
                return value
            case Boolean(value=value):
                return value
            case Text(value=value):
                site = self._board.site_of_label(value)
                return value if site is None else _Site(site)
            case Symbol(name=name) if name in BOARD_REGIONS:
                return _unordered(map(_sites, board_regions(self._board, name)))
            case Symbol(name=name) if name in _WORDS_WITHOUT_PLACE:
                return name
            case Array():
                return tuple(self.shape(member, False, acting) for member in node)
            case Ludeme(name="centrePoint"):
                return _Site(self._board.sets["centre"][0])
            case Ludeme(name="where") if self._is_alone(node):
                return ("where", *(self.shape(part) for part in node.positional))
            case Ludeme(name="row" | "column" as name):
                return (self._lines[name], self._arguments(node, False, acting))
            case Ludeme(name="sites"):
                return self._region(node)
            case Ludeme(name="forEach") if node.keyword == "Direction":
                pass  # one within another is seen by who came that way
            case Ludeme(name=name) if name in _WORDS_WITHOUT_PLACE:
                acting = acting or name in ("apply", "then")
                return (name, self._arguments(node, _takes_numbers(node), acting))
        raise _UnprovenError

    def _arguments(self, node: Ludeme, numbers: bool, acting: bool) -> Hashable:
        """The shapes of a ludeme's arguments, in any order where that does not matter."""
        loose = bool(_UNORDERED & {node.name, node.keyword}) and not (acting and self._may_act(node))
        parts: list[Hashable] = []
        for label, value in ((argument.label, argument.value) for argument in node.arguments):
            if label is not None:
                parts.append((label, self.shape(value, label in _NUMBER_LABELS, acting)))
            elif loose and isinstance(value, Array) and not is_direction(value):
                parts += [self.shape(member, False, acting) for member in value]
            else:
                parts.append(self.shape(value, numbers, acting))
        return _unordered(parts) if loose else tuple(parts)

    def _may_act(self, node: Ludeme) -> bool:
        """Whether ``(or ...)`` joins effects, which are carried out one after the other."""
        members = [member for value in node.positional for member in items(value)]
        return node.name == "or" and not all(self._c.knows("boolean", member) for member in members)

    def _directions(self, node: Node) -> Hashable:
        """For each of the facings that pieces have, the compass directions meant."""
        words = direction_words(node, "Adjacent")
        if any(word in OF_LAST_MOVE for word, _ in words):
            return tuple(word for word, _ in words)
        return tuple(frozenset(map(_Way, compass_of(self._board, words, facing))) for facing in self._facings)

    def _region(self, node: Ludeme) -> Hashable:
        """The shape of ``(sites ...)``: its sites where these are always the same."""
        match node.positional:
            case (Text(),) | (Symbol(name="Row" | "Column" | "Phase"), Number()):
                return _sites(static_sites(self._c, node))
            case (Array(items=members),) if all(isinstance(one, Number | Text) for one in members):
                return _sites(static_sites(self._c, node))
            case (Symbol(name=name), *_) if name in _PARTS:
                return _sites(static_sites(self._c, node))
            case (Symbol(name=line), Ludeme(name="row" | "column" as of) as which) if of == line.lower():
                return ("line", frozenset(self._lines[of]), self._arguments(which, False, False))
            case (Symbol(), *_):
                return ("sites", self._arguments(node, _takes_numbers(node), False))
        raise _UnprovenError

    def _is_alone(self, node: Ludeme) -> bool:
        """Whether there is never more than one piece of those that ``(where ...)`` looks for."""
        match node.positional:
            case (Text(value=name), _):
                wanted = set(self._model.likened(name, node).values())
            case _:
                return False
        standing = Counter(component for _, component, _, _ in self._c.initial)
        rules = [part for root in self._model.rules() for part in walk(root) if isinstance(part, Ludeme)]
        return (
            len(self._model.containers) == 1
            and all(standing[component] <= 1 for component in wanted)
            and not any(part.name in _BRINGS or part.keyword in _BRINGS for part in rules)
        )


def _takes_numbers(node: Ludeme) -> bool:
    """Whether numbers among a ludeme's arguments are none of sites."""
    of_sites = any(_is_site(part) for part in node.positional)
    if of_sites and node.name in _ARITHMETIC:
        raise _UnprovenError
    return not of_sites and (node.name in _OF_NUMBERS or node.keyword in _OF_NUMBERS)


def _is_site(node: Node) -> bool:
    """Whether an argument may be a site's number."""
    match node:
        case Ludeme(name="if"):
            return any(map(_is_site, node.positional))
        case Ludeme(name=name):
            return name in _SITES
    return False
