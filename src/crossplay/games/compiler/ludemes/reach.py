"""Where pieces could come to by the moves they have, as far as that can be known beforehand."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from crossplay.games.board.compass import NAMES
from crossplay.games.compiler.ludemes.jumps import EachDirection, facings_of, leap_targets
from crossplay.games.compiler.ludemes.stepping import Parts, span
from crossplay.games.compiler.model import items
from crossplay.games.compiler.registry import Compiler, arguments_of
from crossplay.games.compiler.scope import Scope
from crossplay.games.language import Boolean, Ludeme, Node, Symbol

# How a piece's coming from one site to another is answered.
NEVER, SURELY, CLEARLY, PERHAPS = 0, 1, 2, 3


def judge(node: Node, at_target: bool = False) -> bool | None:
    """What a condition is known to be while threats are looked for; None if that depends.

    ``at_target``: ``(to)`` is the site in question, on which a piece of the other side's stands.
    """
    match node:
        case Boolean(value=value):
            return value
        case Ludeme(name="is", keyword="Threatened"):
            return False
        case Ludeme(name="is", positional=(Symbol(name="Prev"), Symbol(name="Mover"))):
            return False
        case Ludeme(name="is", positional=(Symbol(name=what), site)) if at_target and _is_to(site):
            return {"Empty": False, "Occupied": True}.get(what)
        case Ludeme(name="is", positional=(Symbol(name=what), Ludeme(name="who") as who)) if (
            at_target and len(who.arguments) == 1 and _is_to(who.named("at"))
        ):
            return {"Enemy": True, "Friend": False, "Mover": False}.get(what)
        case Ludeme(name="not", positional=(inner,)):
            found = judge(inner, at_target)
            return None if found is None else not found
        case Ludeme(name="and" | "or" as name):
            known = {judge(member, at_target) for part in node.positional for member in items(part)}
            decisive = name == "or"
            return decisive if decisive in known else None if None in known else not decisive
    return None


def _is_to(node: Node | None) -> bool:
    return isinstance(node, Ludeme) and node.name == "to" and not node.arguments


def judge_of(holder: Ludeme | None, default: bool) -> bool | None:
    """The same of the ``if:`` of a ``(to ...)`` or ``(between ...)``, seen at the target."""
    condition = None if holder is None else holder.named("if")
    return default if condition is None else judge(condition, at_target=True)


@dataclass
class Reach:
    """Which sites a kind of piece can come to, as matrices ``bool[from, to]``, by how surely."""

    size: int
    how: dict[int, np.ndarray] = field(default_factory=dict)

    def add(self, sureness: bool | None, pairs: np.ndarray, otherwise: int = SURELY) -> None:
        """Count pairs of sites: as ``otherwise`` if a condition is known to hold, as unsure if it is not."""
        if sureness is not False:
            how = otherwise if sureness else PERHAPS
            self.how[how] = self.how.get(how, np.zeros((self.size, self.size), bool)) | pairs

    def table(self) -> np.ndarray:
        """``int[from, to]``: how each pair is best answered."""
        best = np.zeros((self.size, self.size), np.int64)
        for how in (CLEARLY, PERHAPS, SURELY):
            if how in self.how:
                best[self.how[how]] = how
        return best


def explore(c: Compiler, node: Node, player: int, reach: Reach) -> None:
    """Find out where the moves of a piece of a player's go."""
    sites = c.model.board.n_sites
    match node:
        case Ludeme(name="or" | "and"):
            for part in arguments_of(node):
                for member in items(part):
                    explore(c, member, player, reach)
        case Ludeme(name="if"):
            condition, *branches = arguments_of(node)
            known = judge(condition)
            for branch, wanted in zip(branches, (True, False), strict=False):
                if known is None:
                    inner = Reach(sites)
                    explore(c, branch, player, inner)
                    for pairs in inner.how.values():
                        reach.add(None, pairs)
                elif known is wanted:
                    explore(c, branch, player, reach)
        case Ludeme(name="move", keyword="Step" | "Slide" | "Leap" | "Hop") if _from_elsewhere(node):
            reach.add(None, np.ones((sites, sites), bool))
        case Ludeme(name="move", keyword="Step"):
            parts = Parts(c, node)
            reach.add(judge_of(parts.to, True), _rays(c, parts.ways, player, 1, 1))
        case Ludeme(name="move", keyword="Slide"):
            parts = Parts(c, node)
            shortest, longest = _distances(c, parts.between)
            plain = parts.between is None or parts.between.named("if") is None
            ending = parts.to is not None and any(
                isinstance(part, Ludeme) and part.named("if") is not None for part in parts.to.positional
            )
            stops = judge_of(parts.to, False)
            if plain and stops is False:
                return  # onto empty sites only
            sureness = stops if plain and not ending else None
            reach.add(sureness, _rays(c, parts.ways, player, shortest, longest), CLEARLY)
        case Ludeme(name="move", keyword="Leap"):
            to = next(
                (part for part in node.positional if isinstance(part, Ludeme) and part.name == "to"), None
            )
            pairs = np.zeros((sites, sites), bool)
            for site, ends in enumerate(leap_targets(c, node)[player]):
                pairs[site, ends[ends >= 0]] = True
            reach.add(judge_of(to, True), pairs)
        case Ludeme(name="move", keyword="Hop"):
            to = next(
                (part for part in node.positional if isinstance(part, Ludeme) and part.name == "to"), None
            )
            if judge_of(to, True) is not False or any(
                isinstance(part, Ludeme) and part.name == "apply" for part in (to.positional if to else ())
            ):
                reach.add(None, np.ones((sites, sites), bool))
        case Ludeme(name="forEach", keyword="Direction"):
            pairs = np.zeros((sites, sites), bool)
            for site in range(sites):
                ends = _landings(c, node, site, -1, player)
                if ends is None:
                    reach.add(None, np.ones((sites, sites), bool))
                    return
                pairs[site, sorted(ends)] = True
            reach.add(True, pairs)
        case _:
            reach.add(None, np.ones((sites, sites), bool))


