"""The tree by which a piece's rules are compared: its moves as Ludii's objects hold them.

Ludii compares the fields of its compiled objects, not the text: an object is a node labelled with its class,
its fields are its children (those of its class, then those it shares with its kind), a field without a value
is a leaf "null", numbers, words and truth values are leaves, and enumerated values (directions, roles, kinds
of sites) are left out. So arguments that are not given count, a step holds its destination's condition and
effect twice, and a slide does not. What the objects work out beforehand counts as well: a region of the board
that is the same in every state, or whether additions may keep their actions. The classes below are those that
pieces' moves are mostly made of, with their fields in Ludii's order (version 1.0.8); for them the trees and
their distances are Ludii's to a node. Anything else is a node with its arguments as children.
"""

from __future__ import annotations

import re
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
_ROLE = re.compile(r"P\d+|Neutral|Mover|Next|Prev|Shared|All|Any|Player")
_FIXED_ROLE = re.compile(r"P\d+|Neutral|Shared")  # the same player in every state
_FIXED_SITES = frozenset(
    {
        "Board", "Bottom", "Top", "Left", "Right", "Corners", "ConcaveCorners", "ConvexCorners", "Inner",
        "Outer", "Major", "Minor", "Centre", "Perimeter",
    }
)  # fmt: skip
_REGIONS = frozenset({"sites", "union", "intersection", "difference", "expand"})


def piece_tree(moves: Ludeme | None) -> LudemeTree:
    """The tree of a piece's moves; a piece without moves of its own is a single node with an empty label."""
    return LudemeTree("") if moves is None else _effect(moves)


def _node(label: str, *children: LudemeTree) -> LudemeTree:
    return LudemeTree(label, children)


_NULL, _FALSE, _TRUE = _node("null"), _node("false"), _node("true")
_CONSTRAINTS = [_NULL] * 3  # fields of every condition, which only puzzles fill
_ALWAYS, _NEVER = _node("TrueConstant", *_CONSTRAINTS), _node("FalseConstant", *_CONSTRAINTS)
_FROM, _TO, _BETWEEN = _node("From", _NULL), _node("To"), _node("Between")
_REGION = _node("Region", _node("?"))  # worked out beforehand
_EMPTY = _node("SitesEmpty")
_CACHE_FIELD = 8  # of an addition: whether it keeps its actions for later
_PLAYERS = 2  # regions of players are worked out for each of them, for nobody and for all


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


def _directions(node: Ludeme, prepared: bool) -> LudemeTree:
    """``prepared`` objects hold fixed directions as a list, which has no leaf of its own."""
    others = ("to", "from", "between")
    given = [part for part in _rest(node) if not (isinstance(part, Ludeme) and part.name in others)]
    words = [word.name for part in given for word in walk(part) if isinstance(word, Symbol)]
    if any(word in _RELATIVE for word in words):
        return _node("Directions", _FALSE, _NULL, _NULL)
    return _node("Directions", _NULL, _FALSE, *([] if prepared else [_NULL]))


def _range(node: Ludeme | None, least: int, most: int) -> tuple[LudemeTree, LudemeTree]:
    """Both ends of the ``(max 1)`` or the like in a ``(between ...)``, or else ``least`` and ``most``."""
    if part := _part(node, "max"):
        return _constant(-1), _integer(_first(part))
    if part := _part(node, "min"):
        return _integer(_first(part)), _constant(10**9)
    if part := _part(node, "exact"):
        return _integer(_first(part)), _integer(_first(part))
    return _constant(least), _constant(most)


def _place(node: Ludeme | None, site: LudemeTree) -> tuple[LudemeTree, LudemeTree]:
    """Site and region of a ``(from ...)`` or ``(to ...)``; ``site`` where it names neither."""
    given = [part for part in node.positional if not isinstance(part, Symbol)] if node is not None else []
    match given:
        case [Ludeme(name=name) as region, *_] if name in _REGIONS:
            return _NULL, _region(region)
        case [Ludeme(name="apply"), *_] | []:
            return site, _NULL
    return _integer(given[0]), _NULL


