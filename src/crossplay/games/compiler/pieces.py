"""Lists of each player's pieces on the board, kept up to date as pieces come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crossplay.games.compiler.scope import indent, lines

if TYPE_CHECKING:
    from crossplay.games.compiler.registry import Compiler


def keep_lists(c: Compiler) -> bool:
    """Have the lists kept, if the game can: not where pieces lie on one another.

    ``state[OWNED_COUNT + player]`` is how many sites of the board a player's pieces stand on, and
    ``state[OWNED + player * BOARD_SITES + i]`` the i-th of them, for players 1 and 2, in no special order.
    """
    if c.model.flags.stacking:
        return False
    if "OWNED" in c.source.sections:
        return True
    sites = c.model.board.n_sites
    c.source.section("OWNED_COUNT", 3)
    c.source.section("OWNED", 3 * sites)
    c.source.section("OWNED_AT", sites)  # where in its list each occupied site is
    everyone = all(part.owner in (1, 2) for part in c.model.components)
    known = lines(
        "if site >= BOARD_SITES:\n    return" if c.model.n_sites > sites else "",
        f"owner = {c.owner('site')}",
        "" if everyone else "if owner != 1 and owner != 2:\n    return",
        "first = OWNED + owner * BOARD_SITES",
    )
    listed = c.function(
        "enlist",
        "state, site",
        lines(
            known,
            """
count = state[OWNED_COUNT + owner]
state[first + count] = site
state[OWNED_AT + site] = count
state[OWNED_COUNT + owner] = count + 1
""",
        ),
        "Add the piece that came to a site to its owner's list.",
    )
    unlisted = c.function(
        "delist",
        "state, site",
        lines(
            known,
            """
count = state[OWNED_COUNT + owner] - 1
at = state[OWNED_AT + site]
last = state[first + count]
state[first + at] = last
state[OWNED_AT + last] = at
state[OWNED_COUNT + owner] = count
""",
        ),
        "Take the piece that leaves a site off its owner's list.",
    )
    c.actions.placed.append(lambda site: f"{listed}(state, {site})")
    c.actions.removed.append(lambda site: f"{unlisted}(state, {site})")
    return True


def each_owned(player: str, body: str) -> str:
    """Statements that run ``body`` for every site ``s`` of a player's pieces."""
    loop = lines("s = state[first + i]", body)
    return lines(
        f"player = {player}",
        "first = OWNED + player * BOARD_SITES",
        f"for i in range(state[OWNED_COUNT + player]):\n{indent(loop)}",
    )
