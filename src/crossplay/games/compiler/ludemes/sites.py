"""Regions: parts of the board, empty and occupied sites, set algebra."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crossplay.games.compiler.ludemes.hands import hand_of
from crossplay.games.compiler.model import ROLES, items, malformed, refuse
from crossplay.games.compiler.regions import Region, difference, intersection, union
from crossplay.games.compiler.registry import Compiler, arguments_of, branches_of, region
from crossplay.games.compiler.scope import Scope, indent
from crossplay.games.language import Ludeme, Node, Symbol, Text

_SETS = {
    "Top": "top", "Bottom": "bottom", "Left": "left", "Right": "right", "Corners": "corners",
    "Centre": "centre", "Outer": "outer", "Inner": "inner", "Perimeter": "perimeter",
}  # fmt: skip


@region("sites", *_SETS)
def _part_of_board(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    """``(sites Top)``, ``(sites Corners)`` and the like."""
    if arguments_of(node):
        refuse(node)
    return Region.fixed(c, c.model.board.sets[_SETS[str(node.keyword)]])


@region("sites", "Board")
def _board(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    if arguments_of(node):
        refuse(node)
    return Region.fixed(c, range(c.model.board.n_sites))


@region("sites", "Side")
def _side(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    match arguments_of(node):
        case [Symbol(name=compass)] if compass in c.model.board.sides:
            return Region.fixed(c, c.model.board.sides[compass])
    refuse(node)


@region("sites", "Row", "Column", "Phase")
def _line_of_board(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    """``(sites Row 2)``, ``(sites Column 0)``, ``(sites Phase 1)``: counted from 0."""
    board = c.model.board
    groups = {"Row": board.rows, "Column": board.columns, "Phase": board.phases}[str(node.keyword)]
    match arguments_of(node):
        case [Ludeme(name="row" | "column" as what) as number] if what == str(node.keyword).lower():
            of = number.named("of")
            if of is not None and len(number.arguments) == 1:
                alike = [next((m for m in groups if site in m), ()) for site in range(board.n_sites)]
                return Region.by_site(c, alike, c.integer(of, scope))
        case [number]:
            pass
        case _:
            refuse(node)
    which = c.integer(number, scope)
    if which.isdigit():
        return Region.fixed(c, groups[int(which)] if int(which) < len(groups) else ())
    group_of = {site: number for number, members in enumerate(groups) for site in members}
    table = c.table("GROUP", np.array([group_of.get(site, -1) for site in range(c.model.n_sites)]))
    longest = max(map(len, groups))
    # One row more: what stands for no group, -1, is the last.
    listed = c.table(
        "GROUP_SITES",
        np.array([[*members, *[-1] * (longest + 1 - len(members))] for members in (*groups, ())]),
    )

    def loop(variable: str, body: str) -> str:
        return f"for i_{variable} in range({longest}):\n" + indent(
            f"{variable} = {listed}[{which}, i_{variable}]\nif {variable} < 0:\n    break\n{body}"
        )

    return Region(lambda site: f"{table}[{site}] == {which}", loop, most=longest)


@region("sites", "Empty")
def _empty(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    if arguments_of(node):
        refuse(node)
    return Region.where(c, c.empty)


@region("sites", "Occupied")
def _occupied(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    """``(sites Occupied by:role [container:] [component:|components:])``: sites with pieces of a player's.

    Of all containers; with components, whose names need only contain the given ones, of the board.
    """
    by = node.named("by")
    if arguments_of(node, "by", "container", "component", "components") or by is None:
        refuse(node)
    names = [name for label in ("component", "components") for name in items(node.named(label))]
    everybody = isinstance(by, Symbol) and by.name == "All"
    owner = "3" if everybody else c.player(by, scope)
    tests: list[Callable[[str], str]] = []
    if names:
        chosen = np.zeros(len(c.model.components) + 1, np.int16)
        for name in names:
            if not isinstance(name, Text):
                refuse(node, "component:")
            for part in c.model.components:
                chosen[part.index] |= name.value in part.name
        table = c.table("CHOSEN", chosen)
        tests.append(lambda site: f"{table}[{c.what(site)}] != 0")
    if not everybody:
        tests.append(lambda site: f"{c.owner(site)} == {owner}")
    elif not names:
        tests.append(lambda site: f"{c.owner(site)} != 0")

    def test(site: str) -> str:
        return " and ".join(part(site) for part in tests)

    match node.named("container"):
        case None:
            return Region.where(c, test, end="BOARD_SITES" if names else "ALL_SITES")
        case Text(value="Hand") if not everybody:
            return hand_of(c, owner).filtered(test)
        case Text(value=container):
            found = [part for part in c.model.containers if part.name == container]
        case number:
            index = c.integer(number, scope)
            found = [part for part in c.model.containers if str(part.index) == index]
    if len(found) != 1:
        refuse(node, "container:")
    if found[0].index == 0:
        return Region.where(c, test)
    first = found[0].first_site
    return Region.where(c, test, str(first), str(first + found[0].sites))


@region("sites", *ROLES, "Mover", "Next", "Prev")
def _region_of_player(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    """``(sites Mover)``: the regions of a player; with a name, the one of that name."""
    match node.positional:
        case (role,):
            name = None
        case (role, Text(value=name)):
            pass
        case _:
            refuse(node)
    sites = {number: named_sites(c, name, number) for number in (1, 2)}
    if not any(sites.values()):
        refuse(node)
    return Region.by_player(c, sites, c.player(role, scope))


@region("sites", None)
def _by_name_or_list(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    """``(sites "Name")`` and ``(sites {"A1" "B2" 5})``."""
    match node.positional:
        case (Text(value=name),):
            if any(regions.name == name for regions in c.model.regions):
                return union(
                    c, [c.region(m, scope) for r in c.model.regions if r.name == name for m in r.members]
                )
            return Region.fixed(c, {c.site(name, node)})
        case (members,) if items(members) != (members,):
            return union(c, [_one(c, member, scope) for member in items(members)])
    refuse(node)


def _one(c: Compiler, node: Node, scope: Scope) -> Region:
    if isinstance(node, Symbol):
        refuse(node)
    site = c.integer(node, scope)
    return Region.fixed(c, {c.numbered_site(int(site), node)}) if site.isdigit() else Region.one(site)


def named_sites(c: Compiler, name: str | None, owner: int) -> frozenset[int]:
    """The sites of a player's regions; with a name, of those whose own contains it, as in Ludii."""
    found: frozenset[int] = frozenset()
    for regions in c.model.regions:
        if regions.owner == owner and (name is None or name in (regions.name or "")):
            for member in regions.members:
                found |= static_sites(c, member)
    return found


