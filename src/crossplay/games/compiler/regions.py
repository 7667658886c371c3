"""Sets of sites as code: a test for one site and a loop over all, without any storage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from crossplay.games.compiler.scope import indent

if TYPE_CHECKING:
    from crossplay.games.compiler.registry import Compiler


@dataclass(frozen=True)
class Region:
    """A set of sites.

    Attributes:
        contains: from an expression for a valid site (cheap, used more than once) to a boolean one.
        loop: ``(variable, statements) -> statements`` that run the given ones for every site.
        static: the sites, when they never change.
        single: an expression for the one site, or -1 for none, when there is at most one.
        among: sites that surely hold all of a set that changes, when some are known.
        of: for sets that belong to a site: the sets, by the site's number, and an expression for the site.
        most: a bound on the number of sites, or None for that of all sites.
        nth: from an expression for a number below ``most`` to one for that member, -1 beyond the last.
    """

    contains: Callable[[str], str]
    loop: Callable[[str, str], str]
    static: frozenset[int] | None = None
    single: str | None = None
    among: frozenset[int] | None = None
    of: tuple[tuple[frozenset[int], ...], str] | None = None
    most: int | None = None
    nth: Callable[[str], str] | None = None

    @staticmethod
    def fixed(c: Compiler, sites: Iterable[int]) -> Region:
        """Sites known now."""
        members = sorted(set(sites))
        if not members:
            return Region(lambda site: "False", lambda variable, body: "", frozenset(), most=0)
        if len(members) == 1:
            only = members[0]
            return Region(
                lambda site: f"{site} == {only}",
                lambda variable, body: f"{variable} = {only}\n{body}",
                frozenset(members),
                str(only),
                most=1,
            )

        def contains(site: str) -> str:
            mask = np.zeros(c.model.n_sites, np.int16)
            mask[members] = 1
            return f"{c.table('IN', mask)}[{site}] != 0"

        def loop(variable: str, body: str) -> str:
            if members == list(range(members[0], members[-1] + 1)):
                return f"for {variable} in range({members[0]}, {members[-1] + 1}):\n{indent(body)}"
            table = c.table("SITES", np.array(members))
            return f"for i_{variable} in range({len(members)}):\n" + indent(
                f"{variable} = {table}[i_{variable}]\n{body}"
            )

        return Region(contains, loop, frozenset(members), most=len(members))

    @staticmethod
    def by_player(c: Compiler, sites: Mapping[int, Iterable[int]], player: str) -> Region:
        """Sites that depend on a player; ``player`` is an expression for the number."""
        sets = {number: frozenset(members) for number, members in sites.items()}
        if player.isdigit():
            return Region.fixed(c, sets.get(int(player), ()))
        if len(set(sets.values())) == 1 and len(sets) == 2:
            return Region.fixed(c, next(iter(sets.values())))
        mask = np.zeros((4, c.model.n_sites), np.int16)
        for number, members in sets.items():
            mask[number, sorted(members)] = 1
        longest = max(map(len, sets.values()), default=0)
        listed = np.full((4, longest + 1), -1)
        for number, members in sets.items():
            listed[number, : len(members)] = sorted(members)

        def loop(variable: str, body: str) -> str:
            table = c.table("PLAYER_SITES", listed)
            return f"for i_{variable} in range({longest}):\n" + indent(
                f"{variable} = {table}[{player}, i_{variable}]\nif {variable} < 0:\n    break\n{body}"
            )

        return Region(lambda site: f"{c.table('PLAYER_IN', mask)}[{player}, {site}] != 0", loop, most=longest)

    @staticmethod
    def by_site(c: Compiler, sets: Iterable[Iterable[int]], site: str) -> Region:
        """The set that belongs to a board site given by an expression; none off the board."""
        members = tuple(frozenset(found) for found in sets)
        most = max(map(len, members))
        listed = np.full((len(members), most + 1), -1)
        for number, found in enumerate(members):
            listed[number, : len(found)] = sorted(found)

        def contains(other: str) -> str:
            belongs = f"""
            if site < 0 or site >= BOARD_SITES:
                return False
            for k in range({most}):
                if {c.table("SITES_OF", listed)}[site, k] == other:
                    return True
            return False
            """
            about = "Whether the other is one of the sites that belong to a site."
            return f"{c.function('belongs', 'site, other', belongs, about)}({site}, {other})"

        def loop(variable: str, body: str) -> str:
            member = f"{variable} = {c.table('SITES_OF', listed)}[{site}, k_{variable}]"
            counted = f"for k_{variable} in range({most}):\n" + indent(
                f"{member}\nif {variable} < 0:\n    break\n{body}"
            )
            return f"if 0 <= {site} < BOARD_SITES:\n{indent(counted)}"

        def nth(number: str) -> str:
            return f"{c.table('SITES_OF', listed)}[{site}, {number}]"

        return Region(contains, loop, of=(members, site), most=most, nth=nth)

    @staticmethod
    def one(expression: str) -> Region:
        """The site that an expression gives; none if that is -1."""
        return Region(
            lambda site: f"{site} == {expression}",
            lambda variable, body: f"{variable} = {expression}\nif {variable} >= 0:\n{indent(body)}",
            None,
            expression,
            most=1,
        )

    @staticmethod
    def where(c: Compiler, test: Callable[[str], str], first: str = "0", end: str = "BOARD_SITES") -> Region:
        """The sites from ``first`` up to before ``end`` that pass a test."""

        def contains(site: str) -> str:
            within = [] if first == "0" else [f"{site} >= {first}"]
            within += (
                [] if end == "ALL_SITES" or c.model.n_sites == c.model.board.n_sites else [f"{site} < {end}"]
            )
            return " and ".join([*within, f"({test(site)})"])

        return Region(
            contains,
            lambda variable, body: (
                f"for {variable} in range({first}, {end}):\n"
                + indent(f"if {test(variable)}:\n{indent(body)}")
            ),
            most=c.model.board.n_sites if end == "BOARD_SITES" else None,
        )

    def filtered(self, test: Callable[[str], str]) -> Region:
        """Those of the sites that pass a test."""
        return Region(
            lambda site: f"({self.contains(site)}) and ({test(site)})",
            lambda variable, body: self.loop(variable, f"if {test(variable)}:\n{indent(body)}"),
            most=self.most,
            among=self.static if self.static is not None else self.among,
        )


def _together(
    c: Compiler, regions: list[Region], combine: Callable[[frozenset[int], frozenset[int]], frozenset[int]]
) -> Region | None:
    """Regions combined now, if none ever changes or all belong to the same site."""
    statics = [region.static for region in regions if region.static is not None]
    if len(statics) == len(regions):
        known: frozenset[int] = reduce(combine, statics) if statics else frozenset()
        return Region.fixed(c, known)
    belonging = [region.of for region in regions if region.of is not None]
    if len(belonging) < len(regions) or len({site for _, site in belonging}) > 1:
        return None
    numbers = range(c.model.board.n_sites)
    sets = [reduce(combine, [members[number] for members, _ in belonging]) for number in numbers]
    return Region.by_site(c, sets, belonging[0][1])


def union(c: Compiler, regions: list[Region]) -> Region:
    """The sites in any of the regions."""
    known = _together(c, regions, frozenset.union)
    if known is not None or len(regions) == 1:
        return known or regions[0]
    return Region.where(
        c, lambda site: " or ".join(f"({region.contains(site)})" for region in regions), end="ALL_SITES"
    )


def intersection(c: Compiler, regions: list[Region]) -> Region:
    """The sites in all of the regions."""
    # The loop runs over the region that is surely small, and tests for the others.
    ordered = sorted(
        regions, key=lambda region: (region.single is None, region.of is None, region.static is None)
    )
    found = ordered[0]
    for other in ordered[1:]:
        found = _together(c, [found, other], frozenset.intersection) or found.filtered(other.contains)
    return found


def difference(c: Compiler, region: Region, taken: Region) -> Region:
    """The sites of one region that are not in another."""
    known = _together(c, [region, taken], frozenset.difference)
    return known or region.filtered(lambda site: f"not ({taken.contains(site)})")
