"""Effects on pieces that a move has flanked, shut in, or come between."""

from __future__ import annotations

from crossplay.games.board.compass import OPPOSITE
from crossplay.games.compiler.directions import Directions
from crossplay.games.compiler.ludemes.effects import attached_effect
from crossplay.games.compiler.ludemes.placing import component
from crossplay.games.compiler.ludemes.stepping import Parts, condition_of, span
from crossplay.games.compiler.model import only_labels, refuse
from crossplay.games.compiler.registry import Compiler, effect
from crossplay.games.compiler.scope import INSIDE, Scope, indent, lines
from crossplay.games.language import Ludeme, Node

_OPPOSITES = OPPOSITE | {back: way for way, back in OPPOSITE.items()}


@effect("custodial")
def _custodial(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(custodial [(from site)] [directions] [(between [(max n)] if: (apply ...))] [(to if:)])``.

    In every direction: a run of sites that meet the condition of ``between``, closed by one that meets
    that of ``to``. By default the run is of enemies and of any length, closed by a friend, and removed.
    """
    parts = Parts(c, node)
    # As a decision of its own, made for a site, it starts there.
    start = INSIDE.origin if scope.origin == scope.site != "-1" else "state[LAST_TO]"
    ways = c.directions(parts.ways, scope)
    limit = _limits(c, parts)[1]
    held = INSIDE.with_(between="middle")
    target = _condition(c, parts.between, held, "middle", friend=False)
    friend = _condition(c, parts.to, held.with_(to="end"), "end", friend=True)
    take = _attached(c, parts.between, held, "middle")
    if limit == "1":
        search = f"""
            end = {ways.table}[way, k, middle]
            if end < 0 or not ({friend}):
                continue
        """
        carry_out = take
    else:
        # A run may end at the edge; only conditions that hold for no site at all are met there.
        off = _condition(c, parts.to, held.with_(to="-1"), "-1", friend=True)
        search = f"""
            end = {ways.table}[way, k, middle]
            length = 1
            while end >= 0 and length < {limit}:
                middle = end
                if not ({target}):
                    break
                length += 1
                end = {ways.table}[way, k, end]
            if not (({friend}) if end >= 0 else ({off})):
                continue
            middle = start
        """
        carry_out = f"for _ in range(length):\n    middle = {ways.table}[way, k, middle]\n{indent(take)}"
    body = f"""
for k in range({ways.count}):
    middle = {ways.table}[way, k, start]
    if middle < 0 or not ({target}):
        continue
{indent(search)}
{indent(carry_out)}
"""
    return c.collector("custodial", scope, lines(_start(c, parts, ways, start), body))


@effect("surround")
def _surround(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(surround [(from site)] [relation] [(between if: (apply ...))] [(to if:)] [except:n] [with:piece])``.

    Of the site's neighbours that meet the condition of ``between``: those all of whose neighbours, but
    for ``except``, meet that of ``to``, and one of which is a ``with`` piece. The site itself counts as met.
    """
    parts = Parts(c, node, "except", "with")
    ways = c.directions(parts.ways, scope)
    _limits(c, parts)
    held = INSIDE.with_(between="middle")
    target = _condition(c, parts.between, held, "middle", friend=False)
    friend = _condition(c, parts.to, held.with_(to="end"), "end", friend=True)
    spared, partner = node.named("except"), node.named("with")
    allowed = "0" if spared is None else c.integer(spared, INSIDE)
    open_side = f"end != start and not ({friend})"
    if partner is None:
        enough = "left >= 0"
        check = f"if {open_side}:\n    left -= 1\n    if left < 0:\n        break"
    else:
        # As in Ludii the partner counts only if found before one side too many is open.
        enough = "left >= 0 and found"
        check = lines(
            f"left -= {open_side}",
            f"found |= {c.what('end')} == {component(c, partner, INSIDE)}",
            "if left < 0:\n    break",
        )
    body = f"""
for k in range({ways.count}):
    middle = {ways.near}[way, start, k]
    if middle < 0:
        break
    if not ({target}):
        continue
    left, found = {allowed}, False
    for j in range({ways.count}):
        end = {ways.near}[way, middle, j]
        if end < 0:
            break
{indent(check, 2)}
    if {enough}:
{indent(_attached(c, parts.between, held, "middle"), 2)}
"""
    return c.collector("surround", scope, lines(_start(c, parts, ways, INSIDE.origin), body))


@effect("intervene")
def _intervene(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(intervene [(from site)] [directions] [(between range)] [(to if: (apply ...))])``.

    Runs of sites that meet the condition of ``to``, by default one enemy long, on both sides of a site
    and in line with it.
    """
    parts = Parts(c, node)
    ways = c.directions(parts.ways, scope)
    for names in ways.compass:
        if any(_OPPOSITES[name] not in names for name in names):
            refuse(node, "along directions that have no opposites")
    pairs = [names.index(_OPPOSITES[name]) for name in ways.compass[0]]
    if any([names.index(_OPPOSITES[name]) for name in names] != pairs for names in ways.compass):
        refuse(node, "along relative directions")
    least, most = _limits(c, parts, "1")
    held = INSIDE.with_(to="end")
    target = _condition(c, parts.to, held, "end", friend=False)
    run = f"""
        length = 0
        end = {ways.table}[way, k, start]
        while end >= 0 and length < {most} and ({target}):
            length += 1
            end = {ways.table}[way, k, end]
    """
    take = f"""
        end = start
        for _ in range(length):
            end = {ways.table}[way, k, end]
{indent(_attached(c, parts.to, held, "end"), 3)}
    """
    body = ""
    for k, opposite in enumerate(pairs):
        if k < opposite:
            # One side and then the other, when both runs are long enough.
            body = lines(
                body,
                f"k = {k}",
                indent(run, 0),
                "first = length",
                f"k = {opposite}",
                indent(run, 0),
                f"if first >= {least} and length >= {least}:",
                indent(take),
                indent(f"k = {k}\nlength = first"),
                indent(take),
            )
    return c.collector("intervene", scope, lines(_start(c, parts, ways, "state[LAST_TO]"), body))


def _start(c: Compiler, parts: Parts, ways: Directions, default: str) -> str:
    """Statements that find the site in the middle of it all; without one nothing happens."""
    site = default if parts.origin is None else parts.start(c, INSIDE)
    return f"way = {ways.player}\nstart = {site}\nif start < 0 or start >= BOARD_SITES:\n    return n"


def _limits(c: Compiler, parts: Parts, default: str = "32767") -> tuple[str, str]:
    """Least and greatest length of a run, from the range in ``between``."""
    for holder in (parts.between, parts.to):
        if holder is not None:
            only_labels(holder, "if")
    ranges = [part for part in parts.between.positional if not _is_apply(part)] if parts.between else []
    if len(ranges) > 1:
        refuse(ranges[1])
    return span(c, ranges[0], INSIDE) if ranges else ("1", default)


def _condition(c: Compiler, holder: Ludeme | None, scope: Scope, site: str, friend: bool) -> str:
    """The ``if:`` of a part, or whether an enemy's or a friend's piece stands there."""
    given = condition_of(c, holder, scope)
    if given is not None:
        return given
    if site == "-1":
        return "False"
    return f"{c.owner(site)} == {'state[MOVER]' if friend else '3 - state[MOVER]'}"


def _attached(c: Compiler, holder: Ludeme | None, scope: Scope, site: str) -> str:
    """The effect of a part's ``(apply ...)``, or the removal of what stands there."""
    if holder is not None and any(_is_apply(part) for part in holder.positional):
        return attached_effect(c, holder, scope)
    return c.push("remove", site)


def _is_apply(node: Node) -> bool:
    return isinstance(node, Ludeme) and node.name == "apply"
