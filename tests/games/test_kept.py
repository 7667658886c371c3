"""Generated kernels are kept: what is generated anew, and when."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from crossplay.errors import UnsupportedLudeme
from crossplay.games import Game, load_game
from crossplay.games import game as module
from crossplay.games.compiler import kept

RULES = """
(game "Small"
    (players 2)
    (equipment {(board (square <Size>)) (piece "Disc" Each)})
    (rules (play (move Add (to (sites Empty)))) (end (if (is Line 3) (result Mover Win))))
)
(option "Size" <Size> args:{<n>} {(item "3" <3> "small")* (item "4" <4> "large")})
"""


@pytest.fixture
def generated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Headings of what was generated since; nothing is compiled."""
    found: list[str] = []
    generate = module.generate

    def watched(model, heading):
        found.append(heading)
        return generate(model, heading)

    kernels = SimpleNamespace(start=None, legal=None, apply=None, playout=None)
    monkeypatch.setenv("CROSSPLAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "generate", watched)
    monkeypatch.setattr(module, "load_kernels", lambda source, name: kernels)
    return found


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., Game]:
    path = tmp_path / "Small.lud"

    def load(text: str = RULES, *options: str) -> Game:
        path.write_text(text)
        return load_game(str(path), options)

    return load


def the_file(tmp_path: Path) -> Path:
    (path,) = (tmp_path / "cache" / "generated").iterdir()
    return path


def test_a_second_load_does_not_generate(generated, load) -> None:
    first, second = load(), load("// a comment\n" + RULES)
    assert len(generated) == 1
    for name in ("source", "state_size", "sections", "max_moves", "max_plies", "tensor_size"):
        assert getattr(first, name) == getattr(second, name)


@pytest.mark.parametrize(("text", "options"), [(RULES.replace("Line 3", "Line 2"), []), (RULES, ["Size/4"])])
def test_other_rules_and_options_are_generated(generated, load, text: str, options: list[str]) -> None:
    first, other = load(), load(text, *options)
    assert len(generated) == 2
    assert first.source != other.source
    assert load().source == first.source
    assert len(generated) == 2


def test_another_compiler_generates_anew(generated, load, monkeypatch) -> None:
    load()
    monkeypatch.setattr(kept, "COMPILER_DIGEST", "edited")
    load()
    assert len(generated) == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-9],
        lambda data: data.replace(b"njit", b"mjit"),
        lambda data: b"\xff",
    ],
)
def test_a_damaged_file_is_replaced(generated, load, tmp_path, damage) -> None:
    source = load().source
    path = the_file(tmp_path)
    sound = path.read_bytes()
    path.write_bytes(damage(sound))
    assert load().source == source
    assert len(generated) == 2
    assert path.read_bytes() == sound


def test_a_folder_that_cannot_be_written_does_no_harm(generated, load, tmp_path) -> None:
    (tmp_path / "cache").write_text("a file")
    assert load().source == load().source
    assert len(generated) == 2


def test_what_is_unsupported_is_refused_every_time(generated, load, tmp_path) -> None:
    for _ in range(2):
        with pytest.raises(UnsupportedLudeme, match=r"is Cycle .* at Small.lud:5"):
            load(RULES.replace("is Line 3", "is Cycle"))
    assert len(generated) == 2
    assert not (tmp_path / "cache").exists()