def _integer(node: Node | None) -> LudemeTree:
    match node:
        case None:
            return _NULL
        case Number(value=value):
            return _constant(value)
        case Symbol():
            return _node("Id", _NULL)
        case Ludeme(name="to", arguments=()):
            return _TO
        case Ludeme(name="from", arguments=()):
            return _FROM
        case Ludeme(name="between", arguments=()):
            return _BETWEEN
        case Ludeme(name="last"):
            return _node(f"Last{node.keyword}", _NEVER)
        case Ludeme(name="what"):
            level = node.named("level")
            return _node(
                "What", _integer(node.named("at")), _constant(0) if level is None else _integer(level)
            )
        case Ludeme(name="who") if node.named("level") is None:
            return _node("Who", _integer(node.named("at")))
        case Ludeme(name="id", positional=(Text(value=name), Symbol())):
            return _node("Id", _node(name))
        case Ludeme(name="mapEntry", positional=(Text(value=name), key)):
            return _node("MapEntry", _node(name), _integer(key), _node("-1"))
        case Ludeme(name="mapEntry", positional=(key,)):
            return _node("MapEntry", _NULL, _integer(key), _node("-1"))
    return _other(node)


def _boolean(node: Node | None) -> LudemeTree:
    if node is None:
        return _NULL
    if isinstance(node, Boolean):
        return _ALWAYS if node.value else _NEVER
    tree = _bare_condition(node)
    return LudemeTree(tree.label, (*tree.children, *_CONSTRAINTS))


def _bare_condition(node: Node) -> LudemeTree:
    """A condition without the fields that all conditions have."""
    match node:
        case Ludeme(name="or" | "and" | "not"):
            return _node(f"{node.name} booleans", *map(_boolean, _members(node.positional)), _NULL)
        case Ludeme(name="=" | "!=", positional=(first, second)):
            sides = [_region(side) if _is_region(side) else _integer(side) for side in (first, second)]
            return _node(node.name, *sides, *[_NULL] * 3)
        case Ludeme(name="is", positional=(Symbol(name="Empty" | "Occupied" as state), site)):
            return _node(f"Is{state}", _integer(site))
        case Ludeme(
            name="is", positional=(Symbol(name="Enemy" | "Friend" | "Mover" | "Next" | "Prev" as role), who)
        ):
            return _node(f"Is{role}", _integer(who))
        case Ludeme(name="is", positional=(Symbol(name="In"), region)):
            return _node("InSingleSite", _TO, _region(region))
        case Ludeme(name="is", positional=(Symbol(name="In"), Array(items=sites), region)):
            return _node("IsIn", *map(_integer, sites), _region(region))
        case Ludeme(name="is", positional=(Symbol(name="In"), site, region)):
            return _node("InSingleSite", _integer(site), _region(region))
    return _other(node)


def _is_region(node: Node) -> bool:
    return isinstance(node, Ludeme) and node.name in _REGIONS


def _region(node: Node) -> LudemeTree:
    match node:
        case Ludeme(name="sites", positional=(Symbol(name="Empty"),)):
            return _EMPTY
        case Ludeme(name="sites", positional=(Symbol(name=name),)) if name in _FIXED_SITES:
            return _node(f"Sites{name}", _REGION)
        case Ludeme(name="sites", positional=(Array(items=[Ludeme() | Number(), *_] as sites),)):
            return _custom(*map(_integer, sites))
        case Ludeme(name="sites", positional=(Text(value=name),)):
            return _node("SitesEquipmentRegion", _REGION, *[_NULL] * 2, _node(name), _NULL)
        case Ludeme(name="sites", positional=(Symbol(name=role), *names)) if _ROLE.fullmatch(role):
            fixed = _FIXED_ROLE.fullmatch(role)
            regions = [_REGION, _NULL] if fixed else [_NULL, *[_REGION] * (_PLAYERS + 2)]
            name = names[0].value if names and isinstance(names[0], Text) else ""
            return _node("SitesEquipmentRegion", *regions, _node("Id", _NULL), _node(name), _NULL)
    return _other(node)


