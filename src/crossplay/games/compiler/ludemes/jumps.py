"""Decisions that do not follow lines: leaps by a walk, and generators run for every direction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crossplay.games.board.compass import NAMES
from crossplay.games.compiler.directions import (
    Directions,
    compass_of,
    direction_words,
    directions_from_compass,
)
from crossplay.games.compiler.ludemes.stepping import Parts, condition_of, span, travel
from crossplay.games.compiler.model import malformed, only_labels, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, moves, then_of
from crossplay.games.compiler.scope import INSIDE, Moves, Scope, indent, lines
from crossplay.games.language import Array, Boolean, Ludeme, Node, Symbol

Walk = tuple[str, ...]


def _walks(node: Node) -> list[Walk]:
    """The walks of ``{{F F R F} {F F L F}}``: forward steps and turns to the right or left."""
    if not isinstance(node, Array):
        refuse(node)
    walks: list[Walk] = []
    for walk in node:
        if not isinstance(walk, Array):
            refuse(walk)
        for step in walk:
            if not isinstance(step, Symbol) or step.name not in ("F", "L", "R"):
                refuse(step)
        walks.append(tuple(step.name for step in walk if isinstance(step, Symbol)))
    return walks


def leap_targets(c: Compiler, node: Ludeme) -> np.ndarray:
    """``int[3, sites, count]``: where the walks of a leap lead, by the piece's owner; -1 after the last."""
    board = c.model.board
    walk = next((part for part in node.positional if isinstance(part, Array)), None)
    if walk is None:
        malformed(node, "(move Leap ...) needs walks such as {{F F R F} {F F L F}}")
    forward, rotations = (_constant(node, label) for label in ("forward", "rotations"))
    ways = board.directions["Orthogonal"]
    found: list[list[list[int]]] = []
    for player in (0, 1, 2):
        ahead = _ahead_of(c, c.model.facings.get(player, "N")) if forward else None
        found.append([])
        for site in range(board.n_sites):
            ends = [
                _walked(c, site, first, steps)
                for first in range(len(ways) if rotations is not False else 1)
                for steps in _walks(walk)
            ]
            reached = [to for to in dict.fromkeys(ends) if to >= 0 and (ahead is None or ahead(site, to))]
            found[-1].append(reached)
    most = max(len(ends) for rows in found for ends in rows)
    return np.array([[[*ends, *[-1] * (most + 1 - len(ends))] for ends in rows] for rows in found])


def _walked(c: Compiler, site: int, heading: int, steps: Walk) -> int:
    board = c.model.board
    ways = board.directions["Orthogonal"]
    for step in steps:
        if step == "F":
            site = int(board.steps[ways[heading]][site])
            if site < 0:
                return -1
        else:
            heading = (heading + (1 if step == "R" else -1)) % len(ways)
    return site


def _ahead_of(c: Compiler, facing: str) -> Callable[[int, int], bool]:
    """Whether a site lies ahead of another for a piece that faces a way."""
    x, y = c.model.board.rank_coordinates()
    signs = {"N": 1, "S": -1}, {"E": 1, "W": -1}

    def test(site: int, to: int) -> bool:
        up = signs[0].get(facing[0], 0) * (y[to] - y[site])
        right = signs[1].get(facing[-1], 0) * (x[to] - x[site])
        return bool((facing[0] not in signs[0] or up > 0) and (facing[-1] not in signs[1] or right > 0))

    return test


def _constant(node: Ludeme, label: str) -> bool | None:
    value = node.named(label)
    if value is not None and not isinstance(value, Boolean):
        refuse(node, f"{label}:")
    return None if value is None else value.value


