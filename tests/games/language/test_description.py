"""Whole descriptions: defines, options, rulesets, and every way to get them wrong."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplay.errors import CrossplayError, LudSyntaxError, UnknownOption, UnsupportedLudeme
from crossplay.games.language import Ludeme, load_description, parse_description, to_text, walk

LIBRARY = {
    entry.name.removesuffix(".lud"): entry.read_text(encoding="utf-8")
    for entry in resources.files("crossplay.games.library").iterdir()
    if entry.name.endswith(".lud")
}


def expand(text: str, *selections: str) -> str:
    """Canonical text of the game that ``text`` describes."""
    return to_text(parse_description(text, "game.lud").expand(selections).game)


OPTIONS = """
(option "Board" <Board> args:{ <type> <sides> } {
    (item "Rhombus" <hex Diamond> <(sites Side NE) (> <Size> 4)> "Written // with a comment sign.")
    (item "Square" <square> <> "")*
})
(game "Test" (board (<Board:type> <Size:n>)) (regions P1 { <Board:sides> }) <Meta>
    (piece "P<Size>" D<Size>) 0..<Size>)
(option "Board Size" <Size> args:{ <n> } {
    (item "3x3" <3> "a") (item "5x5" <5> "b")*
    (item "7x7" <7> "c")** (item "9x9" <9> "d")**
    // (item "11x11" <11> "e")***
})
(option "Swap" <Meta> args:{ <rule> } { (item "On" <(meta (swap))> "x") (item "Off" <> "y") })
(rulesets { (ruleset "Ruleset/Small" { "Board/Rhombus" "Board Size/3x3" })* (ruleset "Ruleset/Other" { }) })
(metadata (info { (description "a <b>nothing</b> \\"here\\" counts, (not even this") }) (ai "Test_ai"))
"""


def test_options_take_their_defaults() -> None:
    description = parse_description(OPTIONS, "game.lud").expand()
    assert to_text(description.game) == (
        '(game "Test" (board (square 7)) (regions P1 {}) (meta (swap)) (piece "P7" D7) 0..7)'
    )
    assert description.name == "Test"
    assert description.selections == ("Board/Square", "Board Size/7x7", "Swap/On")
    assert description.given == ()
    assert [option.heading for option in description.options] == ["Board", "Board Size", "Swap"]


def test_options_are_selected() -> None:
    selections = ("Swap/Off", "Board/Rhombus", "Board Size/3x3")
    assert expand(OPTIONS, *selections) == (
        '(game "Test" (board (hex Diamond 3)) (regions P1 {(sites Side NE) (> 3 4)}) (piece "P3" D3) 0..3)'
    )
    assert expand(OPTIONS, "Ruleset/Small", "Swap/Off") == expand(OPTIONS, *selections)
    description = parse_description(OPTIONS).expand(["Ruleset/Small"])
    assert description.selections == ("Board/Rhombus", "Board Size/3x3", "Swap/On")
    assert description.given == ("Ruleset/Small",)


def test_nodes_keep_the_place_where_they_were_written() -> None:
    game = parse_description(OPTIONS, "game.lud").expand(["Board/Rhombus"]).game
    places = {node.name: node.position for node in walk(game) if isinstance(node, Ludeme)}
    assert places["hex"][:2] == ("game.lud", 6)
    assert places["sites"] == ("game.lud", 3, 36)
    assert places["meta"].line == 13


@pytest.mark.parametrize(
    ("selections", "message"),
    [
        (["Board Size/7X7"], 'did you mean "Board Size/7x7"?'),
        (["board/square"], 'did you mean "Board/Square"?'),
        (["Colour/Red"], "offered: Board/ Rhombus, Square; Board Size/ 3x3, 5x5, 7x7, 9x9;"),
        (["Board Size/3x3", "Board Size/5x5"], 'two options for "Board Size"'),
        (["Ruleset/Small", "Board Size/5x5"], 'two options for "Board Size"'),
        (["Ruleset/Big"], "unknown option 'Ruleset/Big' of game.lud"),
    ],
)
def test_wrong_selections_name_what_is_offered(selections: list[str], message: str) -> None:
    with pytest.raises(UnknownOption) as caught:
        parse_description(OPTIONS, "game.lud").expand(selections)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ('(define "A" (x #1 y)) (game "G" ("A" 5))', '(game "G" (x 5 y))'),
        ('(define "A" (x #1 y #2)) (game "G" "A" ("A") ("A" ~ (z)))', '(game "G" (x y) (x y) (x y (z)))'),
        ('(game "G" ("A" if:(b) "t" { 1 2 })) (define "A" (x #1 #2 #3))', '(game "G" (x if:(b) "t" {1 2}))'),
        ('(define "A" (x #1)) (game "G" ("A" ("A" ("A" 1))))', '(game "G" (x (x (x 1))))'),
        ('(define "B" (y #1 #2)) (define "A" ("B" #2 #1)) (game "G" ("A" 1 2))', '(game "G" (y 2 1))'),
        ('(define "A" (x)) (define "A" (y)) (game "G" "A")', '(game "G" (y))'),
        ('(define "A" P#1 1..#2 "Q#1") (game "G" (a ("A" 1 3)))', '(game "G" (a P1 1..3 "Q1"))'),
        ('(define "A" (x)) (game "A" (b "A" "C"))', '(game "A" (b (x) "C"))'),
        (
            '(define "A" (<T> #1)) (option "O" <T> args:{ <v> } { (item "i" <("B" #1)> "") })'
            '(define "B" x #1) (game "G" ("A" 2))',
            '(game "G" (x 2 2))',
        ),
        (
            '(define "A" <T>) (define "B" 7) (game "G" "A")'
            '(option "O" <T> args:{ <v> } { (item "i" <"B"> "") })',
            '(game "G" 7)',
        ),
        ('(option "O" <T> args:{ <v> } { (item "i" <> "") }) (game "G" a <T>b c<T>d)', '(game "G" a b cd)'),
    ],
)  # fmt: skip
def test_defines(text: str, expanded: str) -> None:
    assert expand(text) == expanded


def _option(body: str, game: str = "<T>") -> str:
    return f'(game "G" {game})\n(option "O" <T> args:{{ <v> }} {{ {body} }})'


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "no (game"),
        ('(define "A" 1)', 1, 1, "no (game"),
        ('(game "G")\n(game "H")', 2, 1, "a second (game"),
        ("(game)", 1, 1, "its name in quotes"),
        ("(game G)", 1, 1, "its name in quotes"),
        ('(game "G")\n word', 2, 2, "is expected, not 'word'"),
        ('(game "G")\n(games)', 2, 2, "is expected, not 'games'"),
        ("()", 1, 2, "is expected, not ')'"),
        ('(game "G" <T>)', 1, 11, "not the tag of an option"),
        ('(game "G" ("A" 1))', 1, 12, 'no (define "A"'),
        ('(define A 1) (game "G")', 1, 9, "name in quotes"),
        ('(define "A" ("B")) (define "B" "A")\n(game "G" "A")', 1, 32, 'define "A" contains itself'),
        ('(define "A" if:#2)\n(game "G" ("A" 1))', 2, 12, "argument 2 of"),
        ('(game "G" #1)', 1, 11, "outside a define"),
        (_option(""), 2, 30, "offers no item"),
        (_option('(item "i" "d")'), 2, 32, "gives 0 values"),
        (_option('(item "i" <1> <2> "d")'), 2, 32, "gives 2 values"),
        (_option('(item i <1>)'), 2, 38, "name in quotes is expected"),
        (_option('(thing "i" <1>)'), 2, 33, "'(item' is expected"),
        (_option('(item "i" <<T>> "d")'), 2, 43, "contains itself"),
        (_option('(item "i" <1> "d")', "<T:w>"), 1, 11, "arguments are v"),
        (_option('(item "i" <1> 5)'), 2, 46, "description is expected, not '5'"),
        (_option('(item "i" <1 "d")'), 2, 42, "'<' is not closed"),
        ('(game "G") (option "O" args:{ } { })', 1, 24, "<Tag> is expected"),
        ('(game "G") (option "O" <T> argh:{ } { })', 1, 28, "args:{...} is expected"),
        ('(game "G") (rulesets { (ruleset A) })', 1, 33, "name in quotes is expected"),
    ],
)  # fmt: skip
def test_malformed_descriptions_are_refused_at_their_place(
    text: str, line: int, column: int, message: str
) -> None:
    with pytest.raises(LudSyntaxError) as caught:
        expand(text)
    assert str(caught.value).startswith(f"game.lud:{line}:{column}: ")
    assert message in str(caught.value)


def test_expansion_that_explodes_is_refused() -> None:
    defines = "".join(f'(define "L{i + 1}" {f""" "L{i}" """ * 10})' for i in range(12))
    with pytest.raises(LudSyntaxError, match="takes more than"):
        expand(f'(define "L0" ha) {defines} (game "G" "L12")')
    words = "".join(f'(define "W{i + 1}" ("W{i}" "#1#1#1#1#1#1#1#1#1#1"))' for i in range(12))
    with pytest.raises(LudSyntaxError, match="takes more than"):
        expand(f'(define "W0" #1) {words} (game "G" ("W12" ha))')
    options = "".join(
        f'(option "O{i}" <T{i}> args:{{ <v> }} {{ (item "i" <{f"<T{i + 1}>" * 10}> "") }})' for i in range(12)
    )
    with pytest.raises(LudSyntaxError, match="takes more than"):
        expand(f'{options} (option "O" <T12> args:{{ <v> }} {{ (item "i" <ha> "") }}) (game "G" <T0>)')


def test_nesting_made_by_defines_is_refused() -> None:
    defines = "".join(f'(define "D{i + 1}" (a (a (a (a (a "D{i}"))))))' for i in range(60))
    with pytest.raises(LudSyntaxError, match="nest deeper"):
        expand(f'(define "D0" b) {defines} (game "G" "D60")')


def test_a_match_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedLudeme, match=r"UnsupportedLudeme: \(match \.\.\.\) at game\.lud:2"):
        expand('\n(match "M" (players 2))')


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "My Game.lud"
    path.write_bytes(b'\xef\xbb\xbf(game "My Game"\r\n (a))')
    description = load_description(path)
    assert (description.name, description.file) == ("My Game", "My Game.lud")
    path.write_bytes(b'(game "My Game"\n "\xff")')
    with pytest.raises(LudSyntaxError, match=r"My Game\.lud:2:.*UTF-8"):
        load_description(path)
    path.write_text("(game \n")
    with pytest.raises(LudSyntaxError, match=r"My Game\.lud:1:1"):
        load_description(path)
    path.write_text('(game "é' + 2_100_000 * "é")
    with pytest.raises(LudSyntaxError, match=r"My Game\.lud:1:1: longer than"):
        load_description(path)
    with pytest.raises(CrossplayError, match="cannot read"):
        load_description(tmp_path / "absent.lud")
    with pytest.raises(CrossplayError, match="cannot read"):
        load_description(tmp_path)


@pytest.mark.parametrize("name", LIBRARY)
def test_library_files_expand_with_every_option(name: str) -> None:
    description = parse_description(LIBRARY[name], f"{name}.lud")
    assert description.expand().name == name
    for option in description.options:
        assert all(item.description for item in option.items)
        for item in range(len(option.items)):
            assert option.selection(item) in description.expand([option.selection(item)]).selections


@given(
    st.sampled_from(sorted(LIBRARY)),
    st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 8), st.text('(){}<>"/#:*1aT \n', max_size=3)), max_size=3
    ),
    st.floats(0, 1),
)
@settings(max_examples=150, deadline=None)
def test_damaged_library_files_are_read_or_refused(
    name: str, edits: list[tuple[float, int, str]], kept: float
) -> None:
    text = LIBRARY[name]
    for place, removed, inserted in edits:
        at = int(place * len(text))
        text = text[:at] + inserted + text[at + removed :]
    for candidate in (text, text[: int(kept * len(text))]):
        assert len(_refusal(candidate).splitlines()) <= 1


def _refusal(text: str) -> str:
    try:
        parse_description(text).expand()
    except CrossplayError as error:
        return str(error)
    return ""


def test_built_in_defines_yield_to_the_description_s_own() -> None:
    text = '(game "G" "SameTurn" ("NoPiece" Next) "NewTurn") (define "NewTurn" (is Prev Next))'
    game = parse_description(text).expand().game
    assert to_text(game) == '(game "G" (is Prev Mover) (= (count Pieces Next) 0) (is Prev Next))'


def test_built_in_series_of_jumps_take_their_arguments_by_place() -> None:
    text = '(game "G" ("HopDiagonalSequenceCapture" before:(count Rows) ~ at:EndOfTurn))'
    jump = to_text(parse_description(text).expand().game)
    assert jump.count("(between before:(count Rows) if:") == 2
    assert jump.count("(apply (remove (between) at:EndOfTurn))") == 2
    assert "#" not in jump
