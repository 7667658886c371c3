"""Numbers, points and lists in graph ludemes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crossplay.errors import LudSyntaxError, UnsupportedLudeme
from crossplay.games.board.graph import Edge, pair
from crossplay.games.language import Array, Boolean, Ludeme, Node, Number, head

MAX_SIZE = 60  # sites along a side


def unsupported(node: Node, *details: str) -> UnsupportedLudeme:
    """The error that names a ludeme with no meaning here."""
    return UnsupportedLudeme(" ".join([head(node), *details]), node.position.file, node.position.line)


def only_labels(node: Ludeme, *labels: str) -> None:
    """Refuse a ludeme with a named argument other than ``labels``."""
    for label in node.labelled:
        if label not in labels:
            raise unsupported(node, f"{label}:")


def flag(node: Ludeme, label: str, default: bool) -> bool:
    """The boolean argument of that name."""
    value = node.named(label)
    if value is None:
        return default
    if not isinstance(value, Boolean):
        raise unsupported(node, f"{label}:{head(value)}")
    return value.value


def size(node: Node) -> int:
    """A number of sites along a side."""
    return whole(node, 1)


def whole(node: Node, least: int) -> int:
    """A whole number from ``least`` to the largest size."""
    value = _number(node)
    if value is None or value != int(value) or not least <= value <= MAX_SIZE:
        message = f"a board's size is a whole number from {least} to {MAX_SIZE}, not {head(node)}"
        raise LudSyntaxError(message, *node.position)
    return int(value)


def real(node: Node) -> float:
    """Any number."""
    value = _number(node)
    if value is None:
        raise LudSyntaxError(f"expected a number, not {head(node)}", *node.position)
    return float(value)


def items(node: Node | None) -> tuple[Node, ...]:
    """The members of a list; none if there is no list."""
    match node:
        case None:
            return ()
        case Array(items=members):
            return members
    raise LudSyntaxError(f"expected a list {{ ... }}, not {head(node)}", *node.position)


def point(node: Node) -> tuple[float, float]:
    """``{x y}``; a third coordinate must be 0."""
    match items(node):
        case (x, y):
            return real(x), real(y)
        case (_, _, height) if real(height) != 0:
            raise unsupported(node, "with a height")
        case (x, y, _):
            return real(x), real(y)
    raise LudSyntaxError("a vertex is written {x y}", *node.position)


def polygon(node: Node) -> np.ndarray:
    """float64[k, 2]: the corners of ``(poly {{x y} ...})``."""
    match node:
        case Ludeme(name="poly", positional=(Array() as corners,)) if len(corners) > 2:
            return np.array([point(corner) for corner in corners])
    raise unsupported(node)


def index(node: Node, count: int) -> int:
    """A number below ``count``."""
    if not isinstance(node, Number) or not isinstance(node.value, int) or not 0 <= node.value < count:
        raise LudSyntaxError(f"expected a number from 0 to {count - 1}, not {head(node)}", *node.position)
    return node.value


def edge(node: Node, count: int) -> Edge:
    """``{first second}``: two of ``count`` vertices."""
    return edge_between(node, [index(end, count) for end in items(node)])


def edge_between(node: Node, ends: Sequence[int]) -> Edge:
    """The edge between the two ends that ``node`` names."""
    if len(ends) != 2 or ends[0] == ends[1]:
        raise LudSyntaxError("an edge is written {first second}", *node.position)
    return pair(*ends)


def _number(node: Node) -> float | None:
    """The value of a number or of arithmetic on numbers, else None."""
    if isinstance(node, Number):
        return node.value
    if not isinstance(node, Ludeme) or node.labelled or len(node.positional) != 2:
        return None
    a, b = (_number(part) for part in node.positional)
    if a is None or b is None or (node.name in "/%" and b == 0):
        return None
    # In Ludii dimensions are whole numbers, and so is their quotient.
    whole_numbers = isinstance(a, int) and isinstance(b, int)
    match node.name:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return int(a / b) if whole_numbers else a / b
        case "%":
            return a - b * int(a / b)
        case "^":
            return float(a**b)
    return None
