"""Connection: chains of stones that join sides of the board."""

from __future__ import annotations

import numpy as np

from crossplay.games.compiler.directions import RELATIONS
from crossplay.games.compiler.ludemes.sites import static_sites
from crossplay.games.compiler.model import items, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, boolean
from crossplay.games.compiler.scope import Scope
from crossplay.games.language import Ludeme, Symbol


@boolean("is", "Connected")
def _is_connected(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(is Connected [relation] Mover)``: the last stone's chain touches each of the mover's regions.

    In a game that only ever adds stones a chain's sides can be kept on every stone of it: a new stone
    takes the sides of its neighbours, and where that tells a chain something new it is spread along it.
    Each stone learns a side once, so a whole game costs little more than the stones it places.
    A stone's *link* has one bit for its colour and one per side touched, in other places for either
    colour, so that a look at the neighbours' links needs no look at whose stones they are.
    """
    relation = "Adjacent"
    match arguments_of(node):
        case [Symbol(name="Mover")]:
            pass
        case [Symbol(name=given), Symbol(name="Mover")] if given in RELATIONS:
            relation = given
        case _:
            refuse(node)
    regions = {
        player: [
            static_sites(c, part)
            for found in c.model.regions
            if found.owner == player
            for member in found.members
            for part in items(member)
        ]
        for player in (1, 2)
    }
    if not all(regions.values()):
        refuse(node, "without regions of both players")
    lane = 1 + max(map(len, regions.values()))
    if 2 * lane > 15:
        refuse(node, "with more than 6 regions")
    sites = c.model.board.n_sites
    links = np.zeros((3, sites), np.int64)
    full = np.zeros(3, np.int64)
    for player, sides in regions.items():
        own = 1 << (player - 1) * lane
        links[player] = own
        full[player] = own * ((2 << len(sides)) - 1)
        for bit, side in enumerate(sides, 1):
            links[player, list(side)] |= own << bit
    new, complete = c.table("NEW_LINK", links), c.table("FULL_LINK", full)
    own_link = c.table("OWN_LINK", np.array([0, 1, 1 << lane]))
    # A site past the last, which stays empty, stands for every neighbour that is not there.
    near = _neighbours(c, relation, missing=sites)
    section = c.source.section(f"LINKS_{relation.upper()}", sites + 1)
    # A stack inside the state row needs no allocation and is zero again when the work is done.
    pending = c.source.section("LINKS_PENDING", sites)
    spread = c.function(
        "spread",
        "state, site, own, link",
        f"""
        state[{pending}] = site
        n = 1
        while n > 0:
            n -= 1
            site = state[{pending} + n]
            state[{pending} + n] = 0
            for k in range({near}.shape[1]):
                other = {near}[site, k]
                theirs = state[{section} + other]
                if theirs & own != 0 and theirs != link:
                    state[{section} + other] = link
                    state[{pending} + n] = other
                    n += 1
        """,
        "Tell every stone of a stone's chain which sides the chain touches.",
    )
    link = c.function(
        "link",
        "state, site",
        f"""
        owner = {c.owner("site")}
        own = {own_link}[owner]
        link = {new}[owner, site]
        common = np.int16(-1)
        for k in range({near}.shape[1]):
            theirs = state[{section} + {near}[site, k]]
            link |= theirs
            common &= theirs if theirs & own != 0 else np.int16(-1)
        link &= {complete}[owner]
        state[{section} + site] = link
        if common & link != link:
            {spread}(state, site, own, link)
        """,
        "Join a new stone to the chains around it.",
    )
    hook = f"{link}(state, site)"
    if all(known("site") != hook for known in c.actions.placed):
        c.actions.placed.append(lambda site: f"{link}(state, {site})")
    name = c.function(
        "connected",
        "state",
        f"""
        site = state[LAST_TO]
        return site >= 0 and state[{section} + site] == {complete}[state[MOVER]]
        """,
        "Whether the chain of the last stone touches all of the mover's sides.",
    )
    return f"{name}(state)"


def _neighbours(c: Compiler, relation: str, missing: int) -> str:
    """The table of a site's neighbours by relation, padded with ``missing``."""
    lists = c.model.board.neighbours(relation)
    table = np.full((len(lists), max(1, *map(len, lists))), missing)
    for site, others in enumerate(lists):
        table[site, : len(others)] = others
    return c.table("NEIGHBOURS", table)
