"""Packed positions are the bits of one long integer, and few."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from puct_reference import legal_moves

from crossplay.games import load_game
from crossplay.games.kernels import call_action, call_apply
from crossplay.games.state import AGENT, MOVES
from crossplay.search.packing import AGENT_BITS, get_bits, pack_position, put_bits
from crossplay.search.records import Records, record_bytes, record_packing, unpack


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0)), min_size=1, max_size=30))
def test_bits_are_those_of_a_long_integer(numbers):
    numbers = [(bits, value % (1 << bits)) for bits, value in numbers]
    words = np.zeros(30, np.uint64)
    at, expected = 0, 0
    for bits, value in numbers:
        put_bits(words, at, bits, value)
        expected |= value << at
        at += bits
    assert int.from_bytes(words.astype("<u8").tobytes(), "little") == expected
    at = 0
    for bits, value in numbers:
        assert get_bits(words, at, bits) == value
        at += bits


@pytest.mark.parametrize("name", ["Hex", "Connect Four", "Reversi", "Minishogi"])
def test_nothing_that_tensors_show_is_lost(name):
    """Stones and swap, stacks, local states, counts and hands."""
    game = load_game(name, [], hands="repaired")
    packing = record_packing(game)
    rng = np.random.default_rng(4)
    state = game.new_state()
    rows, states, actions = [], [], []
    while not game.is_terminal(state) and len(rows) < 150:
        moves = np.array(legal_moves(game, state))
        words = np.full(packing.words, 2**64 - 1, np.uint64)
        pack_position(packing, state, moves, len(moves), words)
        assert get_bits(words, 0, AGENT_BITS) == state[AGENT]
        rows.append(words)
        states.append(state.copy())
        actions.append([call_action(game.encoding, move) for move in moves])
        call_apply(game.kernels.apply, state, moves[rng.integers(len(moves))])
    n = len(rows)
    records = Records(np.array(rows), np.zeros((n, 2), np.uint16), *[np.zeros(n, np.float32)] * 2, None)
    unpacked = unpack(game, records, np.arange(n))
    for i in range(n):
        np.testing.assert_array_equal(game.state_tensor(unpacked.states[i]), game.state_tensor(states[i]))
        assert unpacked.states[i, MOVES] == states[i][MOVES]
        found = unpacked.moves[i, : unpacked.counts[i]]
        assert [call_action(game.encoding, move) for move in found] == actions[i]


def test_a_position_takes_few_bytes():
    """Two bits for each of 121 cells, 7 for each of 123 moves, 16 for each of 32 weights, and some more."""
    game = load_game("Hex")
    assert record_bytes(game, 32) <= 121 / 4 + 123 * 7 / 8 + 2 * 32 + 28
