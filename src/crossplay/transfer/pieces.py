"""The tree by which a piece's rules are compared: its moves as Ludii's objects hold them.

Ludii compares the fields of its compiled objects, not the text: an object is a node labelled with its class,
its fields are its children, a field without a value is a leaf "null", and enumerated values (directions,
roles) are left out. So arguments that are not given count, a step holds its destination's condition and
effect twice, and a slide does not. The classes below are those that pieces' moves are mostly made of; their
fields follow the order of Ludii's. What Ludii keeps in further, computed fields is known by number only (from
the sizes of its trees) and stands here as that many leaves "null". Anything else is a node with its
arguments as children.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from crossplay.games.language import (
    Argument,
    Array,
    Boolean,
    Ludeme,
    Node,
    Number,
    Symbol,
    Text,
    to_text,
    walk,
)
from crossplay.similarity.ludemes import KEYWORD_LUDEMES, LudemeTree

_RELATIVE = frozenset(
    {
        "Forward", "Backward", "Rightward", "Leftward", "FL", "FLL", "FR", "FRR", "BL", "BLL", "BR", "BRR",
        "SameDirection", "OppositeDirection",
    }
)  # fmt: skip


def piece_tree(moves: Ludeme | None) -> LudemeTree:
    """The tree of a piece's moves; a piece without moves of its own is a single node with an empty label."""
    return LudemeTree("") if moves is None else _effect(moves)


def _node(label: str, *children: LudemeTree) -> LudemeTree:
    return LudemeTree(label, children)


_NULL, _FALSE, _TRUE = _node("null"), _node("false"), _node("true")
_ALWAYS, _NEVER = _node("TrueConstant"), _node("FalseConstant")
_FROM, _TO = _node("From", _NULL), _node("To")


def _unknown(fields: int) -> list[LudemeTree]:
    return [_NULL] * fields


def _constant(number: int | float) -> LudemeTree:
    return _node("IntConstant", _node(str(number)))


def _part(parent: Ludeme | None, name: str) -> Ludeme | None:
    """The argument without a label that is a ludeme of that name."""
    for node in parent.positional if parent is not None else ():
        if isinstance(node, Ludeme) and node.name == name:
            return node
    return None


def _condition(parent: Ludeme | None) -> Node | None:
    return parent.named("if") if parent is not None else None


def _first(parent: Ludeme | None) -> Node | None:
    return parent.positional[0] if parent is not None and parent.positional else None


def _rest(node: Ludeme) -> list[Node]:
    """The arguments without label, without the keyword and ``(then ...)``."""
    rest = node.positional[1:] if node.name in KEYWORD_LUDEMES and node.keyword else node.positional
    return [part for part in rest if not (isinstance(part, Ludeme) and part.name == "then")]


def _members(nodes: Iterable[Node]) -> list[Node]:
    return [item for node in nodes for item in (node.items if isinstance(node, Array) else (node,))]


def _ending(node: Ludeme, decision: bool = False) -> tuple[LudemeTree, LudemeTree]:
    """The fields that all moves have: what follows, and whether a player decides on them."""
    then = _first(_part(node, "then"))
    return (_NULL if then is None else _node("Then", _effect(then))), (_TRUE if decision else _FALSE)


def _directions(node: Ludeme, prepared: bool) -> LudemeTree:
    """``prepared`` objects hold fixed directions as a list, which has no leaf of its own."""
    others = ("to", "from", "between")
    given = [part for part in _rest(node) if not (isinstance(part, Ludeme) and part.name in others)]
    words = [word.name for part in given for word in walk(part) if isinstance(word, Symbol)]
    if any(word in _RELATIVE for word in words):
        return _node("Directions", _FALSE, _NULL, _NULL)
    return _node("Directions", _NULL, _FALSE, *([] if prepared else [_NULL]))


