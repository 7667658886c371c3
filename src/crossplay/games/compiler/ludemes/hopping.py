"""Decisions that move a piece over others."""

from __future__ import annotations

from crossplay.games.compiler.directions import Directions
from crossplay.games.compiler.ludemes.effects import attached_effect
from crossplay.games.compiler.ludemes.stepping import Parts, condition_of, condition_to_end, span
from crossplay.games.compiler.model import malformed, only_labels, refuse
from crossplay.games.compiler.registry import MOVED, Compiler, moves, then_of
from crossplay.games.compiler.scope import INSIDE, Moves, Scope, indent, lines
from crossplay.games.language import Ludeme, Node

# A move over several sites packs the first of them and how many there are.
_PACK = 5
_MOST = (1 << _PACK) - 1


@moves("move", "Hop")
def _hop(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(move Hop [(from)] [directions] [(between [before:] [range] [after:] if: (apply ...))] (to if:))``.

    A piece jumps in a straight line over sites that meet the condition of ``between``, by default over
    one that is next to it, onto a site behind them that meets the condition of ``to``. ``before`` and
    ``after`` are how many sites of the latter kind it may cross on either side. With
    ``(to ... (apply if:))`` it instead lands only on a site that fails the first condition but meets this.
    """
    then = (*then_of(node), *then)
    parts = Parts(c, node)
    if parts.to is None:
        malformed(node, "(move Hop ...) needs (to ...)")
    only_labels(parts.to, "if")
    ways = c.directions(parts.ways, scope, site="start")
    start = parts.start(c, INSIDE)
    over = INSIDE.with_(origin="start", between="middle")
    hurdle = _hurdle(c, parts.between, over)
    if hurdle is None:
        return Moves("", 0)  # as in Ludii: nothing to hop over without a condition
    landing = over.with_(to="t")
    go = condition_of(c, parts.to, landing) or "True"
    stop = condition_to_end(c, parts.to, landing)
    before, after, shortest, longest = _distances(c, parts.between, INSIDE.with_(origin="start"))
    begin = f"start = {start}\n"
    if parts.origin is not None:
        begin += "if start < 0 or start >= BOARD_SITES:\n    return n\n"
    begin += f"way = {ways.player}\n"
    if (before, after, shortest, longest) == ("0", "0", "1", "1"):
        kind = _kind(c, parts, ways, then, single=True, captures=stop is not None)
        extra = "middle" if _applies(parts.between) and stop is None else "0"
        test = go if stop is None else f"not ({go}) and ({stop})"
        body = f"""
for k in range({ways.count}):
    middle = {ways.table}[way, k, start]
    if middle < 0 or not ({hurdle}):
        continue
    t = {ways.table}[way, k, middle]
    if t >= 0 and ({test}):
{indent(c.emit(kind, "start", "t", extra), 2)}
"""
        chosen = f"guessed = {c.kinds.packed(kind, 'start', 't', extra)}"
        trial = f"""
start = {start}
way = {ways.player}
middle = {ways.table}[way, place, start] if 0 <= start < BOARD_SITES else -1
if middle >= 0 and ({hurdle}):
    t = {ways.table}[way, place, middle]
    if t >= 0 and ({test}):
{indent(chosen, 2)}
"""
        pick = c.picker("try_hop", scope, trial)
        return Moves(c.generator("hop", scope, lines(begin, body)), ways.count, 0, str(ways.count), pick)
    kind = _kind(c, parts, ways, then, single=False, captures=stop is not None)
    packed = f"hurdle << {_PACK} | used" if _applies(parts.between) and stop is None else "0"
    emit = c.emit(kind, "start", "t", packed)
    if stop is None:
        land = f"if not ({go}):\n    break\n{emit}"
    else:
        land = f"if not ({go}):\n    if {stop}:\n{indent(emit, 2)}\n    break"
    near = over.with_(to="middle")
    body = f"""
before, after, shortest = {before}, {after}, {shortest}
longest = {"shortest" if shortest == longest else longest}
for k in range({ways.count}):
    middle = {ways.table}[way, k, start]
    if shortest <= 0 and middle >= 0:
        # Without a hurdle it is a step.
        hurdle = used = 0
        t = middle
        if {go}:
{indent(c.emit(kind, "start", "t"), 3)}
    distance = 1
    while middle >= 0 and longest > 0:
        if {hurdle}:
            hurdle = middle
            length = 1
            behind = {ways.table}[way, k, middle]
            while behind >= 0 and length < longest:
                middle = behind
                if not ({hurdle}):
                    break
                length += 1
                behind = {ways.table}[way, k, behind]
            behind = hurdle
            for used in range(1, length + 1):
                middle = behind
                behind = {ways.table}[way, k, behind]
                if used < shortest:
                    continue
                t = behind
                for _ in range(after + 1):
                    if t < 0:
                        break
{indent(land, 5)}
                    t = {ways.table}[way, k, t]
            break
        t = middle
        if distance > before or not ({condition_of(c, parts.to, near) or "True"}):
            break
        distance += 1
        middle = {ways.table}[way, k, middle]
"""
    reach = max(
        sum(len(c.model.board.radial(site, way)) for way in names)
        for names in ways.compass
        for site in range(c.model.board.n_sites)
    )
    code = c.generator("hop", scope, lines(begin, body))
    if (before, after) != ("0", "0") or shortest != longest or stop is not None:
        return Moves(code, reach)
    # Over so many sites and no others there is one way to hop in a direction.
    chosen = f"guessed = {c.kinds.packed(kind, 'start', 't', packed)}"
    trial = f"""
start = {start}
way = {ways.player}
if 0 <= start < BOARD_SITES:
    used = max({shortest}, 0)
    middle = {ways.table}[way, place, start]
    hurdle = middle if used > 0 else 0
    for _ in range(used):
        if middle < 0 or not ({hurdle}):
            return NOTHING
        middle = {ways.table}[way, place, middle]
    t = middle
    if t >= 0 and ({go}):
{indent(chosen, 2)}
"""
    return Moves(code, reach, 0, str(ways.count), c.picker("try_hop", scope, trial))


def _hurdle(c: Compiler, between: Ludeme | None, scope: Scope) -> str | None:
    """Whether a site can be jumped over: any, unless ``(between ...)`` says which."""
    return "True" if between is None else condition_of(c, between, scope)


def _distances(c: Compiler, between: Ludeme | None, scope: Scope) -> tuple[str, str, str, str]:
    """How many sites may lie before and behind the hurdle, and the hurdle's least and greatest length."""
    if between is None:
        return "0", "0", "1", "1"
    only_labels(between, "before", "after", "if")
    around = [between.named(label) for label in ("before", "after")]
    before, after = ("0" if number is None else c.integer(number, scope) for number in around)
    ranges = [p for p in between.positional if not (isinstance(p, Ludeme) and p.name == "apply")]
    if len(ranges) > 1:
        refuse(ranges[1])
    shortest, longest = span(c, ranges[0], scope) if ranges else ("1", "1")
    if longest == "32767":
        longest = str(_MOST)
    return before, after, shortest, longest


def _applies(holder: Ludeme | None) -> bool:
    return holder is not None and any(isinstance(p, Ludeme) and p.name == "apply" for p in holder.positional)


def _kind(
    c: Compiler, parts: Parts, ways: Directions, then: tuple[Node, ...], single: bool, captures: bool
) -> int:
    """The decision: what happens to the sites jumped over, to the one reached, and then to the piece.

    A jump that ends on a site for its ``(apply if:)`` does nothing to the sites on its way, as in Ludii.
    """
    between = None if captures else parts.between
    reached = attached_effect(c, parts.to, MOVED)
    if not _applies(between):
        return c.kind(lines(c.run(reached), "shift(state, origin, to)"), then)
    if single:
        collect = lines(attached_effect(c, between, MOVED), reached)
        return c.kind(lines(c.run(collect), "shift(state, origin, to)"), then)
    passed = f"""
for k in range({ways.count}):
    s = {ways.table}[way, k, origin]
    while s >= 0 and s != to:
        s = {ways.table}[way, k, s]
    if s == to:
        s = extra >> {_PACK}
        for _ in range(extra & {_MOST}):
{indent(attached_effect(c, between, MOVED.with_(between="s")), 3)}
            s = {ways.table}[way, k, s]
        break
"""
    collect = lines(f"start = origin\nway = {ways.player}", passed, reached)
    return c.kind(lines(c.run(collect), "shift(state, origin, to)"), then)