def _from_elsewhere(node: Ludeme) -> bool:
    """Whether a decision names an origin of its own."""
    return any(
        isinstance(part, Ludeme) and part.name == "from" and part.arguments for part in node.positional
    )


def _distances(c: Compiler, between: Ludeme | None) -> tuple[int, int]:
    """Least and greatest length of a slide; the widest span where they are not constant."""
    if between is None or not between.positional:
        return 1, 1000
    least, most = span(c, between.positional[0], Scope())
    return int(least) if least.isdigit() else 1, int(most) if most.isdigit() else 1000


def _rays(c: Compiler, ways: Node | None, player: int, shortest: int, longest: int) -> np.ndarray:
    """``bool[from, to]``: the sites in reach along directions."""
    found = c.directions(ways, Scope())
    board = c.model.board
    pairs = np.zeros((board.n_sites, board.n_sites), bool)
    if found.player not in ("0", "state[MOVER]"):  # in the direction of the last move
        return np.ones_like(pairs)
    names = found.compass[0 if len(found.compass) == 1 else player]
    for name in names:
        for site in range(board.n_sites):
            pairs[site, list(board.radial(site, name)[max(shortest - 1, 0) : longest])] = True
    return pairs


def _landings(c: Compiler, node: Node, site: int, to: int, player: int) -> set[int] | None:
    """Where a generator of jumps run for ``site`` and ``to`` moves to, if it surely can; None if unclear."""
    match node:
        case Ludeme(name="forEach", keyword="Direction"):
            each = EachDirection(c, node)
            start = _start_of(each, site, to)
            rule = None if each.to is None else each.to.named("if")
            if start is None or each.between is not None or (rule is not None and judge(rule) is not True):
                return None
            ends: set[int] = set()
            for end in _next_sites(c, each.ways, site, to, start, player):
                inner = _landings(c, each.generator, site, end, player)
                if inner is None:
                    return None
                ends |= inner
            return ends
        case Ludeme(name="if"):
            condition, *branches = arguments_of(node)
            known = judge(condition, at_target=True)
            if known is None:
                return None
            chosen = branches[0] if known else branches[1] if len(branches) > 1 else None
            return set() if chosen is None else _landings(c, chosen, site, to, player)
        case Ludeme(
            name="move", keyword=None, positional=(Ludeme(name="from") as start, Ludeme(name="to") as end)
        ):
            if start.arguments or any(not _is_apply(part) for part in end.positional):
                return None
            known = judge_of(end, True)
            return None if known is None else {to} if known else set()
    return None


def _start_of(each: EachDirection, site: int, to: int) -> int | None:
    if each.origin is None or not each.origin.arguments:
        return site
    match each.origin.positional:
        case (Ludeme(name="to", arguments=()),):
            return to
    return None


def _next_sites(c: Compiler, ways: Node | None, site: int, to: int, start: int, player: int) -> list[int]:
    board = c.model.board
    facing = c.model.facings.get(player, "N")
    for name, steps in board.steps.items():
        if to >= 0 and steps[site] == to:
            facing = name
    names = facings_of(c, ways)[NAMES.index(facing)]
    return [int(board.steps[name][start]) for name in names if board.steps[name][start] >= 0]


def _is_apply(node: Node) -> bool:
    return isinstance(node, Ludeme) and node.name == "apply"
