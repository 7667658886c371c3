"""Minibatches against the game's own slow methods and against array rotations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplay.errors import CrossplayError
from crossplay.games import load_game
from crossplay.games.state import MOVES, SWAP
from crossplay.search.packing import pack_position
from crossplay.search.records import GAMES, POSITIONS, make_records, record_packing, unpack
from crossplay.selfplay import ReplayBuffer
from crossplay.selfplay.buffer import gather_minibatch, put_records, take_records

TARGETS = 20


@pytest.fixture(scope="module", params=["Hex", "Tic-Tac-Toe"])
def game(request):
    options = ["Board Size/3x3"] if request.param == "Hex" else []
    return load_game(request.param, options, "dense")


def random_records(game, n, seed=0):
    """A ring of positions from random games with made-up visits, and the whole states behind it."""
    rng = np.random.default_rng(seed)
    records = make_records(n, game, min(TARGETS, game.usual_moves))
    state = game.new_state()
    states = []
    for row in range(n):
        moves = game.legal_moves(state)
        fill(records, row, state, game, rng)
        states.append(state.copy())
        k = int(rng.integers(1, min(len(moves), records.weights.shape[1]) + 1))
        records.weights[row, :k] = rng.integers(1, 9, k)
        records.outcome[row] = rng.integers(-1, 2)
        game.apply(state, moves[rng.integers(len(moves))].move)
        if game.is_terminal(state):
            state = game.new_state()
    records.counters[POSITIONS] = n
    return records, states


def fill(records, row, state, game, rng=None):
    """Write a position with its moves, in any order if there is a ``rng``."""
    moves = [legal.move for legal in game.legal_moves(state)]
    moves = np.array(moves if rng is None else rng.permutation(moves), np.int64)
    packing = record_packing(game)
    pack_position(packing, state, moves, len(moves), records.packed[row])


def gather(game, records, symmetry, relabel, encoding=None):
    n = len(records.outcome)
    size = int(np.prod(game.state_shape))
    planes, policy, mask = (np.full((n, k), 9, np.float32) for k in (size, game.n_actions, game.n_actions))
    outcomes = np.empty(n, np.float32)
    gather_minibatch(
        encoding or game.encoding,
        record_packing(game),
        records,
        np.arange(n),
        np.full(n, symmetry),
        np.full(n, relabel),
        np.zeros(game.tensor_size, np.int16),
        planes,
        policy,
        mask,
        outcomes,
    )
    shape = game.move_shape
    return planes.reshape(n, *game.state_shape), policy.reshape(n, *shape), mask.reshape(n, *shape), outcomes


def test_plain_samples_are_what_the_game_says(game):
    records, states = random_records(game, 80)
    planes, policy, mask, outcomes = gather(game, records, 0, 0)
    moves = unpack(game, records, np.arange(80)).moves
    for row, state in enumerate(states):
        expected = np.zeros(game.n_actions)
        for move, count in zip(moves[row], records.weights[row], strict=False):
            expected[game.action(move)] += count
        np.testing.assert_array_equal(planes[row], game.state_tensor(state))
        np.testing.assert_array_equal(np.flatnonzero(mask[row]), game.legal_actions(state))
        np.testing.assert_allclose(policy[row].ravel(), expected / expected.sum(), rtol=1e-6)
    np.testing.assert_array_equal(outcomes, records.outcome)


def test_symmetries_are_rotations_and_reflections_of_the_planes(game):
    records, _ = random_records(game, 60)
    planes, policy, mask, _ = gather(game, records, 0, 0)
    if game.name == "Hex":  # the half turn keeps each player's sides
        transforms = [lambda a: a, lambda a: a[..., ::-1, ::-1]]
    else:
        turns = [lambda a, k=k: np.rot90(a, k, (-2, -1)) for k in range(4)]
        transforms = turns + [lambda a, t=t: np.swapaxes(t(a), -2, -1) for t in turns]
    n_symmetries = len(game.encoding.cells)
    assert n_symmetries == len(transforms)
    found = set()
    for symmetry in range(n_symmetries):
        seen, target, legal, _ = gather(game, records, symmetry, 0)
        fits = [
            i
            for i, transform in enumerate(transforms)
            if np.array_equal(seen, transform(planes))
            and np.array_equal(target[:, 0], transform(policy)[:, 0])
            and np.array_equal(legal[:, 0], transform(mask)[:, 0])
        ]
        assert len(fits) == 1
        found.update(fits)
        # Pass and swap have no place on the board.
        np.testing.assert_array_equal(target[:, 1:], policy[:, 1:])
        np.testing.assert_array_equal(legal[:, 1:], mask[:, 1:])
    assert found == set(range(n_symmetries))


def test_relabelling_exchanges_the_agents_once_the_swap_is_settled(game):
    records, _ = random_records(game, 60)
    plain, *targets = gather(game, records, 0, 0)
    planes, *same = gather(game, records, 0, 1)
    names = game.state_channels
    expected = plain.copy()
    if "Did Swap Occur?" in names:
        settled = unpack(game, records, np.arange(60)).states[:, MOVES] >= 2
        first = names.index("Is Player 1 the current mover?")
        swap = names.index("Did Swap Occur?")
        expected[settled, first], expected[settled, first + 1] = (
            plain[settled, first + 1],
            plain[settled, first],
        )
        expected[settled, swap] = 1 - plain[settled, swap]
    np.testing.assert_array_equal(planes, expected)
    for a, b in zip(targets, same, strict=True):
        np.testing.assert_array_equal(a, b)


def test_relabelled_game_is_the_one_with_a_swap():
    """The same stones with and without the swap differ by the agents' names alone."""
    game = load_game("Hex", ["Board Size/3x3"], "dense")
    swapped, plain = game.new_state(), game.new_state()
    stones = [game.legal_moves(plain)[i].move for i in (4, 0, 8, 2)]
    for move in stones:
        game.apply(plain, move)
    for move in (stones[0], SWAP, *stones[1:]):
        game.apply(swapped, move)
    records = make_records(1, game, TARGETS)
    fill(records, 0, plain, game)
    records.weights[0, 0] = 1
    planes, _, mask, _ = gather(game, records, 0, 1)
    np.testing.assert_array_equal(planes[0], game.state_tensor(swapped))
    np.testing.assert_array_equal(np.flatnonzero(mask[0]), game.legal_actions(swapped))


