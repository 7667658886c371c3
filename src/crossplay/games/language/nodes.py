"""The tree of a game description: ludemes, their arguments and the literals between them.

Every node remembers where it was written. Positions take no part in equality or hashing, so two
trees are equal when they say the same thing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias


class Position(NamedTuple):
    """Place in a file; line and column count from 1, columns in characters."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Text:
    """A quoted string, such as a piece's name or a coordinate."""

    value: str
    position: Position = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Number:
    """A whole or decimal number."""

    value: int | float
    position: Position = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Boolean:
    """``True`` or ``False``, in either spelling (``true``, ``false``)."""

    value: bool
    position: Position = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A bare word: a role, a direction, a kind of site, the keyword of a ludeme."""

    name: str
    position: Position = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Range:
    """``low..high``, both ends included; ``low`` may be the larger."""

    low: int
    high: int
    position: Position = field(compare=False, repr=False)

    def values(self) -> tuple[int, ...]:
        """The whole numbers from ``low`` to ``high``, in that order."""
        step = 1 if self.low <= self.high else -1
        return tuple(range(self.low, self.high + step, step))


@dataclass(frozen=True, slots=True)
class Array:
    """``{ ... }``: a list of nodes."""

    items: tuple[Node, ...]
    position: Position = field(compare=False, repr=False)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a ludeme, with its label when written ``label:value``."""

    label: str | None
    value: Node

    @property
    def position(self) -> Position:
        """Where the value was written."""
        return self.value.position


@dataclass(frozen=True, slots=True)
class Ludeme:
    """``(name argument ...)``; comparisons and arithmetic have their sign as name."""

    name: str
    arguments: tuple[Argument, ...]
    position: Position = field(compare=False, repr=False)

    @property
    def positional(self) -> tuple[Node, ...]:
        """The values written without a label, in order."""
        return tuple(argument.value for argument in self.arguments if argument.label is None)

    @property
    def labelled(self) -> dict[str, Node]:
        """The values written with a label; the first one where a label is repeated."""
        found: dict[str, Node] = {}
        for argument in self.arguments:
            if argument.label is not None:
                found.setdefault(argument.label, argument.value)
        return found

    def named(self, label: str) -> Node | None:
        """The value written as ``label:value``, or None."""
        return self.labelled.get(label)

    @property
    def keyword(self) -> str | None:
        """The name of the first unlabelled argument if that is a symbol: ``Line`` of ``(is Line 5)``."""
        positional = self.positional
        return positional[0].name if positional and isinstance(positional[0], Symbol) else None

    def __iter__(self) -> Iterator[Argument]:
        return iter(self.arguments)

    def __len__(self) -> int:
        return len(self.arguments)

    def walk(self) -> Iterator[Node]:
        """This node and all nodes below it, parents before children, in the order of the text."""
        return walk(self)


Node: TypeAlias = Ludeme | Array | Text | Number | Boolean | Symbol | Range


def head(node: Node) -> str:
    """What ``node`` is, in short, for messages: ``is Line``, ``square``, ``Mover``, ``5``, ``{...}``."""
    match node:
        case Ludeme():
            return node.name if node.keyword is None else f"{node.name} {node.keyword}"
        case Array():
            return "{...}"
        case _:
            return to_text(node)


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below ``node``, labelled values included, in the order of the text."""
    match node:
        case Ludeme():
            return tuple(argument.value for argument in node.arguments)
        case Array():
            return node.items
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """``node`` and all nodes below it, parents before children, in the order of the text."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(children(current)))


def to_text(node: Node) -> str:
    """Canonical text of ``node`` on one line; reading it back gives an equal node."""
    match node:
        case Ludeme():
            parts = [node.name]
            for argument in node.arguments:
                label = "" if argument.label is None else f"{argument.label}:"
                parts.append(label + to_text(argument.value))
            return f"({' '.join(parts)})"
        case Array():
            return f"{{{' '.join(to_text(item) for item in node.items)}}}"
        case Text():
            escaped = node.value.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
        case Number():
            return repr(node.value)
        case Boolean():
            return str(node.value)
        case Symbol():
            return node.name
        case Range():
            return f"{node.low}..{node.high}"
