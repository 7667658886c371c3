"""Chess: published move counts, and the moves that are more than going from one cell to another."""

from __future__ import annotations

import numpy as np
import pytest

from crossplay.games import Game, load_game


@pytest.fixture(scope="module")
def chess() -> Game:
    return load_game("Chess")


def play(game: Game, moves: str) -> np.ndarray:
    state = game.new_state()
    for text in moves.split():
        state = state.copy()
        found = [move.move for move in game.legal_moves(state) if move.text == text]
        assert found, (text, [move.text for move in game.legal_moves(state)])
        game.apply(state, found[0])
    return state


def texts(game: Game, state: np.ndarray) -> set[str]:
    return {move.text for move in game.legal_moves(state)}


def piece(game: Game, state: np.ndarray, site: str) -> str:
    plane = game.state_tensor(state)[:12, ord(site[0]) - ord("A"), int(site[1]) - 1]
    return game.components[int(plane.argmax())].name if plane.any() else ""


def test_move_counts(chess: Game) -> None:
    assert chess.perft(5) == [20, 400, 8902, 197_281, 4_865_609]  # OEIS A048987


def test_mate_ends_the_game(chess: Game) -> None:
    state = play(chess, "F2-F3 E7-E5 G2-G4 D8-H4")
    assert chess.is_terminal(state)
    assert chess.utilities(state) == (-1.0, 1.0)


def test_stalemate_is_a_forced_pass_and_then_a_draw(chess: Game) -> None:
    # Sam Loyd's shortest stalemate.
    state = play(
        chess,
        "E2-E3 A7-A5 D1-H5 A8-A6 H5-A5 H7-H5 H2-H4 A6-H6 A5-C7 F7-F6"
        " C7-D7 E8-F7 D7-B7 D8-D3 B7-B8 D3-H7 B8-C8 F7-G6 C8-E6",
    )
    assert texts(chess, state) == {"pass"}
    chess.apply(state, chess.legal_moves(state)[0].move)
    assert chess.is_terminal(state)
    assert chess.utilities(state) == (0.0, 0.0)


def test_castling_moves_the_rook_too(chess: Game) -> None:
    opening = "G1-F3 G8-F6 G2-G3 G7-G6 F1-G2 F8-G7"
    state = play(chess, f"{opening} E1-G1")
    assert [piece(chess, state, site) for site in ("G1", "F1", "H1")] == ["King1", "Rook1", ""]
    # A rook that has moved and come back does not castle.
    assert "E1-G1" not in texts(chess, play(chess, f"{opening} H1-G1 A7-A6 G1-H1 A6-A5"))
    # Nor does a king that would pass an attacked cell.
    for bishop, castles in (("C1-B2", True), ("C1-A3", False)):
        state = play(chess, f"B2-B3 G8-F6 {bishop} G7-G6 H2-H3 F8-G7 H3-H4 E7-E6 H4-H5")
        assert ("E8-G8" in texts(chess, state)) is castles


def test_taking_in_passing_is_possible_only_at_once(chess: Game) -> None:
    state = play(chess, "E2-E4 A7-A6 E4-E5 D7-D5")
    assert "E5-D6" in texts(chess, state)
    taken = play(chess, "E2-E4 A7-A6 E4-E5 D7-D5 E5-D6")
    assert piece(chess, taken, "D5") == ""
    assert "E5-D6" not in texts(chess, play(chess, "E2-E4 A7-A6 E4-E5 D7-D5 H2-H3 H7-H6"))


def test_promotion_is_a_second_move(chess: Game) -> None:
    state = play(chess, "H2-H4 G7-G5 H4-G5 H7-H6 G5-H6 A7-A6 H6-H7 A6-A5 H7-G8")
    choices = chess.legal_moves(state)
    assert chess.mover(state) == 1
    assert len(choices) == 4
    became = set()
    for choice in choices:
        after = state.copy()
        chess.apply(after, choice.move)
        became.add(piece(chess, after, "G8"))
        assert chess.mover(after) == 2
    assert became == {"Queen1", "Knight1", "Bishop1", "Rook1"}
