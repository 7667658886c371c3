"""Text of a description -> tokens, with brackets known to match.

Comments and white space are dropped. Words are not yet told apart (numbers, symbols, ranges): the
expansion of options and defines may still join them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from crossplay.errors import LudSyntaxError
from crossplay.games.language.nodes import Position

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 200  # far above any game, and low enough that recursive readers of the tree are safe


class Kind(Enum):
    """What a token is."""

    OPEN = auto()  # ( or {
    CLOSE = auto()  # ) or }
    VALUE_OPEN = auto()  # < that begins the value of an option's item
    VALUE_CLOSE = auto()  # >
    TAG = auto()  # <Tag> or <Tag:argument>, text without the angles
    TEXT = auto()  # a string, text without the quotes
    SITES = auto()  # "A1".."C3", text without the outer quotes
    LABEL = auto()  # name: , text without the colon
    WORD = auto()  # everything else


@dataclass(frozen=True, slots=True)
class Token:
    """One token; ``glued`` when nothing stands between it and the word or tag before it."""

    kind: Kind
    text: str
    position: Position
    glued: bool = False


# Angles are brackets of option tags and values, except directly after "(", where they are operators.
_TOKEN = re.compile(
    r"""
      (?P<SKIP>       \s+ | //[^\n]* )
    | (?P<TAG>        <[\w-]+(?::[\w-]+)?> )
    | (?P<OPERATOR>   (?<=\()(?:<=?|>=?)(?=[\s)]) )
    | (?P<SITES>      "[A-Za-z]+[0-9]+"\.\."[A-Za-z]+[0-9]+" )
    | (?P<TEXT>       "(?:[^"\\]|\\.)*" )
    | (?P<OPEN>       [({] )
    | (?P<CLOSE>      [)}] )
    | (?P<VALUE_OPEN> < )
    | (?P<VALUE_CLOSE>> )
    | (?P<LABEL>      [A-Za-z_][\w-]*: )
    | (?P<WORD>       (?: (?!//) [^\s(){}<>\[\]":] )+ )
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r'\\(["\\])')
_CLOSING = {"(": ")", "{": "}", "<": ">"}
_WORDLIKE = (Kind.WORD, Kind.TAG)


def tokenize(text: str, file: str) -> list[Token]:
    """Split ``text`` into tokens and check that its brackets match.

    Raises:
        LudSyntaxError: too long, an unexpected character, a string without end, brackets that do not
            match or nest deeper than ``MAX_DEPTH``.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > MAX_CHARACTERS:
        raise LudSyntaxError(f"longer than {MAX_CHARACTERS} characters: not a game description?", file, 1, 1)
    line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
    tokens: list[Token] = []
    offset = token_end = 0
    while offset < len(text):
        line = bisect_right(line_starts, offset)
        position = Position(file, line, offset - line_starts[line - 1] + 1)
        match = _TOKEN.match(text, offset)
        if match is None:
            if text[offset] == '"':
                raise LudSyntaxError("string without a closing quote", *position)
            raise LudSyntaxError(f"unexpected character {text[offset]!r}", *position)
        offset = match.end()
        if match.lastgroup == "SKIP":
            continue
        kind = Kind.WORD if match.lastgroup == "OPERATOR" else Kind[str(match.lastgroup)]
        glued = (
            match.start() == token_end and kind in _WORDLIKE and bool(tokens) and tokens[-1].kind in _WORDLIKE
        )
        tokens.append(Token(kind, _content(kind, match.group()), position, glued))
        token_end = offset
    _check_brackets(tokens)
    return tokens


def split_tag(token: Token) -> list[Token]:
    """The tokens inside a ``<...>`` that looked like a tag but is the value of an option's item."""
    label, colon, word = token.text.rpartition(":")
    file, line, column = token.position
    inside = [Token(Kind.LABEL, label, Position(file, line, column + 1))] if colon else []
    start = column + 1 + len(label) + len(colon)
    return [*inside, Token(Kind.WORD, word, Position(file, line, start))]


def closing_index(tokens: Sequence[Token], start: int) -> int:
    """Index of the token that closes the bracket at ``start``; brackets are known to match."""
    depth = 0
    for index in range(start, len(tokens)):
        kind = tokens[index].kind
        if kind in (Kind.OPEN, Kind.VALUE_OPEN):
            depth += 1
        elif kind in (Kind.CLOSE, Kind.VALUE_CLOSE):
            depth -= 1
            if depth == 0:
                return index
    raise AssertionError("brackets were checked when the text was read")


def _content(kind: Kind, text: str) -> str:
    match kind:
        case Kind.TEXT:
            return _ESCAPE.sub(r"\1", text[1:-1])
        case Kind.TAG | Kind.SITES:
            return text[1:-1]
        case Kind.LABEL:
            return text[:-1]
        case _:
            return text


def _check_brackets(tokens: list[Token]) -> None:
    opened: list[Token] = []
    for token in tokens:
        if token.kind in (Kind.OPEN, Kind.VALUE_OPEN):
            opened.append(token)
            if len(opened) > MAX_DEPTH:
                raise LudSyntaxError(f"brackets nest deeper than {MAX_DEPTH}", *token.position)
        elif token.kind in (Kind.CLOSE, Kind.VALUE_CLOSE):
            if not opened:
                raise LudSyntaxError(f"'{token.text}' closes nothing", *token.position)
            opener = opened.pop()
            if _CLOSING[opener.text] != token.text:
                message = f"'{opener.text}' is not closed before '{token.text}' at line {token.position.line}"
                raise LudSyntaxError(message, *opener.position)
    if opened:
        raise LudSyntaxError(f"'{opened[-1].text}' is never closed", *opened[-1].position)
