"""Reading ``(option ...)`` and ``(rulesets ...)`` forms.

(option "Board Size" <Size> args:{ <n> <middle> } {
    (item "3x3" <3> <(sites Centre)> "What it is.")
    (item "5x5" <5> <> "What it is.")**
})
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crossplay.errors import LudSyntaxError
from crossplay.games.language.lexer import Kind, Token, closing_index, split_tag
from crossplay.games.language.parser import to_source


@dataclass(frozen=True, slots=True)
class OptionItem:
    """One choice of an option: a value per argument, and as many stars as it was written with."""

    name: str
    values: tuple[tuple[Token, ...], ...]
    description: str
    stars: int


@dataclass(frozen=True, slots=True)
class OptionHeading:
    """An option: its heading, the tag and argument names it is used by, and its choices."""

    heading: str
    tag: str
    arguments: tuple[str, ...]
    items: tuple[OptionItem, ...]

    @property
    def default(self) -> int:
        """Index of the item with the most stars, the first of equals."""
        return max(range(len(self.items)), key=lambda index: self.items[index].stars)

    def selection(self, item: int) -> str:
        """How item number ``item`` is asked for: ``Heading/Item``."""
        return f"{self.heading}/{self.items[item].name}"


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A named choice of options."""

    name: str
    selections: tuple[str, ...]


def read_option(form: Sequence[Token]) -> OptionHeading:
    """The option that the tokens ``( option ... )`` describe.

    Raises:
        LudSyntaxError: a part is missing, or an item has not one value per argument.
    """
    reader = _Reader(form)
    heading = reader.take(Kind.TEXT, "the option's heading in quotes").text
    tag = reader.take(Kind.TAG, "the option's <Tag>").text
    label = reader.take(Kind.LABEL, "args:{...}")
    if label.text != "args":
        raise LudSyntaxError(f"args:{{...}} is expected, not '{label.text}:'", *label.position)
    arguments = []
    reader.take_open("{")
    while not reader.closes():
        arguments.append(reader.take(Kind.TAG, "an argument's <name>").text)
    reader.skip()
    opener = reader.take_open("{")
    items: list[OptionItem] = []
    while not reader.closes():
        items.append(_read_item(reader, len(arguments)))
    reader.skip()
    reader.end()
    if not items:
        raise LudSyntaxError(f'option "{heading}" offers no item', *opener.position)
    return OptionHeading(heading, tag, tuple(arguments), tuple(items))


def read_rulesets(form: Sequence[Token]) -> list[Ruleset]:
    """The rulesets of ``( rulesets { (ruleset "Name" { "Heading/Item" ... }) ... } )``.

    Raises:
        LudSyntaxError: a part is missing.
    """
    reader = _Reader(form)
    rulesets: list[Ruleset] = []
    reader.take_open("{")
    while not reader.closes():
        reader.take_open("(", "ruleset")
        name = reader.take(Kind.TEXT, "the ruleset's name in quotes").text
        selections: list[str] = []
        reader.take_open("{")
        while not reader.closes():
            selections.append(reader.take(Kind.TEXT, 'an option as "Heading/Item"').text)
        reader.skip()
        # Ludii's own files may give variations after the options; they describe, and set nothing.
        while not reader.closes():
            reader.skip_group()
        reader.skip()
        reader.stars()
        rulesets.append(Ruleset(name, tuple(selections)))
    reader.skip()
    reader.end()
    return rulesets


def _read_item(reader: _Reader, arguments: int) -> OptionItem:
    opener = reader.take_open("(", "item")
    name = reader.take(Kind.TEXT, "the item's name in quotes").text
    values: list[tuple[Token, ...]] = []
    while (value := reader.value()) is not None:
        values.append(value)
    description: list[str] = []
    while not reader.closes():
        description.append(reader.take(Kind.TEXT, "a <value> or the item's description").text)
    reader.skip()
    if len(values) != arguments:
        message = f'item "{name}" gives {len(values)} values, but the option has {arguments} arguments'
        raise LudSyntaxError(message, *opener.position)
    return OptionItem(name, tuple(values), " ".join(description), reader.stars())


class _Reader:
    """Walks the tokens of one form; the form's own brackets keep it from running off the end."""

    def __init__(self, form: Sequence[Token]) -> None:
        self._form = form
        self._index = 2  # behind "(" and the form's name

    def closes(self) -> bool:
        return self._form[self._index].kind is Kind.CLOSE

    def skip(self) -> None:
        self._index += 1

    def skip_group(self) -> None:
        if self._form[self._index].kind in (Kind.OPEN, Kind.VALUE_OPEN):
            self._index = closing_index(self._form, self._index)
        self._index += 1

    def take(self, kind: Kind, wanted: str) -> Token:
        token = self._form[self._index]
        if token.kind is not kind:
            raise LudSyntaxError(f"{wanted} is expected, not {to_source(token)}", *token.position)
        self._index += 1
        return token

    def take_open(self, bracket: str, name: str = "") -> Token:
        wanted = f"'{bracket}{name}'"
        token = self.take(Kind.OPEN, wanted)
        if token.text != bracket:
            raise LudSyntaxError(f"{wanted} is expected, not '{token.text}'", *token.position)
        if name and (word := self.take(Kind.WORD, wanted)).text != name:
            raise LudSyntaxError(f"{wanted} is expected, not '({word.text}'", *word.position)
        return token

    def value(self) -> tuple[Token, ...] | None:
        """The next ``<...>``, or None if something else comes."""
        token = self._form[self._index]
        if token.kind is Kind.TAG:
            self._index += 1
            return tuple(split_tag(token))
        if token.kind is not Kind.VALUE_OPEN:
            return None
        end = closing_index(self._form, self._index)
        inside = tuple(self._form[self._index + 1 : end])
        self._index = end + 1
        return inside

    def stars(self) -> int:
        count = 0
        while self._form[self._index].kind is Kind.WORD and not self._form[self._index].text.strip("*"):
            count += len(self._form[self._index].text)
            self._index += 1
        return count

    def end(self) -> None:
        token = self._form[self._index]
        if self._index != len(self._form) - 1:
            raise LudSyntaxError(f"{to_source(token)} is not expected here", *token.position)
