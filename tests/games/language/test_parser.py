"""Text -> tree -> text, and the place named when a text cannot be read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplay.errors import CrossplayError, LudSyntaxError
from crossplay.games.language import (
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
    head,
    parse,
    to_text,
    walk,
)

HERE = Position("here.lud", 1, 1)

names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_'-]{0,8}", fullmatch=True).filter(
    lambda name: name.lower() not in ("true", "false")
)
leaves: st.SearchStrategy[Node] = st.one_of(
    names.map(lambda name: Symbol(name, HERE)),
    st.integers(-(2**31) + 1, 2**31 - 1).map(lambda value: Number(value, HERE)),
    st.floats(-1e9, 1e9).map(lambda value: Number(value, HERE)),
    st.booleans().map(lambda value: Boolean(value, HERE)),
    st.text(st.characters(exclude_characters="\r", codec="utf-8"), max_size=12).map(lambda v: Text(v, HERE)),
    st.tuples(st.integers(-500, 500), st.integers(-500, 500)).map(lambda ends: Range(*ends, HERE)),
)


def _above(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    arguments = st.lists(
        st.builds(Argument, st.none() | names.map(lambda n: n.replace("'", "")), nodes), max_size=4
    )
    operators = st.sampled_from(["=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "^"])
    return st.one_of(
        st.builds(Ludeme, names | operators, arguments.map(tuple), st.just(HERE)),
        st.builds(Array, st.lists(nodes, max_size=4).map(tuple), st.just(HERE)),
    )


trees = st.recursive(leaves, _above, max_leaves=25)


@given(trees)
@settings(max_examples=150, deadline=None)
def test_text_of_a_tree_reads_back_as_the_same_tree(tree: Node) -> None:
    again = parse(to_text(tree))
    assert again == tree
    assert to_text(again) == to_text(tree)
    assert len(list(walk(again))) == len(list(walk(tree)))


def test_node_helpers() -> None:
    node = parse('(move Slide (from) "x" max:(- 3 1.5) if:True { 1..3 A })', "game.lud")
    assert isinstance(node, Ludeme)
    assert node.keyword == "Slide"
    assert head(node) == "move Slide"
    assert [head(value) for value in node.positional] == ["Slide", "from", '"x"', "{...}"]
    assert node.named("if") == Boolean(True, HERE)
    assert node.named("then") is None
    assert [argument.label for argument in node] == [None, None, None, "max", "if", None]
    assert sum(isinstance(below, Number) for below in node.walk()) == 2
    values = node.named("max")
    assert isinstance(values, Ludeme)
    assert values.name == "-"
    assert values.position == Position("game.lud", 1, 28)


def test_comments_line_ends_and_positions() -> None:
    node = parse('\ufeff(a // (comment\r\n  "http://x" // {\r  (b\n1))', "game.lud")
    assert to_text(node) == '(a "http://x" (b 1))'
    assert [tuple(below.position)[1:] for below in walk(node)] == [(1, 1), (2, 3), (3, 3), (4, 1)]


def test_ranges() -> None:
    assert to_text(parse('{ "A1".."B2" 3..1 }')) == '{"A1" "A2" "B1" "B2" 3..1}'
    assert Range(3, 1, HERE).values() == (3, 2, 1)
    assert Range(0, 2, HERE).values() == (0, 1, 2)


def test_doubled_brackets_are_one() -> None:
    assert parse("((is Line 3))") == parse("(is Line 3)")


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "nothing"),
        ("(a\n  (b)\n", 1, 1, "'(' is never closed"),
        ("(a {b (c) )", 1, 4, "'{' is not closed before ')'"),
        ("(a b))", 1, 6, "')' closes nothing"),
        ("(a }", 1, 1, "not closed before '}'"),
        ('(a\n "b)', 2, 2, "without a closing quote"),
        ("(a ()\n)", 1, 4, "name is missing"),
        ('(a ("Foo" 1))', 1, 5, 'no (define "Foo"'),
        ('(a ("Fo\no" 1))', 1, 5, 'no (define "Fo o"'),
        ("(5 a)", 1, 2, "name is expected"),
        ("(a if:)", 1, 4, "if: has no value"),
        ("(a if:then: b)", 1, 4, "if: has no value"),
        ("{ a:b }", 1, 3, "a: is not expected"),
        ("(a 1..b)", 1, 4, "bad range"),
        ("(a ..3)", 1, 4, "bad range"),
        ("(a 1..2000)", 1, 4, "more than 1000"),
        ('(a "C1".."A1")', 1, 4, "bad range"),
        ('(a "AA1".."AB1")', 1, 4, "bad range"),
        ("(a 99999999999999999999)", 1, 4, "out of range"),
        ("(a 1e99)", 1, 4, "out of range"),
        ("(a 3x3)", 1, 4, "neither a number nor a name"),
        ("(a #1)", 1, 4, "outside a define"),
        ("(a <Size>)", 1, 4, "not the tag of an option"),
        ("(a < 3 )", 1, 4, "'<' is not closed"),
        ("(a [1])", 1, 4, "unexpected character '['"),
        ("(a) (b)", 1, 5, "more than one"),
        ("((a) b)", 1, 1, "name is expected"),
        ("(" * 500 + ")" * 500, 1, 201, "nest deeper"),
        ("a" * 1_000_001, 1, 1, "longer than"),
    ],
)
def test_malformed_text_is_refused_at_its_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(LudSyntaxError) as caught:
        parse(text, "game.lud")
    assert str(caught.value).startswith(f"game.lud:{line}:{column}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text(st.sampled_from('(){}<>"\\/:.#~*-=1aA \n\u00e9'), max_size=60) | st.text(max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    assert len(_refusal(text).splitlines()) <= 1


def _refusal(text: str) -> str:
    try:
        parse(text)
    except CrossplayError as error:
        return str(error)
    return ""
