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

from crossplay.games.language import Array, Ludeme, Node, Symbol, Text, walk
from crossplay.similarity.ludemes import LudemeTree
from crossplay.transfer.objects import (
    ALWAYS,
    BETWEEN,
    CONSTRAINTS,
    EFFECTS,
    EMPTY,
    FALSE,
    FROM,
    NEVER,
    NULL,
    REGIONS,
    TO,
    TRUE,
    boolean_tree,
    condition_of,
    constant_tree,
    custom_region,
    effect_tree,
    first_of,
    integer_tree,
    is_region,
    members_of,
    object_tree,
    other_tree,
    part_of,
    region_tree,
    rest_of,
)

_RELATIVE = frozenset(
    {
        "Forward", "Backward", "Rightward", "Leftward", "FL", "FLL", "FR", "FRR", "BL", "BLL", "BR", "BRR",
        "SameDirection", "OppositeDirection",
    }
)  # fmt: skip
_CACHE_FIELD = 8  # of an addition: whether it keeps its actions for later


def piece_tree(moves: Ludeme | None) -> LudemeTree:
    """The tree of a piece's moves; a piece without moves of its own is a single node with an empty label."""
    return LudemeTree("") if moves is None else effect_tree(moves)


def _directions(node: Ludeme, prepared: bool) -> LudemeTree:
    """``prepared`` objects hold fixed directions as a list, which has no leaf of its own."""
    others = ("to", "from", "between")
    given = [part for part in rest_of(node) if not (isinstance(part, Ludeme) and part.name in others)]
    words = [word.name for part in given for word in walk(part) if isinstance(word, Symbol)]
    if any(word in _RELATIVE for word in words):
        return object_tree("Directions", FALSE, NULL, NULL)
    return object_tree("Directions", NULL, FALSE, *([] if prepared else [NULL]))


def _range(node: Ludeme | None, least: int, most: int) -> tuple[LudemeTree, LudemeTree]:
    """Both ends of the ``(max 1)`` or the like in a ``(between ...)``, or else ``least`` and ``most``."""
    if part := part_of(node, "max"):
        return constant_tree(-1), integer_tree(first_of(part))
    if part := part_of(node, "min"):
        return integer_tree(first_of(part)), constant_tree(10**9)
    if part := part_of(node, "exact"):
        return integer_tree(first_of(part)), integer_tree(first_of(part))
    return constant_tree(least), constant_tree(most)


def _place(node: Ludeme | None, site: LudemeTree) -> tuple[LudemeTree, LudemeTree]:
    """Site and region of a ``(from ...)`` or ``(to ...)``; ``site`` where it names neither."""
    given = [part for part in node.positional if not isinstance(part, Symbol)] if node is not None else []
    match given:
        case [Ludeme(name=name) as region, *_] if name in REGIONS:
            return NULL, region_tree(region)
        case [Ludeme(name="apply"), *_] | []:
            return site, NULL
    return integer_tree(given[0]), NULL


def _moves(label: str, node: Ludeme, *fields: LudemeTree, decision: bool = False) -> LudemeTree:
    """A node of the kind moves: its own fields, then those that all moves have.

    These are what follows, whether a player decides on the move, and whether it waits for all other moves.
    """
    then = first_of(part_of(node, "then"))
    own = TRUE if decision else FALSE
    if then is None:
        return object_tree(label, *fields, NULL, own, FALSE)
    return object_tree(
        label, *map(_without_cache, fields), object_tree("Then", effect_tree(then)), own, FALSE
    )


def _without_cache(tree: LudemeTree) -> LudemeTree:
    """Additions may not keep their actions for later within moves that something follows."""
    children = [_without_cache(child) for child in tree.children]
    if tree.label == "Add":
        children[_CACHE_FIELD] = FALSE
    return LudemeTree(tree.label, tuple(children))


def _apply(node: Ludeme | None) -> LudemeTree:
    if node is None:
        return NULL
    return _moves("Apply", node, boolean_tree(condition_of(node)), effect_tree(first_of(node)))


