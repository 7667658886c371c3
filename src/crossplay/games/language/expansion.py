"""Expansion of options and defines, token by token, so that every token keeps its place in the file.

As in Ludii, options come first, everywhere, then defines. Both are textual: a value or a body may be
any sequence of tokens that keeps its brackets together, and ``#1`` or a tag may stand inside a word
(``P#1``) or a string.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from crossplay.errors import LudSyntaxError
from crossplay.games.language.lexer import Kind, Token, closing_index
from crossplay.games.language.nodes import Position

MAX_TOKENS = 300_000  # tokens handled while expanding one description
MAX_NESTING = 100  # defines within defines, or options within options

_TAG = re.compile(r"<([\w-]+(?::[\w-]+)?)>")
_PARAMETER = re.compile(r"#([0-9]{1,3})")
_OMITTED = "~"  # Ludii's placeholder for an argument that is left out
_PROTECTED = ("game", "match", "instance")  # the string after these is a name, never a define


@dataclass(frozen=True, slots=True)
class Define:
    """``(define "Name" body)``."""

    name: str
    body: tuple[Token, ...]
    position: Position


class Expander:
    """Expands token lists of one description, counting the work over all of them."""

    def __init__(self, tags: Mapping[str, Sequence[Token]], arguments: Mapping[str, Sequence[str]]) -> None:
        """``tags``: value of every ``Tag:argument``; ``arguments``: names of every tag's arguments."""
        self._tags = tags
        self._arguments = arguments
        self._handled = 0

    def options(self, tokens: Sequence[Token]) -> list[Token]:
        """``tokens`` with every ``<Tag>`` and ``<Tag:argument>`` replaced by its value.

        Raises:
            LudSyntaxError: a tag that no option has, an option that contains itself, too many tokens.
        """
        return self._options(tokens, ())

    def defines(self, tokens: Sequence[Token], defines: Mapping[str, Define]) -> list[Token]:
        """``tokens`` with every ``"Name"`` and ``("Name" argument ...)`` replaced by the define's body.

        Raises:
            LudSyntaxError: a define that contains itself, too many tokens.
        """
        return self._defines(tokens, defines, ())

    def _count(self, token: Token, amount: int = 1) -> None:
        self._handled += amount
        if self._handled > MAX_TOKENS:
            message = f"expanding options and defines takes more than {MAX_TOKENS} tokens"
            raise LudSyntaxError(message, *token.position)

    def _options(self, tokens: Sequence[Token], active: tuple[str, ...]) -> list[Token]:
        out: list[Token] = []
        joins = True  # behind an empty value: whether the tag itself stood glued to a word
        for token in tokens:
            self._count(token)
            glued, joins = token.glued and joins, True
            if token.kind is Kind.TAG:
                value = self._value(token, active)
                joins = bool(value) or glued
                for index, part in enumerate(value):
                    _append(out, part, glued if index == 0 else part.glued)
            elif token.kind is Kind.TEXT and "<" in token.text:
                text = _TAG.sub(partial(self._tag_in_text, token, active), token.text)
                out.append(replace(token, text=text))
            else:
                _append(out, token, glued)
        return out

    def _value(self, token: Token, active: tuple[str, ...]) -> list[Token]:
        tag, _, argument = token.text.partition(":")
        if tag not in self._arguments:
            raise LudSyntaxError(f"<{token.text}> is not the tag of an option", *token.position)
        names = self._arguments[tag]
        if not names or (argument and argument not in names):
            known = ", ".join(names) or "none"
            raise LudSyntaxError(f"<{token.text}>: the option's arguments are {known}", *token.position)
        key = f"{tag}:{argument or names[0]}"
        if key in active or len(active) >= MAX_NESTING:
            raise LudSyntaxError(f"option <{token.text}> contains itself", *token.position)
        return self._options(self._tags[key], (*active, key))

    def _tag_in_text(self, token: Token, active: tuple[str, ...], match: re.Match[str]) -> str:
        """The value of a tag inside a string; what is no option's tag is ordinary text."""
        if match[1].partition(":")[0] not in self._arguments:
            return match[0]
        value = self._value(Token(Kind.TAG, match[1], token.position), active)
        return self._joined(value, token)

    def _joined(self, tokens: Sequence[Token], at: Token) -> str:
        text = " ".join(token.text for token in tokens)
        self._count(at, len(text))
        return text

    def _defines(
        self, tokens: Sequence[Token], defines: Mapping[str, Define], active: tuple[str, ...]
    ) -> list[Token]:
        out: list[Token] = []
        index = 0
        while index < len(tokens):
            token = tokens[index]
            self._count(token)
            define = defines.get(token.text) if token.kind is Kind.TEXT else None
            if define is None or (index and tokens[index - 1].text in _PROTECTED):
                out.append(token)
                index += 1
                continue
            if define.name in active or len(active) >= MAX_NESTING:
                raise LudSyntaxError(f'define "{define.name}" contains itself', *token.position)
            arguments: list[list[Token]] = []
            end = index + 1
            if index and tokens[index - 1].text == "(" and tokens[index - 1].kind is Kind.OPEN:
                out.pop()
                close = closing_index(tokens, index - 1)
                # Expanded before the body, so that a define may be used inside its own arguments.
                given = _split_arguments(tokens[index + 1 : close])
                arguments = [self._defines(argument, defines, active) for argument in given]
                end = close + 1
            body = self._substitute(define, arguments, token)
            out.extend(self._defines(body, defines, (*active, define.name)))
            index = end
        return out

    def _substitute(self, define: Define, arguments: Sequence[list[Token]], call: Token) -> list[Token]:
        out: list[Token] = []
        for token in define.body:
            self._count(call)
            if "#" not in token.text or token.kind not in (Kind.WORD, Kind.TEXT):
                out.append(token)
            elif token.kind is Kind.WORD and (match := _PARAMETER.fullmatch(token.text)):
                value = _argument(arguments, match)
                if not value and out and out[-1].kind is Kind.LABEL:
                    message = (
                        f'argument {match[1]} of "{define.name}" is missing, but {out[-1].text}: needs it'
                    )
                    raise LudSyntaxError(message, *call.position)
                self._count(call, len(value))
                out.extend(value)
            else:
                text = _PARAMETER.sub(partial(self._parameter_in_text, arguments, call), token.text)
                out.append(replace(token, text=text))
        return out

    def _parameter_in_text(self, arguments: Sequence[list[Token]], call: Token, match: re.Match[str]) -> str:
        return self._joined(_argument(arguments, match), call)


def _argument(arguments: Sequence[list[Token]], match: re.Match[str]) -> list[Token]:
    number = int(match[1])
    return arguments[number - 1] if 1 <= number <= len(arguments) else []


def _append(out: list[Token], token: Token, glued: bool) -> None:
    if glued and out and out[-1].kind is Kind.WORD and token.kind is Kind.WORD:
        out[-1] = replace(out[-1], text=out[-1].text + token.text)
    else:
        out.append(token)


def _split_arguments(tokens: Sequence[Token]) -> list[list[Token]]:
    """Arguments of a define: each a bracket, string or word, with its label if it has one."""
    arguments: list[list[Token]] = []
    index = 0
    while index < len(tokens):
        start = index
        while index < len(tokens) - 1 and tokens[index].kind is Kind.LABEL:
            index += 1
        index = (closing_index(tokens, index) if tokens[index].kind is Kind.OPEN else index) + 1
        argument = list(tokens[start:index])
        arguments.append([] if [part.text for part in argument] == [_OMITTED] else argument)
    return arguments
