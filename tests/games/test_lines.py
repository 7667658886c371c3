"""Lines against a slow search that follows the board from neighbour to neighbour."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crossplay.games import Game, load_game
from crossplay.games.board import Board
from crossplay.games.state import HEADER

BEND = 0.25  # a line may turn by this angle from step to step, as in Ludii (radians)
STRAIGHT = 0.1  # and by this one at the site it goes through

GAME = """
(game "Lines"
    (players 2)
    (equipment {{ (board {board}) (piece "Ball" Each) }})
    (rules
        (play (move Add (to (sites Empty))))
        (end {{ {end} }})
    )
)
"""


def game(folder: Path, board: str, *rules: str) -> Game:
    path = folder / "Lines.lud"
    path.write_text(GAME.format(board=board, end=" ".join(rules)), encoding="utf-8")
    return load_game(str(path))


def angle(board: Board, start: int, end: int) -> float:
    dx, dy = board.centroids[end] - board.centroids[start]
    return float(np.arctan2(dy, dx))


def turn(first: float, second: float) -> float:
    return abs((first - second + np.pi) % (2 * np.pi) - np.pi)


def follow(board: Board, relation: str, start: int, second: int) -> list[int]:
    near, way = board.neighbours(relation), [start, second]
    while True:
        heading = angle(board, way[-2], way[-1])
        turns = {other: turn(heading, angle(board, way[-1], other)) for other in near[way[-1]]}
        following = min(turns, key=lambda other: turns[other], default=start)
        if following in way or turns[following] >= BEND:
            return way[1:]
        way.append(following)


def longest(board: Board, relation: str, likes: set[int], site: int) -> list[int]:
    """The lengths of the lines through a site, one per direction."""
    near = board.neighbours(relation)[site]
    lengths = []
    for there in near:
        back = [x for x in near if turn(angle(board, there, site), angle(board, site, x)) < STRAIGHT]
        count = 1
        for first in (there, *back[:1]):
            for other in follow(board, relation, site, first):
                if other not in likes:
                    break
                count += 1
        lengths.append(count)
    return lengths


@pytest.mark.parametrize(
    ("text", "relation"), [("(tri Diamond 4)", "All"), ("(tri 5)", "Diagonal"), ("(brick 5)", "Adjacent")]
)
def test_lines_run_as_the_board_does(tmp_path: Path, text: str, relation: str) -> None:
    played = game(tmp_path, text, f"(if (is Line 3 {relation}) (result Mover Win))")
    random = np.random.default_rng(1)
    for _ in range(20):
        state, won = played.new_state(), False
        while not won and (moves := played.legal_moves(state)) and moves[0].move >= 0:
            move = moves[random.integers(len(moves))].move
            piece, site = played.mover(state), move & 0xFFFF
            played.apply(state, move)
            likes = set(np.flatnonzero(state[HEADER : HEADER + played.board.n_sites] == piece).tolist())
            won = max(longest(played.board, relation, likes, site)) >= 3
            assert played.is_terminal(state) == won


def test_arguments(tmp_path: Path) -> None:
    played = game(
        tmp_path,
        "(square 5)",
        "(if (is Line 3 exact:True) (result P1 Win))",
        "(if (is Line 2 Diagonal through:12) (result P2 Win))",
        "(if (is Line 4 Orthogonal P2 if:(is In (to) (sites Top))) (result P1 Loss))",
        "(if (is Line 3 Orthogonal throughAny:(sites Bottom) what:2) (result P2 Loss))",
    )
    board = played.board
    top, random = set(board.sets["top"]), np.random.default_rng(2)
    seen = set()
    for _ in range(300):
        state, expected = played.new_state(), None
        while expected is None and (moves := played.legal_moves(state)) and moves[0].move >= 0:
            move = moves[random.integers(len(moves))].move
            piece, site = played.mover(state), move & 0xFFFF
            played.apply(state, move)
            what = state[HEADER : HEADER + 25]
            mine, second = (set(np.flatnonzero(what == number).tolist()) for number in (piece, 2))
            centre = set(np.flatnonzero(what == what[12]).tolist())
            if 3 in longest(board, "Adjacent", mine, site):
                expected = 0, (1.0, -1.0)
            elif max(longest(board, "Diagonal", centre, 12)) >= 2:
                expected = 1, (-1.0, 1.0)
            elif site in second & top and max(longest(board, "Orthogonal", second & top, site)) >= 4:
                expected = 2, (-1.0, 1.0)
            elif any(
                max(longest(board, "Orthogonal", second, pivot)) >= 3
                for pivot in second.intersection(board.sets["bottom"])
            ):
                expected = 3, (1.0, -1.0)
            assert played.is_terminal(state) == (expected is not None)
            if expected is not None:
                seen.add(expected[0])
                assert played.utilities(state) == expected[1]
    assert {0, 1} <= seen


def test_a_relation_that_the_board_lacks_makes_no_line(tmp_path: Path) -> None:
    played = game(tmp_path, "(square 2)", "(if (is Line 2 OffDiagonal) (result Mover Win))")
    assert played.perft(4) == [4, 12, 24, 24]
