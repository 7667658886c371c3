"""Start rules -> statements that set up the initial position."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crossplay.games.compiler.ludemes.sites import static_sites
from crossplay.games.compiler.model import items, malformed, only_labels, refuse
from crossplay.games.compiler.scope import Scope, indent, lines
from crossplay.games.language import Array, Ludeme, Node, Number, Text

if TYPE_CHECKING:
    from crossplay.games.compiler.registry import Compiler


def compile_start(c: Compiler) -> str:
    """Statements that put the initial pieces on an empty board and players into their first phases."""
    placed = initial_pieces(c)
    others = [c.start(rule) for rule in c.model.start if not _is_place(rule)]
    c.initial = tuple(placed)
    phases = []
    for player in (1, 2):
        first = next((i for i, phase in enumerate(c.model.phases) if phase.owner in (0, player)), 0)
        if first:
            phases.append(f"state[PHASE - 1 + {player}] = {first}")
    if not placed:
        return lines(*phases, *others)
    table = c.table("INITIAL", np.array(placed))
    heap = f"state[COUNT + site] = {table}[i, 3]" if c.model.flags.counts else ""
    body = lines(f"site = {table}[i, 0]", f"place(state, site, {table}[i, 1], {table}[i, 2])", heap)
    return lines(*phases, *others, f"for i in range({len(placed)}):\n{indent(body)}")


def initial_pieces(c: Compiler) -> list[tuple[int, int, int, int]]:
    """Site, component, local state and count of each piece that the start rules place."""
    rules = [rule for rule in c.model.start if isinstance(rule, Ludeme) and _is_place(rule)]
    return [piece for rule in rules for piece in _placed(c, rule)]


def _is_place(rule: Node) -> bool:
    return isinstance(rule, Ludeme) and rule.name == "place"


def _placed(c: Compiler, rule: Ludeme) -> list[tuple[int, int, int, int]]:
    """Site, component, local state and count of each piece of ``(place "Name1" sites ...)``."""
    only_labels(rule, "coord", "count", "state")
    local, count = (_number(c, rule, label) for label in ("state", "count"))
    match rule.positional:
        case (Text(value=name), *where):
            pass
        case _:
            refuse(rule)
    coordinate = rule.named("coord")
    targets: list[Node] = [*where, *([coordinate] if coordinate is not None else [])]
    if len(targets) != 1:
        refuse(rule)
    target = targets[0]
    if isinstance(target, Text) and target.value not in c.model.board.labels:
        return [
            (hand.first_site, _component(c, rule, name, hand.owner), local or 0, count or 1)
            for hand in c.model.containers[1:]
            if target.value in ("Hand", hand.name) and _belongs(c, name, hand.owner)
        ] or malformed(rule, f"the board has no site {target.value!r}")
    sites: list[int] = []
    for member in items(target) if isinstance(target, Array) else (target,):
        if isinstance(member, Number | Text):
            sites.append(c.numbered_site(int(c.integer(member, Scope())), member))
        else:
            sites += sorted(static_sites(c, member))
    return [(site, _component(c, rule, name, None), local or 0, count or 1) for site in sites]


def _number(c: Compiler, rule: Ludeme, label: str) -> int | None:
    node = rule.named(label)
    if node is None:
        return None
    value = c.integer(node, Scope())
    if not value.isdigit():
        refuse(rule, f"{label}:")
    return int(value)


def _belongs(c: Compiler, name: str, owner: int) -> bool:
    return any(part.owner == owner and name in (part.name, part.base) for part in c.model.components)


def _component(c: Compiler, rule: Ludeme, name: str, owner: int | None) -> int:
    return c.model.named(name, rule, owner)[0].index