def test_aliased_moves_add_up(game):
    records, states = random_records(game, 30)
    one_cell = game.encoding._replace(cells=np.zeros_like(game.encoding.cells))
    _, policy, mask, _ = gather(game, records, 0, 0, one_cell)
    np.testing.assert_allclose(policy.sum((1, 2, 3)), 1, rtol=1e-6)
    for row, state in enumerate(states):
        expected = {
            m.action if m.action >= np.prod(game.state_shape[1:]) else 0 for m in game.legal_moves(state)
        }
        assert set(np.flatnonzero(mask[row])) == expected


def numbered(buffer, game, ring, count):
    """Write ``count`` more positions, whose outcomes are their numbers within the ring."""
    records = buffer.rings[ring]
    for _ in range(count):
        n = int(records.counters[POSITIONS])
        row = n % len(records.outcome)
        fill(records, row, game.new_state(), game)
        records.weights[row, 0] = 1
        records.outcome[row] = 1000 * ring + n
        records.counters[POSITIONS] += 1


def test_window_spans_all_rings():
    game = load_game("Tic-Tac-Toe", [], "dense")
    buffer = ReplayBuffer(game, TARGETS, 40, 2000, True, 2)
    generator = np.random.default_rng(0)
    with pytest.raises(ValueError, match="high"):
        buffer.sample(generator)
    for _ in range(20):
        numbered(buffer, game, 0, 6)
        numbered(buffer, game, 1, 2)
        outcomes = set(buffer.sample(generator).outcomes.astype(int))
    # The last 40 of both together: 30 of 120 and 10 of 40.
    assert outcomes == {*range(90, 120), *range(1030, 1040)}
    assert buffer.totals()[POSITIONS] == 160
    numbered(buffer, game, 0, 100)  # one ring alone may fill the window
    assert set(buffer.sample(generator).outcomes.astype(int)) == {*range(180, 220)}


def test_restored_buffer_samples_alike():
    game = load_game("Tic-Tac-Toe", [], "dense")
    buffers = [ReplayBuffer(game, TARGETS, 50, 64, True, 2) for _ in range(2)]
    for _ in range(5):
        numbered(buffers[0], game, 0, 9)
        numbered(buffers[0], game, 1, 11)
        buffers[0].sample(np.random.default_rng(0))
    buffers[1].restore(buffers[0].arrays())
    a, b = (buffer.sample(np.random.default_rng(5)) for buffer in buffers)
    for first, second in zip(a, b, strict=True):
        np.testing.assert_array_equal(first, second)


def test_what_cannot_fit_is_refused(monkeypatch):
    game = load_game("Tic-Tac-Toe", [], "dense")
    monkeypatch.setattr("crossplay.memory.available_memory", lambda: 10 << 20)
    buffer = ReplayBuffer(game, 9, 10_000, 4, True, 8)
    assert buffer.n_bytes == sum(array.nbytes for ring in buffer.rings for array in ring[:-1])
    assert len(buffer.rings[0].outcome) == 2_500
    with pytest.raises(CrossplayError, match=r"1,000,000 positions .* MiB free; choose a smaller window"):
        ReplayBuffer(game, 9, 1_000_000, 4, True, 1)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 40), st.booleans()), max_size=12),
    st.integers(1, 50),
    st.integers(1, 50),
)
def test_what_is_taken_from_a_ring_and_put_into_another_is_the_same(
    added: list[tuple[int, bool]], capacity: int, other: int
) -> None:
    """As far as neither of the two overwrites it."""
    game = load_game("Tic-Tac-Toe")
    ring, copy = make_records(capacity, game, 4), make_records(other, game, 4)
    since, number = ring.counters.copy(), 0
    kept: dict[int, float] = {}
    for amount, taken in added:
        for _ in range(amount):
            ring.outcome[number % capacity] = ring.packed[number % capacity, 0] = number
            number += 1
        ring.counters[POSITIONS] = number
        ring.counters[GAMES] += 1
        if taken:
            new = take_records(ring, since)
            first = number - len(new.outcome)
            kept |= {n: n for n in range(first, number)}
            since = ring.counters.copy()
            put_records(copy, new)
            np.testing.assert_array_equal(copy.counters, ring.counters)
            for n in range(max(0, number - other), number):
                if n in kept:
                    assert copy.outcome[n % other] == copy.packed[n % other, 0] == n
