"""The learning kernel against the equations, over whole games."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle

import numpy as np
import pytest
from reference_learners import Reference
from slow_2048 import from_word, to_word

from crossplay.ntuple.board import row_table
from crossplay.ntuple.learning import (
    ACCUMULATORS,
    ACTIONS,
    BEST_SCORE,
    BOARD,
    DIVERGED,
    FINISHED,
    GAMES,
    QUEUE,
    RANDOM,
    START,
    TOTAL_SCORE,
    Rule,
    Worker,
    horizon_of,
    learner,
    new_worker,
    ring_length,
)
from crossplay.ntuple.shapes import Tuples, network_tuples, stage_weights

SMALL = network_tuples("0,1,2;5,6")
# One tuple long enough to be prefetched.
LONGER = network_tuples("0,1,2,4,5;1,2")
ROWS = row_table()


class Kernel:
    """The kernel with all its arrays."""

    def __init__(self, rule: Rule, tuples: Tuples = SMALL, seed: int = 0, **numbers: float) -> None:
        self.rule, self.tuples, self.m = rule, tuples, 8 * len(tuples)
        self.numbers = {"rate": 1.0, "decay": 0.0, "offset": 0.0, "meta_rate": 0.0, **numbers}
        self.weights = np.zeros(stage_weights(tuples) << rule.stage_bits, np.float32)
        self.accumulators = np.zeros(len(self.weights) * ACCUMULATORS[rule.kind], np.float32)
        self.worker: Worker = new_worker(tuples, rule, seed)
        self.queue = np.zeros(QUEUE << rule.carousel_bits, np.uint64)
        self.queued = np.zeros(1 << rule.carousel_bits, np.int64)

    def run(self, actions: int) -> None:
        numbers = self.numbers
        learner(self.tuples, self.rule)(
            self.weights, self.accumulators, ROWS, *self.worker, self.queue, self.queued, actions,
            numbers["rate"] / self.m, numbers["decay"], numbers["offset"], numbers["meta_rate"],
        )  # fmt: skip

    @property
    def boards(self) -> list[int]:
        return [int(board) for board in self.worker.games[:, BOARD]]

    def start_at(self, *cells: int) -> None:
        """Let the first game begin at this board."""
        self.worker.games[0, BOARD] = to_word([*cells])

    def remember(self, stage: int, boards: list[list[int]]) -> None:
        """Have the carousel know so many starts of a stage."""
        for board in boards:
            self.queue[stage * QUEUE + self.queued[stage] % QUEUE] = to_word(board)
            self.queued[stage] += 1

    def reference(self) -> Reference:
        games = [(int(game[BOARD]), int(game[RANDOM])) for game in self.worker.games]
        reference = Reference(self.tuples, games, **self.rule._asdict(), **self.numbers)
        for stage in np.nonzero(self.queued)[0]:
            known = self.queue[stage * QUEUE :][: min(self.queued[stage], QUEUE)]
            reference.queues[stage] = [from_word(board) for board in known]
            reference.pushed[stage] = int(self.queued[stage])
        return reference

    def arrays(self) -> list[np.ndarray]:
        return [self.weights, self.accumulators, *self.worker, self.queue, self.queued]


def compare(table: np.ndarray, expected: dict[int, float], otherwise: float = 0.0) -> None:
    """Equal to rounding wherever there is anything."""
    places = np.union1d(np.nonzero(table)[0], np.array(list(expected), np.int64))
    wanted = np.array([expected.get(int(place), otherwise) for place in places])
    scale = np.abs(wanted).max(initial=1e-3)
    np.testing.assert_allclose(table[places], wanted, rtol=3e-4, atol=3e-5 * scale)


def compare_all(kernel: Kernel, reference: Reference) -> None:
    compare(kernel.weights, reference.V)
    if kernel.rule.kind == "tc":
        errors = kernel.accumulators.reshape(-1, 2)
        compare(errors[:, 0], reference.E)
        compare(errors[:, 1], reference.A)
    elif kernel.rule.kind == "autostep":
        columns = kernel.accumulators.reshape(-1, 4)
        compare(columns[:, 0], reference.sizes)
        compare(columns[:, 1], reference.traces)
        compare(columns[:, 2], reference.normalisers)
    assert [int(game[RANDOM]) for game in kernel.worker.games] == [g.random for g in reference.games]
    counts = kernel.worker.counts
    assert (counts[FINISHED], counts[TOTAL_SCORE], counts[BEST_SCORE]) == (
        reference.finished, reference.total, reference.best
    )  # fmt: skip


def learn_both(kernel: Kernel, actions: int) -> Reference:
    """Let kernel and reference learn together, in calls of different lengths."""
    reference = kernel.reference()
    lengths = cycle([2, 2, 1, 2, 3, 2, 4, 1])
    while kernel.worker.counts[ACTIONS] < actions:
        length = next(lengths)
        kernel.run(length)
        reference = reference.follow(length, kernel.boards)
    return reference


@dataclass
class Case:
    rule: Rule
    rate: float
    decay: float = 0.0
    offset: float = 0.0
    meta_rate: float = 0.0
    tuples: Tuples = SMALL


CASES = {
    "TD(0)": Case(Rule("td"), 0.1),
    "TD(0), optimistic": Case(Rule("td"), 0.3, offset=500),
    "TD(0.5)": Case(Rule("td", 4, delayed=False), 0.1, 0.5),
    "delayed TD(0.5)": Case(Rule("td", 4), 0.1, 0.5),
    "TC(0)": Case(Rule("tc"), 1.0),
    "TC(0.5)": Case(Rule("tc", 4, delayed=False), 1.0, 0.5),
    "delayed TC(0.5)": Case(Rule("tc", 4), 1.0, 0.5),
    "delayed TC(0.5), optimistic": Case(Rule("tc", 4), 0.5, 0.5, offset=1000),
    "delayed TC(0.65)": Case(Rule("tc", 6), 1.0, 0.65, tuples=LONGER),
    "Autostep": Case(Rule("autostep"), 1.0, meta_rate=0.1),
    # So many stages that the games of a small network reach some.
    "TD(0), stages": Case(Rule("td", stage_bits=8), 0.1),
    "TC(0), stages without promotion": Case(Rule("tc", stage_bits=8, promotion=False), 1.0),
    "delayed TC(0.5), stages": Case(Rule("tc", 4, stage_bits=8), 1.0, 0.5),
    "Autostep, stages": Case(Rule("autostep", stage_bits=8), 1.0, meta_rate=0.01),
}


@pytest.mark.parametrize("name", CASES)
def test_learns_by_the_equations(name: str) -> None:
    case = CASES[name]
    kernel = Kernel(
        case.rule, case.tuples, seed=7, rate=case.rate, decay=case.decay, offset=case.offset,
        meta_rate=case.meta_rate,
    )  # fmt: skip
    reference = learn_both(kernel, 1500)
    assert kernel.worker.counts[FINISHED] >= 3
    if case.rule.stage_bits:
        assert len({place // reference.stage_size for place in reference.V}) > 1
    compare_all(kernel, reference)


@pytest.mark.parametrize("bits", [1, 2, 4])
@pytest.mark.parametrize("promotion", [True, False])
def test_stages_of_large_tiles(bits: int, promotion: bool) -> None:
    kernel = Kernel(Rule("tc", 2, stage_bits=bits, promotion=promotion), seed=3, decay=0.5)
    kernel.start_at(14, 13, 12, 12, 2, 1, 2, 1, 0, 3, 0, 0, 0, 0, 0, 0)
    # Something to promote in every stage.
    random = np.random.default_rng(5)
    kernel.weights[: stage_weights(SMALL)] = random.normal(0, 1, stage_weights(SMALL))
    reference = kernel.reference()
    reference.V = {place: float(weight) for place, weight in enumerate(kernel.weights) if weight}
    reached = set()
    for _ in range(120):
        kernel.run(2)
        reference = reference.follow(2, kernel.boards)
        reached |= {places[0] // reference.stage_size for game in reference.games for places in game.episode}
    assert reached >= {1: {0, 1}, 2: {0, 1, 2}, 4: {0, 6, 7, 8}}[bits]
    compare_all(kernel, reference)


@pytest.mark.parametrize("stage_bits", [0, 8])
def test_carousel(stage_bits: int) -> None:
    kernel = Kernel(Rule("tc", 4, stage_bits=stage_bits, carousel_bits=8), seed=11, decay=0.5)
    # More starts of the first stage than are remembered, some of the second and third.
    random = np.random.default_rng(1)
    for stage, tiles, number in ((1, [8], QUEUE + 3), (2, [9], 5), (3, [9, 8], 1)):
        kernel.remember(stage, [[*tiles, *random.integers(0, 6, 15 - len(tiles)), 0] for _ in range(number)])
    reference = kernel.reference()
    starts = set()
    while kernel.worker.counts[ACTIONS] < 2500:
        kernel.run(2)
        reference = reference.follow(2, kernel.boards)
        assert [int(start) for start in kernel.worker.games[:, START]] == [g.start for g in reference.games]
        starts |= {game.start for game in reference.games}
    assert starts >= {0, 1, 2, 3}
    assert reference.pushed[1] > QUEUE + 3
    assert {int(k): int(kernel.queued[k]) for k in np.nonzero(kernel.queued)[0]} == reference.pushed
    for stage, queue in reference.queues.items():
        assert [from_word(board) for board in kernel.queue[stage * QUEUE :][: len(queue)]] == queue
    compare_all(kernel, reference)


def test_plays_by_the_rewards_without_weights() -> None:
    # Nothing is learned, so that equal moves are exactly equal and the rule for them is seen.
    kernel = Kernel(Rule("td"), seed=23, rate=0.0)
    reference = kernel.reference()
    for _ in range(30):
        kernel.run(50)
        reference.run(50, iter(()))
        assert kernel.boards == [to_word(game.board) for game in reference.games]
    compare_all(kernel, reference)


def test_equal_moves_are_equally_likely() -> None:
    moves = np.zeros(4, int)
    for seed in range(2000):
        kernel = Kernel(Rule("td"), seed=seed, rate=0.0)
        kernel.start_at(0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        kernel.run(1)
        moves[[1, 7, 13, 4].index(from_word(kernel.boards[0]).index(3))] += 1
    assert moves.sum() == 2000
    assert moves.min() > 420
    assert moves.max() < 580


@pytest.mark.parametrize("rule", [Rule("td"), Rule("tc", 4), Rule("tc", 4, delayed=False), Rule("autostep")])
def test_goes_on_where_it_stopped(rule: Rule) -> None:
    # Bit for bit, when the calls are as long; a copy of the arrays is all there is to keep.
    steady = Kernel(rule, seed=5, decay=0.5, meta_rate=0.1)
    stopped = Kernel(rule, seed=5, decay=0.5, meta_rate=0.1)
    for _ in range(4):
        steady.run(997)
    for _ in range(2):
        stopped.run(997)
    resumed = Kernel(rule, seed=99, decay=0.5, meta_rate=0.1)
    for own, other in zip(resumed.arrays(), stopped.arrays(), strict=True):
        own[...] = other
    for _ in range(2):
        resumed.run(997)
    assert steady.worker.counts[ACTIONS] == 4 * 997
    for one, other in zip(resumed.arrays(), steady.arrays(), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("rule", [Rule("td"), Rule("tc", 4), Rule("tc", 4, delayed=False), Rule("autostep")])
@pytest.mark.parametrize("fault", [1e30, np.nan, np.inf, -np.inf])
def test_divergence_is_noticed(rule: Rule, fault: float) -> None:
    kernel = Kernel(rule, seed=1, decay=0.5, meta_rate=0.1, rate=fault if fault == 1e30 else 1.0)
    if fault != 1e30:
        kernel.weights[:] = fault
    kernel.run(20_000)
    assert kernel.worker.counts[DIVERGED]
    made = kernel.worker.counts[ACTIONS]
    assert made < 20_000
    assert made > 0 or fault != 1e30


def test_symmetric_boards_do_not_multiply_step_sizes() -> None:
    # They hit a weight several times; corrected one hit after the other, Autostep diverged here.
    kernel = Kernel(Rule("autostep"), network_tuples("4-22"), seed=1, rate=1.0, meta_rate=1.0)
    kernel.run(500_000)
    assert not kernel.worker.counts[DIVERGED]
    assert kernel.worker.counts[TOTAL_SCORE] > 1000 * kernel.worker.counts[FINISHED]


def test_one_faulty_weight_does_not_stop_the_game() -> None:
    for fault in (np.nan, np.inf, -np.inf):
        kernel = Kernel(Rule("tc", 4), seed=1, decay=0.5)
        kernel.weights[stage_weights(SMALL) - 1] = fault
        kernel.run(2000)
        assert kernel.worker.counts[ACTIONS] == 2000


def test_different_seeds_play_different_games() -> None:
    boards = {board for seed in range(300) for board in Kernel(Rule("td"), seed=seed).worker.games[:, RANDOM]}
    assert len(boards) == 300 * GAMES


def test_horizon() -> None:
    assert [horizon_of(decay) for decay in (0.0, 0.05, 0.1, 0.5, 0.65, 0.9)] == [1, 1, 1, 4, 6, 22]
    assert [ring_length(horizon) for horizon in (1, 2, 3, 4, 5, 8, 9)] == [1, 2, 4, 4, 8, 8, 16]
