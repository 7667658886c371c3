"""Chains that have to touch all of a player's regions, in games that only add stones.

A chain's regions are kept on every stone of it: a new stone takes those of its neighbours, and where that
tells a chain something new it is spread along it. Each stone learns of a region once. With few regions
this is faster still than :mod:`~crossplay.games.compiler.ludemes.chains`.

A stone's *link* has one bit for its colour and one per region touched, in other places for either colour,
so that a look at the neighbours' links needs no look at whose stones they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from crossplay.games.compiler.registry import Compiler

_BITS = 15  # of a cell of the state


def linked(
    c: Compiler, relation: str, regions: Mapping[int, Sequence[frozenset[int]]], player: str
) -> str | None:
    """An expression for whether the last stone's chain touches all the regions of a player.

    Args:
        c: the compiler, of a game that only adds stones.
        relation: which neighbours hold together.
        regions: for both players.
        player: an expression for the number of the player, over ``state`` and ``site``, the last stone.

    Returns:
        None if there are too many regions, or several sorts of stones to a player.
    """
    lane = 1 + max(map(len, regions.values()))
    if 2 * lane > _BITS or sorted(part.owner for part in c.model.components) != [1, 2]:
        return None
    sites = c.model.board.n_sites
    links = np.zeros((3, sites), np.int64)
    full = np.zeros(3, np.int64)
    for number, sides in regions.items():
        own = 1 << (number - 1) * lane
        links[number] = own
        full[number] = own * ((2 << len(sides)) - 1)
        for bit, side in enumerate(sides, 1):
            links[number, sorted(side)] |= own << bit
    new, complete = c.table("NEW_LINK", links), c.table("FULL_LINK", full)
    own_link = c.table("OWN_LINK", np.array([0, 1, 1 << lane]))
    # A site past the last, which stays empty, stands for every neighbour that is not there.
    near = _neighbours(c, relation, missing=sites)
    section = c.source.section(f"{new}_{near}", sites + 1)
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
        "Tell every stone of a stone's chain which regions the chain touches.",
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
    if link not in c.shared:
        c.shared[link] = True
        c.actions.placed.append(lambda site: f"{link}(state, {site})")
    name = c.function(
        "linked",
        "state",
        f"""
        site = state[LAST_TO]
        return site >= 0 and state[{section} + site] == {complete}[{player}]
        """,
        "Whether the chain of the last stone touches all of a player's regions.",
    )
    return f"{name}(state)"


def _neighbours(c: Compiler, relation: str, missing: int) -> str:
    """The table of a site's neighbours by relation, padded with ``missing``."""
    lists = c.model.board.neighbours(relation)
    table = np.full((len(lists), max(1, *map(len, lists))), missing)
    for site, others in enumerate(lists):
        table[site, : len(others)] = others
    return c.table("LINK_NEIGHBOURS", table)
