"""Expanded tokens -> the tree of ludemes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from crossplay.errors import LudSyntaxError
from crossplay.games.language.lexer import MAX_DEPTH, Kind, Token, tokenize
from crossplay.games.language.nodes import (
    Argument,
    Array,
    Boolean,
    Ludeme,
    Node,
    Number,
    Position,
    Range,
    Symbol,
    Text,
)

MAX_RANGE = 1000  # values in one range, as in Ludii
MAX_INTEGER = 2**31 - 1

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_RANGE = re.compile(r"([+-]?[0-9]+)\.\.([+-]?[0-9]+)")
_SYMBOL = re.compile(r"[^\W\d][\w'-]*")
_OPERATOR = re.compile(r"[=!<>+\-*/%^&|]+")
_SITE = re.compile(r"([A-Za-z])([0-9]+)")


def parse(text: str, file: str = "<text>") -> Node:
    """Read one node that uses no options or defines.

    Raises:
        LudSyntaxError: ``text`` is malformed, empty, or holds more than one node.
    """
    tokens = tokenize(text, file)
    if not tokens:
        raise LudSyntaxError("nothing to read", file, 1, 1)
    return parse_tokens(tokens)


def parse_tokens(tokens: Sequence[Token]) -> Node:
    """The node that ``tokens`` spell; their brackets match and there is at least one."""
    parser = _Parser(tokens)
    nodes = parser.item(1)
    if len(nodes) != 1 or parser.index < len(tokens):
        extra = tokens[parser.index] if parser.index < len(tokens) else tokens[0]
        raise LudSyntaxError("more than one ludeme where one is expected", *extra.position)
    return nodes[0]


class _Parser:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.index = 0

    def item(self, depth: int) -> list[Node]:
        """The next node; a range of sites is as many nodes as it has sites."""
        token = self.tokens[self.index]
        if token.kind is Kind.OPEN and depth > MAX_DEPTH:
            raise LudSyntaxError(f"brackets nest deeper than {MAX_DEPTH}", *token.position)
        self.index += 1
        match token.kind:
            case Kind.OPEN if token.text == "(":
                return [self._ludeme(token, depth)]
            case Kind.OPEN:
                return [self._array(token, depth)]
            case Kind.TEXT:
                return [Text(token.text, token.position)]
            case Kind.SITES:
                return _site_range(token)
            case Kind.WORD:
                return [_word(token)]
            case Kind.TAG:
                raise LudSyntaxError(f"<{token.text}> is not the tag of an option", *token.position)
            case Kind.LABEL:
                raise LudSyntaxError(f"{token.text}: is not expected here", *token.position)
            case _:
                raise LudSyntaxError(f"'{token.text}' is not expected here", *token.position)

    def _ludeme(self, opener: Token, depth: int) -> Ludeme:
        token = self.tokens[self.index]
        if token.kind is Kind.OPEN and token.text == "(":
            return self._doubled(opener, depth)
        if token.kind is Kind.TEXT:
            raise LudSyntaxError(f'no (define "{token.text}" ...) in this description', *token.position)
        if token.kind is Kind.CLOSE:
            raise LudSyntaxError("empty brackets: a ludeme's name is missing", *opener.position)
        if token.kind is not Kind.WORD or not (
            _SYMBOL.fullmatch(token.text) or _OPERATOR.fullmatch(token.text)
        ):
            shown = to_source(token)
            raise LudSyntaxError(f"a ludeme's name is expected after '(', not {shown}", *token.position)
        self.index += 1
        arguments: list[Argument] = []
        while self.tokens[self.index].kind is not Kind.CLOSE:
            label = self._label()
            nodes = self.item(depth + 1)
            arguments.extend(Argument(label, node) for node in nodes)
        self.index += 1
        return Ludeme(token.text, tuple(arguments), opener.position)

    def _doubled(self, opener: Token, depth: int) -> Ludeme:
        """``((name ...))``, which expanding a bracketed tag can leave, means ``(name ...)``."""
        inner = self.item(depth + 1)[0]
        token = self.tokens[self.index]
        if token.kind is not Kind.CLOSE or not isinstance(inner, Ludeme):
            raise LudSyntaxError("a ludeme's name is expected after '(', not '('", *opener.position)
        self.index += 1
        return inner

    def _label(self) -> str | None:
        token = self.tokens[self.index]
        if token.kind is not Kind.LABEL:
            return None
        self.index += 1
        if self.tokens[self.index].kind in (Kind.CLOSE, Kind.LABEL):
            raise LudSyntaxError(f"{token.text}: has no value", *token.position)
        return token.text

    def _array(self, opener: Token, depth: int) -> Array:
        items: list[Node] = []
        while self.tokens[self.index].kind is not Kind.CLOSE:
            items.extend(self.item(depth + 1))
        self.index += 1
        return Array(tuple(items), opener.position)


def to_source(token: Token) -> str:
    """A token as it was written, in quotes, for messages."""
    match token.kind:
        case Kind.TEXT | Kind.SITES:
            return f'the string "{token.text}"'
        case Kind.TAG:
            return f"'<{token.text}>'"
        case Kind.LABEL:
            return f"'{token.text}:'"
        case _:
            return f"'{token.text}'"


def _word(token: Token) -> Node:
    text, position = token.text, token.position
    if text in ("True", "true", "False", "false"):
        return Boolean(text in ("True", "true"), position)
    if _INTEGER.fullmatch(text):
        return Number(_integer(text, position), position)
    if _DECIMAL.fullmatch(text):
        value = float(text)
        if abs(value) > MAX_INTEGER:
            raise LudSyntaxError(f"number {text} is out of range", *position)
        return Number(value, position)
    if match := _RANGE.fullmatch(text):
        low, high = _integer(match[1], position), _integer(match[2], position)
        if abs(high - low) > MAX_RANGE:
            raise LudSyntaxError(f"range {text} has more than {MAX_RANGE} values", *position)
        return Range(low, high, position)
    if ".." in text:
        raise LudSyntaxError(f"bad range '{text}': two whole numbers are needed, as in 1..5", *position)
    if _SYMBOL.fullmatch(text):
        return Symbol(text, position)
    if text.startswith("#"):
        raise LudSyntaxError(f"'{text}' stands for a define's argument but is outside a define", *position)
    raise LudSyntaxError(f"'{text}' is neither a number nor a name", *position)


def _integer(text: str, position: Position) -> int:
    # Ludii's whole numbers are 32 bits wide; the length check keeps int() from very long texts.
    if len(text) > 11 or abs(int(text)) > MAX_INTEGER:
        raise LudSyntaxError(f"number {text[:12]} is out of range", *position)
    return int(text)


def _site_range(token: Token) -> list[Node]:
    """``"A1".."C3"``: all labels of the rectangle, column by column."""
    first, last = token.text.split('".."')
    start, end = _SITE.fullmatch(first), _SITE.fullmatch(last)
    if start is None or end is None:
        raise LudSyntaxError(f'bad range "{token.text}": columns have one letter', *token.position)
    columns = range(ord(start[1].upper()), ord(end[1].upper()) + 1)
    numbers = range(_integer(start[2], token.position), _integer(end[2], token.position) + 1)
    if not 0 < len(columns) * len(numbers) <= MAX_RANGE:
        raise LudSyntaxError(
            f'bad range "{token.text}": it must go upwards and hold at most {MAX_RANGE} sites',
            *token.position,
        )
    return [Text(f"{chr(column)}{number}", token.position) for column in columns for number in numbers]
