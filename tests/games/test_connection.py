"""Connection and rings: quick bookkeeping from move to move against a search at every move."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crossplay.errors import UnsupportedLudeme
from crossplay.games import Game, load_game
from crossplay.games.compiler import kept
from crossplay.games.compiler.ludemes import connection
from crossplay.games.state import HEADER

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
    monkeypatch.setattr(kept, "COMPILER_DIGEST", f"{kept.COMPILER_DIGEST} without bookkeeping")
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


def test_in_hex_one_is_blocked_when_the_other_has_connected(tmp_path: Path) -> None:
    sides = """
    (regions P1 { (sites Side NE) (sites Side SW) })
    (regions P2 { (sites Side NW) (sites Side SE) })
    """
    connected = game(tmp_path, "(hex Diamond 4)", "(is Connected Mover)", sides)
    blocked = game(tmp_path, "(hex Diamond 4)", "(is Blocked Next)", sides)
    random = np.random.default_rng(5)
    for _ in range(100):
        one, other = connected.new_state(), blocked.new_state()
        while not connected.is_terminal(one):
            moves = connected.legal_moves(one)
            move = moves[random.integers(len(moves))].move
            connected.apply(one, move)
            blocked.apply(other, move)
            assert connected.utilities(one) == blocked.utilities(other)


AROUND = """
(game "Around"
    (players 2)
    (equipment { (board (hex 4)) (piece "Ball" Each) })
    (rules
        (start { (place "Ball1" "D4") (place "Ball2" "E4") })
        (play (move Add (to (intersection (sites Empty) REGION))))
        (end (if (no Moves Next) (result Mover Win)))
    )
)
"""


@pytest.mark.parametrize(
    ("region", "reach", "whose"),
    [
        ("(sites Around (sites Occupied by:All) Empty)", 1, (1, 2)),
        ("(sites Around (sites Occupied by:Mover) Orthogonal if:(is Mover (who at:(from))))", 1, (1,)),
        ("(sites Around (sites Occupied by:Next) distance:2)", -2, (2,)),
        ("(expand (sites Occupied by:Mover) steps:2)", 2, (1,)),
    ],
)
def test_regions_around_regions_that_change(
    tmp_path: Path, region: str, reach: int, whose: tuple[int, ...]
) -> None:
    path = tmp_path / "Around.lud"
    path.write_text(AROUND.replace("REGION", region), encoding="utf-8")
    played = load_game(str(path))
    board, random = played.board, np.random.default_rng(2)
    state = played.new_state()
    for _ in range(20):
        if played.is_terminal(state):
            break
        pieces = state[HEADER : HEADER + board.n_sites]
        mover = played.mover(state)
        owners = whose if len(whose) == 2 else [mover if whose == (1,) else 3 - mover]
        stones = np.flatnonzero(np.isin(pieces, owners))
        if reach > 0:
            near = set(np.flatnonzero((board.distances()[stones] <= reach).any(axis=0)).tolist())
        else:
            ways = [board.steps[name] for name in board.ways("Adjacent")]
            near = {int(way[way[stone]]) for way in ways for stone in stones if way[stone] >= 0} - {-1}
        expected = sorted(near & set(np.flatnonzero(pieces == 0).tolist()))
        moves = played.legal_moves(state)
        assert sorted(move.move & 0xFFFF for move in moves) == expected
        played.apply(state, moves[random.integers(len(moves))].move)
