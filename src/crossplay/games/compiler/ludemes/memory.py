"""What a position remembers beside its pieces: the counter, pending values, local states, where it began."""

from __future__ import annotations

import numpy as np

from crossplay.games.compiler.actions import SMALL
from crossplay.games.compiler.ludemes.placing import component
from crossplay.games.compiler.model import malformed, refuse
from crossplay.games.compiler.regions import Region
from crossplay.games.compiler.registry import Compiler, arguments_of, boolean, effect, integer, region
from crossplay.games.compiler.scope import INSIDE, Scope, indent, lines
from crossplay.games.compiler.start import initial_pieces
from crossplay.games.language import Ludeme, walk


def _counter_cell(c: Compiler) -> str:
    """The counter; it grows by one with every move, after the end rules."""
    cell = f"state[{c.source.section('COUNTER', 1)}]"
    c.after_move(f"{cell} += 1")
    return cell


@integer("counter")
def _counter(c: Compiler, node: Ludeme, scope: Scope) -> str:
    if arguments_of(node):
        refuse(node)
    return _counter_cell(c)


@effect("set", "Counter")
def _set_counter(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(set Counter [n])``: -1 by default, which the move's end makes 0."""
    match arguments_of(node):
        case []:
            value = "-1"
        case [number]:
            value = c.integer(number, scope)
        case _:
            refuse(node)
    c.actions.define("counter", f"{_counter_cell(c)} = a - {SMALL}")
    return c.push("counter", f"{value} + {SMALL}")


def _pending(c: Compiler) -> tuple[str, str]:
    """The cells with how many values are pending (2 stands for more than one), and with the first.

    Only games that ask for ``(sites Pending)`` keep them all, as marks on sites.
    """
    start = c.source.section("PENDING", 2)
    count, value = f"state[{start}]", f"state[{start} + 1]"
    forget, mark = f"{count} = 0", ""
    if any(
        isinstance(node, Ludeme) and node.name == "sites" and node.keyword == "Pending"
        for tree in c.model.rules()
        for node in walk(tree)
    ):
        marks = c.source.section("PENDING_SITES", c.model.n_sites)
        forget += f"\nfor s in range(ALL_SITES):\n    state[{marks} + s] = 0"
        mark = f"state[{marks} + number] = 1"
    c.before_move(forget)
    c.actions.define(
        "pending",
        lines(
            f"number = a - {SMALL}",
            f"if {count} == 0:\n    {count} = 1\n    {value} = number",
            f"elif {value} != number:\n    {count} = 2",
            mark,
        ),
    )
    return count, value


@effect("set", "Pending")
def _set_pending(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(set Pending [site|region])``: remembered during the next move; 1 by default, as in Ludii."""
    _pending(c)
    match arguments_of(node):
        case []:
            return c.push("pending", f"1 + {SMALL}")
        case [what] if c.knows("integer", what) or not c.knows("region", what):
            name = c.function("pending_value", "value", "return 1 if value == -1 else value")
            return c.push("pending", f"{name}({c.integer(what, scope)}) + {SMALL}")
        case [where]:
            each = c.region(where, INSIDE).loop("s", c.push("pending", f"s + {SMALL}"))
            return c.collector("set_pending", scope, each)
    refuse(node)


@boolean("is", "Pending")
def _is_pending(c: Compiler, node: Ludeme, scope: Scope) -> str:
    if arguments_of(node):
        refuse(node)
    return f"{_pending(c)[0]} != 0"


@integer("value", "Pending")
def _pending_value(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(value Pending)``: the one pending value, 0 if there is none or more than one."""
    if len(node.arguments) != 1:
        refuse(node)
    count, value = _pending(c)
    return f"({value} if {count} == 1 else 0)"


@region("sites", "Pending")
def _pending_sites(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    if arguments_of(node):
        refuse(node)
    _pending(c)
    return Region.where(c, lambda site: f"state[PENDING_SITES + {site}] != 0", end="ALL_SITES")


@effect("set", "State")
def _set_state(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(set State at:site n)``."""
    at = node.named("at")
    match arguments_of(node, "at"):
        case [number] if at is not None:
            site = c.integer(at, scope)
            c.actions.define("local", "state[LOCAL + a] = b")
            push = c.push("local", site, c.integer(number, scope))
            return push if site.isdigit() else f"if {site} >= 0:\n{indent(push)}"
    refuse(node)


@region("sites", "Start")
def _start_sites(c: Compiler, node: Ludeme, scope: Scope) -> Region:
    """``(sites Start (piece ...))``: where the pieces of that kind stand when the game begins."""
    match arguments_of(node):
        case [Ludeme(name="piece") as piece]:
            which = component(c, piece, scope)
        case _:
            refuse(node)
    mask = np.zeros((len(c.model.components) + 1, c.model.n_sites), np.int16)
    for site, index, *_ in initial_pieces(c):
        mask[index, site] = 1
    if which.isdigit():
        return Region.fixed(c, np.flatnonzero(mask[int(which)]).tolist())
    table = c.table("STARTED", mask)
    return Region.where(c, lambda site: f"{table}[{which}, {site}] != 0", end="ALL_SITES")


@integer("ahead")
def _ahead(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(ahead site [steps:n] [direction])``: so many steps on, the site itself where the board ends first.

    The direction, by default forward, is seen from the piece on the site; -1 without a piece.
    """
    match arguments_of(node, "steps"):
        case [place]:
            way = None
        case [place, way]:
            pass
        case _:
            refuse(node)
    ways = c.directions(way, scope, default="Forward")
    if not all(ways.compass):
        malformed(node, "there is no such direction on this board")
    facing = ""
    if len(ways.compass) > 1:
        owner = c.owner_of("component")
        facing = lines(
            f"component = {c.what('site')}",
            "if component == 0:\n    return -1",
            f"facing = {owner} % {len(ways.compass)}",
        )
    body = lines(
        "if site < 0:\n    return -1",
        facing or "facing = 0",
        "there = site",
        "for _ in range(steps):",
        indent(f"there = {ways.table}[facing, 0, there]\nif there < 0:\n    return site"),
        "return there",
    )
    name = c.function("ahead", "state, site, steps", body, "The site so many steps ahead of a piece.")
    steps = node.named("steps")
    return f"{name}(state, {c.integer(place, scope)}, {'1' if steps is None else c.integer(steps, scope)})"