def _moves(label: str, node: Ludeme, *fields: LudemeTree, decision: bool = False) -> LudemeTree:
    """A node of the kind moves: its own fields, then those that all moves have.

    These are what follows, whether a player decides on the move, and whether it waits for all other moves.
    """
    then = _first(_part(node, "then"))
    own = _TRUE if decision else _FALSE
    if then is None:
        return _node(label, *fields, _NULL, own, _FALSE)
    return _node(label, *map(_without_cache, fields), _node("Then", _effect(then)), own, _FALSE)


def _without_cache(tree: LudemeTree) -> LudemeTree:
    """Additions may not keep their actions for later within moves that something follows."""
    children = [_without_cache(child) for child in tree.children]
    if tree.label == "Add":
        children[_CACHE_FIELD] = _FALSE
    return LudemeTree(tree.label, tuple(children))


def _effect(node: Node | None) -> LudemeTree:
    if not isinstance(node, Ludeme):
        return _NULL if node is None else _other(node)
    build = _EFFECTS.get(f"{node.name} {node.keyword}" if node.name in KEYWORD_LUDEMES else node.name)
    return _other_moves(node) if build is None else build(node)


def _apply(node: Ludeme | None) -> LudemeTree:
    if node is None:
        return _NULL
    return _moves("Apply", node, _boolean(_condition(node)), _effect(_first(node)))


def _step(node: Ludeme) -> LudemeTree:
    to = _part(node, "to")
    condition, effect = _boolean(_condition(to)), _apply(_part(to, "apply"))
    start, starts = _place(_part(node, "from"), _FROM)
    target = _node("To argument", *_place(to, _TO), _NULL, condition, *[_NULL] * 2, effect)
    return _moves(
        "Step",
        node,
        start,
        starts,
        _ALWAYS if condition == _NULL else condition,
        effect,
        _FALSE,
        _directions(node, prepared=True),
        _NULL if to is None else target,
        decision=node.name == "move",
    )


def _slide(node: Ludeme) -> LudemeTree:
    to, between = _part(node, "to"), _part(node, "between")
    apply, go = _part(to, "apply"), _condition(between)
    least, most = _range(between, -1, 1000)
    return _moves(
        "Slide",
        node,
        _place(_part(node, "from"), _FROM)[0],
        most,
        least,
        _node("IsIn", _BETWEEN, _EMPTY, *_CONSTRAINTS) if go is None else _boolean(go),
        _boolean(_condition(to)),
        _boolean(_condition(apply)),
        _integer(between.named("trail")) if between is not None else _NULL,
        _effect(_first(apply)),
        _directions(node, prepared=False),
        _NULL,
        decision=node.name == "move",
    )


def _hop(node: Ludeme) -> LudemeTree:
    to, between = _part(node, "to"), _part(node, "between")
    apply = _part(to, "apply")
    before, after = (between.named(label) if between is not None else None for label in ("before", "after"))
    return _moves(
        "Hop",
        node,
        _place(_part(node, "from"), _FROM)[0],
        _directions(node, prepared=False),
        _boolean(_condition(to)),
        _ALWAYS if between is None else _boolean(_condition(between)),
        _boolean(_condition(apply)),
        _effect(_first(apply)),
        _constant(0) if before is None else _integer(before),
        *_range(between, 1, 1),
        _constant(0) if after is None else _integer(after),
        _apply(_part(between, "apply")),
        _FALSE,
        decision=node.name == "move",
    )


def _leap(node: Ludeme) -> LudemeTree:
    to = _part(node, "to")
    start, forward, rotations = (
        _place(_part(node, "from"), _FROM)[0],
        node.named("forward"),
        node.named("rotations"),
    )
    return _moves(
        "Leap",
        node,
        start,
        _node("SitesWalk", start, _ALWAYS if rotations is None else _boolean(rotations)),
        _NEVER if forward is None else _boolean(forward),
        _boolean(_condition(to)),
        _apply(_part(to, "apply")),
        decision=node.name == "move",
    )