def _integer(node: Node | None) -> LudemeTree:
    match node:
        case None:
            return _NULL
        case Number(value=value):
            return _constant(value)
        case Ludeme(name="to", arguments=()):
            return _TO
        case Ludeme(name="from", arguments=()):
            return _FROM
        case Ludeme(name="between", arguments=()):
            return _node("Between")
        case Ludeme(name="last"):
            return _node(f"Last{node.keyword}", _NEVER)
        case Ludeme(name="what"):
            return _node("What", _integer(node.named("at")), _constant(0))
        case Ludeme(name="who"):
            return _node("Who", _integer(node.named("at")))
        case Ludeme(name="mapEntry", positional=(Text(value=name), key)):
            return _node("MapEntry", _node(name), _integer(key), _node("-1"), *_unknown(6))
    return _other(node)


def _boolean(node: Node | None) -> LudemeTree:
    match node:
        case None:
            return _NULL
        case Boolean(value=value):
            return _ALWAYS if value else _NEVER
        case Ludeme(name="or" | "and"):
            return _node(f"{node.name} booleans", *map(_boolean, _members(node.positional)), _NULL)
        case Ludeme(name="is", positional=(Symbol(name="Empty"), site)):
            return _node("IsEmpty", _integer(site), *_unknown(2))
        case Ludeme(name="is", positional=(Symbol(name="Enemy" | "Friend" as relation), player)):
            return _node(f"Is{relation}", _integer(player))
        case Ludeme(name="is", positional=(Symbol(name="In"), site, region)):
            return _node("IsIn", _integer(site), _region(region))
    return _other(node)


def _region(node: Node) -> LudemeTree:
    match node:
        case Ludeme(name="sites", positional=(Symbol(), Text(value=name))):
            return _node("SitesEquipmentRegion", *_unknown(20), _node(name))
    return _other(node)


def _effect(node: Node | None) -> LudemeTree:
    if not isinstance(node, Ludeme):
        return _NULL if node is None else _other(node)
    build = _EFFECTS.get(f"{node.name} {node.keyword}" if node.name in ("move", "forEach") else node.name)
    return _other(node) if build is None else build(node)


def _apply(node: Ludeme | None) -> LudemeTree:
    if node is None:
        return _NULL
    return _node("Apply", _boolean(_condition(node)), _effect(_first(node)), *_ending(node))


def _step(node: Ludeme) -> LudemeTree:
    to = _part(node, "to")
    condition, effect = _condition(to), _apply(_part(to, "apply"))
    target = _node("To argument", _TO, *[_NULL] * 2, _boolean(condition), *[_NULL] * 2, effect)
    return _node(
        "Step",
        _FROM,
        _NULL,
        _ALWAYS if condition is None else _boolean(condition),
        effect,
        _FALSE,
        _directions(node, prepared=True),
        _NULL if to is None else target,
        *_unknown(1),
        *_ending(node, True),
    )


def _slide(node: Ludeme) -> LudemeTree:
    to, go = _part(node, "to"), _condition(_part(node, "between"))
    apply = _part(to, "apply")
    return _node(
        "Slide",
        _FROM,
        _constant(1000),
        _constant(-1),
        _node("IsIn", _node("Between"), _node("SitesEmpty")) if go is None else _boolean(go),
        _boolean(_condition(to)),
        _boolean(_condition(apply)),
        _NULL,
        _effect(_first(apply)),
        _directions(node, prepared=False),
        _NULL,
        *_ending(node, True),
    )


def _hop(node: Ludeme) -> LudemeTree:
    to, between = _part(node, "to"), _part(node, "between")
    apply = _part(to, "apply")
    return _node(
        "Hop",
        _FROM,
        _directions(node, prepared=False),
        _boolean(_condition(to)),
        _ALWAYS if between is None else _boolean(_condition(between)),
        _boolean(_condition(apply)),
        _effect(_first(apply)),
        *map(_constant, (0, 1, 1, 0)),
        _apply(_part(between, "apply")),
        _FALSE,
        *_ending(node, True),
    )


