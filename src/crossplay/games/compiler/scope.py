"""The context in which a ludeme is compiled, and small tools for statements."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, replace

# Parameters of every generated function that depends on the context of a move.
CONTEXT = "state, origin, to, between, site, value"
# The same for functions that append to a list, of moves or of actions.
LIST_CONTEXT = "state, {list}, n, origin, to, between, site, value"


@dataclass(frozen=True)
class Scope:
    """Expressions for ``(from)``, ``(to)``, ``(between)``, ``(site)`` and ``(value)``; -1 where unset."""

    origin: str = "-1"
    to: str = "-1"
    between: str = "-1"
    site: str = "-1"
    value: str = "-1"

    @property
    def arguments(self) -> str:
        """The arguments for a function with the parameters ``CONTEXT``."""
        return f"state, {self.origin}, {self.to}, {self.between}, {self.site}, {self.value}"

    def list_arguments(self, name: str) -> str:
        """The arguments for a function with the parameters ``LIST_CONTEXT``."""
        return self.arguments.replace("state, ", f"state, {name}, n, ", 1)

    def inside(self) -> Scope:
        """The scope inside a function called with ``arguments``; what is one site remains visibly so."""
        first: dict[str, str] = {}
        names = {}
        for name in ("origin", "to", "between", "site", "value"):
            expression = getattr(self, name)
            names[name] = name if expression == "-1" else first.setdefault(expression, name)
        return Scope(**names)

    def with_(self, **names: str) -> Scope:
        """A scope that differs in some variables."""
        return replace(self, **names)


# The scope inside a function with the parameters ``CONTEXT``.
INSIDE = Scope("origin", "to", "between", "site", "value")


@dataclass(frozen=True)
class Moves:
    """Statements that append moves to ``moves`` and count ``n``.

    Attributes:
        code: the statements.
        bound: how many moves there can be at most, apart from those of single pieces.
        per_piece: how many more for every piece that one player can have.
        slots: an expression for a number of places with one move each or none, all moves being somewhere;
            empty if there is no such numbering.
        pick: statements that set ``guessed`` to the move at place ``slot``, and leave it if there is none.
    """

    code: str
    bound: int
    per_piece: int = 0
    slots: str = ""
    pick: str = ""


def indent(statements: str, depth: int = 1) -> str:
    """Statements one block deeper; ``pass`` for none."""
    stripped = textwrap.dedent(statements).strip("\n")
    return textwrap.indent(stripped or "pass", "    " * depth)


def cases(branches: Iterable[tuple[str, str]]) -> str:
    """Statements that run those of the first ``(condition, statements)`` whose condition holds."""
    words = itertools.chain(["if"], itertools.repeat("elif"))
    return "\n".join(
        f"{word} {test}:\n{indent(body)}" for word, (test, body) in zip(words, branches, strict=False)
    )


def lines(*statements: str) -> str:
    """Join statements, leaving out empty ones."""
    return "\n".join(part.strip("\n") for part in statements if part.strip())