def _from_to(node: Ludeme) -> LudemeTree:
    to, condition = _part(node, "to"), _condition(_part(node, "to"))
    apply = _part(to, "apply")
    (start, starts), (target, targets) = _place(_part(node, "from"), _FROM), _place(to, _TO)
    return _moves(
        "FromTo",
        node,
        start,
        *[_NULL] * 2,
        target,
        *[_NULL] * 2,
        starts,
        targets,
        _ALWAYS if condition is None else _boolean(condition),
        _boolean(_condition(apply)),
        _effect(_first(apply)),
        _NULL,
        _FALSE,
        _NEVER,
        decision=node.name == "move",
    )


def _for_each_direction(node: Ludeme) -> LudemeTree:
    to, between = _part(node, "to"), _part(node, "between")
    apply = _part(to, "apply")
    names = ("from", "to", "between", "directions")
    moves = [part for part in _rest(node) if isinstance(part, Ludeme) and part.name not in names]
    return _moves(
        "ForEachDirection",
        node,
        _place(_part(node, "from"), _FROM)[0],
        *_range(between, 1, 1),
        _directions(node, prepared=False),
        _boolean(_condition(to)),
        _boolean(_condition(between)),
        _effect(_first(apply) if apply is not None else moves[0] if moves else None),
    )


def _flanking(node: Ludeme) -> tuple[LudemeTree, LudemeTree, LudemeTree, LudemeTree]:
    """Where pieces are taken from, which pieces, between whose, and what becomes of them."""
    between, to = _part(node, "between"), _part(node, "to")
    target, friend, apply = _condition(between), _condition(to), _part(between, "apply")
    return (
        _place(_part(node, "from"), _FROM)[0],
        _node("IsEnemy", _BETWEEN, *_CONSTRAINTS) if target is None else _boolean(target),
        _node("IsFriend", _TO, *_CONSTRAINTS) if friend is None else _boolean(friend),
        _node("Remove", _custom(_BETWEEN), _constant(1), *[_NULL] * 2, *[_FALSE] * 2)
        if apply is None
        else _apply(apply),
    )


def _custodial(node: Ludeme) -> LudemeTree:
    start, target, friend, effect = _flanking(node)
    return _moves(
        "Custodial", node, start, _range(_part(node, "between"), 1, 1000)[1], target, friend, effect
    )


def _surround(node: Ludeme) -> LudemeTree:
    start, target, friend, effect = _flanking(node)
    free, helper = node.named("except"), node.named("with")
    exceptions = _constant(0) if free is None else _integer(free)
    by = _integer(_first(helper)) if isinstance(helper, Ludeme) else _NULL
    return _moves("Surround", node, start, target, friend, exceptions, by, effect)


def _if(node: Ludeme) -> LudemeTree:
    condition, *branches = [*_rest(node), None, None][:3]
    return _moves("If", node, _boolean(condition), *map(_effect, branches))


def _or(node: Ludeme) -> LudemeTree:
    return _moves("Or", node, *map(_effect, _members(_rest(node))))


def _add(node: Ludeme) -> LudemeTree:
    piece, to = _part(node, "piece"), _part(node, "to")
    site, region = _place(to, _TO)
    state = piece.named("state") if piece is not None else None
    return _moves(
        "Add",
        node,
        _integer(state),
        _node("Mover") if piece is None else _piece(_first(piece)),
        region,
        site,
        _NULL,
        _boolean(_condition(to)),
        _constant(1),
        _FALSE,
        _TRUE,
        decision=node.name == "move",
    )


def _piece(node: Node | None) -> LudemeTree:
    return _node("Id", _node(node.value)) if isinstance(node, Text) else _integer(node)


