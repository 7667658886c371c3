"""Properties of compiled games, held against slow, obvious re-implementations."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit, types

from crossplay.errors import CrossplayError, LudSyntaxError, UnknownGame, UnknownOption, UnsupportedLudeme
from crossplay.games import Game, load_game
from crossplay.games.state import HEADER, LAST_TO, MOVES, PASS, STATE, SWAP, relabel_agents
from crossplay.games.tensors import ENCODING, encode_state

GAMES = [
    ("Hex", ("Board Size/4x4",)),
    ("Hex", ("Board Size/5x5", "End Rules/Misere")),
    ("Diagonal Hex", ("Board Size/5x5",)),
    ("Gomoku", ("Board Size/9x9",)),
    ("Tic-Tac-Toe", ()),
]


@njit(types.void(ENCODING, types.int64, STATE, types.float32[::1]))
def encode_turned(encoding, symmetry, state, out):
    encode_state(encoding, symmetry, state, out)


def is_connected(game: Game, state: np.ndarray, colour: int, relation: str) -> bool:
    """Whether one chain of a colour touches all of its sides, by plain search."""
    sides = {1: ("NE", "SW"), 2: ("NW", "SE")}[colour]
    first, last = (set(game.board.sides[side]) for side in sides)
    stones = {site for site in range(game.board.n_sites) if state[HEADER + site] == colour}
    frontier = list(first & stones)
    seen = set(frontier)
    while frontier:
        for other in game.board.neighbours(relation)[frontier.pop()]:
            if other in stones and other not in seen:
                seen.add(other)
                frontier.append(other)
    return bool(seen & last)


def longest_runs(game: Game, state: np.ndarray, size: int) -> list[int]:
    """Lengths of the lines of equal stones through the last stone, on a square board."""
    to = int(state[LAST_TO])
    lengths = []
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            x, y = to % size + sign * dx, to // size + sign * dy
            while 0 <= x < size and 0 <= y < size and state[HEADER + y * size + x] == state[HEADER + to]:
                length += 1
                x, y = x + sign * dx, y + sign * dy
        lengths.append(length)
    return lengths


@pytest.mark.parametrize(("name", "options"), GAMES)
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_end_of_game(name: str, options: tuple[str, ...], seed: int) -> None:
    """Win, loss and draw come exactly when a plain look at the board says so."""
    game, rng = load_game(name, options), random.Random(seed)
    state = game.new_state()
    size = round(game.board.n_sites**0.5)
    passes = 0
    while True:
        mover, agent = game.mover(state), game.agent(state)
        move = rng.choice(game.legal_moves(state)).move
        game.apply(state, move)
        passes = passes + 1 if move == PASS else 0
        reached = False
        if move >= 0 and "Hex" in name:
            relation = "Diagonal" if name == "Diagonal Hex" else "Adjacent"
            reached = is_connected(game, state, mover, relation)
        elif move >= 0:
            lengths = longest_runs(game, state, size)
            reached = 5 in lengths if name == "Gomoku" else max(lengths) >= 3
        if reached:
            winner = 3 - agent if "End Rules/Misere" in options else agent
            assert game.utilities(state)[winner - 1] == 1.0
        elif passes == 2:
            assert game.is_terminal(state)
            assert game.utilities(state) == (0.0, 0.0)
        else:
            assert not game.is_terminal(state)
            continue
        return


@pytest.mark.parametrize("layout", ["sparse", "dense"])
@pytest.mark.parametrize(("name", "options"), GAMES)
def test_board_symmetries(name: str, options: tuple[str, ...], layout: str) -> None:
    """Playing the turned moves gives the turned position, with the same moves and result."""
    game = load_game(name, options, layout)
    x, y = game.encoding.x, game.encoding.y
    assert len(x) == (2 if "Hex" in name else 8)
    rng = random.Random(5)
    for symmetry in range(len(x)):
        place = {(x[0, site], y[0, site]): site for site in range(game.board.n_sites)}
        turn = [place[x[symmetry, site], y[symmetry, site]] for site in range(game.board.n_sites)]
        state, turned = game.new_state(), game.new_state()
        out = np.empty(int(np.prod(game.state_shape)), np.float32)
        while not game.is_terminal(state):
            encode_turned(game.encoding, symmetry, state, out)
            assert np.array_equal(out.reshape(game.state_shape), game.state_tensor(turned))
            moves = [legal.move for legal in game.legal_moves(state)]
            images = {move: move if move < 0 else turn[move & 0xFFFF] * 0x10001 for move in moves}
            assert sorted(images.values()) == sorted(legal.move for legal in game.legal_moves(turned))
            move = rng.choice(moves)
            game.apply(state, move)
            game.apply(turned, images[move])
        assert game.utilities(turned) == game.utilities(state)


def test_dense_rhombus_keeps_neighbours_together() -> None:
    game = load_game("Hex", ["Board Size/5x5"], "dense")
    assert game.state_shape == (10, 5, 5)
    x, y = game.encoding.x[0], game.encoding.y[0]
    for site, others in enumerate(game.board.neighbours("Adjacent")):
        for other in others:
            assert max(abs(x[site] - x[other]), abs(y[site] - y[other])) == 1


def test_swap_exchanges_agents_and_keeps_the_colour() -> None:
    game = load_game("Hex", ["Board Size/4x4"])
    state = game.new_state()
    game.apply(state, game.legal_moves(state)[5].move)
    assert (game.mover(state), game.agent(state)) == (2, 2)
    assert game.legal_moves(state)[-1].text == "swap"
    game.apply(state, SWAP)
    assert (game.mover(state), game.agent(state), int(state[MOVES])) == (2, 1, 2)
    assert SWAP not in [legal.move for legal in game.legal_moves(state)]


def test_relabelling_agents_only_changes_names() -> None:
    game = load_game("Hex", ["Board Size/4x4"])
    rng = random.Random(3)
    state = game.new_state()
    for _ in range(3):
        game.apply(state, rng.choice(game.legal_moves(state)).move)
    other = state.copy()
    relabel_agents(other)
    first, second = game.state_tensor(state), game.state_tensor(other)
    assert np.array_equal(first[[0, 1, 3, 2, 5, 6, 7, 8, 9]], second[[0, 1, 2, 3, 5, 6, 7, 8, 9]])
    assert np.array_equal(first[4], 1 - second[4])
    while not game.is_terminal(state):
        assert game.legal_moves(state) == game.legal_moves(other)
        move = rng.choice(game.legal_moves(state)).move
        game.apply(state, move)
        game.apply(other, move)
    assert game.utilities(state) == game.utilities(other)[::-1]


def test_a_file_compiles_like_the_library(tmp_path) -> None:
    text = """
