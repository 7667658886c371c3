"""Decisions that put a piece somewhere along a line, as an arrow is shot."""

from __future__ import annotations

from crossplay.games.compiler.lanes import count_runs, keep_lanes, pick_along
from crossplay.games.compiler.ludemes.placing import component
from crossplay.games.compiler.ludemes.sight import along, over_empty, reach
from crossplay.games.compiler.ludemes.stepping import Parts, condition_of
from crossplay.games.compiler.model import malformed, only_labels, refuse
from crossplay.games.compiler.registry import MOVED, Compiler, arguments_of, moves, then_of
from crossplay.games.compiler.scope import INSIDE, Moves, Scope, indent, lines
from crossplay.games.language import Ludeme, Node


@moves("move", "Shoot")
def _shoot(c: Compiler, node: Ludeme, scope: Scope, then: tuple[Node, ...]) -> Moves:
    """``(move Shoot (piece ...) [(from)] [direction] [(to if:)])``: a piece onto a site in sight.

    It is shot from ``(last To)`` unless ``from`` says otherwise, over and onto sites that meet the
    condition of ``to``, by default empty ones. Ludii reads ``between`` and the consequences of a shot
    but heeds neither.
    """
    if then_of(node):
        refuse(node, "then")
    pieces = [part for part in arguments_of(node) if isinstance(part, Ludeme) and part.name == "piece"]
    if len(pieces) != 1:
        malformed(node, "(move Shoot ...) needs one (piece ...)")
    parts = Parts(c, node, taken=pieces)
    if parts.between is not None:
        refuse(parts.between)
    if parts.to is not None:
        only_labels(parts.to, "if")
        if parts.to.positional:
            refuse(parts.to.positional[0])
    elif c.model.board.site_type != "Cell":
        refuse(node, "without (to if:) between vertices")  # Ludii would look for empty cells there
    ways = c.directions(parts.ways, scope)
    start, outside = (
        "state[LAST_TO]" if parts.origin is None else parts.start(c, where) for where in (INSIDE, scope)
    )
    test = condition_of(c, parts.to, INSIDE.with_(to="t")) or f"{c.what('t')} == 0"
    # What stands on a site already stays there.
    places, owners = c.actions.places, {part.index: part.owner for part in c.model.components}
    what = component(c, pieces[0], MOVED)
    kind = c.kind(f"if {c.what('to')} == 0:\n    place(state, to, {what}, 0)", then)
    if what.isdigit() and owners[int(what)] not in (1, 2):
        c.actions.places = places  # nobody gets more pieces
    ray = lines(
        f"t = {ways.table}[{ways.player}, k, start]",
        "while t >= 0:",
        indent(
            lines(
                f"if not ({test}):\n    break",
                c.emit(kind, "t", "t"),
                f"t = {ways.table}[{ways.player}, k, t]",
            )
        ),
    )
    shots = lines(f"for k in range({ways.count}):", indent(ray))
    if test == c.empty("t") and not c.kinds.probing:
        shots = over_empty(c, ways, c.kinds.packed(kind, "t", "t"))
    body = lines(f"start = {start}", "if start < 0:\n    return n", shots)
    chosen = f"guessed = {c.kinds.packed(kind, 't', 't')}"
    axes = keep_lanes(c, ways) if test == c.empty("t") else None
    if axes is not None:
        slots, pick = f"{count_runs(c, axes)}(state, {outside})", pick_along(axes, chosen)
    else:
        slots, pick = along(c, ways, test, None, chosen)
    pick = lines(f"start = {start}", f"if start >= 0:\n{indent(pick)}")
    return Moves(
        c.generator("shoot", scope, body), reach(c, ways), 0, slots, c.picker("try_shot", scope, pick)
    )
