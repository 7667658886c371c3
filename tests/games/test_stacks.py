"""Stacks, counts, arithmetic and captures at the end of a turn, on games small enough to follow."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from crossplay.errors import UnsupportedLudeme
from crossplay.games import Game, load_game
from crossplay.games.state import HEADER


def build(path: Path, equipment: str, rules: str) -> Game:
    """A game of two players from its equipment and rules."""
    path.write_text(f'(game "Small" (players 2) (equipment {{{equipment}}}) (rules {rules}))')
    return load_game(str(path))


def play(game: Game, *moves: str) -> np.ndarray:
    """The position after moves given as text."""
    state = game.new_state()
    for text in moves:
        found = [move.move for move in game.legal_moves(state) if move.text == text]
        assert len(found) == 1, (text, [move.text for move in game.legal_moves(state)])
        game.apply(state, found[0])
    return state


@pytest.mark.parametrize("size", ["7x6", "8x7"])
def test_both_models_of_connect_four_are_one_game(size: str) -> None:
    """Discs stacked in a row of columns, and discs that slide down an upright board."""
    size_option = f"Board Size/{size}"
    stacks = load_game("Connect Four", [size_option])
    board = load_game("Connect Four", [size_option, "Modelisation/2D"])
    columns = stacks.board.n_sites
    draw = random.Random(3)
    lengths = set()
    for _ in range(200):
        one, other = stacks.new_state(), board.new_state()
        made = 0
        while not stacks.is_terminal(one):
            moves, upright = stacks.legal_moves(one), board.legal_moves(other)
            assert [move.move & 0xFFFF for move in moves] == [(m.move & 0xFFFF) % columns for m in upright]
            which = draw.randrange(len(moves))
            stacks.apply(one, moves[which].move)
            board.apply(other, upright[which].move)
            made += 1
        assert board.is_terminal(other)
        assert board.utilities(other) == stacks.utilities(one)
        lengths.add(made)
    assert len(lengths) > 10


def test_stacks_need_a_limit(tmp_path: Path) -> None:
    board = '(board (rectangle 1 3)) (piece "Disc" Each)'
    with pytest.raises(UnsupportedLudeme, match="move Add on stacks without a limit"):
        build(
            tmp_path / "open.lud",
            board,
            "(play (move Add (to (sites Board)) stack:True)) (end (if (is Line 3) (result Mover Win)))",
        )
    with pytest.raises(UnsupportedLudeme, match="forEach Piece in a game of stacks"):
        build(
            tmp_path / "step.lud",
            board,
            "(play (or (move Add (to (forEach (sites Board) if:(< (size Stack at:(site)) 3))) stack:True)"
            " (forEach Piece (move Step)))) (end (if (is Line 3) (result Mover Win)))",
        )


def test_line_of_stacks_looks_at_every_level(tmp_path: Path) -> None:
    """Without ``byLevel:`` a site belongs to a line if any piece of its stack is like the top one."""
    game = build(
        tmp_path / "levels.lud",
        '(board (rectangle 1 3)) (piece "Disc" Each)',
        "(play (move Add (to (sites Board) if:(< (size Stack at:(to)) 3)) stack:True))"
        " (end (if (is Line 3) (result Mover Win)))",
    )
    state = play(game, "A1", "A1", "B1", "B1", "C1")
    assert game.is_terminal(state)
    assert game.utilities(state) == (1.0, -1.0)
    assert state[HEADER : HEADER + 3].tolist() == [2, 2, 1]


def test_arithmetic_is_java_s(tmp_path: Path) -> None:
    truths = [
        "(= (+ 1 2) 3)",
        "(= (+ {1 2 3}) 6)",
        "(= (- 7 (count Moves)) 6)",
        "(= (- (count Moves)) (- 0 1))",
        "(= (* {2 3 (count Moves)}) 6)",
        "(= (/ 7 2) 3)",
        "(= (/ (- 7) 2) (- 3))",
        "(= (% 7 3) 1)",
        "(= (% (- 7) 3) (- 1))",
        "(= (^ 2 5) 32)",
        "(= (^ 2 (- 1)) 0)",
        "(= (abs (- (count Moves) 4)) 3)",
        "(= (min 3 (count Moves)) 1)",
        "(= (max {3 (count Moves) 5}) 5)",
        "(= (if (is Odd (count Moves)) 8 9) 8)",
        "(= (sites Occupied by:P1) (sites {(last To)}))",
        "(!= (sites Empty) (sites Board))",
        "(= (count in:(sites Board)) 1)",
        "(= (count at:(last To)) (count))",
    ]
    game = build(
        tmp_path / "sums.lud",
        '(board (square 2)) (piece "Disc" Each)',
        f"(play (move Add (to (sites Empty)))) (end (if (and {{{' '.join(truths)}}}) (result Mover Win)))",
    )
    assert game.is_terminal(play(game, "A1"))


def test_captures_wait_for_the_end_of_the_turn(tmp_path: Path) -> None:
    """A jumped man blocks until the sequence is over, and cannot be jumped a second time."""
    hop = (
        "Orthogonal (between if:(and (not (is In (between) (sites ToClear))) (is Enemy (who at:(between))))"
        " (apply (remove (between) at:EndOfTurn))) (to if:(is Empty (to)))"
    )
    again = f"(then (if (can Move (hop (from (last To)) {hop})) (moveAgain)))"
    game = build(
        tmp_path / "jumps.lud",
        '(board (rectangle 1 7)) (piece "Man" Each)',
        '(start {(place "Man1" "A1") (place "Man2" {"B1" "D1" "G1"})})'
        f" (play (if (is Prev Mover) (move Hop (from (last To)) {hop} {again})"
        f" (or (forEach Piece (move Hop {hop} {again}))"
        " (forEach Piece (move Step (to if:(is Empty (to))))))))"
        " (end (if (no Moves Next) (result Mover Win)))",
    )
    state = play(game, "A1-C1")
    assert state[HEADER : HEADER + 7].tolist() == [0, 2, 1, 2, 0, 0, 2]
    assert [move.text for move in game.legal_moves(state)] == ["C1-E1"]
    state = play(game, "A1-C1", "C1-E1")
    assert state[HEADER : HEADER + 7].tolist() == [0, 0, 0, 0, 1, 0, 2]
    assert game.mover(state) == 2


def test_last_site_after_consequences(tmp_path: Path) -> None:
    """A stone that slides on ends elsewhere than the move that put it down."""
    rules = (
        "(play (move Add (to (intersection (sites Left) (sites Empty)))"
        " (then (slide (from (last To)) E (between (exact 2))))))"
        " (end (if (= (last {0} afterConsequence:True) {1}) (result Mover Win)))"
    )
    board = '(board (rectangle 2 4)) (piece "Disc" Each)'
    for which, site in (("To", "C1"), ("From", "A1")):
        game = build(tmp_path / f"{which}.lud", board, rules.format(which, f'"{site}"'))
        assert game.is_terminal(play(game, "A1"))
        assert not game.is_terminal(play(game, "A2"))
