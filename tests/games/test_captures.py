"""Captures and jumps with every argument, on positions small enough to see what must happen."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import njit

from crossplay.games import Game, load_game
from crossplay.games.compiler import load_kernels
from crossplay.games.state import HEADER

ENEMY = "if:(is Enemy (who at:({0})))"
TAKE = "(between {0} " + ENEMY.format("between") + " (apply (remove (between))))"
CLOSED = "(to if:(is Friend (who at:(to))))"
INTERVENE = (
    "(intervene (from (last To)) Orthogonal {0} (to " + ENEMY.format("to") + " (apply (remove (to)))))"
)

# A piece of the first player's for every way to take; the second player's men only stand there.
CAPTURES = {
    "One": f"(custodial (from (last To)) Orthogonal {TAKE.format('(max 1)')} {CLOSED})",
    "Two": f"(custodial (from (last To)) {TAKE.format('(max 2)')} {CLOSED})",
    "Any": "(custodial)",
    "Between": INTERVENE.format(""),
    "Wide": INTERVENE.format("(between (max 2))"),
    "Round": f"(surround (from (last To)) Orthogonal {TAKE.format('')} {CLOSED})",
    "Open": "(surround (from (last To)) Orthogonal except:1)",
    "Chief": '(surround (from (last To)) Orthogonal except:1 with:(piece "Any1"))',
}
HOPS = {
    "Plain": "",
    "Before": "before:1",
    "Far": "before:1 (max 2) after:2",
    "Exact": "(exact 2)",
    "Step": "(range 0 1)",
}


def build(path: Path, pieces: dict[str, str], end: str = "(if (no Moves Next) (result Next Loss))") -> Game:
    """A game of those pieces on 7 x 7 squares; positions are set up by :func:`position`.

    At the start there are as many pieces as any position has: they bound the number of moves.
    """
    first = next(iter(pieces))
    ours = " ".join(f'(piece "{name}" P1 {moves})' for name, moves in pieces.items())
    path.write_text(
        f'(game "Small" (players 2) (equipment {{(board (square 7)) {ours} (piece "Man" P2)}})'
        f'(rules (start {{(place "{first}1" (sites Bottom)) (place "Man2" (sites Top))}})'
        f"(play (forEach Piece)) (end {end})))"
    )
    return load_game(str(path))


def position(game: Game, **pieces: str) -> np.ndarray:
    """A position of pieces on sites, ``Man="A1 B1"``, and a man on G7."""
    state = game.new_state()
    put = put_pieces(game.source, game.name)
    index = {part.name[:-1]: part.index for part in game.components}
    what = np.zeros(game.board.n_sites, np.int64)
    for name, sites in {**pieces, "Man": f"{pieces.get('Man', '')} G7"}.items():
        what[[game.board.labels.index(site) for site in sites.split()]] = index[name]
    put(state, what)
    return state


@cache
def put_pieces(source: str, name: str) -> Any:
    """What a game's kernels do to place pieces, ``what`` on each site of the board."""
    kernels = load_kernels(source, name)
    remove, place = kernels.remove, kernels.place

    def put(state: Any, what: Any) -> None:
        for site in range(len(what)):
            remove(state, site)
            if what[site] != 0:
                place(state, site, what[site], 0)

    return njit(put)


def play(game: Game, state: np.ndarray, text: str) -> set[str]:
    """Make a move and return the labels of the occupied sites but for G7."""
    game.apply(state, next(move.move for move in game.legal_moves(state) if move.text == text))
    return {label for site, label in enumerate(game.board.labels) if state[HEADER + site] != 0} - {"G7"}


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> Game:
    pieces = {name: f"(move Slide Orthogonal (then {effect}))" for name, effect in CAPTURES.items()}
    return build(tmp_path_factory.mktemp("games") / "Captures.lud", pieces)


@pytest.fixture(scope="module")
def hops(tmp_path_factory: pytest.TempPathFactory) -> Game:
    pieces = {
        name: f"(move Hop Orthogonal (between {distances} {ENEMY.format('between')}) (to if:(is Empty (to))))"
        for name, distances in HOPS.items()
    }
    pieces["Taker"] = f"(move Hop Orthogonal {TAKE.format('(max 3)')} (to if:(is Empty (to))))"
    onto = "(to if:(is Empty (to)) (apply " + ENEMY.format("to") + " (remove (to))))"
    pieces["Onto"] = f"(move Hop Orthogonal (between if:True) {onto})"
    return build(tmp_path_factory.mktemp("games") / "Hops.lud", pieces)


