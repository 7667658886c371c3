"""A whole ``.lud`` file: the game, its defines, its options and its rulesets.

``load_description(path, selections)`` gives the tree of the game that a choice of options describes.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from crossplay.errors import CrossplayError, LudSyntaxError, UnknownOption, UnsupportedLudeme
from crossplay.games.language.expansion import Define, Expander
from crossplay.games.language.lexer import MAX_CHARACTERS, Kind, Token, closing_index, tokenize
from crossplay.games.language.nodes import Ludeme, Position, Text
from crossplay.games.language.options import OptionHeading, Ruleset, read_option, read_rulesets
from crossplay.games.language.parser import parse_tokens, to_source

_MAX_BYTES = 4 * MAX_CHARACTERS  # UTF-8 takes at most four for a character


@dataclass(frozen=True, slots=True)
class ExpandedDescription:
    """The game that a choice of options describes.

    Attributes:
        game: the ``(game ...)`` ludeme, without tags and defines.
        name: the game's name.
        selections: the chosen item of every heading, defaults included, as ``Heading/Item``.
        given: the selections that were asked for.
        options: all headings, in the order of the file.
        file: the name used in positions and messages.
    """

    game: Ludeme
    name: str
    selections: tuple[str, ...]
    given: tuple[str, ...]
    options: tuple[OptionHeading, ...]
    file: str


@dataclass(frozen=True, slots=True)
class Description:
    """A ``.lud`` file read but not yet expanded."""

    file: str
    game: tuple[Token, ...]
    defines: tuple[Define, ...]
    options: tuple[OptionHeading, ...]
    rulesets: tuple[Ruleset, ...]

    def expand(self, selections: Sequence[str] = ()) -> ExpandedDescription:
        """The game with ``selections`` (``Heading/Item`` or a ruleset's name) and defaults elsewhere.

        Raises:
            UnknownOption: a selection matches nothing, or two choose from the same heading.
            LudSyntaxError: the expanded text is malformed.
        """
        chosen = self._choose(selections)
        tags: dict[str, tuple[Token, ...]] = {}
        arguments: dict[str, tuple[str, ...]] = {}
        for option, item in zip(self.options, chosen, strict=True):
            if option.tag in arguments:
                continue  # Ludii replaces a tag by the first option that has it
            arguments[option.tag] = option.arguments
            tags |= {
                f"{option.tag}:{name}": value
                for name, value in zip(option.arguments, option.items[item].values, strict=True)
            }
        expander = Expander(tags, arguments)
        defines = {
            define.name: Define(define.name, tuple(expander.options(define.body)), define.position)
            # Of two with one name the later counts.
            for define in (*built_in_defines(), *self.defines)
        }
        game = parse_tokens(expander.defines(expander.options(self.game), defines))
        assert isinstance(game, Ludeme)
        name = game.positional[0] if game.positional else None
        if not isinstance(name, Text):
            raise LudSyntaxError("a game begins with its name in quotes", *game.position)
        return ExpandedDescription(
            game=game,
            name=name.value,
            selections=tuple(
                option.selection(item) for option, item in zip(self.options, chosen, strict=True)
            ),
            given=tuple(selections),
            options=self.options,
            file=self.file,
        )

    def _choose(self, selections: Sequence[str]) -> list[int]:
        rulesets = {ruleset.name: ruleset.selections for ruleset in self.rulesets}
        known = {
            option.selection(item): (heading, item)
            for heading, option in enumerate(self.options)
            for item in range(len(option.items))
        }
        wanted = [part for selection in selections for part in rulesets.get(selection, (selection,))]
        chosen: dict[int, int] = {}
        for selection in wanted:
            if selection not in known:
                raise UnknownOption(self._unknown(selection, [*known, *rulesets]))
            heading, item = known[selection]
            if heading in chosen:
                raise UnknownOption(
                    f'two options for "{self.options[heading].heading}" of {self.file}: '
                    f'"{self.options[heading].selection(chosen[heading])}" and "{selection}"; choose one'
                )
            chosen[heading] = item
        return [chosen.get(heading, option.default) for heading, option in enumerate(self.options)]

    def _unknown(self, selection: str, known: Sequence[str]) -> str:
        message = f"unknown option {selection!r} of {self.file}"
        lowered = {name.lower(): name for name in reversed(known)}
        if close := difflib.get_close_matches(selection.lower(), lowered, n=1):
            message += f'; did you mean "{lowered[close[0]]}"?'
        offered = [
            f"{option.heading}/ {', '.join(item.name for item in option.items)}" for option in self.options
        ]
        offered += [ruleset.name for ruleset in self.rulesets]
        return f"{message} (offered: {'; '.join(offered) or 'none'})"


def load_description(path: str | Path, selections: Sequence[str] = ()) -> ExpandedDescription:
    """Read a ``.lud`` file and expand it with ``selections``.

    Raises:
        CrossplayError: the file cannot be read.
        LudSyntaxError: it is malformed.
        UnknownOption: a selection matches nothing it offers.
    """
    path = Path(path)
    try:
        with path.open("rb") as stream:
            content = stream.read(_MAX_BYTES + 1)
    except OSError as error:
        raise CrossplayError(f"cannot read {path}: {error.strerror or error}") from error
    try:
        # The cut may have split a character, but so long a text is refused anyway.
        text = content.decode("utf-8", "strict" if len(content) <= _MAX_BYTES else "ignore")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise LudSyntaxError("not UTF-8 text; save the file as UTF-8", str(path), line, 1) from error
    return parse_description(text, path.name).expand(selections)


def parse_description(text: str, file: str = "<text>") -> Description:
    """Read the text of a ``.lud`` file.

    Raises:
        LudSyntaxError: it is malformed, or has no ``(game ...)`` or several.
    """
    tokens = tokenize(text, file)
    games: list[tuple[Token, ...]] = []
    defines: list[Define] = []
    options: list[OptionHeading] = []
    rulesets: list[Ruleset] = []
    index = 0
    while index < len(tokens):
        opener = tokens[index]
        if opener.kind is not Kind.OPEN or opener.text != "(":
            message = f"(game ...), (define ...) or (option ...) is expected, not {to_source(opener)}"
            raise LudSyntaxError(message, *opener.position)
        end = closing_index(tokens, index) + 1
        form = tokens[index:end]
        match form[1].text if form[1].kind is Kind.WORD else None:
            case "game":
                games.append(tuple(form))
            case "define":
                defines.append(_read_define(form))
            case "option":
                options.append(read_option(form))
            case "rulesets":
                rulesets.extend(read_rulesets(form))
            case "metadata":
                pass  # nothing in it is needed to play
            case "match":
                raise UnsupportedLudeme("match", opener.position.file, opener.position.line)
            case _:
                message = f"(game ...), (define ...) or (option ...) is expected, not {to_source(form[1])}"
                raise LudSyntaxError(message, *form[1].position)
        index = end
    if len(games) != 1:
        position = games[1][0].position if games else Position(file, 1, 1)
        message = "a second (game ...) in one description" if games else "no (game ...) in the description"
        raise LudSyntaxError(message, *position)
    return Description(file, games[0], tuple(defines), tuple(options), tuple(rulesets))


@cache
def built_in_defines() -> tuple[Define, ...]:
    """The defines that every description may use."""
    source = resources.files("crossplay.games.language") / "defines.lud"
    tokens = tokenize(source.read_text(encoding="utf-8"), source.name)
    defines = []
    index = 0
    while index < len(tokens):
        end = closing_index(tokens, index) + 1
        defines.append(_read_define(tokens[index:end]))
        index = end
    return tuple(defines)


def _read_define(form: Sequence[Token]) -> Define:
    if form[2].kind is not Kind.TEXT:
        message = f"a define begins with its name in quotes, not {to_source(form[2])}"
        raise LudSyntaxError(message, *form[2].position)
    return Define(form[2].text, tuple(form[3:-1]), form[0].position)
