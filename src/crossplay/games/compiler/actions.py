"""Elementary changes of a state, and lists of them that are collected first and run afterwards.

Ludii evaluates a whole effect on the state as it was, and only then carries out what was collected.
An action is packed into 64 bits: ``code << 48 | c << 32 | b << 16 | a``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from crossplay.games.compiler.model import GameModel
from crossplay.games.compiler.scope import cases, indent, lines
from crossplay.games.compiler.source import KernelSource

SMALL = "32768"  # added to a number that may be negative, so that it packs as an unsigned one


class Actions:
    """The actions that a game uses.

    ``placed`` and ``removed`` are hooks: ``f(site expression) -> statements`` that run after a piece
    came to a site and before one leaves it.
    """

    def __init__(self, model: GameModel, source: KernelSource) -> None:
        self._model = model
        self._source = source
        self._codes: dict[str, int] = {}
        self._bodies: dict[str, str] = {
            "remove": "remove(state, a)",
            "place": "place(state, a, b, c)",
            "shift": "shift(state, a, b)",
            "again": "state[NEXT] = state[MOVER]",
        }
        self._direct: dict[str, str] = {}
        self.placed: list[Callable[[str], str]] = []
        self.removed: list[Callable[[str], str]] = []
        self.probing = False  # whether effects are asked if they would do anything, not what
        self.mutations = False  # whether anything but placing on empty sites happens
        self.places = False  # whether pieces may come to the board after the start
        self.max_height = 0  # how many pieces a stack can hold; 0 without stacks
        self._traced: dict[str, str] = {}
        source.constant("ACTIONS", 2 * model.n_sites + 64)
        if model.flags.counts:
            source.section("COUNT", model.n_sites)
        if model.flags.local_state:
            source.section("LOCAL", model.n_sites)

    def allow_stacks(self, max_height: int) -> None:
        """Let sites hold stacks: their sizes, and their pieces from the bottom up, stand in the row.

        The component of a site is then the one on top. One place more, behind the last, stays empty.
        """
        self.max_height = max_height
        self._source.constant("MAX_HEIGHT", max_height)
        self._source.section("SIZE", self._model.n_sites)
        self._source.section("LEVELS", self._model.n_sites * max_height + 1)

    def traced(self, cell: str) -> str:
        """The cell that follows ``LAST_TO`` or ``LAST_FROM`` through what a move does besides."""
        name = self._source.section("FINAL" + cell.removeprefix("LAST"), 1)
        self._traced[cell] = name
        return name

    def _trace(self, origin: str, to: str) -> str:
        ends = {"LAST_FROM": origin, "LAST_TO": to}
        return lines(*(f"state[{name}] = {ends[cell]}" for cell, name in self._traced.items()))

    @property
    def arrival(self) -> str:
        """Statements for when a decision has set ``LAST_FROM`` and ``LAST_TO``."""
        return self._trace("origin", "to")

    def define(self, name: str, body: str) -> None:
        """Make an action known: ``body`` is statements over ``state``, ``a``, ``b`` and ``c`` (0..65535)."""
        self._bodies[name] = body

    def push(self, name: str, a: str = "0", b: str = "0", c: str = "0") -> str:
        """The statement that appends an action to ``actions``."""
        if self.probing:
            return "return n + 1"
        code = self._codes.setdefault(name, len(self._codes))
        self.mutations |= name != "again"
        self.places |= name == "place"
        parts = [f"({a})"]
        if b != "0":
            parts.append(f"({b}) << 16")
        if c != "0":
            parts.append(f"({c}) << 32")
        if code:
            parts.append(f"{code} << 48")
        text = f"actions[n] = {' | '.join(parts)}\nn += 1"
        self._direct[text] = lines(f"a, b, c = {a}, {b}, {c}", self._bodies[name])
        return text

    def run(self, collect: str) -> str:
        """Statements that collect actions and then run them; a lone action is run on the spot."""
        if not collect.strip():
            return ""
        direct = self._run_alone(collect)
        if direct is not None:
            return direct
        return lines("actions = stack_int64(ACTIONS)", "n = 0", collect, "run_actions(state, actions, n)")

    def _run_alone(self, collect: str) -> str | None:
        """The statements with their only action in place of its collection; None if there may be more."""
        text = collect.split("\n")
        at = [number for number, line in enumerate(text) if line.strip() == "n += 1"]
        if len(at) != 1 or any(word in collect for word in (", n, ", "for ", "= n")):
            return None
        first = text[at[0] - 1]
        depth = len(first) - len(first.lstrip())
        direct = textwrap.indent(self._direct[f"{first.strip()}\nn += 1"], " " * depth)
        return "\n".join([*text[: at[0] - 1], direct, *text[at[0] + 1 :]])

    def finish(self) -> None:
        """Add the functions to the module, once everything that uses them is compiled."""
        source = self._source
        if self.max_height:
            self._stack_functions()
        else:
            self._piece_functions()
        branches = cases((f"code == {code}", self._bodies[name]) for name, code in self._codes.items())
        loop = lines(
            "action = actions[i]",
            "code = action >> 48",
            "a = action & 0xFFFF",
            "b = (action >> 16) & 0xFFFF",
            "c = (action >> 32) & 0xFFFF",
            branches,
        )
        if branches:
            source.function(
                "run_actions",
                "state, actions, count",
                f"for i in range(count):\n{indent(loop)}",
                "Carry out collected actions, in order.",
            )

    def _piece_functions(self) -> None:
        """``remove``, ``place`` and ``shift`` where a site holds one piece, or several like ones."""
        flags, source = self._model.flags, self._source
        cell = "state[HEADER + site]"
        came = "\n".join(hook("site") for hook in self.placed)
        goes = "\n".join(hook("site") for hook in self.removed)
        leave = f"if {cell} != 0:\n{indent(goes)}" if goes else ""
        here = self._trace("site", "site")
        clear = lines(
            here,
            leave,
            f"{cell} = 0",
            "state[COUNT + site] = 0" if flags.counts else "",
            "state[LOCAL + site] = 0" if flags.local_state else "",
        )
        source.function("remove", "state, site", clear, "Take the piece off a site.")
        if flags.counts:
            heap = (
                f"if {cell} == component:\n    state[COUNT + site] += 1\n    return\nstate[COUNT + site] = 1"
            )
        else:
            heap = ""
        put = lines(
            here,
            heap,
            leave,
            f"{cell} = component",
            "state[LOCAL + site] = local" if flags.local_state else "",
            came,
        )
        source.function("place", "state, site, component, local", put, "Put a piece on a site.")
        local = "state[LOCAL + origin]" if flags.local_state else "0"
        one = (
            "if state[COUNT + origin] > 1:\n    state[COUNT + origin] -= 1\nelse:\n    remove(state, origin)"
        )
        shift = lines(
            "component = state[HEADER + origin]",
            f"local = {local}",
            one if flags.counts else "remove(state, origin)",
            "remove(state, to)\nplace(state, to, component, local)"
            if leave
            else "place(state, to, component, local)",
            self._trace("origin", "to"),
        )
        source.function("shift", "state, origin, to", shift, "Move a piece, replacing what stands there.")

    def _stack_functions(self) -> None:
        """``remove``, ``place`` and ``shift`` where they take from and put on the top of stacks."""
        source = self._source
        cell = "state[HEADER + site]"
        came = "\n".join(hook("site") for hook in self.placed)
        goes = "\n".join(hook("site") for hook in self.removed)
        here = self._trace("site", "site")
        off = f"""
size = state[SIZE + site]
if size == 0:
    return
{goes}
level = LEVELS + site * MAX_HEIGHT + size - 1
state[level] = 0
state[SIZE + site] = size - 1
{cell} = state[level - 1] if size > 1 else 0
"""
        source.function("remove", "state, site", lines(here, off), "Take the top piece off a site.")
        on = f"""
size = state[SIZE + site]
state[LEVELS + site * MAX_HEIGHT + size] = component
state[SIZE + site] = size + 1
{cell} = component
{came}
"""
        source.function("place", "state, site, component, local", lines(here, on), "Put a piece onto a site.")
        carry = """
if origin != to:
    component = state[HEADER + origin]
    remove(state, origin)
    place(state, to, component, 0)
"""
        shift = lines(carry, self._trace("origin", "to"))
        source.function("shift", "state, origin, to", shift, "Move the top piece of a site onto another.")
