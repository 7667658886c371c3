"""Arithmetic with Java's meaning: division rounds towards zero and a remainder has the dividend's sign."""

from __future__ import annotations

from functools import reduce

from crossplay.games.compiler.model import items, malformed
from crossplay.games.compiler.registry import Compiler, integer
from crossplay.games.compiler.scope import Scope
from crossplay.games.language import Ludeme, Node


def operands(c: Compiler, node: Ludeme, scope: Scope) -> list[str]:
    """The numbers that a ludeme takes, one by one or as a list."""
    parts = [member for part in node.positional for member in items(part)]
    if len(node.positional) != len(node.arguments) or not parts:
        malformed(node, f"({node.name} ...) takes numbers")
    return [c.integer(part, scope) for part in parts]


def _two(c: Compiler, node: Ludeme, scope: Scope) -> tuple[str, str]:
    found = operands(c, node, scope)
    if len(found) != 2:
        malformed(node, f"({node.name} ...) takes two numbers")
    return found[0], found[1]


@integer("+")
def _sum(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return "(" + " + ".join(operands(c, node, scope)) + ")"


@integer("-")
def _difference(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(- a b)``, and ``(- a)`` for the negative of a number."""
    found = operands(c, node, scope)
    if len(found) > 2:
        malformed(node, "(- ...) takes one or two numbers")
    return f"(0 - {found[0]})" if len(found) == 1 else f"({found[0]} - {found[1]})"


@integer("*")
def _product(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return "(" + " * ".join(f"({part})" for part in operands(c, node, scope)) + ")"


@integer("/")
def _quotient(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """Ludii stops at a division by zero, which a kernel cannot: it goes on with 0."""
    first, second = _two(c, node, scope)
    body = """
    if second == 0:
        return 0
    quotient = abs(first) // abs(second)
    return quotient if (first < 0) == (second < 0) else -quotient
    """
    return f"{c.function('quotient', 'first, second', body)}({first}, {second})"


@integer("%")
def _remainder(c: Compiler, node: Ludeme, scope: Scope) -> str:
    first, second = _two(c, node, scope)
    body = """
    if second == 0:
        return 0
    rest = abs(first) % abs(second)
    return rest if first >= 0 else -rest
    """
    return f"{c.function('remainder', 'first, second', body)}({first}, {second})"


@integer("^")
def _power(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """A power with a negative exponent is cut to a whole number as in Ludii."""
    base, exponent = _two(c, node, scope)
    body = """
    if exponent < 0:
        if base != 1 and base != -1:
            return 0
        exponent = -exponent
    power = 1
    for _ in range(exponent):
        power *= base
    return power
    """
    return f"{c.function('power', 'base, exponent', body)}({base}, {exponent})"


@integer("abs")
def _absolute(c: Compiler, node: Ludeme, scope: Scope) -> str:
    if len(node.arguments) != 1:
        malformed(node, "(abs ...) takes one number")
    return f"abs({c.integer(node.positional[0], scope)})"


@integer("min")
@integer("max")
def _extreme(c: Compiler, node: Ludeme, scope: Scope) -> str:
    return reduce(lambda one, other: f"{node.name}({one}, {other})", operands(c, node, scope))


@integer("if")
def _if(c: Compiler, node: Ludeme, scope: Scope) -> str:
    """``(if condition number number)``."""
    if len(node.positional) != 3 or len(node.arguments) != 3:
        malformed(node, "(if ...) takes a condition and two numbers")
    condition, yes, no = node.positional
    return f"({c.integer(yes, scope)} if {c.boolean(condition, scope)} else {c.integer(no, scope)})"


def is_region(c: Compiler, node: Node) -> bool:
    """Whether an argument that may be a number or a region is a region."""
    if isinstance(node, Ludeme):
        if node.name == "if" and len(node.positional) == 3:
            return is_region(c, node.positional[1])
        return c.knows("region", node) and not c.knows("integer", node)
    return items(node) != (node,)
