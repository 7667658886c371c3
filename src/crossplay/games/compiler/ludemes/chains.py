"""Chains of like stones in games that only add stones, kept up to date stone by stone.

Chains are the trees of a disjoint-set forest: every stone points to another of its chain, and the last
one, the root, knows which regions the chain touches. Walking to a root halves the way for the next walk.
A whole game then costs little more than a look at each new stone's neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from crossplay.games.board import Board
from crossplay.games.compiler.model import items
from crossplay.games.compiler.registry import Compiler
from crossplay.games.language import Ludeme, Node, walk

_MOST_REGIONS = 15  # one bit each in a cell of the state

# Ludemes that put nothing on the board, take nothing off it, and move nothing.
_HARMLESS = {
    "and", "or", "not", "if", "then", "is", "all", "count", "sites", "to", "last", "result", "moveAgain",
    "=", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "mover", "next", "prev", "site", "who", "what",
    "union", "intersection", "difference", "expand", "nextPhase", "id", "piece", "no", "directions",
    "priority", "do", "forEach", "addScore", "score", "byScore",
}  # fmt: skip


def only_adds(c: Compiler) -> bool:
    """Whether all a move ever does to the board is to put one piece on an empty site."""
    return not c.model.start and not any(
        _changes_board(node) for root in c.model.rules() for node in walk(root) if isinstance(node, Ludeme)
    )


def _changes_board(node: Ludeme) -> bool:
    if node.name == "move":
        return node.keyword not in ("Add", "Pass") or node.named("stack") is not None
    if node.name == "set":
        return node.keyword not in ("Score", "Counter", "Pending")
    if node.name == "to":
        return bool(node.positional) and not _is_empty(node.positional[0])
    return node.name not in _HARMLESS


def _is_empty(node: Node) -> bool:
    """Whether a region surely has empty sites only."""
    if not isinstance(node, Ludeme):
        return False
    if node.name == "sites":
        return node.keyword == "Empty"
    members = [member for part in node.positional for member in items(part)]
    if node.name == "difference":
        return _is_empty(members[0])
    test = {"intersection": any, "union": all}.get(node.name)
    return test is not None and test(map(_is_empty, members))


class Chains:
    """The chains of one relation.

    ``bits`` gives regions a bit each; :meth:`closes_rings` asks for a note of stones that close one.
    """

    def __init__(self, c: Compiler, relation: str) -> None:
        self._c = c
        self._near = c.model.board.neighbours(relation)
        self._regions: list[frozenset[int]] = []
        self._rings = False
        number = sum(isinstance(value, Chains) for value in c.shared.values())
        suffix = f"_{number + 1}" if number else ""
        sites = c.model.board.n_sites
        self._up = c.source.section(f"CHAIN_UP{suffix}", sites)
        self._touched = c.source.section(f"CHAIN_SIDES{suffix}", sites)
        self._ring = f"CHAIN_RING{suffix}"
        self._own = f"SIDES_OF_SITE{suffix}"
        self.root = c.function(
            "chain_root",
            "state, site",
            f"""
            up = state[{self._up} + site]
            while up != site:
                above = state[{self._up} + up]
                state[{self._up} + site] = above
                site = above
                up = state[{self._up} + site]
            return site
            """,
            "The stone that stands for a stone's chain.",
        )
        c.actions.placed.append(lambda site: f"{self._join()}(state, {site})")

    def bits(self, regions: Iterable[frozenset[int]]) -> int | None:
        """A mask with a bit for each region, or None if there are too many."""
        wanted = list(regions)
        new = [region for region in dict.fromkeys(wanted) if region not in self._regions]
        if len(self._regions) + len(new) > _MOST_REGIONS or len(set(wanted)) < len(wanted):
            return None
        self._regions += new
        return sum(1 << self._regions.index(region) for region in wanted)

    def sides(self, site: str) -> str:
        """An expression for the regions that the chain of the stone placed last, on ``site``, touches."""
        return f"state[{self._touched} + {site}]"

    def own_sides(self, site: str) -> str:
        """An expression for the regions that a site is in."""
        return f"{self._own}[{site}]"

    def closes_rings(self) -> str:
        """An expression for whether the stone placed last closed a ring around sites not its own."""
        self._rings = True
        return f"state[{self._c.source.section(self._ring, 1)}] != 0"

    def _join(self) -> str:
        """The function that joins a new stone to the chains around it."""
        c = self._c
        sites = c.model.board.n_sites
        own = np.zeros(sites, np.int64)
        for bit, region in enumerate(self._regions):
            own[sorted(region)] |= 1 << bit
        assert c.table(self._own, own) == self._own
        body = self._join_arcs() if self._rings else self._join_neighbours()
        return c.function("join_chains", "state, site", body, "Join a new stone to the chains around it.")

    def _join_neighbours(self) -> str:
        near = np.full((len(self._near), max(1, *map(len, self._near))), -1)
        for site, others in enumerate(self._near):
            near[site, : len(others)] = others
        table = self._c.table("NEIGHBOURS", near)
        return f"""
        piece = state[HEADER + site]
        state[{self._up} + site] = site
        top = site
        sides = {self._own}[site]
        for k in range({near.shape[1]}):
            other = {table}[site, k]
            if state[HEADER + other] == piece:
                root = {self.root}(state, other)
                if root != top:
                    sides |= state[{self._touched} + root]
                    state[{self._up} + top] = root
                    top = root
        state[{self._touched} + top] = state[{self._touched} + site] = sides
        """

    def _join_arcs(self) -> str:
        """As above, but neighbours are met in a circle: like ones side by side are an arc of one chain.

        Two arcs of one chain are joined outside the new stone already, and it closes the ring.
        """
        table = self._c.table("CIRCLE", circle(self._c.model.board))
        return f"""
        piece = state[HEADER + site]
        state[{self._up} + site] = site
        top = site
        sides = {self._own}[site]
        ring = 0
        other = {table}[site, 5]
        before = state[HEADER + other] == piece
        around = before
        for k in range(6):
            other = {table}[site, k]
            like = state[HEADER + other] == piece
            around &= like
            if like and not before:
                root = {self.root}(state, other)
                if root == top:
                    ring = 1
                else:
                    sides |= state[{self._touched} + root]
                    state[{self._up} + top] = root
                    top = root
            before = like
        if around:
            top = {self.root}(state, other)
            sides |= state[{self._touched} + top]
            state[{self._up} + site] = top
        state[{self._touched} + top] = state[{self._touched} + site] = sides
        state[{self._ring}] = ring
        """


def chains_of(c: Compiler, relation: str) -> Chains:
    """The chains of a relation; relations with the same neighbours share theirs."""
    key = _key(c, relation)
    if key not in c.shared:
        c.shared[key] = Chains(c, relation)
    found = c.shared[key]
    assert isinstance(found, Chains)
    return found


def has_chains(c: Compiler, relation: str) -> bool:
    """Whether the chains of a relation are kept already."""
    return _key(c, relation) in c.shared


def _key(c: Compiler, relation: str) -> str:
    return f"chains of {c.model.board.neighbours(relation)}"


def circle(board: Board) -> np.ndarray:
    """int[sites, 6]: each site's neighbours in a circle, -1 off the board."""
    ways = board.ways("Orthogonal")
    return np.stack(list(ways.values()), axis=1)


def is_hexagonal_disc(board: Board) -> bool:
    """Whether sites have neighbours in six directions, and the board one edge, without holes or bays."""
    if board.axial is None or board.n_sites < 2:
        return False
    inside = (circle(board) >= 0).all(axis=1)
    if set(np.flatnonzero(~inside).tolist()) != set(board.sets["outer"]):
        return False
    off = circle(board) < 0
    return bool((np.count_nonzero(off & ~np.roll(off, 1, axis=1), axis=1) <= 1).all())
