"""Self-play records are true: they replay as games, move by move."""

from __future__ import annotations

import numpy as np
import pytest
from puct_reference import after, hash_network, legal_moves, new_state
from two_stones import two_stones

from crossplay.errors import CrossplayError
from crossplay.games import load_game
from crossplay.games.kernels import call_encode
from crossplay.games.state import AGENT, DRAW, MOVES, OUTCOME, RUNNING, SWAPPED
from crossplay.search.playing import play_parameters
from crossplay.search.records import (
    DRAWS,
    GAMES,
    PLIES,
    POSITIONS,
    SWAPS,
    WINS_1,
    WINS_2,
    make_records,
    targets_wanted,
    unpack,
)
from crossplay.search.selfplay import SelfPlay
from crossplay.search.tree import search_parameters


def play(game, slots=6, positions=400, capacity=2000, temperature_plies=4, seed=3, **options):
    parameters = search_parameters(24, **options)
    games = SelfPlay(game, parameters, play_parameters(temperature_plies), slots, seed)
    records = make_records(capacity, game, targets_wanted(game, parameters))
    evaluate = hash_network(game.n_actions)
    priors = np.zeros((slots, game.n_actions), np.float32)
    values = np.zeros(slots, np.float32)
    while records.counters[POSITIONS] < positions:
        games.step(priors, values, records)
        priors, values = evaluate(games.batch)
    return records


def unpacked(game, records):
    return unpack(game, records, np.arange(min(records.counters[POSITIONS], len(records.outcome))))


def tensor(game, state):
    out = np.empty(int(np.prod(game.state_shape)), np.float32)
    call_encode(game.encoding, state, out)
    return out


def alike(game, state, recorded):
    """Whether a whole state is the recorded one: by what tensors show and the number of moves."""
    return state[MOVES] == recorded[MOVES] and np.array_equal(tensor(game, state), tensor(game, recorded))


def follow(game, records):
    """Play the recorded games again; yields row, whole state, and visits and state of what may follow."""
    state = new_state(game)
    states, recorded, counts = unpacked(game, records)
    written = len(states)
    for i in range(written):
        assert state[OUTCOME] == RUNNING
        assert alike(game, state, states[i])
        moves = legal_moves(game, state)
        listed = recorded[i, : counts[i]].tolist()
        assert sorted(listed) == sorted(shortened(move) for move in moves)
        visits: dict[int, int] = {}
        for move, count in zip(listed, records.weights[i].tolist(), strict=False):
            visits[move] = max(visits.get(move, 0), count)  # some moves differ in their upper half only
        following = [
            (visits[shortened(move)], after(game, state, move))
            for move in moves
            if visits.get(shortened(move), 0) > 0
        ]
        yield i, state, following
        if i + 1 < written and states[i + 1, MOVES] > 0:
            chosen = [s for _, s in following if alike(game, s, states[i + 1])]
            assert chosen
            state = chosen[0]
        else:
            state = new_state(game)


def shortened(move):
    return move if move < 0 else move & 0xFFFFFFFF


def replay(game, records):
    """Split the records into games, checking every move; yields (positions, final state, swapped)."""
    begin = 0
    written = int(records.counters[POSITIONS])
    begins = unpacked(game, records).states[:, MOVES] == 0
    for i, state, following in follow(game, records):
        if i + 1 == written or begins[i + 1]:
            ends = [s for _, s in following if s[OUTCOME] != RUNNING]
            assert ends
            signs = {1.0: state[AGENT], -1.0: 3 - state[AGENT], 0.0: DRAW}
            outcome = signs[float(records.outcome[i])]
            assert outcome in {s[OUTCOME] for s in ends}
            yield range(begin, i + 1), outcome, bool(state[SWAPPED])
            begin = i + 1