def static_sites(c: Compiler, node: Node) -> frozenset[int]:
    """The sites of a region that never changes; any other is refused."""
    static = c.region(node, Scope()).static
    if static is None:
        refuse(node)
    return static


@region("union")
def _union(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    return union(c, _operands(c, node, scope))


@region("intersection")
def _intersection(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    return intersection(c, _operands(c, node, scope))


@region("difference")
def _difference(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    if len(node.positional) != 2:
        malformed(node, "(difference ...) takes two regions")
    first, second = (c.region(part, scope) for part in node.positional)
    return difference(c, first, second)


def _operands(c: Compiler, node: Ludeme, scope: Scope) -> list[Region]:
    operands = (
        node.positional if len(node.positional) > 1 else items(node.positional[0]) if node.positional else ()
    )
    if not operands:
        malformed(node, f"({node.name} ...) takes regions")
    return [c.region(part, scope) for part in operands]


@region("if")
def _if(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    """``(if condition region [region])``."""
    condition, *branches = branches_of(node, "regions")
    test = c.boolean(condition, scope)
    yes, no = (Region.fixed(c, ()) if part is None else c.region(part, scope) for part in branches)
    return Region.where(
        c, lambda site: f"({yes.contains(site)}) if {test} else ({no.contains(site)})", end="ALL_SITES"
    )
