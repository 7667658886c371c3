"""``(is Threatened ...)``: whether an enemy could move onto a piece's site.

Ludii lists all the enemy's moves to see whether one goes there. Here the moves of pieces are understood
beforehand as far as possible: a table says of every component whether it could come from one site to
another by itself, if nothing stands in between, or perhaps, and only the last is answered by listing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from crossplay.games.board.compass import NAMES
from crossplay.games.compiler.kinds import Kinds
from crossplay.games.compiler.ludemes.jumps import EachDirection, facings_of, leap_targets
from crossplay.games.compiler.ludemes.stepping import Parts, span
from crossplay.games.compiler.model import items, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, boolean
from crossplay.games.compiler.scope import CONTEXT, INSIDE, Scope, indent, lines
from crossplay.games.language import Boolean, Ludeme, Node, Symbol

NEVER, SURELY, CLEARLY, PERHAPS = 0, 1, 2, 3


@boolean("is", "Threatened")
def _is_threatened(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(is Threatened what [at:site] [generator])``: the piece, were it on the site or where it is now.

    Within the moves that are looked at for an answer nothing counts as threatened, as in Ludii.
    """
    at = node.named("at")
    match arguments_of(node, "at"):
        case [what]:
            generator = None
        case [what, generator] if c.knows("moves", generator):
            pass
        case _:
            refuse(node)
    if c.asking:
        return "False"
    attack = _attack(c, generator)
    component = c.integer(what, scope)
    ask = f"""
    if what < 1 or site < 0:
        return False
    owner = {c.owner_of("what")}
    if owner != 1 and owner != 2:
        return False
    mover, before = state[MOVER], state[PREV]
    state[MOVER], state[PREV] = 3 - owner, owner
    found = {attack}(state, site)
    state[MOVER], state[PREV] = mover, before
    return found
    """
    doc = "Whether an enemy could move onto the site, where a piece stands."
    threatened = c.function("threatened", "state, what, site", ask, doc)
    if at is None:
        find = "for s in range(BOARD_SITES):\n    if state[HEADER + s] == what:\n        return s\nreturn -1"
        found = c.function("first_site", "state, what", find, "The first site on the board with a component.")
        asked = c.function(
            "in_danger", "state, what", f"return {threatened}(state, what, {found}(state, what))"
        )
        return f"{asked}(state, {component})"
    body = f"""
    if what < 1 or site < 0:
        return False
    stands = state[HEADER + site]
    state[HEADER + site] = what
    found = {threatened}(state, what, site)
    state[HEADER + site] = stands
    return found
    """
    name = c.function("in_danger_at", "state, what, site", body, "The same for a piece put onto a site.")
    return f"{name}(state, {component}, {c.integer(at, scope)})"


@contextmanager
def _asking(c: Compiler) -> Iterator[None]:
    """Within: generators are compiled to be looked at, not to be played."""
    kinds, c.kinds = c.kinds, Kinds(c.source)
    c.asking = True
    yield
    c.asking = False
    c.kinds = kinds


def _attack(c: Compiler, generator: Node | None) -> str:
    """The function ``f(state, site)``: whether a move of the mover's, given or of the rules, goes there."""
    key = ("attack", generator)
    if key not in c.memo:
        with _asking(c):
            if generator is not None:
                body = _goes_there(c, generator)
            else:
                parts = [_goes_there(c, phase.play) for phase in c.model.phases]
                body = parts[0]
                if len(set(parts)) > 1:
                    tests = (f"if phase == {i}:\n{indent(part or 'pass')}" for i, part in enumerate(parts))
                    body = lines("phase = state[PHASE - 1 + state[MOVER]]", *tests)
        c.memo[key] = c.function(
            "attacked",
            "state, to",
            lines(body, "return False"),
            "Whether a move of the mover's goes to a site.",
        )
    return c.memo[key]


def _goes_there(c: Compiler, node: Node) -> str:
    """Statements that return True if one of a generator's moves goes to ``to``; none if that cannot be."""
    match node:
        case Ludeme(name="or" | "and"):
            return lines(*(_goes_there(c, member) for part in arguments_of(node) for member in items(part)))
        case Ludeme(name="if"):
            condition, *branches = arguments_of(node)
            if len(branches) not in (1, 2):
                refuse(node)
            known = judge(condition)
            found = [_goes_there(c, branch) for branch in branches]
            yes, no = found[0], found[1] if len(found) > 1 else ""
            if known is not None or yes == no:
                return yes if known or yes == no else no
            code = f"if {c.boolean(condition, Scope())}:\n{indent(yes)}"
            return lines(code, f"else:\n{indent(no)}" if no else "")
        case Ludeme(name="do"):
            condition_after = node.named("ifAfterwards")
            match arguments_of(node, "ifAfterwards"):
                case [prior] if condition_after is not None and judge(condition_after):
                    return _goes_there(c, prior)
        case Ludeme(name="forEach", keyword="Piece") if not arguments_of(node):
            return _by_pieces(c)
        case Ludeme(name="move", keyword="Pass"):
            return ""
        case Ludeme(name="move", keyword="Slide"):
            parts = Parts(c, node)
            if parts.to is None and parts.between is not None and judge_of(parts.between, True) is False:
                return ""
        case Ludeme(name="move", keyword=None | "Add"):
            to = next(
                (part for part in node.positional if isinstance(part, Ludeme) and part.name == "to"), None
            )
            if to is not None and any(_only_empty(part) for part in to.positional):
                return ""
    return _listed(c, node, Scope())