@pytest.mark.parametrize("name", ["Tic-Tac-Toe", "Hex", "Two Stones"])
def test_records_replay_as_games(name):
    game = (
        two_stones() if name == "Two Stones" else load_game(name, ["Board Size/3x3"] if name == "Hex" else [])
    )
    records = play(game, noise_fraction=0.25)
    states = unpacked(game, records).states
    totals = {GAMES: 0, WINS_1: 0, WINS_2: 0, DRAWS: 0, PLIES: 0, SWAPS: 0}
    for positions, outcome, swapped in replay(game, records):
        assert states[positions[0], MOVES] == 0
        for i in positions:
            agent = states[i, AGENT]
            expected = 0 if outcome == DRAW else 1 if agent == outcome else -1
            assert records.outcome[i] == expected
        totals[GAMES] += 1
        totals[PLIES] += len(positions)
        totals[{1: WINS_1, 2: WINS_2, DRAW: DRAWS}[int(outcome)]] += 1
        totals[SWAPS] += swapped
    for counter, total in totals.items():
        assert records.counters[counter] == total
    written = records.counters[POSITIONS]
    assert (records.weights[:written].sum(axis=1) == 23).all()
    assert np.abs(records.root_value[:written]).max() <= 1
    if name == "Hex":
        assert 0 < totals[SWAPS] < totals[GAMES]


def test_late_moves_are_the_most_visited():
    game = load_game("Hex", ["Board Size/3x3"])
    records = play(game, temperature_plies=0)
    states = unpacked(game, records).states
    for i, _, following in follow(game, records):
        if i + 1 < len(states) and states[i + 1, MOVES] > 0:
            most = max(visits for visits, _ in following)
            best = [state for visits, state in following if visits == most]
            assert any(alike(game, state, states[i + 1]) for state in best)


def test_a_slot_does_not_depend_on_the_others():
    game = load_game("Hex", ["Board Size/3x3"])
    alone = play(game, slots=1, positions=60, noise_fraction=0.25)
    among = play(game, slots=5, positions=600, noise_fraction=0.25)
    first = next(replay(game, alone))[0]
    packed = alone.packed[first[0] : first[-1] + 1]
    n = len(packed)
    assert any(
        (among.packed[i : i + n] == packed).all() and (among.weights[i : i + n] == alone.weights[:n]).all()
        for i in range(600 - n)
    )


def test_forced_playouts_leave_fewer_visits_in_the_records():
    game = load_game("Hex", ["Board Size/3x3"])
    records = play(game, forced_playouts=2.0, temperature_plies=20)
    sums = records.weights[: records.counters[POSITIONS]].sum(axis=1)
    assert sums.max() <= 23
    assert sums.min() < 23
    list(replay(game, records))


def test_the_ring_keeps_the_newest_positions():
    game = load_game("Tic-Tac-Toe")
    everything = play(game, capacity=2000, positions=300)
    ring = play(game, capacity=64, positions=300)
    written = int(everything.counters[POSITIONS])
    assert ring.counters.tolist() == everything.counters.tolist()
    for position in range(written - 64, written):
        for name in ring._fields[:-1]:
            newest = getattr(ring, name)[position % 64]
            np.testing.assert_array_equal(newest, getattr(everything, name)[position])


def test_self_play_needs_two_simulations():
    game = load_game("Tic-Tac-Toe")
    with pytest.raises(CrossplayError, match="simulations"):
        targets_wanted(game, search_parameters(1))


def test_games_may_outgrow_the_room_for_them(monkeypatch):
    game = load_game("Hex", ["Board Size/3x3"])
    usual = play(game, noise_fraction=0.25)
    monkeypatch.setattr("crossplay.search.records.FIRST_PLIES", 2)
    grown = play(game, noise_fraction=0.25)
    for ours, theirs in zip(grown, usual, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", ["Minishogi", "Go", "Connect Four"])
def test_games_of_every_kind_are_played_and_recorded(name):
    """With hands and promotions, with a history that forbids moves, with stacks."""
    game = load_game(name, ["Board Size/9x9"] if name == "Go" else [], hands="repaired")
    records = play(game, slots=3, positions=150, capacity=400)
    assert len(list(replay(game, records))) == records.counters[GAMES] > 0
