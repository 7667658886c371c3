"""Playing 2048 and learning from it: one kernel for every rule, horizon, network and number of stages.

A thread plays :data:`GAMES` games in turns. While the weights of one game's next boards are on their way
from memory, the others are played; this is worth more than everything else done for speed here.

After every move the afterstate before it, s'(t-1), learns from the error

    delta = r(t) + V(s'(t)) - V(s'(t-1)),

and the last afterstate of a game from a value of 0. With a horizon of H afterstates and decay lambda:

* plain: each delta corrects the last H afterstates at once, the k-th before with lambda**k delta;
* delayed: each afterstate is corrected once, H - 1 moves later, with the sum of lambda**k delta(t+k).

What an error does to the weights is in :mod:`crossplay.ntuple.corrections`.

Source: W. Jaśkowski (2016), algorithms 1 to 5 and sections IV to VII.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit, types

from crossplay.ntuple.board import (
    GOLDEN,
    add_tile,
    afterstates,
    mix,
    new_game,
    stage_of,
    takes_turn,
    transpose,
)
from crossplay.ntuple.corrections import correct_autostep, correct_tc, correct_td
from crossplay.ntuple.intrinsics import FLOATS, NONE, prefetch_weights, store_indices, sum_weights
from crossplay.ntuple.shapes import Tuples, format_tuples, large_tables, stage_weights
from crossplay.ntuple.tables import ACCUMULATORS

GAMES = 2  # played in turns by each thread
QUEUE = 1000  # initial positions remembered of each stage, for carousel shaping

# Columns of Worker.games.
BOARD, RANDOM, OLDEST, NEWEST, STARTED, SCORE, START, COLUMNS = range(8)
# Places of Worker.counts.
ACTIONS, FINISHED, TOTAL_SCORE, BEST_SCORE, DIVERGED, COUNTS = range(6)

_0, _1 = np.uint64(0), np.uint64(1)


class Rule(NamedTuple):
    """What the kernel is compiled for.

    Attributes:
        kind: ``td``, ``tc`` or ``autostep``.
        horizon: H, the afterstates that an error reaches; 1 without eligibility.
        delayed: correct each afterstate once.
        stage_bits: the game has ``2**stage_bits`` stages, each with tables of its own.
        promotion: a weight of a stage that is still 0 takes the value of the stage before.
        carousel_bits: carousel shaping over so many bits of stages; 0 is off.
    """

    kind: str = "tc"
    horizon: int = 1
    delayed: bool = True
    stage_bits: int = 0
    promotion: bool = True
    carousel_bits: int = 0


class Worker(NamedTuple):
    """The games that one thread has under way; all it needs to go on exactly where it stopped."""

    games: np.ndarray  # uint64[GAMES, COLUMNS]
    indices: np.ndarray  # uint32[GAMES * H2 * m]: active weights of the last afterstates, a ring a game
    bases: np.ndarray  # uint64[GAMES * H2]: first weight of their stages
    errors: np.ndarray  # float32[GAMES * H2]: their deltas; of the last one, first its value
    firsts: np.ndarray  # uint64[GAMES * stages]: first afterstate of each stage of the carousel in this game
    counts: np.ndarray  # int64[COUNTS]


def horizon_of(decay: float, least: float = 0.1) -> int:
    """The number H of afterstates, such that those left out would weigh less than ``least``."""
    return max(1, math.ceil(math.log(least) / math.log(decay) - 1e-9)) if decay > 0 else 1


def ring_length(horizon: int) -> int:
    """The power of two that holds ``horizon`` entries."""
    return 1 << (horizon - 1).bit_length()


def new_worker(tuples: Tuples, rule: Rule, seed: int) -> Worker:
    """A worker at the beginning of its first games."""
    ring = GAMES * ring_length(rule.horizon)
    worker = Worker(
        games=np.zeros((GAMES, COLUMNS), np.uint64),
        indices=np.zeros(ring * 8 * len(tuples), np.uint32),
        bases=np.zeros(ring, np.uint64),
        errors=np.zeros(ring, np.float32),
        firsts=np.zeros(GAMES << rule.carousel_bits, np.uint64),
        counts=np.zeros(COUNTS, np.int64),
    )
    begin_games(worker.games, np.uint64(seed & (1 << 64) - 1))
    return worker


@njit(types.void(types.uint64[:, ::1], types.uint64), cache=True, nogil=True)
def begin_games(games: np.ndarray, seed: int) -> None:
    """Deal every game of a worker afresh."""
    for game in range(games.shape[0]):
        random = mix((np.uint64(seed) << np.uint64(8)) + np.uint64(game) + GOLDEN)
        games[game, BOARD], games[game, RANDOM] = new_game(random)


@cache
def learner(tuples: Tuples, rule: Rule) -> Any:
    """The kernel that plays and learns.

    Returns:
        ``kernel(weights, accumulators, rows, games, indices, bases, errors, firsts, counts, queue, queued,
        actions, rate, decay, offset, meta_rate)``; the arrays are those of :class:`Worker` and

        * ``weights``: ``float32[stages * weights of a stage]``;
        * ``accumulators``: ``float32[len(weights) * k]``, k by :data:`ACCUMULATORS`: (E, A) for TC,
          (step size, trace h, normaliser v, unused) for Autostep;
        * ``queue``: ``uint64[carousel stages * QUEUE]`` and ``queued``: ``int64[carousel stages]``, first
          afterstates of each stage and how many there have been; shared by the threads;
        * ``actions``: moves to make, exactly; ``rate``: alpha / m, beta / m or the initial step size;
        * ``decay``: lambda; ``offset``: added to every value, for optimistic initialisation;
        * ``meta_rate``: mu of Autostep.

        Runs of one thread are equal to the last bit if their calls have the same lengths; the end of a call
        may change which of the games moves next. It stops early, with ``counts[DIVERGED] = 1``, when a
        value is not a number any more.
    """
    NETWORK = format_tuples(tuples)
    M = 8 * len(tuples)
    FETCHED = 8 * large_tables(tuples)
    SIZE = stage_weights(tuples)
    TC, AUTOSTEP = rule.kind == "tc", rule.kind == "autostep"
    STRIDE = max(1, ACCUMULATORS[rule.kind])
    H = rule.horizon
    RING = ring_length(H)
    MASK = RING - 1
    DELAYED = rule.delayed and H > 1
    STAGES, PROMOTE, CAROUSEL = rule.stage_bits, rule.promotion and rule.stage_bits > 0, rule.carousel_bits
    STARTS = 1 << CAROUSEL

    @njit(_KERNEL, cache=True, nogil=True, fastmath=FLOATS, boundscheck=False, error_model="numpy")
    def learn(
        weights: np.ndarray,
        accumulators: np.ndarray,
        rows: np.ndarray,
        games: np.ndarray,
        ring: np.ndarray,
        ring_bases: np.ndarray,
        errors: np.ndarray,
        firsts: np.ndarray,
        counts: np.ndarray,
        queue: np.ndarray,
        queued: np.ndarray,
        actions: int,
        rate: float,
        decay: float,
        offset: float,
        meta_rate: float,
    ) -> None:
        indices = np.empty(GAMES * 4 * M, np.uint32)
        boards = np.empty(GAMES * 4, np.uint64)
        bases = np.zeros(GAMES * 4, np.uint64)
        rewards = np.empty(GAMES * 4, np.float32)
        scratch = np.empty(3 * M, np.float32)
        left = actions
        while left > 0:
            turn = min(GAMES, left)
            for game in range(turn):
                board = games[game, BOARD]
                first = np.uint64(game * 4)
                if games[game, STARTED] != _0:
                    # The last afterstate's value as it is now, read here, where nothing waits for it.
                    place = np.uint64(game * RING) + (games[game, NEWEST] & np.uint64(MASK))
                    base = ring_bases[place] if STAGES > 0 else _0
                    errors[place] = sum_weights(weights, base, ring, place * np.uint64(M), M)
                up, right, down, left_, upright, sideways = afterstates(rows, board)
                boards[first], boards[first + _1] = up, right
                boards[first + np.uint64(2)], boards[first + np.uint64(3)] = down, left_
                rewards[first] = rewards[first + np.uint64(2)] = np.float32(np.int64(upright))
                rewards[first + _1] = rewards[first + np.uint64(3)] = np.float32(np.int64(sideways))
                for move in range(4):
                    place = first + np.uint64(move)
                    after = boards[place]
                    if after != board:
                        if STAGES > 0:
                            bases[place] = stage_of(after, STAGES) * np.uint64(SIZE)
                        at = place * np.uint64(M)
                        store_indices(after, transpose(after), indices, at, NETWORK)
                        base = bases[place] if STAGES > 0 else _0
                        prefetch_weights(weights, base, indices, at, FETCHED, 1)
            for game in range(turn):
                board = games[game, BOARD]
                random = games[game, RANDOM] + GOLDEN
                bits = mix(random)
                best, chosen, legal, equal = NONE, -1, 0, 1
                for move in range(4):
                    place = np.uint64(game * 4 + move)
                    if boards[place] != board:
                        legal += 1
                        at = place * np.uint64(M)
                        base = bases[place] if STAGES > 0 else _0
                        if PROMOTE and base != _0:
                            promote(weights, base, np.uint64(SIZE), indices, at, M)
                        value = sum_weights(weights, base, indices, at, M) + rewards[place]
                        if value > best:
                            best, chosen, equal = value, move, 1
                        elif value == best:
                            # One of several equal moves, each as likely.
                            equal += 1
                            if takes_turn(bits, equal):
                                chosen = move
                if chosen < 0 and legal > 0:
                    counts[DIVERGED] = 1
                    counts[ACTIONS] += actions - left
                    return
                target = best + offset if chosen >= 0 else np.float32(0.0)
                ring_first = np.uint64(game * RING)
                oldest, newest = games[game, OLDEST], games[game, NEWEST]
                if games[game, STARTED] != _0:
                    place = ring_first + (newest & np.uint64(MASK))
                    delta = target - (errors[place] + offset)
                    errors[place] = error = delta
                    due = _1
                    if H > 1 and (chosen < 0 or not DELAYED):
                        due = newest - oldest + _1
                    elif H > 1:
                        due = np.uint64(newest - oldest == np.uint64(H - 1))
                    for number in range(due):
                        which = newest - number
                        if DELAYED:
                            which = oldest
                            error, weight = np.float32(0.0), np.float32(1.0)
                            for later in range(oldest, newest + _1):
                                error += weight * errors[ring_first + (later & np.uint64(MASK))]
                                weight *= decay
                            oldest += _1
                        place = ring_first + (which & np.uint64(MASK))
                        at = place * np.uint64(M)
                        base = ring_bases[place] if STAGES > 0 else _0
                        if TC:
                            correct_tc(weights, accumulators, base, ring, at, M, error, rate, scratch)
                        elif AUTOSTEP:
                            correct_autostep(
                                weights, accumulators, base, ring, at, M, error, rate, meta_rate, scratch
                            )
                        else:
                            correct_td(weights, base, ring, at, M, error * rate)
                        if not DELAYED:
                            error *= decay
                    if not DELAYED and newest - oldest == np.uint64(H - 1):
                        oldest += _1
                if chosen >= 0:
                    if games[game, STARTED] == _0:
                        oldest = newest = _0
                        games[game, STARTED] = _1
                    else:
                        newest += _1
                    taken = np.uint64(game * 4 + chosen)
                    after = boards[taken]
                    place = ring_first + (newest & np.uint64(MASK))
                    for i in range(np.uint64(M)):
                        ring[place * np.uint64(M) + i] = indices[taken * np.uint64(M) + i]
                    if STAGES > 0:
                        ring_bases[place] = bases[taken]
                    if TC or AUTOSTEP:
                        place = ring_first + (oldest & np.uint64(MASK))
                        at = place * np.uint64(M)
                        base = ring_bases[place] if STAGES > 0 else _0
                        prefetch_weights(accumulators, base, ring, at, FETCHED, STRIDE)
                    if CAROUSEL > 0:
                        stage = stage_of(after, CAROUSEL)
                        place = np.uint64(game * STARTS) + stage
                        if firsts[place] == _0:
                            firsts[place] = after
                    games[game, SCORE] += np.uint64(rewards[taken])
                    games[game, BOARD] = add_tile(after, bits)
                    left -= 1
                else:
                    games[game, STARTED] = _0
                    if games[game, START] == _0:
                        counts[FINISHED] += 1
                        counts[TOTAL_SCORE] += np.int64(games[game, SCORE])
                        counts[BEST_SCORE] = max(counts[BEST_SCORE], np.int64(games[game, SCORE]))
                    games[game, SCORE] = _0
                    games[game, BOARD], random = new_game(random)
                    if CAROUSEL > 0:
                        random += GOLDEN
                        next_episode(games, game, firsts, STARTS, queue, queued, mix(random))
                games[game, RANDOM] = random
                games[game, OLDEST], games[game, NEWEST] = oldest, newest
        counts[ACTIONS] += actions

    return learn


_WORDS, _FLOATS32, _INTS = types.uint64[::1], types.float32[::1], types.int64[::1]
_KERNEL = types.void(
    _FLOATS32, _FLOATS32, _WORDS,  # weights, accumulators, rows
    types.uint64[:, ::1], types.uint32[::1], _WORDS, _FLOATS32, _WORDS, _INTS,  # the worker
    _WORDS, _INTS,  # queue, queued
    types.int64, types.float32, types.float32, types.float32, types.float32,
)  # fmt: skip


@njit(nogil=True)
def promote(weights: np.ndarray, base: int, size: int, indices: np.ndarray, at: int, m: int) -> None:
    """Give the active weights that are 0 the values of the stage before (section VI-B)."""
    for i in range(np.uint64(m)):
        place = base + np.uint64(indices[at + i])
        if weights[place] == np.float32(0.0):
            weights[place] = weights[place - size]


@njit(nogil=True)
def next_episode(
    games: np.ndarray,
    game: int,
    firsts: np.ndarray,
    stages: int,
    queue: np.ndarray,
    queued: np.ndarray,
    bits: int,
) -> None:
    """Carousel shaping: remember where the game's stages began, and let the next episode begin in the next
    stage, at one of the afterstates remembered for it, or as a new game after the last (algorithm 5).
    """
    own = game * stages
    for stage in range(np.int64(games[game, START]) + 1, stages):
        if firsts[own + stage] == _0:
            break
        queue[stage * QUEUE + queued[stage] % QUEUE] = firsts[own + stage]
        queued[stage] += 1
    for stage in range(stages):
        firsts[own + stage] = _0
    start = np.int64(games[game, START]) + 1
    if start >= stages or queued[start] == 0:
        start = np.int64(0)
    else:
        known = np.uint64(min(queued[start], QUEUE))
        which = ((bits >> np.uint64(32)) * known) >> np.uint64(32)
        games[game, BOARD] = queue[start * QUEUE + np.int64(which)]
    games[game, START] = np.uint64(start)