def _only_empty(node: Node) -> bool:
    """Whether a region holds empty sites only."""
    if not isinstance(node, Ludeme):
        return False
    if node.name == "difference":
        return _only_empty(node.positional[0])
    return node.name == "sites" and node.keyword == "Empty"


def _listed(c: Compiler, node: Node, scope: Scope) -> str:
    """The same by listing the moves."""
    outside = c.kinds.count_filtered
    listed = c.moves(node, INSIDE)
    if c.kinds.count_filtered > outside:
        refuse(node, "within what (is Threatened ...) asks for")
    body = lines(
        c.question(listed),
        "for i in range(n):\n    if moves[i] >= 0 and moves[i] & 0xFFFF == target:\n        return True",
        "return False",
    )
    name = c.function("leads_to", f"{CONTEXT}, target", body, "Whether one of the moves goes to a site.")
    return f"if {name}({scope.arguments}, to):\n    return True"


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
class _Reach:
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


def _by_pieces(c: Compiler) -> str:
    """Statements for ``(forEach Piece)``: look at every enemy piece that could perhaps come to the site."""
    model = c.model
    sites = model.board.n_sites
    tables = [np.zeros((sites, sites), np.int64)]
    for part in model.components:
        reach = _Reach(sites)
        if part.ludeme is not None and part.owner in (1, 2):
            _explore(c, part.ludeme, part.owner, reach)
        tables.append(reach.table())
    how = np.stack(tables, axis=-1)  # from, to, component
    sorts, which = np.unique(how.reshape(sites * sites, -1), axis=0, return_inverse=True)
    relation = c.table("RELATION", which.reshape(sites, sites).T)
    reaches = c.table("REACHES", sorts)
    answers = ["if how == 1:\n    return True"] if SURELY in how else []
    if CLEARLY in how:
        answers.append(f"if how == 2 and {_clear(c)}(state, s, to):\n    return True")
    if PERHAPS in how:
        listed = [
            f"if component == {part.index}:\n" + indent(_listed(c, part.ludeme, Scope(origin="s", site="s")))
            for part in model.components
            if part.ludeme is not None and (how[..., part.index] == PERHAPS).any()
        ]
        answers.append(f"if how == 3:\n{indent(lines(*listed))}")
    if not answers:
        return ""
    look = lines(
        f"component = {c.what('s')}",
        f"how = {reaches}[{relation}[to, s], component]",
        f"if how != 0 and {c.owner_of('component')} == state[MOVER]:\n{indent(lines(*answers))}",
    )
    return f"for s in range(BOARD_SITES):\n{indent(look)}"


def _clear(c: Compiler) -> str:
    """The function ``f(state, start, end)``: whether the line between two sites is empty."""
    board = c.model.board
    names = list(board.steps)
    ways = np.zeros((board.n_sites, board.n_sites), np.int64)
    for k, name in enumerate(names):
        for site in range(board.n_sites):
            ways[site, list(board.radial(site, name))] = k
    body = f"""
    way = {c.table("WAY", ways)}[start, end]
    site = {c.table("STEPS", np.array([board.steps[name] for name in names]))}[way, start]
    while site != end:
        if not ({c.empty("site")}):
            return False
        site = {c.table("STEPS", np.array([board.steps[name] for name in names]))}[way, site]
    return True
    """
    return c.function(
        "clear", "state, start, end", body, "Whether all sites between two on a line are empty."
    )


def _explore(c: Compiler, node: Node, player: int, reach: _Reach) -> None:
    """Find out where the moves of a piece of a player's go."""
    sites = c.model.board.n_sites
    match node:
        case Ludeme(name="or" | "and"):
            for part in arguments_of(node):
                for member in items(part):
                    _explore(c, member, player, reach)
        case Ludeme(name="if"):
            condition, *branches = arguments_of(node)
            known = judge(condition)
            for branch, wanted in zip(branches, (True, False), strict=False):
                if known is None:
                    inner = _Reach(sites)
                    _explore(c, branch, player, inner)
                    for pairs in inner.how.values():
                        reach.add(None, pairs)
                elif known is wanted:
                    _explore(c, branch, player, reach)
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