(game "Corner Line" (players 2)
  (equipment {(board (square 4)) (piece "Stone" Each)})
  (rules (play (move Add (to (sites Empty)))) (end (if (is Line 4 Orthogonal) (result Next Loss)))))
"""
    path = tmp_path / "Corner Line.lud"
    path.write_text(text)
    game = load_game(str(path))
    assert game.perft(3) == [16, 240, 3360]


UNSUPPORTED = {
    "(end (if (is Cycle) (result Mover Win)))": "is Cycle",
    "(end (if (is Line 3 nearby:1) (result Mover Win)))": "is Line nearby:",
    "(end (if (is Line 3) (result All Win)))": "All",
    "(end (forEach Player if:(is Line 3) (result Player Win)))": "forEach Player",
}


@pytest.mark.parametrize("end", UNSUPPORTED)
def test_what_is_not_supported_is_named_with_its_line(end: str, tmp_path) -> None:
    path = tmp_path / "Odd.lud"
    path.write_text(
        '(game "Odd" (players 2)\n (equipment {(board (square 3)) (piece "Disc" Each)})\n'
        f" (rules (play (move Add (to (sites Empty))))\n  {end}))\n"
    )
    with pytest.raises(UnsupportedLudeme) as caught:
        load_game(str(path))
    assert str(caught.value).startswith(f"UnsupportedLudeme: ({UNSUPPORTED[end]}")
    assert str(caught.value).endswith("Odd.lud:4")


def test_faults_in_what_is_asked_for() -> None:
    with pytest.raises(UnknownGame, match="did you mean 'Hex'"):
        load_game("Hexx")
    with pytest.raises(UnknownGame, match="no game description"):
        load_game("nowhere/Hex.lud")
    with pytest.raises(UnknownOption, match="5x5"):
        load_game("Hex", ["Board Size/500x500"])
    with pytest.raises(CrossplayError, match="dense"):
        load_game("Hex", [], "wide")
    game = load_game("Tic-Tac-Toe")
    with pytest.raises(ValueError, match="not a legal move"):
        game.apply(game.new_state(), SWAP)


def test_malformed_rules_give_line_and_column(tmp_path) -> None:
    path = tmp_path / "Bad.lud"
    path.write_text(
        '(game "Bad" (players 2)\n (equipment {(board (square 3))})\n'
        " (rules (end (if (is Full) (result Mover Draw))))\n)"
    )
    with pytest.raises(LudSyntaxError, match=r"Bad.lud:3:2: \(rules \.\.\.\) needs exactly one \(play"):
        load_game(str(path))
