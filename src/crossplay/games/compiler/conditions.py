"""Boolean ludemes of the end rules -> expressions over ``state`` and ``mover``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crossplay.games.board.compass import OPPOSITE
from crossplay.games.compiler.model import malformed, only_labels, refuse
from crossplay.games.compiler.source import KernelSource
from crossplay.games.language import Boolean, Ludeme, Node, Number, Symbol

RELATIONS = ("Orthogonal", "Diagonal", "Adjacent", "All")


def compile_condition(node: Node, source: KernelSource) -> str:
    """Return a Python expression that is true when the condition holds after a move by ``mover``.

    Raises:
        UnsupportedLudeme: the condition, or one of its arguments, has no meaning here yet.
    """
    if isinstance(node, Ludeme) and node.name == "is" and node.keyword in _IS:
        return _IS[node.keyword](node, source)
    refuse(node)


def _is_connected(node: Ludeme, source: KernelSource) -> str:
    """``(is Connected [relation] Mover)``: the last stone's chain touches each of the mover's regions.

    In a game that only ever adds stones a chain's sides can be kept on every stone of it: a new stone
    takes the sides of its neighbours, and where that tells a chain something new it is spread along it.
    Each stone learns a side once, so a whole game costs little more than the stones it places.
    A stone's *link* has one bit for its colour and one per side touched, in other places for either
    colour, so that a look at the neighbours' links needs no look at whose stones they are.
    """
    only_labels(node)
    relation = "Adjacent"
    match node.positional[1:]:
        case (Symbol(name="Mover"),):
            pass
        case (Symbol(name=given), Symbol(name="Mover")) if given in RELATIONS:
            relation = given
        case _:
            refuse(node)
    model = source.model
    if sorted(model.regions) != [1, 2]:
        refuse(node, "without regions of both players")
    lane = 1 + max(map(len, model.regions.values()))
    if 2 * lane > 15:
        refuse(node, "with more than 6 regions")
    tag = relation.lower()
    name = f"connected_{tag}"
    if source.has_function(name):
        return f"{name}(state, mover)"
    sites = model.board.n_sites
    links = np.zeros((3, sites), np.int64)
    full = np.zeros(3, np.int64)
    for player, regions in model.regions.items():
        own = 1 << (player - 1) * lane
        links[player] = own
        full[player] = own * ((2 << len(regions)) - 1)
        for bit, region in enumerate(regions, 1):
            links[player, list(region)] |= own << bit
    source.table("NEW_LINK", links)
    source.table("FULL_LINK", full)
    source.table("OWN_LINK", np.array([0, 1, 1 << lane]))
    # A site past the last, which stays empty, stands for every neighbour that is not there.
    near = source.neighbours(relation, missing=sites)
    section = source.section(f"LINKS_{tag.upper()}", sites + 1)
    # A stack inside the state row needs no allocation and is zero again when the work is done.
    pending = source.section("PENDING", sites)
    source.function(
        f"spread_{tag}",
        f'''
        @njit(nogil=True)
        def spread_{tag}(state, site, own, link):
            """Tell every stone of a stone's chain which sides the chain touches."""
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
        ''',
    )
    source.function(
        f"link_{tag}",
        f'''
        @njit(nogil=True)
        def link_{tag}(state, site):
            """Join a new stone to the chains around it."""
            owner = {source.owner_of("HEADER + site")}
            own = OWN_LINK[owner]
            link = NEW_LINK[owner, site]
            common = np.int16(-1)
            for k in range({near}.shape[1]):
                theirs = state[{section} + {near}[site, k]]
                link |= theirs
                common &= theirs if theirs & own != 0 else np.int16(-1)
            link &= FULL_LINK[owner]
            state[{section} + site] = link
            if common & link != link:
                spread_{tag}(state, site, own, link)
        ''',
    )
    source.function(
        name,
        f'''
        @njit(nogil=True)
        def {name}(state, mover):
            """Whether the chain of the last stone touches all of the mover's sides."""
            site = state[LAST_TO]
            return site >= 0 and state[{section} + site] == FULL_LINK[mover]
        ''',
    )
    source.place_hooks.append(f"link_{tag}")
    return f"{name}(state, mover)"


def _is_line(node: Ludeme, source: KernelSource) -> str:
    """``(is Line n [relation] [exact:])``: equal pieces in a row through the last move's site."""
    only_labels(node, "exact")
    relation = "Adjacent"
    match node.positional[1:]:
        case (Number(value=int(length)),):
            pass
        case (Number(value=int(length)), Symbol(name=given)) if given in RELATIONS:
            relation = given
        case _:
            refuse(node)
    if length < 2:
        malformed(node, f"a line has at least 2 pieces, not {length}")
    exact = node.named("exact")
    if exact is not None and not isinstance(exact, Boolean):
        refuse(node, "exact:")
    steps = source.model.board.steps
    compass = source.model.board.directions[relation]
    rays = [ray for way in compass if way in OPPOSITE for ray in (steps[way], steps[OPPOSITE[way]])]
    tag = relation.lower()
    table = source.table(f"RAYS_{tag.upper()}", np.array(rays))
    run = f"run_{tag}"
    if not source.has_function(run):
        source.function(
            run,
            f'''
            @njit(nogil=True)
            def {run}(state, site, ray):
                """How many pieces like the site's follow it without a gap along a ray."""
                piece = state[HEADER + site]
                length = 0
                site = {table}[ray, site]
                while site >= 0 and state[HEADER + site] == piece:
                    length += 1
                    site = {table}[ray, site]
                return length
            ''',
        )
    comparison = "==" if exact is not None and exact.value else ">="
    name = f"line_{length}_{tag}" + ("_exact" if comparison == "==" else "")
    source.function(
        name,
        f'''
        @njit(nogil=True)
        def {name}(state):
            """Whether a line of {length} goes through the site of the last move."""
            site = state[LAST_TO]
            if site < 0:
                return False
            for ray in range(0, {table}.shape[0], 2):
                if 1 + {run}(state, site, ray) + {run}(state, site, ray + 1) {comparison} {length}:
                    return True
            return False
        ''',
    )
    return f"{name}(state)"


_IS: dict[str, Callable[[Ludeme, KernelSource], str]] = {
    "Connected": _is_connected,
    "Line": _is_line,
}
