"""Ludemes that remember, look ahead, leap and promote, in games of a few lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossplay.games import Game, load_game

FACING = "(players { (player N) (player S) })"


def make(folder: Path, equipment: str, rules: str) -> Game:
    path = folder / "Small.lud"
    path.write_text(f'(game "Small" {FACING} (equipment {{ {equipment} }}) (rules {rules}))')
    return load_game(str(path))


def texts(game: Game, *played: str) -> list[str]:
    """The legal moves after some others, each given by its text."""
    state = game.new_state()
    for text in played:
        game.apply(state, next(move.move for move in game.legal_moves(state) if move.text == text))
    return sorted(move.text for move in game.legal_moves(state))


@pytest.mark.parametrize(
    ("option", "first", "third"),
    [
        ("", "A2 B3 D3 E2", "A1 A5 C1 C5 D2 D4"),
        ("forward:True", "A2 B3 D3 E2", "A5 C5 D4"),
        ("rotations:False", "B3 D3", "A5 C5"),
    ],
)
def test_leaps_follow_walks(tmp_path: Path, option: str, first: str, third: str) -> None:
    leap = f"(move Leap {{ {{ F F R F }} {{ F F L F }} }} {option} (to if:(is Empty (to))))"
    start = '(start { (place "Horse1" coord:"C1") (place "Man2" coord:"A4") })'
    pieces = f'(piece "Horse" P1 {leap}) (piece "Man" P2 (move Step E (to if:(is Empty (to)))))'
    end = "(end (if (no Moves Next) (result Mover Win)))"
    game = make(tmp_path, f"(board (square 5)) {pieces}", f"{start} (play (forEach Piece)) {end}")
    assert texts(game) == [f"C1-{site}" for site in first.split()]
    assert texts(game, "C1-B3", "A4-B4") == [f"B3-{site}" for site in third.split()]


def test_pending_lasts_for_one_move(tmp_path: Path) -> None:
    free = '(move Add (piece (id "Ball" Mover)) (to (sites Empty)) (then (set Pending (sites Corners))))'
    bound = '(move Add (piece (id "Ball" Mover)) (to (intersection (sites Pending) (sites Empty))))'
    end = "(end (if (= (counter) 3) (result Mover Draw)))"
    game = make(
        tmp_path, '(board (square 3)) (piece "Ball" Each)', f"(play (if (is Pending) {bound} {free})) {end}"
    )
    assert len(texts(game)) == 9
    assert texts(game, "B2") == ["A1", "A3", "C1", "C3"]
    assert len(texts(game, "B2", "A1")) == 7
    assert texts(game, "B2", "A1", "B1", "A3") == []  # the counter was 0, 1, 2 and 3 after these moves


def test_ahead_stops_at_the_border_and_maps_answer_for_what_they_lack(tmp_path: Path) -> None:
    ahead = "(move (from (from)) (to (ahead (from) steps:2) if:(is Empty (to))))"
    away = "(move (from (from)) (to (mapEntry (from)) if:(is Empty (to))))"
    pieces = f'(piece "Man" Each (or {ahead} {away})) (map {{ "C1" "C5" }} {{ "E1" "E5" }})'
    start = '(start { (place "Man1" { "A1" "B4" "C1" }) (place "Man2" { "A5" "C5" }) })'
    end = "(end (if (no Moves Next) (result Mover Win)))"
    game = make(tmp_path, f"(board (square 5)) {pieces}", f"{start} (play (forEach Piece)) {end}")
    assert texts(game) == ["A1-A3", "C1-C3", "C1-E1"]  # B4's second step leaves the board
    assert texts(game, "C1-C3") == ["A5-A3", "C5-E5"]


def test_promotion_is_a_choice_where_others_started(tmp_path: Path) -> None:
    choice = '(if (is In (last To) (sites Start (piece "King2"))) (moveAgain))'
    man = f'(piece "Man" Each (move Step Forward (to if:(is Empty (to))) (then {choice})))'
    others = '(piece "King" Each (move Step (to if:(is Empty (to))))) (piece "Tower" Each)'
    start = '(start { (place "Man1" coord:"A1") (place "King2" { "A3" "C3" }) })'
    promote = '(move Promote (last To) (piece { "King" "Tower" }) Mover)'
    game = make(
        tmp_path,
        f"(board (square 3)) {man} {others}",
        f"{start} (play (if (is Prev Mover) {promote} (forEach Piece)))"
        " (end (if (no Moves Next) (result Mover Win)))",
    )
    assert texts(game) == ["A1-A2"]
    choices = texts(game, "A1-A2", "A3-B2", "A2-A3")
    assert len(choices) == 2
    assert all("A3" in text for text in choices)
    assert "C3-C2" in texts(game, "A1-A2", "A3-B2", "A2-A3", choices[0])
