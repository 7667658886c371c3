"""Decisions that put pieces on the board, take them off or carry them from anywhere to anywhere; passing."""

from __future__ import annotations

import numpy as np

from crossplay.games.compiler.ludemes.effects import attached_effect
from crossplay.games.compiler.ludemes.stepping import condition_of
from crossplay.games.compiler.model import items, malformed, only_labels, refuse
from crossplay.games.compiler.regions import Region
from crossplay.games.compiler.registry import MOVED, Compiler, arguments_of, effect, moves, then_of
from crossplay.games.compiler.scope import INSIDE, Moves, Scope, indent, lines
from crossplay.games.language import Boolean, Ludeme, Node, Symbol, Text


def component(c: Compiler, node: Node, scope: Scope) -> str:
    """The component of ``(piece ...)``: a name, with or without the owner's number, or a number."""
    match node:
        case Ludeme(name="piece", positional=(inner,)):
            return component(c, inner, scope)
        case Text(value=name):
            found = c.model.named(name, node)
            owned = {part.owner: part.index for part in found}
            if found[0].name != name and 1 in owned and 2 in owned:
                return f"({owned[1]} if state[MOVER] == 1 else {owned[2]})"
            return str(found[0].index)
    return c.integer(node, scope)


@moves("move", "Add")
def _add(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(move Add [(piece ...)] (to region [if:] [(apply ...)]) [stack:])``.

    Without a piece it is the component whose number is the mover's, as in Ludii. That pieces may be put
    on others, ``stack:True``, is so for the whole game then.
    """
    then = (*then_of(node), *then)
    piece: Node | None = None
    match arguments_of(node, "stack"):
        case [Ludeme(name="to") as to]:
            pass
        case [Ludeme(name="piece") as piece, Ludeme(name="to") as to]:
            pass
        case [*others]:
            if others:
                refuse(others[0])
            malformed(node, "(move Add ...) needs (to <region>)")
    only_labels(to, "if")
    where = _where(to)
    pieces: list[Node | None] = [piece]
    if isinstance(piece, Ludeme) and piece.positional and len(items(piece.positional[0])) > 1:
        only_labels(piece)
        pieces = list(items(piece.positional[0]))
    test = condition_of(c, to, INSIDE.with_(to="t"))
    collect = c.run(attached_effect(c, to, MOVED))
    if len(pieces) == 1:
        what = "state[MOVER]" if piece is None else component(c, piece, MOVED)
        local = local_state(c, piece, MOVED)
        kind = c.kind(lines(collect, f"place(state, to, {what}, {local})"), then)
        emit = c.emit(kind, "t", "t")
    else:
        kind = c.kind(lines(collect, "place(state, to, extra, 0)"), then)
        emit = lines(
            *(c.emit(kind, "t", "t", component(c, one, INSIDE)) for one in pieces if one is not None)
        )
    found = c.region(where, INSIDE)
    body = found.loop("t", emit if test is None else f"if {test}:\n{indent(emit)}")
    generator = c.generator("add", scope, body)
    if len(pieces) > 1:
        return Moves(generator, c.model.n_sites * len(pieces))
    known = found.static if found.static is not None else found.among
    if known is not None and len(known) < c.model.n_sites:
        table = c.table("SITES", np.array(sorted(known) or [0]))
        slots, which = str(len(known)), f"t = {table}[slot]"
    else:
        slots, which = str(c.model.n_sites), "t = slot"
    within = [] if found.static is not None else [c.region(where, scope).contains("t")]
    outside = condition_of(c, to, scope.with_(to="t"))
    tests = " and ".join(f"({part})" for part in (*within, *([outside] if outside is not None else [])))
    chosen = f"guessed = {c.kinds.packed(kind, 't', 't')}"
    pick = lines(which, f"if {tests}:\n{indent(chosen)}" if tests else chosen)
    return Moves(generator, c.model.n_sites, 0, slots, pick)


def local_state(c: Compiler, piece: Node | None, scope: Scope) -> str:
    """The ``state:`` of ``(piece ...)``, 0 without one."""
    if not isinstance(piece, Ludeme):
        return "0"
    only_labels(piece, "state")
    state = piece.named("state")
    return "0" if state is None else c.integer(state, scope)


def _where(to: Ludeme) -> Node:
    regions = [part for part in to.positional if not (isinstance(part, Ludeme) and part.name == "apply")]
    if len(regions) != 1:
        malformed(to, f"({to.name} ...) needs a region")
    return regions[0]


@moves("move", "Remove")
def _remove(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(move Remove region)``: take a piece off one of the sites."""
    then = (*then_of(node), *then)
    match arguments_of(node):
        case [where]:
            pass
        case _:
            refuse(node)
    kind = c.kind("remove(state, to)", then)
    occupied = f"if {c.what('t')} != 0:\n{indent(c.emit(kind, 't', 't'))}"
    return Moves(c.generator("removal", scope, c.region(where, INSIDE).loop("t", occupied)), c.model.n_sites)


@moves("move", "Pass")
def _pass(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    then = (*then_of(node), *then)
    if arguments_of(node):
        refuse(node)
    after = lines(*(c.consequence(effect, Scope()) for effect in then))
    if c.kinds.pass_consequences not in (None, after):
        refuse(node, "with consequences that differ from another pass's")
    c.kinds.pass_consequences = after
    return Moves(c.kinds.append("PASS"), 1, 0, "1", "guessed = PASS")


@moves("move", None)
def _from_to(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(move (from region [if:]) (to region [if:] [(apply ...)]) [copy:])``: from anywhere to anywhere.

    Without regions it goes from ``(from)`` or to ``(to)`` as they stand.
    """
    then = (*then_of(node), *then)
    copy = node.named("copy")
    if copy is not None and not isinstance(copy, Boolean):
        refuse(node, "copy:")
    match arguments_of(node, "copy"):
        case [Ludeme(name="from") as origin, Ludeme(name="to") as to]:
            pass
        case [first, *_]:
            refuse(node if isinstance(first, Symbol) else first)
        case _:
            refuse(node)
    only_labels(origin, "if")
    only_labels(to, "if")
    started = INSIDE.with_(origin="f")
    source = c.region(_where(origin), INSIDE) if _has_region(origin) else Region.one("origin")
    target = c.region(_where(to), started) if _has_region(to) else Region.one("to")
    leaves = condition_of(c, origin, started) or "True"
    test = condition_of(c, to, started.with_(to="t"))
    collect = lines(attached_effect(c, origin, MOVED), attached_effect(c, to, MOVED))
    if copy is not None and copy.value:
        change = f"place(state, to, {c.what('origin')}, 0)"
    else:
        change = "shift(state, origin, to)"
    kind = c.kind(lines(c.run(collect), change), then)
    emit = c.emit(kind, "f", "t")
    targets = target.loop("t", emit if test is None else f"if {test}:\n{indent(emit)}")
    body = source.loop("f", f"if {c.what('f')} != 0 and ({leaves}):\n{indent(targets)}")
    sites = c.model.n_sites
    slots, pick = "", ""
    if source.single is not None and target.of is not None and target.nth is not None:
        tests = f"t >= 0 and {c.what('f')} != 0 and ({leaves})" + ("" if test is None else f" and ({test})")
        chosen = f"guessed = {c.kinds.packed(kind, 'f', 't')}"
        found = lines(f"t = {target.nth('place')}", f"if {tests}:\n{indent(chosen)}")
        slots = str(target.most)
        trial = f"f = {source.single}\nif 0 <= f < BOARD_SITES:\n{indent(found)}"
        pick = c.picker("try_carry", scope, trial)
    bound = (source.most or sites) * (target.most or sites)
    return Moves(c.generator("carry", scope, body), bound, 0, slots, pick)


def _has_region(holder: Ludeme) -> bool:
    return any(not (isinstance(part, Ludeme) and part.name == "apply") for part in holder.positional)


@effect("add")
def _add_effect(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(add [(piece ...)] (to region [if:]) [count:])``: put pieces on every site of the region.

    What stands there already stays and, where sites have counts, is counted once more, whatever the
    piece, as in Ludii. Adding no piece (0) does nothing.
    """
    if c.model.flags.stacking:
        c.actions.define("add", "place(state, a, b, c)")
    else:
        counted = "state[COUNT + a] += 1" if c.model.flags.counts else "pass"
        put = f"if state[HEADER + a] == 0:\n    place(state, a, b, c)\nelse:\n    {counted}"
        c.actions.define("add", f"if b != 0:\n{indent(put)}")
    c.actions.places = True
    match arguments_of(node, "count"):
        case [Ludeme(name="to") as to]:
            piece = None
        case [Ludeme(name="piece") as piece, Ludeme(name="to") as to]:
            pass
        case _:
            refuse(node)
    only_labels(to, "if")
    count = node.named("count")
    single = c.region(_where(to), scope).single

    def push(site: str, inside: Scope) -> str:
        what = "state[MOVER]" if piece is None else component(c, piece, inside)
        put = c.push("add", site, what, "0" if piece is None else local_state(c, piece, inside))
        if count is not None:
            put = f"for _ in range({c.integer(count, inside)}):\n{indent(put)}"
        test = condition_of(c, to, inside.with_(to=site))
        return put if test is None else f"if {test}:\n{indent(put)}"

    if single is None:
        return c.collector("additions", scope, c.region(_where(to), INSIDE).loop("s", push("s", INSIDE)))
    if single.isdigit():
        return push(single, scope)
    return f"site_ = {single}\nif site_ >= 0:\n{indent(push('site_', scope))}"
