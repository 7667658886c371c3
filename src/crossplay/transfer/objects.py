"""Ludii's objects as trees: numbers, conditions, regions, and whatever stands in no table.

What these trees are is told by :mod:`crossplay.transfer.pieces`, which describes the moves; it enters how it
reads them in :data:`EFFECTS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from crossplay.games.language import Argument, Array, Boolean, Ludeme, Node, Number, Symbol, Text, to_text
from crossplay.similarity.ludemes import KEYWORD_LUDEMES, LudemeTree

# Moves by the name of their class, see :func:`class_of`: how each is read; under "" every other class.
EFFECTS: dict[str, Callable[[Ludeme], LudemeTree]] = {}

_ROLE = re.compile(r"P\d+|Neutral|Mover|Next|Prev|Shared|All|Any|Player")
_FIXED_ROLE = re.compile(r"P\d+|Neutral|Shared")  # the same player in every state
_FIXED_SITES = frozenset(
    {
        "Board", "Bottom", "Top", "Left", "Right", "Corners", "ConcaveCorners", "ConvexCorners", "Inner",
        "Outer", "Major", "Minor", "Centre", "Perimeter",
    }
)  # fmt: skip
REGIONS = frozenset({"sites", "union", "intersection", "difference", "expand"})


def object_tree(label: str, *children: LudemeTree) -> LudemeTree:
    return LudemeTree(label, children)


NULL, FALSE, TRUE = object_tree("null"), object_tree("false"), object_tree("true")
CONSTRAINTS = [NULL] * 3  # fields of every condition, which only puzzles fill
ALWAYS, NEVER = object_tree("TrueConstant", *CONSTRAINTS), object_tree("FalseConstant", *CONSTRAINTS)
FROM, TO, BETWEEN = object_tree("From", NULL), object_tree("To"), object_tree("Between")
_REGION = object_tree("Region", object_tree("?"))  # worked out beforehand
EMPTY = object_tree("SitesEmpty")
_PLAYERS = 2  # regions of players are worked out for each of them, for nobody and for all


def constant_tree(number: int | float) -> LudemeTree:
    return object_tree("IntConstant", object_tree(str(number)))


def part_of(parent: Ludeme | None, name: str) -> Ludeme | None:
    """The argument without a label that is a ludeme of that name."""
    for node in parent.positional if parent is not None else ():
        if isinstance(node, Ludeme) and node.name == name:
            return node
    return None


def condition_of(parent: Ludeme | None) -> Node | None:
    return parent.named("if") if parent is not None else None


def first_of(parent: Ludeme | None) -> Node | None:
    return parent.positional[0] if parent is not None and parent.positional else None


def rest_of(node: Ludeme) -> list[Node]:
    """The arguments without label, without the keyword and ``(then ...)``."""
    rest = node.positional[1:] if node.name in KEYWORD_LUDEMES and node.keyword else node.positional
    return [part for part in rest if not (isinstance(part, Ludeme) and part.name == "then")]


def members_of(nodes: Iterable[Node]) -> list[Node]:
    return [item for node in nodes for item in (node.items if isinstance(node, Array) else (node,))]


def integer_tree(node: Node | None) -> LudemeTree:
    match node:
        case None:
            return NULL
        case Number(value=value):
            return constant_tree(value)
        case Symbol():
            return object_tree("Id", NULL)
        case Ludeme(name="to", arguments=()):
            return TO
        case Ludeme(name="from", arguments=()):
            return FROM
        case Ludeme(name="between", arguments=()):
            return BETWEEN
        case Ludeme(name="last"):
            return object_tree(f"Last{node.keyword}", NEVER)
        case Ludeme(name="what"):
            level = node.named("level")
            return object_tree(
                "What",
                integer_tree(node.named("at")),
                constant_tree(0) if level is None else integer_tree(level),
            )
        case Ludeme(name="who") if node.named("level") is None:
            return object_tree("Who", integer_tree(node.named("at")))
        case Ludeme(name="id", positional=(Text(value=name), Symbol())):
            return object_tree("Id", object_tree(name))
        case Ludeme(name="mapEntry", positional=(Text(value=name), key)):
            return object_tree("MapEntry", object_tree(name), integer_tree(key), object_tree("-1"))
        case Ludeme(name="mapEntry", positional=(key,)):
            return object_tree("MapEntry", NULL, integer_tree(key), object_tree("-1"))
    return other_tree(node)


def boolean_tree(node: Node | None) -> LudemeTree:
    if node is None:
        return NULL
    if isinstance(node, Boolean):
        return ALWAYS if node.value else NEVER
    tree = _bare_condition(node)
    return LudemeTree(tree.label, (*tree.children, *CONSTRAINTS))


def _bare_condition(node: Node) -> LudemeTree:
    """A condition without the fields that all conditions have."""
    match node:
        case Ludeme(name="or" | "and" | "not"):
            return object_tree(f"{node.name} booleans", *map(boolean_tree, members_of(node.positional)), NULL)
        case Ludeme(name="=" | "!=", positional=(first, second)):
            sides = [region_tree(side) if is_region(side) else integer_tree(side) for side in (first, second)]
            return object_tree(node.name, *sides, *[NULL] * 3)
        case Ludeme(name="is", positional=(Symbol(name="Empty" | "Occupied" as state), site)):
            return object_tree(f"Is{state}", integer_tree(site))
        case Ludeme(
            name="is", positional=(Symbol(name="Enemy" | "Friend" | "Mover" | "Next" | "Prev" as role), who)
        ):
            return object_tree(f"Is{role}", integer_tree(who))
        case Ludeme(name="is", positional=(Symbol(name="In"), region)):
            return object_tree("InSingleSite", TO, region_tree(region))
        case Ludeme(name="is", positional=(Symbol(name="In"), Array(items=sites), region)):
            return object_tree("IsIn", *map(integer_tree, sites), region_tree(region))
        case Ludeme(name="is", positional=(Symbol(name="In"), site, region)):
            return object_tree("InSingleSite", integer_tree(site), region_tree(region))
    return other_tree(node)


def is_region(node: Node) -> bool:
    return isinstance(node, Ludeme) and node.name in REGIONS


def region_tree(node: Node) -> LudemeTree:
    match node:
        case Ludeme(name="sites", positional=(Symbol(name="Empty"),)):
            return EMPTY
        case Ludeme(name="sites", positional=(Symbol(name=name),)) if name in _FIXED_SITES:
            return object_tree(f"Sites{name}", _REGION)
        case Ludeme(name="sites", positional=(Array(items=[Ludeme() | Number(), *_] as sites),)):
            return custom_region(*map(integer_tree, sites))
        case Ludeme(name="sites", positional=(Text(value=name),)):
            return object_tree("SitesEquipmentRegion", _REGION, *[NULL] * 2, object_tree(name), NULL)
        case Ludeme(name="sites", positional=(Symbol(name=role), *names)) if _ROLE.fullmatch(role):
            fixed = _FIXED_ROLE.fullmatch(role)
            regions = [_REGION, NULL] if fixed else [NULL, *[_REGION] * (_PLAYERS + 2)]
            name = names[0].value if names and isinstance(names[0], Text) else ""
            return object_tree(
                "SitesEquipmentRegion", *regions, object_tree("Id", NULL), object_tree(name), NULL
            )
    return other_tree(node)


def custom_region(*sites: LudemeTree) -> LudemeTree:
    return object_tree("SitesCustom", NULL, *sites, NULL)


def effect_tree(node: Node | None) -> LudemeTree:
    """The moves that ``node`` stands for."""
    if not isinstance(node, Ludeme):
        return NULL if node is None else other_tree(node)
    return EFFECTS.get(class_of(node), EFFECTS[""])(node)


def class_of(moves: Ludeme) -> str:
    """The name that tells the class of moves: the ludeme's, with its keyword where that belongs to it."""
    return f"{moves.name} {moves.keyword}" if moves.name in KEYWORD_LUDEMES else moves.name


