"""``(meta (noRepeat))``: no move may bring back an earlier position of the game.

As in Ludii positions are compared by a 64-bit hash of what stands where, whoever is to move. Pieces
change the hash as they come and go (A. L. Zobrist, "A new hashing method with application for game
playing", 1970). The hashes of a game stand at the end of the state row, behind what hypothetical
questions need to copy.
"""

from __future__ import annotations

import numpy as np

from crossplay.games.compiler.model import TURN_LIMIT, refuse
from crossplay.games.compiler.registry import Compiler, arguments_of, meta
from crossplay.games.compiler.scope import lines
from crossplay.games.language import Ludeme, Symbol

WORDS = 4  # of 16 bits in a hash
FILTER_BITS = 2048
MEMORY = TURN_LIMIT + 2  # positions: the initial one, and one per turn
_SEED = 20


@meta("noRepeat")
@meta("no", "Repeat")
def _no_repeat(c: Compiler, node: Ludeme) -> None:
    """``(noRepeat [InGame|Positional|Situational])``: Ludii compares the mover in none of them."""
    match arguments_of(node):
        case [] | [Symbol(name="InGame" | "Positional" | "Situational")]:
            pass
        case [kind]:
            refuse(kind)
        case _:
            refuse(node)
    if c.model.flags.stacking:
        refuse(node, "with stacks")
    source = c.source
    source.section("POSITION", WORDS)
    source.constant("MEMORY", MEMORY)
    source.last_section("REMEMBERED", 1)
    source.last_section("FILTER", FILTER_BITS // 16)
    source.last_section("HASHES", WORDS * MEMORY)
    toggle = _toggle(c)
    c.actions.placed.append(lambda site: f"{toggle}(state, {site})")
    c.actions.removed.append(lambda site: f"{toggle}(state, {site})")
    hashed = _hash(c)
    remember = _remember(c, hashed)
    c.at_start.append(f"{remember}(state)")
    c.at_turn.append(f"if state[MOVER] != state[PREV]:\n    {remember}(state)")
    c.kinds.filter_all(f"not {_is_repeated(c, hashed)}(before, state)")


def _toggle(c: Compiler) -> str:
    """Add the function that puts a piece into the hash, or takes it out."""
    shape = (len(c.model.components) + 1, c.model.n_sites, WORDS)
    keys = np.random.default_rng(_SEED).integers(-(1 << 15), 1 << 15, shape)
    table = c.table("POSITION_KEYS", keys)
    return c.function(
        "toggle",
        "state, site",
        f"""
        piece = state[HEADER + site]
        for i in range({WORDS}):
            state[POSITION + i] ^= {table}[piece, site, i]
        """,
        "Put the piece on a site into the position's hash, or take it out.",
    )


def _hash(c: Compiler) -> str:
    """Add the function of a position's hash, which local states, counts and phases take part in."""
    flags = c.model.flags
    cells = []
    if flags.local_state:
        cells.append(("LOCAL", c.model.n_sites))
    if flags.counts:
        cells.append(("COUNT", c.model.n_sites))
    if len(c.model.phases) > 1:
        cells.append(("PHASE", 2))
    # Every pair of a cell and what it holds is spread over the word (finaliser of splitmix64).
    mixed = [
        f"""
for i in range({count}):
    held = np.int64(state[{name} + i])
    if held != 0:
        word = np.uint64(held + ({salt * c.model.n_sites} + i << 16)) * np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        key ^= word ^ (word >> np.uint64(27))
"""
        for salt, (name, count) in enumerate(cells)
    ]
    body = lines(
        "key = np.uint64(0)",
        f"for i in range({WORDS}):",
        "    key = key << np.uint64(16) | np.uint64(np.uint16(state[POSITION + i]))",
        *mixed,
        "return key",
    )
    return c.function("position_hash", "state", body, "The hash of what stands where.")


def _remember(c: Compiler, hashed: str) -> str:
    # The hashes' low words stand together, so that most of a search touches a quarter of the memory.
    return c.function(
        "remember",
        "state",
        f"""
        key = {hashed}(state)
        bit = key >> np.uint64(32) & np.uint64({FILTER_BITS - 1})
        cell = FILTER + np.int64(bit >> np.uint64(4))
        state[cell] |= np.int16(1) << np.int16(bit & np.uint64(15))
        at = state[REMEMBERED]
        for i in range({WORDS}):
            state[HASHES + i * MEMORY + at] = np.int16(key >> np.uint64(16 * i))
        state[REMEMBERED] += 1
        """,
        "Add the position to those of the game.",
    )


def _is_repeated(c: Compiler, hashed: str) -> str:
    return c.function(
        "is_repeated",
        "before, state",
        f"""
        key = {hashed}(state)
        bit = key >> np.uint64(32) & np.uint64({FILTER_BITS - 1})
        cell = FILTER + np.int64(bit >> np.uint64(4))
        if before[cell] >> np.int16(bit & np.uint64(15)) & 1 == 0:
            return False
        low = np.int16(key)
        for at in range(before[REMEMBERED]):
            if before[HASHES + at] == low:
                same = True
                for i in range(1, {WORDS}):
                    same &= before[HASHES + i * MEMORY + at] == np.int16(key >> np.uint64(16 * i))
                if same:
                    return True
        return False
        """,
        "Whether the position occurred in the game that led to ``before``.",
    )
