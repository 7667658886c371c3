"""Every game of the library keeps its promises, held against slow checks of the plain state row."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit, types

from crossplay.games import Game, list_games, load_game
from crossplay.games.kernels import call_apply
from crossplay.games.state import (
    AGENT,
    DRAW,
    HEADER,
    LAST_FROM,
    LAST_TO,
    MOVE_LIST,
    MOVER,
    MOVES,
    NEXT,
    OUTCOME,
    PASS,
    PASSES,
    PLAYOUT,
    PREV,
    PREVIOUS_FROM,
    PREVIOUS_TO,
    RANDOM_STATE,
    RUNNING,
    STATE,
    SWAP,
    SWAPPED,
    TURNS,
    move_from,
    move_to,
)

# How many pieces there are after a decision, less those before; games that are not named only set stones.
CAPTURES = range(-8, 1)
CHANGES = {
    "Amazons": range(2),
    "Ataxx": range(2),
    "Go": range(-80, 2),
    "Kyoto Shogi": range(1),
    "Minishogi": range(1),
    "Nine Men's Morris": range(-1, 1),
    "Pentalath": range(-60, 2),
    "Shogi": range(1),
} | dict.fromkeys(
    (
        "Brandub",
        "Breakthrough",
        "Chess",
        "Dai Hasami Shogi",
        "English Draughts",
        "Hasami Shogi",
        "HeXentafl",
        "Hnefatafl",
        "Konane",
        "Lines of Action",
        "Tablut",
        "Tobi Shogi",
    ),
    CAPTURES,
)
# Where different moves may share an action, as they do in Ludii; drops from the hand among them.
ALIASED = {"Chess", "Kyoto Shogi", "Minishogi", "Nine Men's Morris", "Shogi"}


@njit(types.int64(PLAYOUT, STATE, MOVE_LIST, RANDOM_STATE, types.int64))
def play_out(playout, state, moves, rng, limit):
    return playout(state, moves, rng, limit)


def successor(game: Game, state: np.ndarray, move: int) -> np.ndarray:
    after = state.copy()
    call_apply(game.kernels.apply, after, move)
    return after


def led_to(move: int, state: np.ndarray) -> bool:
    last = (-1, -1) if move < 0 else (move_from(move), move_to(move))
    return last == (state[LAST_FROM], state[LAST_TO])


@cache
def game_of(name: str, hands: str = "faithful") -> Game:
    return load_game(name, (), "sparse", hands)


def pieces(game: Game, state: np.ndarray) -> int:
    """The pieces in play, those in hands included."""
    n_sites = len(game.encoding.container_planes)
    if game.flags.stacking:
        return int(state[game.encoding.sizes :][:n_sites].sum())
    if game.flags.counts:
        return int(state[game.encoding.counts :][:n_sites].sum())
    return int((state[HEADER : HEADER + n_sites] > 0).sum())


def check_row(game: Game, state: np.ndarray) -> None:
    """Whether the parts of a state row agree with each other."""
    n_sites = len(game.encoding.container_planes)
    what = state[HEADER : HEADER + n_sites]
    assert what.min() >= 0
    assert what.max() <= len(game.components)
    for container in game.containers[1:]:  # nobody holds what is not theirs
        for piece in what[container.first_site : container.first_site + container.sites]:
            assert piece == 0 or game.components[piece - 1].owner == container.owner
    if game.flags.counts:
        counts = state[game.encoding.counts :][:n_sites]
        assert ((counts > 0) == (what > 0)).all()
        assert (counts[: game.board.n_sites] <= 1).all()
    if game.flags.local_state:
        local = state[game.encoding.local_states :][:n_sites]
        assert (local >= 0).all()
        assert (local[what == 0] == 0).all()
    if game.flags.stacking:
        height = game.encoding.max_height
        levels = state[game.encoding.levels :][: n_sites * height].reshape(n_sites, height)
        sizes = state[game.encoding.sizes :][:n_sites]
        for site in range(n_sites):
            assert (levels[site, : sizes[site]] > 0).all()
            assert (levels[site, sizes[site] :] == 0).all()
            assert what[site] == (levels[site, sizes[site] - 1] if sizes[site] else 0)
    assert state[MOVER] in (1, 2)
    assert state[AGENT] == (3 - state[MOVER] if state[SWAPPED] else state[MOVER])
    assert state[OUTCOME] in (RUNNING, 1, 2, DRAW)
    for field in (LAST_FROM, LAST_TO, PREVIOUS_FROM, PREVIOUS_TO):
        assert -1 <= state[field] < n_sites


def check_step(game: Game, before: np.ndarray, move: int, after: np.ndarray) -> None:
    """What any move whatever does to the header, and how many pieces it may take or bring."""
    assert after[MOVES] == before[MOVES] + 1
    assert list(after[[PREVIOUS_FROM, PREVIOUS_TO]]) == list(before[[LAST_FROM, LAST_TO]])
    if move < 0:
        assert list(after[[LAST_FROM, LAST_TO]]) == [-1, -1]
        assert pieces(game, after) == pieces(game, before)
    else:
        assert list(after[[LAST_FROM, LAST_TO]]) == [move_from(move), move_to(move)]
        assert pieces(game, after) - pieces(game, before) in CHANGES.get(game.name, range(1, 2))
    assert after[PASSES] == (before[PASSES] + 1 if move == PASS else 0)
    assert after[SWAPPED] == (before[SWAPPED] or move == SWAP)
    if move == SWAP:
        assert after[MOVER] == before[MOVER]
    elif after[OUTCOME] == RUNNING:
        assert after[NEXT] == 3 - after[MOVER]
        assert after[PREV] == before[MOVER]
        assert after[TURNS] == before[TURNS] + (after[MOVER] != before[MOVER])


def check_tensor(game: Game, state: np.ndarray) -> None:
    """The tensor, plane by plane, as the names of its channels say."""
    tensor = game.state_tensor(state)
    encoding = game.encoding
    n_sites = len(encoding.container_planes)
    faithful_vertices = game.layout.hands == "faithful" and game.board.site_type == "Vertex"
    readable = [not (faithful_vertices and site < game.board.n_sites) for site in range(n_sites)]
    expected = {name: np.zeros(tensor.shape[1:], np.float32) for name in game.state_channels}
    for site in range(n_sites):
        cell = encoding.x[0, site], encoding.y[0, site]
        for container in game.containers:
            if container.first_site <= site < container.first_site + container.sites:
                name = f"Does position exist in container {container.index} ({container.name})?"
                expected[name][cell] = 1
        if game.flags.stacking:
            size = int(state[encoding.sizes + site])
            stack = state[encoding.levels + site * encoding.max_height :][:size]
            for i, piece in enumerate(stack):
                title = f"Piece Type {piece} ({game.components[piece - 1].name}) at level"
                if i < 5:
                    expected[f"{title} {i} from stack bottom."][cell] = 1
                if size - 1 - i < 5:
                    expected[f"{title} {size - 1 - i} from stack top."][cell] = 1
            expected["Stack sizes (non-binary channel!)"][cell] = size
        elif state[HEADER + site]:
            component = game.components[state[HEADER + site] - 1]
            if component.owner != 0:
                expected[f"Piece Type {component.index} ({component.name})"][cell] = 1
        if game.flags.counts:
            count = state[encoding.counts + site] if readable[site] else 0
            expected["Counts (non-binary channel!)"][cell] = count
        if game.flags.local_state:
            local = int(state[encoding.local_states + site]) if readable[site] else 0
            expected[f"Local state == {local}" if local < 5 else "Local state >= 5"][cell] = 1
    expected[f"Is Player {state[AGENT]} the current mover?"][:] = 1
    if state[SWAPPED]:
        expected["Did Swap Occur?"][:] = 1
    for name, field in zip(
        game.state_channels[-4:], (LAST_FROM, LAST_TO, PREVIOUS_FROM, PREVIOUS_TO), strict=True
    ):
        if state[field] >= 0:
            expected[name][encoding.x[0, state[field]], encoding.y[0, state[field]]] = 1
    for channel, name in enumerate(game.state_channels):
        np.testing.assert_array_equal(tensor[channel], expected[name], err_msg=name)


def check_actions(game: Game, moves: list[int]) -> None:
    """Each action says where its moves go and, up to three lines off, where they come from."""
    actions = [game.action(move) for move in moves]
    _, width, height = game.move_shape
    for move, action in zip(moves, actions, strict=True):
        channel, cell = divmod(action, width * height)
        name = game.move_channels[channel]
        if move < 0:
            assert (name, cell) == ("Pass" if move == PASS else "Swap", 0)
            continue
        x, y = game.encoding.x[0], game.encoding.y[0]
        origin, to = move_from(move), move_to(move)
        assert divmod(cell, height) == (x[to], y[to])
        if game.flags.moves_have_from:
            dx, dy = (np.clip(line[to] - line[origin], -3, 3) for line in (x, y))
            assert channel // game.encoding.level_channels == (dx + 3) * 7 + dy + 3
            signs = {-3: "<=-3", 3: ">=3"}
            assert name.startswith(f"Move dx={signs.get(int(dx), dx)} dy={signs.get(int(dy), dy)}")
        else:
            assert name.startswith("Place")
    if game.name not in ALIASED:
        assert max(Counter(actions).values()) == 1


@pytest.mark.parametrize("name", list_games())
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_random_games_keep_every_promise(name: str, seed: int) -> None:
    game, rng = game_of(name), random.Random(seed)
    repaired = game_of(name, "repaired")
    stream = np.array([seed + 1], np.uint64)
    state = game.new_state()
    scratch = np.zeros(game.max_moves, np.int64)
    for _ in range(rng.randint(10, 120)):
        check_row(game, state)
        kept = state.copy()
        legal = game.legal_moves(state)
        moves = [found.move for found in legal]
        assert len({found.text for found in legal}) == len(moves) == len(set(moves))
        if game.is_terminal(state):
            assert moves == []
            return
        assert 0 < len(moves) <= game.max_moves
        drawn = state.copy()
        assert play_out(game.kernels.playout, drawn, scratch, stream, 1) == 1
        assert any((drawn == successor(game, state, move)).all() for move in moves if led_to(move, drawn))
        if rng.random() < 0.2:
            check_tensor(game, state)
            check_tensor(repaired, state)
            check_actions(game, moves)
            check_actions(repaired, moves)
        move = rng.choice(moves)
        after, again = state.copy(), state.copy()
        call_apply(game.kernels.apply, after, move)
        assert (state == kept).all()  # looking on, and playing on in a copy, changed nothing
        call_apply(game.kernels.apply, again, move)
        assert (after == again).all()
        check_step(game, state, move, after)
        state = after