def other_tree(node: Node, but: str | None = None) -> LudemeTree:
    """A node of a class that is not described above, without the arguments of the name ``but``."""
    if not isinstance(node, Ludeme):
        return LudemeTree(to_text(node))
    label = f"{node.name} {node.keyword}" if node.name in KEYWORD_LUDEMES and node.keyword else node.name
    values = members_of(argument.value for argument in node.arguments if not _is_keyword(node, argument))
    left_out = [value for value in values if isinstance(value, Ludeme) and value.name == but]
    return object_tree(label, *(_any(v) for v in values if not isinstance(v, Symbol) and v not in left_out))


def _is_keyword(node: Ludeme, argument: Argument) -> bool:
    return node.name in KEYWORD_LUDEMES and argument.label is None and argument.value is node.positional[0]


_CONDITIONS = frozenset({"is", "not", "=", "!=", "<", ">", "<=", ">=", "no", "can", "all"})
_INTEGERS = frozenset({"to", "from", "between", "last", "what", "who", "id", "mapEntry"})


def _any(node: Node) -> LudemeTree:
    if isinstance(node, Number):
        return integer_tree(node)
    if isinstance(node, Boolean):
        return boolean_tree(node)
    if not isinstance(node, Ludeme):
        return other_tree(node)
    if node.name in _CONDITIONS:
        return boolean_tree(node)
    if node.name in REGIONS:
        return region_tree(node)
    if node.name in _INTEGERS:
        return integer_tree(node)
    return effect_tree(node) if class_of(node) in EFFECTS else other_tree(node)