def _step(node: Ludeme) -> LudemeTree:
    to = part_of(node, "to")
    condition, effect = boolean_tree(condition_of(to)), _apply(part_of(to, "apply"))
    start, starts = _place(part_of(node, "from"), FROM)
    target = object_tree("To argument", *_place(to, TO), NULL, condition, *[NULL] * 2, effect)
    return _moves(
        "Step",
        node,
        start,
        starts,
        ALWAYS if condition == NULL else condition,
        effect,
        FALSE,
        _directions(node, prepared=True),
        NULL if to is None else target,
        decision=node.name == "move",
    )


def _slide(node: Ludeme) -> LudemeTree:
    to, between = part_of(node, "to"), part_of(node, "between")
    apply, go = part_of(to, "apply"), condition_of(between)
    least, most = _range(between, -1, 1000)
    return _moves(
        "Slide",
        node,
        _place(part_of(node, "from"), FROM)[0],
        most,
        least,
        object_tree("IsIn", BETWEEN, EMPTY, *CONSTRAINTS) if go is None else boolean_tree(go),
        boolean_tree(condition_of(to)),
        boolean_tree(condition_of(apply)),
        integer_tree(between.named("trail")) if between is not None else NULL,
        effect_tree(first_of(apply)),
        _directions(node, prepared=False),
        NULL,
        decision=node.name == "move",
    )


def _hop(node: Ludeme) -> LudemeTree:
    to, between = part_of(node, "to"), part_of(node, "between")
    apply = part_of(to, "apply")
    before, after = (between.named(label) if between is not None else None for label in ("before", "after"))
    return _moves(
        "Hop",
        node,
        _place(part_of(node, "from"), FROM)[0],
        _directions(node, prepared=False),
        boolean_tree(condition_of(to)),
        ALWAYS if between is None else boolean_tree(condition_of(between)),
        boolean_tree(condition_of(apply)),
        effect_tree(first_of(apply)),
        constant_tree(0) if before is None else integer_tree(before),
        *_range(between, 1, 1),
        constant_tree(0) if after is None else integer_tree(after),
        _apply(part_of(between, "apply")),
        FALSE,
        decision=node.name == "move",
    )


def _leap(node: Ludeme) -> LudemeTree:
    to = part_of(node, "to")
    start, forward, rotations = (
        _place(part_of(node, "from"), FROM)[0],
        node.named("forward"),
        node.named("rotations"),
    )
    return _moves(
        "Leap",
        node,
        start,
        object_tree("SitesWalk", start, ALWAYS if rotations is None else boolean_tree(rotations)),
        NEVER if forward is None else boolean_tree(forward),
        boolean_tree(condition_of(to)),
        _apply(part_of(to, "apply")),
        decision=node.name == "move",
    )


def _from_to(node: Ludeme) -> LudemeTree:
    to, condition = part_of(node, "to"), condition_of(part_of(node, "to"))
    apply = part_of(to, "apply")
    (start, starts), (target, targets) = _place(part_of(node, "from"), FROM), _place(to, TO)
    return _moves(
        "FromTo",
        node,
        start,
        *[NULL] * 2,
        target,
        *[NULL] * 2,
        starts,
        targets,
        ALWAYS if condition is None else boolean_tree(condition),
        boolean_tree(condition_of(apply)),
        effect_tree(first_of(apply)),
        NULL,
        FALSE,
        NEVER,
        decision=node.name == "move",
    )


def _for_each_direction(node: Ludeme) -> LudemeTree:
    to, between = part_of(node, "to"), part_of(node, "between")
    apply = part_of(to, "apply")
    names = ("from", "to", "between", "directions")
    moves = [part for part in rest_of(node) if isinstance(part, Ludeme) and part.name not in names]
    return _moves(
        "ForEachDirection",
        node,
        _place(part_of(node, "from"), FROM)[0],
        *_range(between, 1, 1),
        _directions(node, prepared=False),
        boolean_tree(condition_of(to)),
        boolean_tree(condition_of(between)),
        effect_tree(first_of(apply) if apply is not None else moves[0] if moves else None),
    )


