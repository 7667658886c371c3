"""Connect Four on a low board and endings of Breakthrough, against what exhaustive search says of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numba import njit, types

from crossplay.config import NetworkSettings
from crossplay.games import Game, load_game
from crossplay.networks import Evaluator
from crossplay.search.puct import BatchedSearch
from crossplay.search.tree import root_value, search_parameters
from crossplay.training import model_header, new_network

TrainedEvaluator = Callable[[Game, int], Evaluator]
TABLE_BITS = 22  # of the number of entries in a solver's memory

COLUMNS, ROWS = 7, 4
UP = ROWS + 1  # bits of a column, the highest always 0
LOWEST = np.int64(sum(1 << column * UP for column in range(COLUMNS)))
FULL = np.int64(LOWEST * ((1 << ROWS) - 1))


@njit(types.int64(types.int64))
def place(key):
    """Where a memory keeps a key."""
    return np.int64(np.uint64(key) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(64 - TABLE_BITS))


@njit(types.boolean(types.int64))
def has_four(discs):
    """Whether four discs stand in a line: upright, level or slanting."""
    for step in (1, UP, UP - 1, UP + 1):
        pairs = discs & discs >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


@njit(types.int64(types.int64, types.int64))
def drop(filled, number):
    """The disc that falls into a column, 0 if it is full; columns are numbered from the middle outwards."""
    column = COLUMNS // 2 + (number + 1) // 2 * (1 - 2 * (number % 2))
    return filled + (np.int64(1) << column * UP) & np.int64((1 << ROWS) - 1) << column * UP & ~filled


_MEMORY = (types.int64[::1], types.int8[:, ::1])


@njit(types.int64(types.int64, types.int64, types.int64, types.int64, *_MEMORY))
def connect_four(mine, filled, low, high, keys, bounds):
    """The value of a position for its mover, -1, 0 or 1, if between ``low`` and ``high``, else a bound of it.

    ``filled`` are the discs of both, ``mine`` the mover's.
    """
    if filled == FULL:
        return 0
    for number in range(COLUMNS):
        disc = drop(filled, number)
        if disc != 0 and has_four(mine | disc):
            return 1
    key = filled + LOWEST + mine  # one bit above each column's discs, then the mover's: unique
    at = place(key)
    if keys[at] != key:
        keys[at], bounds[at, 0], bounds[at, 1] = key, -1, 1
    low, high = max(low, bounds[at, 0]), min(high, bounds[at, 1])
    if low >= high:
        return low
    theirs, best = filled ^ mine, -1
    forced = 0  # what the other one would win with
    for number in range(COLUMNS):
        disc = drop(filled, number)
        if disc != 0 and has_four(theirs | disc):
            forced |= disc
    for number in range(COLUMNS):
        disc = drop(filled, number)
        if disc == 0 or forced & ~disc != 0:
            continue
        best = max(best, -connect_four(theirs, filled | disc, -high, -max(low, best), keys, bounds))
        if best >= high:
            break
    if keys[at] != key:
        keys[at], bounds[at, 0], bounds[at, 1] = key, -1, 1
    if best > low:
        bounds[at, 0] = best
    if best < high:
        bounds[at, 1] = best
    return best


def connect_four_openings() -> list[int]:
    """What each first move is worth to who makes it."""
    keys, bounds = np.zeros(1 << TABLE_BITS, np.int64), np.zeros((1 << TABLE_BITS, 2), np.int8)
    return [-connect_four(0, np.int64(1) << column * UP, -1, 1, keys, bounds) for column in range(COLUMNS)]


def low_connect_four(folder: Path) -> Game:
    """The library's game with a size that it does not offer."""
    library = Path(load_game.__code__.co_filename).parent / "library"
    text = (library / "Connect Four.lud").read_text()
    path = folder / "Low Connect Four.lud"
    path.write_text(text.replace('"7x6" <7> <6>', f'"7x{ROWS}" <{COLUMNS}> <{ROWS}>'))
    return load_game(str(path), ["Modelisation/2D", f"Board Size/7x{ROWS}"], "dense")


