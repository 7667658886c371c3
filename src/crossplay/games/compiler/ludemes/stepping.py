"""Decisions that move a piece along the board: steps and slides."""

from __future__ import annotations

from collections.abc import Sequence

from crossplay.games.compiler.directions import is_direction
from crossplay.games.compiler.lanes import count_runs, keep_lanes, pick_along
from crossplay.games.compiler.ludemes.effects import attached_effect
from crossplay.games.compiler.ludemes.sight import along, over_empty, reach
from crossplay.games.compiler.model import only_labels, refuse
from crossplay.games.compiler.registry import MOVED, Compiler, arguments_of, moves, then_of
from crossplay.games.compiler.scope import INSIDE, Moves, Scope, indent, lines
from crossplay.games.language import Ludeme, Node


class Parts:
    """The parts of a decision: ``(from)``, directions, ``(between)``, ``(to)``.

    Attributes:
        origin, between, to: those ludemes, or None.
        ways: the argument that names directions, or None.

    ``taken`` are arguments that somebody else reads.
    """

    def __init__(self, c: Compiler, node: Ludeme, *labels: str, taken: Sequence[Node] = ()) -> None:
        self.origin: Ludeme | None = None
        self.between: Ludeme | None = None
        self.to: Ludeme | None = None
        self.ways: Node | None = None
        for part in arguments_of(node, *labels):
            match part:
                case _ if part in taken:
                    pass
                case Ludeme(name="from"):
                    self.origin = part
                case Ludeme(name="between"):
                    self.between = part
                case Ludeme(name="to"):
                    self.to = part
                case _ if is_direction(part) and self.ways is None:
                    self.ways = part
                case _:
                    refuse(part)

    def start(self, c: Compiler, scope: Scope) -> str:
        """An expression for the site to start from: the piece's own unless ``(from ...)`` names one."""
        if self.origin is None or not [p for p in self.origin.positional if not _is_apply(p)]:
            return scope.origin
        only_labels(self.origin)
        return c.integer(self.origin.positional[0], scope)

    def begin(self, c: Compiler, otherwise: str = "n") -> str:
        """Statements that set ``start``, or return where it is not on the board."""
        guard = f"if start < 0 or start >= BOARD_SITES:\n    return {otherwise}"
        return lines(f"start = {self.start(c, INSIDE)}", guard if self.origin is not None else "")


def _is_apply(node: Node) -> bool:
    return isinstance(node, Ludeme) and node.name == "apply"


def condition_of(c: Compiler, holder: Ludeme | None, scope: Scope) -> str | None:
    """The ``if:`` of a ``(to ...)`` or ``(between ...)``, or None."""
    if holder is None:
        return None
    condition = holder.named("if")
    return None if condition is None else c.boolean(condition, scope)


def condition_to_end(c: Compiler, holder: Ludeme | None, scope: Scope) -> str | None:
    """The ``if:`` of the ``(apply ...)`` in a ``(to ...)``, or None."""
    applied = [part for part in holder.positional if _is_apply(part)] if holder is not None else []
    return condition_of(c, applied[0], scope) if applied and isinstance(applied[0], Ludeme) else None


def travel(c: Compiler, parts: Parts, then: tuple[Node, ...], scope: Scope = MOVED) -> int:
    """The kind of a decision that moves a piece after the effects attached to its ends."""
    collect = lines(attached_effect(c, parts.origin, scope), attached_effect(c, parts.to, scope))
    return c.kind(lines(c.run(collect), "shift(state, origin, to)"), then)