def _flanking(node: Ludeme) -> tuple[LudemeTree, LudemeTree, LudemeTree, LudemeTree]:
    """Where pieces are taken from, which pieces, between whose, and what becomes of them."""
    between, to = part_of(node, "between"), part_of(node, "to")
    target, friend, apply = condition_of(between), condition_of(to), part_of(between, "apply")
    return (
        _place(part_of(node, "from"), FROM)[0],
        object_tree("IsEnemy", BETWEEN, *CONSTRAINTS) if target is None else boolean_tree(target),
        object_tree("IsFriend", TO, *CONSTRAINTS) if friend is None else boolean_tree(friend),
        object_tree("Remove", custom_region(BETWEEN), constant_tree(1), *[NULL] * 2, *[FALSE] * 2)
        if apply is None
        else _apply(apply),
    )


def _custodial(node: Ludeme) -> LudemeTree:
    start, target, friend, effect = _flanking(node)
    return _moves(
        "Custodial", node, start, _range(part_of(node, "between"), 1, 1000)[1], target, friend, effect
    )


def _surround(node: Ludeme) -> LudemeTree:
    start, target, friend, effect = _flanking(node)
    free, guard = node.named("except"), node.named("with")
    exceptions = constant_tree(0) if free is None else integer_tree(free)
    by = integer_tree(first_of(guard)) if isinstance(guard, Ludeme) else NULL
    return _moves("Surround", node, start, target, friend, exceptions, by, effect)


def _if(node: Ludeme) -> LudemeTree:
    condition, *branches = [*rest_of(node), None, None][:3]
    return _moves("If", node, boolean_tree(condition), *map(effect_tree, branches))


def _or(node: Ludeme) -> LudemeTree:
    return _moves("Or", node, *map(effect_tree, members_of(rest_of(node))))


def _add(node: Ludeme) -> LudemeTree:
    piece, to = part_of(node, "piece"), part_of(node, "to")
    site, region = _place(to, TO)
    state = piece.named("state") if piece is not None else None
    return _moves(
        "Add",
        node,
        integer_tree(state),
        object_tree("Mover") if piece is None else _piece(first_of(piece)),
        region,
        site,
        NULL,
        boolean_tree(condition_of(to)),
        constant_tree(1),
        FALSE,
        TRUE,
        decision=node.name == "move",
    )


def _piece(node: Node | None) -> LudemeTree:
    return object_tree("Id", object_tree(node.value)) if isinstance(node, Text) else integer_tree(node)


def _promote(node: Ludeme) -> LudemeTree:
    rest = rest_of(node)
    new, role = first_of(part_of(node, "piece")), [part for part in rest if isinstance(part, Symbol)]
    sites = [part for part in rest if not (isinstance(part, Symbol) or part is part_of(node, "piece"))]
    owner = integer_tree(role[0]) if role else NULL
    match new:
        case Text():
            names_and_pieces = [NULL, NULL]
        case Array(items=pieces):
            names_and_pieces = [NULL, NULL, *map(_piece, pieces)]
        case _:
            names_and_pieces = [NULL, integer_tree(new), NULL]
    site = integer_tree(sites[0]) if sites else TO
    return _moves("Promote", node, site, owner, *names_and_pieces, decision=node.name == "move")


def _remove(node: Ludeme) -> LudemeTree:
    place = [*rest_of(node), None][0]
    sites = (
        region_tree(place) if place is not None and is_region(place) else custom_region(integer_tree(place))
    )
    return _moves("Remove", node, sites, constant_tree(1), NULL, decision=node.name == "move")


def _set_state(node: Ludeme) -> LudemeTree:
    at, rest = node.named("at"), rest_of(node)
    return _moves("SetState", node, integer_tree(at), integer_tree(rest[0] if rest else None))


def _trigger(node: Ludeme) -> LudemeTree:
    event, player = [*rest_of(node), None, None][:2]
    name = event.value if isinstance(event, Text) else ""
    return _moves("Trigger", node, integer_tree(player), object_tree(name))


def _move_again(node: Ludeme) -> LudemeTree:
    return _moves("MoveAgain", node)


def _other_moves(node: Ludeme) -> LudemeTree:
    """Moves of a class that is not described above."""
    tree = other_tree(node, but="then")
    return _moves(tree.label, node, *tree.children, decision=node.name == "move")


EFFECTS |= {
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
    "": _other_moves,
}
