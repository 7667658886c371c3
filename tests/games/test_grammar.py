"""Damaged descriptions: each is translated or refused in one line, never anything else."""

from __future__ import annotations

import random
import re
from functools import cache
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplay.errors import CrossplayError
from crossplay.games import list_games, translate

WORD = re.compile(r'\s*(?:"[^"]*"|[(){}]|[^\s(){}"]+)')  # with the space before it


@cache
def words(name: str) -> tuple[str, ...]:
    """A library file, without its comments, as brackets, texts and words."""
    text = (resources.files("crossplay.games.library") / f"{name}.lud").read_text(encoding="utf-8")
    return tuple(WORD.findall(re.sub(r"//[^\n]*", "", text)))


def part(text: list[str], rng: random.Random) -> slice:
    """A word, or everything in a pair of brackets."""
    start = rng.randrange(len(text))
    while start > 0 and text[start].endswith((")", "}")):
        start -= 1
    depth = 0
    for end in range(start, len(text)):
        depth += text[end].endswith(("(", "{")) - text[end].endswith((")", "}"))
        if depth <= 0:
            return slice(start, end + 1)
    return slice(start, start + 1)


def damage(text: list[str], rng: random.Random) -> None:
    """Edit one part of a description, whole or broken."""
    here = part(text, rng)
    other = list(words(rng.choice(list_games())))
    match rng.randrange(7):
        case 0:
            del text[here]
        case 1:
            text[here] = text[here] * 2
        case 2:
            text[here] = other[part(other, rng)]
        case 3:
            text[here] = [*text[here], *other[part(other, rng)]]
        case 4:
            text[here] = text[part(text, rng)]
        case 5:
            text[here] = [
                f" {rng.choice(['-1', '0', '3', '999999999', 'Off', 'P2', '1..2', 'if:', '{}', '()'])}"
            ]
        case 6:
            text[rng.randrange(len(text))] = rng.choice(["", " (", " }", " <", ' "'])


@pytest.mark.timeout(300)
@settings(max_examples=250, deadline=20_000)
@given(seed=st.integers(0, 2**32 - 1))
def test_damaged_descriptions_are_translated_or_refused(seed: int, tmp_path_factory) -> None:
    rng = random.Random(seed)
    text = list(words(rng.choice(list_games())))
    for _ in range(rng.randint(1, 3)):
        damage(text, rng)
    path = tmp_path_factory.getbasetemp() / "Damaged.lud"
    path.write_text("".join(text), encoding="utf-8")
    check(path)


def check(path: Path) -> None:
    try:
        source = translate(str(path))
    except CrossplayError as error:
        message = str(error)
    else:
        compile(source, "kernels", "exec")
        return
    assert "\n" not in message
    assert path.name in message