@moves("move", "Leap")
def _leap(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(move Leap [(from)] walks [forward:] [rotations:] (to [if:] [(apply ...)]))``."""
    then = (*then_of(node), *then)
    only_labels(node, "forward", "rotations")
    targets = leap_targets(c, node)
    same = bool((targets == targets[0]).all())
    rest = tuple(argument for argument in node.arguments if not isinstance(argument.value, Array))
    parts = Parts(c, Ludeme(node.name, rest, node.position), "forward", "rotations")
    if parts.ways is not None or parts.between is not None:
        refuse(node)
    if parts.to is not None:
        only_labels(parts.to, "if")
    table = c.table("LEAPS", targets[:1] if same else targets)
    facing = "0" if same else f"{c.owner('start')} % 3"
    test = condition_of(c, parts.to, INSIDE.with_(origin="start", to="t")) or "True"
    kind = travel(c, parts, then)
    body = f"""
start = {parts.start(c, INSIDE)}
if start >= 0:
    facing = {facing}
    for k in range({targets.shape[2]}):
        t = {table}[facing, start, k]
        if t < 0:
            break
        if {test}:
{indent(c.emit(kind, "start", "t"), 3)}
"""
    return Moves(c.generator("leap", scope, body), targets.shape[2])


@moves("forEach", "Direction")
def _for_each_direction(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(forEach Direction [(from)] [directions] [(between range if:)] (to if: (apply generator)))``.

    Runs the generator with every site in reach as ``(to)``; ``(from)`` stays the piece's site. Within
    another one, relative directions are seen by one who came from ``(from)`` to ``(to)``.
    """
    then = (*then_of(node), *then)
    each = EachDirection(c, node)
    facing, ways = _facing(c, each.ways, nested=scope.to != "-1")
    to_scope = INSIDE.with_(to="t")
    rule = condition_of(c, each.to, to_scope)
    inner = c.moves(each.generator, to_scope, then)
    shortest, longest = each.reach(c)
    between = condition_of(c, each.between, INSIDE.with_(between="t")) if shortest != "1" else None
    step = f"t = {ways.table}[facing, k, t]"
    stop = f"if not ({rule}):\n    break" if rule not in (None, "True") else ""
    if longest == "1":
        reached = inner.code if not stop else f"if {rule}:\n{indent(inner.code)}"
        walk = f"if t >= 0:\n{indent(reached)}"
    else:
        passing = f"if distance < {shortest} and not ({between}):\n    break" if between else ""
        listed = inner.code if shortest == "1" else f"if distance >= {shortest}:\n{indent(inner.code)}"
        loop = lines(passing, stop, listed, step, "distance += 1")
        walk = lines("distance = 1", f"while t >= 0 and distance <= {longest}:\n{indent(loop)}")
    body = lines(
        f"start = {each.start(c)}",
        f"if start < 0 or {c.what('origin')} == 0:\n    return n",
        facing,
        f"for k in range({ways.count}):",
        indent(lines(f"t = {ways.table}[facing, k, start]", walk)),
    )
    spread = ways.count * (
        int(longest) if longest.isdigit() and int(longest) < 100 else c.model.board.n_sites
    )
    return Moves(c.generator("each_way", scope, body), inner.bound * spread, inner.per_piece * spread)


class EachDirection:
    """The parts of ``(forEach Direction ...)``.

    Attributes:
        origin, between, to: those ludemes, or None.
        ways: the argument that names directions, or None.
        generator: what is run for every site.
    """

    def __init__(self, c: Compiler, node: Ludeme) -> None:
        self.origin: Ludeme | None = None
        self.between: Ludeme | None = None
        self.to: Ludeme | None = None
        self.ways: Node | None = None
        found: list[Node] = []
        for part in arguments_of(node):
            match part:
                case Ludeme(name="from"):
                    self.origin = part
                case Ludeme(name="between"):
                    self.between = part
                case Ludeme(name="to"):
                    self.to = part
                    only_labels(part, "if")
                    for inner in part.positional:
                        if (
                            not isinstance(inner, Ludeme)
                            or inner.name != "apply"
                            or len(inner.arguments) != 1
                        ):
                            refuse(inner)
                        found.append(inner.positional[0])
                case _ if c.knows("moves", part):
                    found.append(part)
                case _ if self.ways is None:
                    self.ways = part
                case _:
                    refuse(part)
        if len(found) != 1:
            malformed(node, "(forEach Direction ...) needs one generator")
        self.generator = found[0]

    def start(self, c: Compiler) -> str:
        """An expression for the site that the directions start from."""
        if self.origin is None or not self.origin.arguments:
            return "origin"
        if len(self.origin.arguments) != 1 or len(self.origin.positional) != 1:
            refuse(self.origin)
        return c.integer(self.origin.positional[0], INSIDE)

    def reach(self, c: Compiler) -> tuple[str, str]:
        """Least and greatest number of steps."""
        if self.between is None or not self.between.positional:
            return "1", "1"
        only_labels(self.between, "if")
        return span(c, self.between.positional[0], INSIDE)


def facings_of(c: Compiler, node: Node | None) -> list[tuple[str, ...]]:
    """The directions meant by one who faces each of the compass's points."""
    words = direction_words(node, "Adjacent")
    return [compass_of(c.model.board, words, facing) for facing in NAMES]


def _facing(c: Compiler, node: Node | None, nested: bool) -> tuple[str, Directions]:
    """Statements that set ``facing``, the tables' first index, and the tables."""
    board = c.model.board
    by_facing = facings_of(c, node)
    if all(ways == by_facing[0] for ways in by_facing):
        return "facing = 0", directions_from_compass(c, (by_facing[0],))
    own = np.array([NAMES.index(c.model.facings.get(player, "N")) for player in (0, 1, 2, 3)])
    if not nested:
        ways = directions_from_compass(c, tuple(by_facing[index] for index in own[:3]))
        return f"facing = {c.owner('origin')} % 3", ways
    names = [name for name in NAMES if name in board.steps]
    steps = np.array([board.steps[name] for name in names])
    # The last of several ways counts, as in Ludii.
    towards = c.function(
        "towards",
        "state, origin, to",
        f"""
        facing = {c.table("FACING", own)}[{c.owner("origin")}]
        for k in range({len(names)}):
            if {c.table("STEPS", steps)}[k, origin] == to:
                facing = {c.table("COMPASS", np.array([NAMES.index(name) for name in names]))}[k]
        return facing
        """,
        "The way from a site to the next, as a point of the compass; the piece's facing if there is none.",
    )
    return f"facing = {towards}(state, origin, to)", directions_from_compass(c, tuple(by_facing))
