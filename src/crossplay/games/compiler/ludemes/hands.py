"""Hands and maps: where taken pieces wait, and the tables that say which piece becomes which."""

from __future__ import annotations

import numpy as np

from crossplay.games.compiler.model import items, malformed, refuse
from crossplay.games.compiler.regions import Region
from crossplay.games.compiler.registry import Compiler, arguments_of, integer, region
from crossplay.games.compiler.scope import Scope
from crossplay.games.language import Ludeme, Node, Text


def first_hand_sites(c: Compiler) -> dict[int, int]:
    """The first site of each player's hand."""
    return {hand.owner: hand.first_site for hand in reversed(c.model.containers[1:])}


@integer("handSite")
def _hand_site(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(handSite role [n])``: the n-th site of a player's hand, counted from 0."""
    match arguments_of(node):
        case [role]:
            index = "0"
        case [role, number]:
            index = c.integer(number, scope)
        case _:
            refuse(node)
    first = first_hand_sites(c)
    player = c.player(role, scope)
    if player.isdigit():
        if int(player) not in first:
            malformed(node, "that player has no hand")
        site = first[int(player)]
        return str(site + int(index)) if index.isdigit() else f"({site} + {index})"
    table = c.table("FIRST_OF_HAND", np.array([first.get(number, -1) for number in range(4)]))
    return f"({table}[{player}] + {index})"


@region("sites", "Hand")
def _hand(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    """``(sites Hand role)``."""
    match arguments_of(node):
        case [role]:
            return hand_of(c, c.player(role, scope))
    refuse(node)


def hand_of(c: Compiler, player: str) -> Region:
    """All sites of a player's hand."""
    sites = {
        hand.owner: range(hand.first_site, hand.first_site + hand.sites)
        for hand in reversed(c.model.containers[1:])
    }
    return Region.by_player(c, sites, player)


@integer("mapEntry")
def _map_entry(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(mapEntry ["Name"] key)``: what the map of that name, or any map, gives for a key.

    A key without an entry stands for itself; and as in Ludii an entry that is 0 counts as none.
    """
    match arguments_of(node):
        case [Text(value=name), key]:
            maps = [found for found in (c.model.maps.get(name),) if found is not None]
            if not maps:
                malformed(node, f"there is no map {name!r}")
        case [key]:
            maps = list(c.model.maps.values())
        case _:
            refuse(node)
    size = 1 + max(len(c.model.components), c.model.n_sites)
    entries = np.arange(size)
    for found in reversed(maps):
        for number, value in _pairs(c, found).items():
            if not 0 <= number < size:
                refuse(found, f"with the key {number}")
            if value not in (0, -1):
                entries[number] = value
    which = c.integer(key, scope)
    if which.isdigit():
        return str(entries[int(which)]) if int(which) < size else which
    table = c.table("MAP", entries)
    if which in ("state[MOVER]", "state[NEXT]", "state[PREV]"):
        return f"{table}[{which}]"
    name = c.function("map_entry", "key", f"return {table}[key] if 0 <= key < {size} else key")
    return f"{name}({which})"


def _pairs(c: Compiler, node: Ludeme) -> dict[int, int]:
    """The entries of ``(map ["Name"] {(pair key value)...})`` or ``(map ["Name"] {keys} {values})``."""
    parts = [part for part in node.positional if not isinstance(part, Text)]
    pairs: list[tuple[Node, Node]] = []
    if len(parts) == 2:
        pairs = list(zip(items(parts[0]), items(parts[1]), strict=False))
    elif len(parts) == 1:
        for pair in items(parts[0]):
            if not isinstance(pair, Ludeme) or pair.name != "pair" or len(pair.positional) != 2:
                refuse(pair)
            pairs.append((pair.positional[0], pair.positional[1]))
    else:
        refuse(node)
    return {_constant(c, key): _constant(c, value) for key, value in pairs}


def _constant(c: Compiler, node: Node) -> int:
    """A number, a player, the site of a label or the component of a name."""
    if isinstance(node, Text) and node.value not in c.model.board.labels:
        for part in c.model.components:
            if part.name == node.value:
                return part.index
        malformed(node, f"there is no site or piece {node.value!r}")
    value = c.integer(node, Scope())
    if not value.lstrip("-").isdigit():
        refuse(node)
    return int(value)