def solved_connect_four(game: Game, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of random games that one of both wins, and whether that is the one to move."""
    rng = np.random.default_rng(5)
    keys, bounds = np.zeros(1 << TABLE_BITS, np.int64), np.zeros((1 << TABLE_BITS, 2), np.int8)
    states: list[np.ndarray] = []
    values: list[int] = []
    while len(states) < count:
        state = random_state(game, rng, rng.integers(8, 18))
        if game.is_terminal(state):
            continue
        first, second = (
            sum(1 << column * UP + row for column, row in np.argwhere(plane > 0).tolist())
            for plane in game.state_tensor(state)[:2]
        )
        mine = first if game.mover(state) == 1 else second
        value = connect_four(mine, first | second, -1, 1, keys, bounds)
        if value != 0:
            states.append(state)
            values.append(value)
    return np.array(states), np.array(values) > 0


def random_state(game: Game, rng: np.random.Generator, plies: int) -> np.ndarray:
    """What a random game has come to after so many plies, or at its end."""
    state = game.new_state()
    for _ in range(plies):
        if moves := game.legal_moves(state):
            game.apply(state, moves[rng.integers(len(moves))].move)
    return state


def right(game: Game, evaluator: Evaluator, states: np.ndarray, won: np.ndarray) -> list[float]:
    """The share of won and of lost positions that a search takes for such, and the network without one.

    Both kinds count the same: who calls everything won is right in half of them.
    """
    slots = np.arange(len(states))
    search = BatchedSearch(game, search_parameters(40), len(states), 1)
    search.search(slots, states, evaluator)
    searched = np.array([root_value(search.tree, slot) for slot in slots]) > 0
    _, values = evaluator(np.array([game.state_tensor(state).ravel() for state in states]))
    alone = values > 0
    return [(said[won].mean() + (~said[~won]).mean()) / 2 for said in (searched, alone)]


def fresh_evaluator(game: Game) -> Evaluator:
    """A network that has learned nothing."""
    return Evaluator(new_network(model_header(game, NetworkSettings()), seed=3), game.state_shape)


def test_the_solver_of_connect_four_agrees_with_what_is_known() -> None:
    """The 7 x 4 board is a draw (John Tromp), by its middle column alone."""
    assert connect_four_openings() == [-1, -1, -1, 0, -1, -1, -1]


def test_connect_four_is_judged_as_the_solution_says(
    trained_evaluator: TrainedEvaluator, tmp_path: Path
) -> None:
    game = low_connect_four(tmp_path)
    states, won = solved_connect_four(game, 300)
    assert 0.1 < won.mean() < 0.9
    searched, alone = right(game, trained_evaluator(game, 12_000), states, won)
    fresh_searched, _ = right(game, fresh_evaluator(game), states, won)
    assert alone > 0.6
    assert searched > fresh_searched + 0.03


SIDE = 5
BOARD = (1 << SIDE * SIDE) - 1
LEFT = sum(1 << SIDE * row for row in range(SIDE))  # first column
RIGHT = LEFT << SIDE - 1
GOAL = BOARD ^ BOARD >> SIDE  # last row


@njit(types.int64(types.int64))
def turned(pawns):
    """The rows in the opposite order."""
    rows = 0
    for _ in range(SIDE):
        rows = rows << SIDE | pawns & (1 << SIDE) - 1
        pawns >>= SIDE
    return rows


@njit(types.boolean(types.int64, types.int64, types.int64[::1], types.int8[::1], types.int64[::1]))
def breakthrough_won(mine, theirs, keys, known, left):
    """Whether the mover wins, whose pawns ``mine`` go up the rows; ``left[0]`` positions may be looked at."""
    ahead, aside_left, aside_right = mine << SIDE, (mine & ~LEFT) << SIDE - 1, (mine & ~RIGHT) << SIDE + 1
    if (ahead & ~(mine | theirs) | (aside_left | aside_right) & ~mine) & GOAL:
        return True
    key = mine << SIDE * SIDE | theirs
    at = place(key)
    if keys[at] == key:
        return known[at] == 1
    left[0] -= 1
    if left[0] < 0:
        return False
    won = False
    for direction in range(3):
        step = SIDE - 1 + direction
        targets = aside_left & ~mine if direction == 0 else aside_right & ~mine
        if direction == 1:
            targets = ahead & ~(mine | theirs)
        while targets and not won:
            to = targets & -targets
            targets ^= to
            after = mine ^ to ^ to >> step
            rest = theirs & ~to
            won = rest == 0 or not breakthrough_won(turned(rest), turned(after), keys, known, left)
    keys[at], known[at] = key, won
    return won


def solved_endings(game: Game, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of random games with at least two moves, and whether the one to move wins."""
    rng = np.random.default_rng(5)
    keys, known = np.zeros(1 << TABLE_BITS, np.int64), np.zeros(1 << TABLE_BITS, np.int8)
    states: list[np.ndarray] = []
    won: list[bool] = []
    while len(states) < count:
        state = random_state(game, rng, rng.integers(8, 16))
        if game.is_terminal(state):
            continue
        # Planes are [piece][column][row]; the second player's pawns go down.
        planes = game.state_tensor(state)[:2].transpose(0, 2, 1).reshape(2, -1) > 0
        first, second = (sum(1 << int(cell) for cell in np.flatnonzero(plane)) for plane in planes)
        mine, theirs = (first, second) if game.mover(state) == 1 else (turned(second), turned(first))
        left = np.array([200_000])
        result = breakthrough_won(mine, theirs, keys, known, left)
        if left[0] >= 0:
            states.append(state)
            won.append(result)
        else:
            keys[:] = 0  # it holds answers of a search that was cut short
    return np.array(states), np.array(won)


def test_breakthrough_endings_are_judged_as_the_solution_says(trained_evaluator: TrainedEvaluator) -> None:
    game = load_game("Breakthrough", ["Board Size/5x5"])
    states, won = solved_endings(game, 300)
    assert 0.1 < won.mean() < 0.9
    searched, alone = right(game, trained_evaluator(game, 12_000), states, won)
    assert alone > 0.6
    assert searched > 0.96  # a search of a fresh network has 0.94
