"""The symmetries of games: those found are ones of the rules, and none that the rules have is missed."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, types

from crossplay.games import Game, list_games, load_game
from crossplay.games.compiler import read_model, rule_symmetries
from crossplay.games.language import Ludeme, parse
from crossplay.games.state import APPLY, LEGAL, OUTCOME, START
from crossplay.games.tensors import ENCODING, action_index, build_encoding, encode_state

PLIES = 400
ACCEPTED_GAMES, REJECTED_GAMES = 12, 100
# Variants, and how many symmetries each has, the identity among them.
VARIANTS = [
    ("Amazons", ("Board Size/6x6",), 2),
    ("Amazons", (), 2),
    ("Ataxx", (), 4),
    ("Brandub", (), 8),
    ("Breakthrough", (), 2),
    ("Breakthrough", ("Board Size/6x6", "Board/Square"), 2),
    ("Breakthrough", ("Board Size/4x4", "Board/Hexagon"), 2),
    ("Broken Line", ("Board Size/5x5", "Line Size/3"), 4),
    ("Broken Line", ("Board Size/5x5", "Line Size/3", "Board/hex"), 12),
    ("Broken Line", ("Board Size/5x5", "Line Size/3", "Board/tri"), 6),
    ("Broken Line", ("Board Size/5x5", "Line Size/3", "Board/Triangle Diamond"), 4),
    ("Broken Line", ("Board Size/5x5", "Line Size/3", "Board/Brick Diamond"), 4),
    ("Broken Line", ("Board Size/9x9", "Line Size/5", "Board/Square"), 8),
    ("Chess", (), 1),
    ("Connect Four", (), 2),
    ("Connect Four", ("Modelisation/2D",), 2),
    ("Connect6", (), 8),
    ("Dai Hasami Shogi", (), 2),
    ("Dai Hasami Shogi", ("Board/Go",), 2),
    ("Diagonal Hex", ("Board Size/7x7",), 2),
    ("English Draughts", (), 1),
    ("Go", ("Board Size/5x5",), 1),
    ("Gomoku", ("Board Size/9x9",), 8),
    ("Hasami Shogi", (), 2),
    ("Havannah", ("Board Size/4x4",), 12),
    ("HeXentafl", ("Board Size/4x4",), 6),
    ("HeXentafl", ("Board Size/5x5",), 12),
    ("Hex", ("Board Size/5x5",), 2),
    ("Hex", ("Board Size/7x7", "End Rules/Misere"), 2),
    ("Hnefatafl", (), 8),
    ("Hnefatafl", ("Play Rules/Fetlar Latin",), 8),
    ("Konane", ("Board Size/6x6",), 4),
    ("Kyoto Shogi", (), 1),
    ("Lines of Action", (), 4),
    ("Lines of Action", ("End rules/Simultaneous Group = Mover Win",), 4),
    ("Minishogi", (), 1),
    ("Nine Men's Morris", (), 8),
    ("Pentalath", (), 2),
    ("Pentalath", ("Board/HexHexBoard",), 12),
    ("Reversi", ("Board Size/6x6",), 4),
    ("Reversi", ("Board Size/6x6", "Start Rules/Not Fixed Start"), 8),
    ("Shogi", (), 1),
    ("Squava", (), 8),
    ("Tablut", (), 8),
    ("Tablut", ("Play Rules/King Surrounded",), 8),
    ("Tic-Tac-Toe", (), 8),
    ("Tobi Shogi", (), 2),
    ("Y", ("Board Size/5",), 6),
    ("Y (Hex)", (), 6),
    ("Yavalath", ("Board Size/3x3",), 12),
    ("Yavalath", (), 12),
]


@njit(types.int64(START, LEGAL, APPLY, ENCODING, *[types.int64] * 6))
def parts_at(start, legal, apply, encoding, symmetry, state_size, max_moves, tensor_size, seed, plies):
    """The ply at which a random game and its image are no images of each other any more, or -1."""
    np.random.seed(seed)
    state, image = np.zeros(state_size, np.int16), np.zeros(state_size, np.int16)
    after = image.copy()
    moves, turned = np.empty(max_moves, np.int64), np.empty(max_moves, np.int64)
    seen, expected = np.empty(tensor_size, np.float32), np.empty(tensor_size, np.float32)
    start(state)
    start(image)
    encode_state(encoding, symmetry, state, expected)
    encode_state(encoding, 0, image, seen)
    if not np.array_equal(seen, expected):
        return 0
    for ply in range(plies):
        n = legal(state, moves)
        if legal(image, turned) != n:
            return ply
        if n == 0:
            return -1
        wanted, found = np.empty(n, np.int64), np.empty(n, np.int64)
        for i in range(n):
            wanted[i] = action_index(encoding, symmetry, moves[i])
            found[i] = action_index(encoding, 0, turned[i])
        if not np.array_equal(np.sort(wanted), np.sort(found)):
            return ply
        move = np.random.randint(n)
        apply(state, moves[move])
        encode_state(encoding, symmetry, state, expected)
        met = False
        for i in range(n):  # several moves may share an action
            if found[i] == wanted[move] and not met:
                after[:] = image
                apply(after, turned[i])
                encode_state(encoding, 0, after, seen)
                met = np.array_equal(seen, expected) and after[OUTCOME] == state[OUTCOME]
        if not met:
            return ply
        image[:] = after
    return -1


def plays_alike(game: Game, encoding, symmetry: int, games: int) -> bool:
    sizes = game.state_size, game.max_moves, int(np.prod(game.state_shape))
    rules = game.kernels.start, game.kernels.legal, game.kernels.apply
    return all(parts_at(*rules, encoding, symmetry, *sizes, seed, PLIES) < 0 for seed in range(games))


@pytest.mark.parametrize(("name", "options", "count"), VARIANTS)
def test_symmetries_are_those_of_the_rules(name: str, options: tuple[str, ...], count: int) -> None:
    """Every symmetry found leaves long games as they are, and every other one of the board does not."""
    for hex_cells, hands in (("sparse", "faithful"), ("dense", "repaired")):
        game = load_game(name, options, hex_cells, hands)
        assert len(game.encoding.cells) == count
        for symmetry in range(1, count):
            assert plays_alike(game, game.encoding, symmetry, ACCEPTED_GAMES)
    every = game.board.symmetries()
    kept = {row.tobytes() for row in rule_symmetries(read_model(game.description.game))}
    equipment = game.board, game.components, game.containers, game.flags
    encoding = build_encoding(*equipment, game.layout, every, game.sections, game.encoding.max_height)
    rejected = [index for index, row in enumerate(every) if row.tobytes() not in kept]
    assert [index for index in rejected if plays_alike(game, encoding, index, REJECTED_GAMES)] == []


def test_every_game_is_looked_at() -> None:
    assert {name for name, _, _ in VARIANTS} == set(list_games())


def symmetries_of(play: str, end: str) -> int:
    game = parse(
        '(game "Odd" (players {(player N) (player S)}) (equipment {(board (square 3)) (piece "Disc" Each)'
        ' (regions "West" (sites Left)) (regions "East" (sites Right))})'
        f" (rules (play {play}) (end (if {end} (result Mover Win)))))"
    )
    assert isinstance(game, Ludeme)
    return len(rule_symmetries(read_model(game)))


@pytest.mark.parametrize(
    ("end", "symmetries"),
    [
        ("(is Line 3 Diagonal)", 8),
        ("(is Line 3 NE)", 2),
        ("(is Line 3 Orthogonal through:4)", 1),
        ("(= (last To) 4)", 1),
        ("(= (last To) (centrePoint))", 8),
        ("(> (last To) (last From))", 1),
        ("(> (+ 1 (last To)) (count Moves))", 1),
        ("(is Empty 4)", 1),
        ("(is In (last To) {0 2})", 1),
        ('(is In (last To) (sites {"A1"}))', 2),
        ('(= (last To) "A1")', 2),
        ("(is In (last To) (sites Row 1))", 4),
        ("(is In (last To) (sites Row (row of:(last From))))", 4),
        ("(= 3 (row of:(last To)))", 2),
        ("(is In (last To) (sites Centre))", 8),
        ("(is Connected 3 Sides)", 8),
        ('(is Connected {(sites "West") (sites "East")})', 4),
        ('(is In (last To) (sites "West"))', 2),
        ("(or (is In (last To) (sites Left)) (is In (last To) (sites Right)))", 4),
        ("(= (last To) (where \"Disc\" P1))", 1),
        ("(= (size Territory P1) 2)", 1),
        ("(is Unheard)", 1),
    ],
)  # fmt: skip
def test_ends_that_name_a_place_break_its_symmetries(end: str, symmetries: int) -> None:
    assert symmetries_of("(move Add (to (sites Empty)))", end) == symmetries


@pytest.mark.parametrize(
    ("ways", "symmetries"),
    [
        ("", 8),
        ("Orthogonal", 8),
        ("Forward", 2),
        ("FL", 2),
        ("(directions {FL FR})", 2),
        ("(directions {Leftward Rightward})", 4),
        ("(directions {N E})", 2),
        ("NE", 2),
    ],
)
def test_directions_break_symmetries_that_do_not_keep_them(ways: str, symmetries: int) -> None:
    step = (
        f"(forEach Site (sites Occupied by:Mover) (move Step (from (site)) {ways} (to if:(is Empty (to)))))"
    )
    assert symmetries_of(step, "(is Full)") == symmetries


def test_alternatives_may_change_places_but_effects_may_not() -> None:
    step = "(move Step {} (to if:(is Empty (to))))"
    both = f"{step.format('FL')} {step.format('FR')}"
    assert symmetries_of(f"(or {{{both}}})", "(is Full)") == 2
    assert symmetries_of(f"(priority {{{both}}})", "(is Full)") == 1
    removals = "(remove (sites Left)) (remove (sites Right))"
    assert symmetries_of(f"(move Add (to (sites Empty)) (then (or {removals})))", "(is Full)") == 2
