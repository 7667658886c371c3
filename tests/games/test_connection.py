"""Connection and rings: quick bookkeeping from move to move against a search at every move."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crossplay.errors import UnsupportedLudeme
from crossplay.games import Game, load_game
from crossplay.games.compiler.ludemes import connection

GAME = """
(game "Connection"
    (players 2)
    (equipment {{ (board {board}) (piece "Ball" Each) {regions} }})
    (rules
        (play (move Add (to (sites Empty))))
        (end (if {condition} (result Mover Win)))
    )
)
"""


def game(folder: Path, board: str, condition: str, regions: str = "") -> Game:
    path = folder / "Connection.lud"
    path.write_text(GAME.format(board=board, condition=condition, regions=regions), encoding="utf-8")
    return load_game(str(path))


FOUR_EACH = """
(regions P1 { (sites Side N) (sites Side S) (sites Corners) (sites Centre) })
(regions P2 { (sites Side E) (sites Side W) (sites Corners) (sites Centre) })
"""


@pytest.mark.parametrize(
    ("board", "condition", "regions"),
    [
        ("(hex 4)", "(or { (is Loop) (is Connected 3 SidesNoCorners) (is Connected 2 Corners) })", ""),
        ("(hex Triangle 5)", "(is Connected 3 Sides)", ""),
        ("(square 5)", "(is Connected 3 Orthogonal Mover)", FOUR_EACH),
    ],
)
def test_bookkeeping_agrees_with_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, board: str, condition: str, regions: str
) -> None:
    quick = game(tmp_path, board, condition, regions)
    monkeypatch.setattr(connection, "only_adds", lambda compiler: False)
    slow = game(tmp_path, board, condition, regions)
    assert "CHAIN" in quick.source or "LINK" in quick.source
    assert "CHAIN" not in slow.source
    assert "LINK" not in slow.source
    random, ends = np.random.default_rng(3), 0
    for _ in range(100):
        one, other = quick.new_state(), slow.new_state()
        while not quick.is_terminal(one):
            moves = quick.legal_moves(one)
            move = moves[random.integers(len(moves))].move
            quick.apply(one, move)
            slow.apply(other, move)
            assert quick.is_terminal(one) == slow.is_terminal(other)
            assert quick.utilities(one) == slow.utilities(other)
        ends += quick.utilities(one) != (0.0, 0.0)
    assert ends > 50


def play(played: Game, *labels: str) -> bool:
    """Whether the game is over after these stones; ``-`` stands for one far off."""
    state = played.new_state()
    spare = [label for label in played.board.labels if label[0] in "FG" and label not in labels]
    for label in labels:
        site = played.board.labels.index(spare.pop() if label == "-" else label)
        played.apply(state, next(m.move for m in played.legal_moves(state) if m.move & 0xFFFF == site))
    return played.is_terminal(state)


def test_rings_on_squares(tmp_path: Path) -> None:
    played = game(tmp_path, "(square 7)", "(is Loop)")
    assert play(played, "B2", "-", "C3", "-", "D2", "-", "C1")  # around the empty C2
    assert play(played, "B2", "C2", "C3", "-", "D2", "-", "C1")  # around a foe
    assert not play(played, "A2", "-", "B3", "-", "A3", "-", "B1")  # the edge is no part of a ring
    assert not play(played, "B2", "-", "C2", "-", "C3", "-", "B3")  # nothing inside
    with pytest.raises(UnsupportedLudeme, match="on vertices"):
        game(tmp_path, "(square 7) use:Vertex", "(is Loop)")


def test_named_regions_at_any_site(tmp_path: Path) -> None:
    played = game(
        tmp_path,
        "(square 7)",
        '(is Connected at:3 Orthogonal { (sites Left) (sites "Middle") })',
        '(regions "Middle" (sites Centre))',
    )
    assert not play(played, "D1", "-", "D2", "-", "D3", "-", "D4")  # the left is missing
    assert play(played, "D1", "-", "D2", "-", "D3", "-", "D4", "-", "C1", "-", "B1", "-", "A1")
    assert not play(played, "-", "D1", "C1", "D2", "B1", "D3", "A1", "D4")


def test_regions_of_both_players_are_needed(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedLudeme, match="without regions of both players"):
        game(tmp_path, "(square 3)", "(is Connected Mover)", "(regions P1 { (sites Top) })")