@pytest.mark.parametrize(("name", "taken"), [("One", 0), ("Two", 0), ("Any", 3)])
def test_custodial_takes_a_closed_run_of_no_more_than(captures: Game, name: str, taken: int) -> None:
    state = position(captures, **{name: "A4"}, Round="E1", Man="B1 C1 D1")
    assert len(play(captures, state, "A4-A1")) == 5 - taken
    against_the_edge = position(captures, **{name: "C4"}, Round="C5", Man="A1 B1")
    assert len(play(captures, against_the_edge, "C4-C1")) == 4


@pytest.mark.parametrize(("name", "left"), [("Between", "B4 F4"), ("Wide", "")])
def test_intervene_takes_on_both_sides(captures: Game, name: str, left: str) -> None:
    state = position(captures, **{name: "D7"}, Man="B4 C4 E4 F4 D3")
    assert play(captures, state, "D7-D4") == {"D4", "D3", *left.split()}
    unequal = position(captures, **{name: "D7"}, Man="C4 E4 F4")
    assert play(captures, unequal, "D7-D4") == {"D4"} | ({"F4"} if name == "Between" else set())


@pytest.mark.parametrize(
    ("name", "others", "taken"),
    [
        ("Round", "C4 D3", False),
        ("Round", "C4 D3 E4", True),
        ("Open", "C4 D3", True),
        ("Open", "C4", False),
        ("Chief", "C4 D3", False),
    ],
)
def test_surround_counts_the_sides_left_open(captures: Game, name: str, others: str, taken: bool) -> None:
    state = position(captures, **{name: "D7"}, Two=others, Man="D4")
    assert ("D4" not in play(captures, state, "D7-D5")) == taken


def test_surround_with_the_piece_named(captures: Game) -> None:
    state = position(captures, Chief="D7", Any="C4", Round="D3", Man="D4")
    assert "D4" not in play(captures, state, "D7-D5")


@pytest.mark.parametrize(
    ("name", "reached"),
    [
        ("Plain", "D5"),
        ("Before", "D5 G3"),
        ("Far", "D5 D6 D7 G3 A3"),
        ("Exact", "A3"),
        ("Step", "D5 E3 D2"),
    ],
)
def test_hop_distances(hops: Game, name: str, reached: str) -> None:
    state = position(hops, **{name: "D3"}, Man="D4 F3 C3 B3 D1")
    assert {move.text for move in hops.legal_moves(state)} == {f"D3-{site}" for site in reached.split()}


def test_hop_takes_what_it_passes(hops: Game) -> None:
    assert play(hops, position(hops, Taker="D3", Man="D4 F3 C3 B3 D1"), "D3-A3") == {"A3", "D4", "F3", "D1"}


def test_hop_onto_a_piece(hops: Game) -> None:
    """With a condition on what happens at the end, a hop ends only where it could not end otherwise."""
    state = position(hops, Onto="D3", Man="D4 D5 B3")
    assert {move.text for move in hops.legal_moves(state)} == {"D3-D5", "D3-B3"}
    assert play(hops, state, "D3-D5") == {"D5", "D4", "B3"}


def test_lines_through_other_sites(tmp_path: Path) -> None:
    """Lines through sites given, of any of a player's pieces or of named ones, where a condition holds."""
    rules = (
        '(if (is Line 3 throughAny:(sites {"A7" "G7"}) what:(id "Man2")) (result P2 Win))',
        "(if (is Line 3 P1 Orthogonal through:0 exact:True if:(not (= (to) 1))) (result P1 Win))",
    )
    step = "(move Step (to if:(is Empty (to))))"
    game = build(tmp_path / "Lines.lud", {"Guard": step, "Chief": step}, f"{{{' '.join(rules)}}}")
    for expected, pieces in (
        ((-1.0, 1.0), {"Chief": "D4", "Man": "E5 F6"}),
        ((0.0, 0.0), {"Chief": "D4", "Man": "C3 F6"}),
        ((1.0, -1.0), {"Chief": "D4 A3", "Guard": "A1 A2"}),
        ((0.0, 0.0), {"Chief": "D4 A3 A4", "Guard": "A1 A2"}),
        ((0.0, 0.0), {"Chief": "D4", "Guard": "A1 B1 C1"}),
    ):
        state = position(game, **pieces)
        play(game, state, "D4-D3")
        assert game.utilities(state) == expected, pieces