@moves("move", "Step")
def _step(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(move Step [(from)] [directions] (to [if:] [(apply ...)]))``: to any next site by default."""
    then = (*then_of(node), *then)
    parts = Parts(c, node)
    if parts.between is not None:
        refuse(parts.between)
    if parts.to is not None:
        only_labels(parts.to, "if")
    ways = c.directions(parts.ways, scope, site="start")
    test = condition_of(c, parts.to, INSIDE.with_(origin="start", to="t")) or "True"
    kind = travel(c, parts, then)
    body = f"""
{parts.begin(c)}
for k in range({ways.count}):
    t = {ways.near}[{ways.player}, start, k]
    if t < 0:
        break
    if {test}:
{indent(c.emit(kind, "start", "t"), 2)}
"""
    chosen = f"guessed = {c.kinds.packed(kind, 'start', 't')}"
    pick = f"""
{parts.begin(c, "guessed")}
t = {ways.near}[{ways.player}, start, place]
if t >= 0 and ({test}):
{indent(chosen)}
"""
    return Moves(
        c.generator("step", scope, body), ways.count, 0, str(ways.count), c.picker("try_step", scope, pick)
    )


@moves("move", "Slide")
def _slide(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(move Slide [(from)] [directions] [(between range if:)] [(to if: (apply ...))])``.

    The piece passes over sites that meet the condition of ``between``, by default empty ones, and may stop
    on each of them; with ``(to if:)`` it may also go onto the first site that meets that condition. It
    stops only on sites that meet the one of ``(to (apply if:))``.
    """
    then = (*then_of(node), *then)
    parts = Parts(c, node)
    if parts.to is not None:
        only_labels(parts.to, "if")
    shortest, longest = "1", "32767"
    if parts.between is not None:
        only_labels(parts.between, "if")
        for part in parts.between.positional:
            shortest, longest = span(c, part, INSIDE)
    ways = c.directions(parts.ways, scope, site="start")
    inner = INSIDE.with_(origin="start", to="t", between="t")
    go = condition_of(c, parts.between, inner) or c.empty("t")
    stop = condition_of(c, parts.to, inner)
    kind = travel(c, parts, then)
    emit = c.emit(kind, "start", "t")
    allowed = condition_to_end(c, parts.to, inner)
    if allowed is not None:
        emit = f"if {allowed}:\n{indent(emit)}"
    checked = emit if shortest == "1" else f"if distance >= shortest:\n{indent(emit)}"
    capture = lines(f"if {stop}:", indent(lines(checked, "break"))) if stop is not None else ""
    step = lines(
        capture,
        f"if not ({go}):\n    break",
        checked,
        f"t = {ways.table}[{ways.player}, k, t]",
    )
    counted = shortest != "1" or longest != "32767"
    condition = "t >= 0" if not counted else "t >= 0 and distance <= longest"
    loop = lines(
        f"t = {ways.table}[{ways.player}, k, start]",
        "distance = 1" if counted else "",
        f"while {condition}:",
        indent(lines(step, "distance += 1" if counted else "")),
    )
    limits = f"shortest, longest = {shortest}, {longest}" if counted else ""
    body = lines(parts.begin(c), limits, f"for k in range({ways.count}):", indent(loop))
    plain = stop is None and not counted and go == c.empty("t")
    if plain and not c.kinds.probing:
        body = lines(parts.begin(c), over_empty(c, ways, c.kinds.packed(kind, "start", "t"), allowed))
    code = c.generator("slide", scope, body)
    if counted:
        return Moves(code, reach(c, ways))
    chosen = f"guessed = {c.kinds.packed(kind, 'start', 't')}"
    if allowed is not None:
        chosen = f"if {allowed}:\n{indent(chosen)}"
    axes = keep_lanes(c, ways) if plain else None
    if axes is not None:
        slots, pick = f"{count_runs(c, axes)}(state, {parts.start(c, scope)})", pick_along(axes, chosen)
    else:
        slots, pick = along(c, ways, go, stop, chosen)
    pick = lines(parts.begin(c, "guessed"), pick)
    return Moves(code, reach(c, ways), 0, slots, c.picker("try_slide", scope, pick))


def span(c: Compiler, node: Node, scope: Scope) -> tuple[str, str]:
    """Least and greatest of ``(exact n)``, ``(min n)``, ``(max n)`` or ``(range a b)``."""
    match node:
        case Ludeme(name="exact", positional=(number,)):
            value = c.integer(number, scope)
            return value, value
        case Ludeme(name="min", positional=(number,)):
            return c.integer(number, scope), "32767"
        case Ludeme(name="max", positional=(number,)):
            return "1", c.integer(number, scope)
        case Ludeme(name="range", positional=(low, high)):
            return c.integer(low, scope), c.integer(high, scope)
    refuse(node)