def _promote(node: Ludeme) -> LudemeTree:
    rest = _rest(node)
    new, role = _first(_part(node, "piece")), [part for part in rest if isinstance(part, Symbol)]
    sites = [part for part in rest if not (isinstance(part, Symbol) or part is _part(node, "piece"))]
    owner = _integer(role[0]) if role else _NULL
    match new:
        case Text():
            names_and_pieces = [_NULL, _NULL]
        case Array(items=pieces):
            names_and_pieces = [_NULL, _NULL, *map(_piece, pieces)]
        case _:
            names_and_pieces = [_NULL, _integer(new), _NULL]
    site = _integer(sites[0]) if sites else _TO
    return _moves("Promote", node, site, owner, *names_and_pieces, decision=node.name == "move")


def _remove(node: Ludeme) -> LudemeTree:
    place = [*_rest(node), None][0]
    sites = _region(place) if place is not None and _is_region(place) else _custom(_integer(place))
    return _moves("Remove", node, sites, _constant(1), _NULL, decision=node.name == "move")


def _custom(*sites: LudemeTree) -> LudemeTree:
    return _node("SitesCustom", _NULL, *sites, _NULL)


def _set_state(node: Ludeme) -> LudemeTree:
    at, rest = node.named("at"), _rest(node)
    return _moves("SetState", node, _integer(at), _integer(rest[0] if rest else None))


def _trigger(node: Ludeme) -> LudemeTree:
    event, player = [*_rest(node), None, None][:2]
    name = event.value if isinstance(event, Text) else ""
    return _moves("Trigger", node, _integer(player), _node(name))


def _move_again(node: Ludeme) -> LudemeTree:
    return _moves("MoveAgain", node)


_EFFECTS: dict[str, Callable[[Ludeme], LudemeTree]] = {
    "move Step": _step,
    "move Slide": _slide,
    "move Hop": _hop,
    "move Leap": _leap,
    "move None": _from_to,
    "move Promote": _promote,
    "move Add": _add,
    "move Remove": _remove,
    "step": _step,
    "slide": _slide,
    "hop": _hop,
    "leap": _leap,
    "fromTo": _from_to,
    "forEach Direction": _for_each_direction,
    "custodial": _custodial,
    "surround": _surround,
    "promote": _promote,
    "add": _add,
    "remove": _remove,
    "set State": _set_state,
    "trigger": _trigger,
    "if": _if,
    "or": _or,
    "and": _or,
    "moveAgain": _move_again,
}


def _other_moves(node: Ludeme) -> LudemeTree:
    """Moves of a class that is not described above."""
    tree = _other(node, but="then")
    return _moves(tree.label, node, *tree.children, decision=node.name == "move")


def _other(node: Node, but: str | None = None) -> LudemeTree:
    """A node of a class that is not described above, without the arguments of the name ``but``."""
    if not isinstance(node, Ludeme):
        return LudemeTree(to_text(node))
    label = f"{node.name} {node.keyword}" if node.name in KEYWORD_LUDEMES and node.keyword else node.name
    values = _members(argument.value for argument in node.arguments if not _is_keyword(node, argument))
    left_out = [value for value in values if isinstance(value, Ludeme) and value.name == but]
    return _node(label, *(_any(v) for v in values if not isinstance(v, Symbol) and v not in left_out))


def _is_keyword(node: Ludeme, argument: Argument) -> bool:
    return node.name in KEYWORD_LUDEMES and argument.label is None and argument.value is node.positional[0]


_CONDITIONS = frozenset({"is", "not", "=", "!=", "<", ">", "<=", ">=", "no", "can", "all"})
_INTEGERS = frozenset({"to", "from", "between", "last", "what", "who", "id", "mapEntry"})


def _any(node: Node) -> LudemeTree:
    if isinstance(node, Number):
        return _integer(node)
    if isinstance(node, Boolean):
        return _boolean(node)
    if not isinstance(node, Ludeme):
        return _other(node)
    if node.name in _CONDITIONS:
        return _boolean(node)
    if node.name in _REGIONS:
        return _region(node)
    if node.name in _INTEGERS:
        return _integer(node)
    return (
        _effect(node) if f"{node.name} {node.keyword}" in _EFFECTS or node.name in _EFFECTS else _other(node)
    )