def _from_to(node: Ludeme) -> LudemeTree:
    start, to = _first(_part(node, "from")), _part(node, "to")
    apply, condition = _part(to, "apply"), _condition(to)
    target = next((part for part in to.positional if part is not apply), None) if to is not None else None
    return _node(
        "FromTo",
        _FROM if start is None else _integer(start),
        *[_NULL] * 2,
        _TO if target is None else _integer(target),
        *[_NULL] * 4,
        _ALWAYS if condition is None else _boolean(condition),
        _boolean(_condition(apply)),
        _effect(_first(apply)),
        _NULL,
        _FALSE,
        *[_NULL] * 2,
        _NEVER,
        *_unknown(5),
        *_ending(node, True),
    )


def _for_each_direction(node: Ludeme) -> LudemeTree:
    origin, to = _part(node, "from"), _part(node, "to")
    names = ("from", "to", "between", "directions")
    moves = [part for part in _rest(node) if isinstance(part, Ludeme) and part.name not in names]
    return _node(
        "ForEachDirection",
        _FROM if _first(origin) is None else _integer(_first(origin)),
        _constant(1),
        _constant(1),
        _directions(node, prepared=False),
        _ALWAYS if to is None else _boolean(_condition(to)),
        _NULL,
        _effect(moves[0] if moves else None) if to is None else _apply(_part(to, "apply")),
        *_ending(node),
    )


def _if(node: Ludeme) -> LudemeTree:
    condition, *branches = [*_rest(node), None, None][:3]
    return _node("If", _boolean(condition), *map(_effect, branches), *_ending(node))


def _or(node: Ludeme) -> LudemeTree:
    return _node(node.name, *map(_effect, _members(_rest(node))), *_ending(node))


def _add(node: Ludeme) -> LudemeTree:
    piece, site = _integer(_first(_part(node, "piece"))), _integer(_first(_part(node, "to")))
    nulls = [_NULL] * 2
    return _node("Add", _NULL, piece, _NULL, site, *nulls, _constant(1), _FALSE, _NULL, _TRUE, *_ending(node))


def _promote(node: Ludeme) -> LudemeTree:
    new = _part(node, "piece")
    site = next((part for part in _rest(node) if part is not new), None)
    ending = _ending(node, node.name == "move")
    return _node("Promote", _integer(site), *[_NULL] * 2, _integer(_first(new)), _NULL, *ending)


def _remove(node: Ludeme) -> LudemeTree:
    sites = _node("SitesCustom", _NULL, _integer(_first(node)))
    return _node("Remove", sites, _constant(1), _NULL, *_unknown(11), *_ending(node))


def _move_again(node: Ludeme) -> LudemeTree:
    return _node("MoveAgain", *_ending(node))


_EFFECTS: dict[str, Callable[[Ludeme], LudemeTree]] = {
    "move Step": _step,
    "move Slide": _slide,
    "move Hop": _hop,
    "move None": _from_to,
    "move Promote": _promote,
    "forEach Direction": _for_each_direction,
    "promote": _promote,
    "add": _add,
    "remove": _remove,
    "if": _if,
    "or": _or,
    "and": _or,
    "moveAgain": _move_again,
}


def _other(node: Node) -> LudemeTree:
    """A node of a class that is not described above."""
    if not isinstance(node, Ludeme):
        return LudemeTree(to_text(node))
    label = f"{node.name} {node.keyword}" if node.name in KEYWORD_LUDEMES and node.keyword else node.name
    values = _members(argument.value for argument in node.arguments if not _is_keyword(node, argument))
    return LudemeTree(label, tuple(_any(value) for value in values if not isinstance(value, Symbol)))


def _is_keyword(node: Ludeme, argument: Argument) -> bool:
    return node.name in KEYWORD_LUDEMES and argument.label is None and argument.value is node.positional[0]


def _any(node: Node) -> LudemeTree:
    if isinstance(node, Ludeme) and node.name in ("is", "not"):
        return _boolean(node)
    if isinstance(node, Ludeme) and node.name in ("to", "from", "between", "last", "what", "who", "mapEntry"):
        return _integer(node)
    return _effect(node)
