"""The sorts of decisions a game has: how each changes the state, what follows, and when it is barred.

A move carries its kind in the bits above ``extra``; see :mod:`crossplay.games.state`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from crossplay.games.compiler.scope import cases, lines
from crossplay.games.compiler.source import KernelSource

_UNPACK = "origin = (move >> 16) & 0xFFFF\nto = move & 0xFFFF\nextra = (move >> 32) & 0xFFFF"
MOVE_PARAMETERS = "state, origin, to, extra"


@dataclass(frozen=True)
class _Kind:
    body: str
    consequences: str
    filters: tuple[str, ...]
    by_owner: bool  # whether the owner of the moved piece acts, whoever is to move


class Kinds:
    """The decisions that a game's moves can be."""

    def __init__(self, source: KernelSource) -> None:
        self._source = source
        self._kinds: dict[_Kind, int] = {}
        self._filters: list[str] = []
        self._everywhere: list[str] = []
        self._by_owner = False
        self.probing = False
        self.count_filtered = 0  # how often a kind was added under a filter
        self.pass_consequences: str | None = None
        self.endings: dict[str, None] = {}  # statements for the end of every move, in order

    @contextmanager
    def filtered(self, condition: str) -> Iterator[None]:
        """Within: moves count as legal only if ``condition`` holds after them.

        ``condition`` is an expression over ``state`` (after the move), ``origin``, ``to`` and ``extra``.
        """
        self._filters.append(condition)
        yield
        self._filters.pop()

    @contextmanager
    def unfiltered(self) -> Iterator[None]:
        """Within: no filter from outside counts, as in a question about moves that are not on offer."""
        outer, self._filters = self._filters, []
        yield
        self._filters = outer

    @contextmanager
    def acting_owner(self) -> Iterator[None]:
        """Within: moves are those of the pieces' owner, who need not be the player to move.

        Their bodies see the owner as the mover; their consequences see the player to move.
        """
        outer, self._by_owner = self._by_owner, True
        yield
        self._by_owner = outer

    def filter_all(self, condition: str) -> None:
        """Let every move count as legal only if ``condition`` holds after it.

        The condition may also speak of the state ``before`` the move.
        """
        self._everywhere.append(condition)

    def add(self, body: str, consequences: str) -> int:
        """The number of a kind; equal ones share it."""
        self.count_filtered += bool(self._filters)
        kind = _Kind(body, consequences, tuple(self._filters), self._by_owner)
        return self._kinds.setdefault(kind, len(self._kinds))

    @property
    def any_filters(self) -> bool:
        """Whether some moves are only pseudo-legal when listed."""
        return bool(self._everywhere) or any(kind.filters for kind in self._kinds)

    @property
    def filtering(self) -> bool:
        """Whether moves are being compiled that may turn out illegal."""
        return bool(self._filters or self._everywhere)

    @contextmanager
    def probe(self) -> Iterator[None]:
        """Within: generators only ask whether there is a legal move, and return at the first one.

        Their statements still count ``n``; a function made of them returns a positive number for yes.
        """
        outer, self.probing = self.probing, True
        yield
        self.probing = outer

    @contextmanager
    def listing(self) -> Iterator[None]:
        """Within a probe: generators list moves all the same."""
        outer, self.probing = self.probing, False
        yield
        self.probing = outer

    def emit(self, kind: int, origin: str, to: str, extra: str = "0") -> str:
        """The statement that appends a move to ``moves``."""
        return self.append(self.packed(kind, origin, to, extra))

    def append(self, move: str) -> str:
        """The statement that appends a move to ``moves``, given an expression for it."""
        if not self.probing:
            return f"moves[n] = {move}\nn += 1"
        if self.filtering:
            return f"if passes(state, {move}):\n    return n + 1"
        return "return n + 1"

    def packed(self, kind: int, origin: str, to: str, extra: str = "0") -> str:
        """An expression for a move."""
        ends = f"({to}) * 0x10001" if origin == to else f"({to}) | ({origin}) << 16"
        more = "" if extra == "0" else f" | ({extra}) << 32"
        sort = "" if kind == 0 else f" | {kind} << 48"
        return f"{ends}{more}{sort}"

    def finish(self, owner: str, arrival: str = "") -> None:
        """Add ``make_move`` and, if need be, ``passes`` to the module.

        ``owner`` is an expression for the owner of the piece on ``origin``; the statements ``arrival``
        come between a decision and its consequences.
        """
        source = self._source
        parts = ("body", "consequences")
        calls = {part: self._dispatch([getattr(kind, part) for kind in self._kinds], part) for part in parts}
        others = " or ".join(f"kind == {number}" for kind, number in self._kinds.items() if kind.by_owner)
        if others:
            calls["body"] = lines(
                "mover = state[MOVER]",
                f"if {others}:\n    state[MOVER] = {owner}",
                calls["body"],
                "state[MOVER] = mover",
            )
        body = lines(
            _UNPACK,
            "kind = move >> 48",
            calls["body"],
            "state[PREVIOUS_FROM] = state[LAST_FROM]\nstate[PREVIOUS_TO] = state[LAST_TO]",
            "state[LAST_FROM] = origin\nstate[LAST_TO] = to",
            arrival,
            calls["consequences"],
            *self.endings,
        )
        source.function("make_move", "state, move", body, "Carry out a decision and its consequences.")
        if not self.any_filters:
            return
        source.function("passes", "state, move", self._passes(), "Whether a listed move is legal.")
        source.function(
            "keep_legal",
            "state, moves, first, n",
            """
            kept = first
            for i in range(first, n):
                if passes(state, moves[i]):
                    moves[kept] = moves[i]
                    kept += 1
            return kept
            """,
            "Drop the moves from ``first`` on that are not legal; return how many are left in all.",
        )

    def _passes(self) -> str:
        """One copy of the state serves all kinds."""
        conditions: dict[tuple[str, ...], list[int]] = {}
        for kind, number in self._kinds.items():
            conditions.setdefault((*kind.filters, *self._everywhere), []).append(number)
        branches = []
        for filters, numbers in conditions.items():
            if filters:
                which = " or ".join(f"kind == {number}" for number in numbers)
                test = " and ".join(f"({condition})" for condition in filters)
                name = self._source.function("allowed", f"before, {MOVE_PARAMETERS}", f"return {test}")
                branches.append(f"if {which}:\n    return {name}(state, after, origin, to, extra)")
        free = " or ".join(f"kind == {number}" for number in conditions.get((), []))
        return lines(
            "kind = move >> 48 if move >= 0 else -1",
            f"if {'kind < 0 or ' if free else 'kind < 0'}{free}:\n    return True",
            _UNPACK,
            "after = stack_int16(QUESTION_SIZE)",
            "for i in range(QUESTION_SIZE):\n    after[i] = state[i]",
            "make_move(after, move)",
            # Whoever moves again is followed by the other one, so that Next is never the mover.
            "if after[NEXT] == after[MOVER]:\n    after[NEXT] = after[PREV]",
            "\n".join(branches),
            "return True",
        )

    def _dispatch(self, bodies: list[str], prefix: str) -> str:
        """Statements that run the body of the move's kind; kinds with one body share a branch."""
        numbers: dict[str, list[int]] = {}
        for number, body in enumerate(bodies):
            if body.strip():
                numbers.setdefault(body, []).append(number)
        if len(numbers) == 1 and len(next(iter(numbers.values()))) == len(bodies):
            return next(iter(numbers))
        branches = []
        for body, which in numbers.items():
            test = " or ".join(f"kind == {number}" for number in which)
            name = self._source.function(f"do_{prefix}", MOVE_PARAMETERS, body)
            branches.append((test, f"{name}(state, origin, to, extra)"))
        return cases(branches)
