"""The replay buffer: rings of recent self-play positions, and minibatches drawn from them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit, types

from crossplay.games.state import MOVES, STATE, relabel_agents
from crossplay.games.tensors import ENCODING, Encoding, action_index, encode_state
from crossplay.memory import check_memory
from crossplay.search.packing import PACKING, Packing, count_moves, unpack_move, unpack_state
from crossplay.search.records import POSITIONS, RECORDS, Records, make_records, record_bytes, record_packing

if TYPE_CHECKING:
    from crossplay.games import Game

_INTEGERS = types.Array(types.int64, 1, "C")
_MATRIX = types.Array(types.float32, 2, "C")
_VECTOR = types.Array(types.float32, 1, "C")


class Minibatch(NamedTuple):
    """What the learner fits: B encoded positions with their targets."""

    planes: np.ndarray  # float32[B, C*X*Y]
    policy: np.ndarray  # float32[B, A] the search's targets, with sum 1
    legal: np.ndarray  # float32[B, A] 1 for the actions of legal moves, else 0
    outcomes: np.ndarray  # float32[B] the game's result for the agent to move: 1, 0 or -1


def empty_minibatch(game: Game, size: int) -> Minibatch:
    """Arrays for so many positions."""
    return Minibatch(
        planes=np.empty((size, int(np.prod(game.state_shape))), np.float32),
        policy=np.empty((size, game.n_actions), np.float32),
        legal=np.empty((size, game.n_actions), np.float32),
        outcomes=np.empty(size, np.float32),
    )


@njit(
    types.int64(
        ENCODING, PACKING, RECORDS, _INTEGERS, _INTEGERS, _INTEGERS, STATE, _MATRIX, _MATRIX, _MATRIX,
        _VECTOR,
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
)  # fmt: skip
def gather_minibatch(
    encoding: Encoding,
    packing: Packing,
    records: Records,
    rows: np.ndarray,
    symmetries: np.ndarray,
    relabelled: np.ndarray,
    state: np.ndarray,
    planes: np.ndarray,
    policy: np.ndarray,
    mask: np.ndarray,
    outcomes: np.ndarray,
) -> int:
    """Turn ring rows into training samples, each seen through a symmetry.

    Moves that share an action add up in the policy target.

    Args:
        rows: ``int64[B]`` ring rows.
        symmetries: ``int64[B]`` board symmetries, rows of ``encoding.cells``.
        relabelled: ``int64[B]`` nonzero to exchange the agents' names, where the game has a swap rule and
            the swap offer is over: the pieces, the moves and the mover's value stay.
        state: scratch, ``int16[tensor_size]``, zeros at first.
        planes, policy, mask, outcomes: overwritten, see :class:`Minibatch`.

    Returns:
        How many legal moves the positions have together; ``mask`` counts those once that share an action.
    """
    n_moves = 0
    for b in range(rows.shape[0]):
        row = rows[b]
        packed = records.packed[row]
        unpack_state(packing, packed, state)
        policy[b, :] = 0.0
        mask[b, :] = 0.0
        n_moves += count_moves(packing, packed)
        for i in range(count_moves(packing, packed)):
            mask[b, action_index(encoding, symmetries[b], unpack_move(packing, packed, i))] = 1.0
        total = 0
        for i in range(records.weights.shape[1]):
            total += records.weights[row, i]
        for i in range(records.weights.shape[1]):
            if records.weights[row, i] > 0:
                action = action_index(encoding, symmetries[b], unpack_move(packing, packed, i))
                policy[b, action] += np.float32(records.weights[row, i] / total)
        if relabelled[b] and encoding.swap_plane >= 0 and state[MOVES] >= 2:
            relabel_agents(state)
        encode_state(encoding, symmetries[b], state, planes[b])
        outcomes[b] = records.outcome[row]
    return n_moves


def take_records(ring: Records, since: np.ndarray) -> Records:
    """Copy what was added to a ring after its counters were ``since``; held by the ring's lock.

    Returns:
        The positions in order, and by how much the counters grew. Positions that are overwritten already
        are missing.
    """
    end, capacity = int(ring.counters[POSITIONS]), len(ring.outcome)
    first = max(int(since[POSITIONS]), end - capacity)
    rows = np.arange(first, end) % capacity
    return Records._make([*(array[rows] for array in ring[:-1]), ring.counters - since])


def put_records(ring: Records, new: Records) -> None:
    """Add positions and counts as :func:`take_records` returns them; held by the ring's lock."""
    capacity = len(ring.outcome)
    rows = np.arange(len(new.outcome))[-capacity:]
    # Those that are missing in between count as if they had been overwritten here.
    places = (ring.counters[POSITIONS] + new.counters[POSITIONS] - len(new.outcome) + rows) % capacity
    for array, added in zip(ring[:-1], new[:-1], strict=True):
        array[places] = added[rows]
    ring.counters[:] += new.counters


class ReplayBuffer:
    """Positions of finished self-play games, one ring per worker that plays.

    A worker adds to its ring while it holds the ring's lock; minibatches are drawn from the last
    ``window`` positions of all rings together.

    Args:
        game: the game that is played.
        targets: the most moves that a search gives weights to, see
            :func:`crossplay.search.records.targets_wanted`.
        window: number of positions to draw from.
        batch_size: positions in a minibatch.
        symmetries: see each position through a random symmetry of the board and, once the swap offer is
            over, of the agents' names.
        rings: number of workers.

    Attributes:
        rings: the workers' records. One of several has room for twice its even share of the window: should
            it play still more than the others, its oldest positions leave the window early.
        locks: one for each ring.
        n_bytes: the memory that all rings take when they are full.
        mean_age: of the positions of the last minibatch, in positions played since; 0 before the first.
        aliased: share of their legal moves that share their action with another one.

    Raises:
        CrossplayError: the machine has not so much memory.
    """

    def __init__(
        self, game: Game, targets: int, window: int, batch_size: int, symmetries: bool, rings: int
    ) -> None:
        capacity = min(window, -(-2 * window // rings))
        self.n_bytes = rings * capacity * record_bytes(game, targets)
        check_memory(self.n_bytes, f"{window:,} positions for training", "choose a smaller window")
        self.rings = tuple(make_records(capacity, game, targets) for _ in range(rings))
        self.locks = tuple(threading.Lock() for _ in range(rings))
        self._game = game
        self._packing = record_packing(game)
        self._window = window
        self._symmetries = symmetries
        # Positions written per ring at earlier draws: tells where the window begins in each.
        self._marks: deque[np.ndarray] = deque([np.zeros(rings, np.int64)])
        self._batch = empty_minibatch(game, batch_size)
        self._state = np.zeros(game.tensor_size, np.int16)
        self.mean_age = self.aliased = 0.0

    def totals(self) -> np.ndarray:
        """Counters of all rings together, see :class:`crossplay.search.records.Records`."""
        return np.sum([ring.counters for ring in self.rings], axis=0)

    def sample(self, generator: np.random.Generator) -> Minibatch:
        """Draw a minibatch, with replacement, by ``generator`` alone.

        Returns:
            Arrays that the next call overwrites.

        Raises:
            ValueError: the buffer is empty.
        """
        written = np.array([ring.counters[POSITIONS] for ring in self.rings])
        first = self._window_start(written)
        size = len(self._batch.outcomes)
        ends = np.cumsum(written - first)
        drawn = np.sort(generator.integers(0, ends[-1], size))
        if self._symmetries:
            symmetries = generator.integers(0, len(self._game.encoding.cells), size)
            relabelled = generator.integers(0, 2, size)
        else:
            symmetries = relabelled = np.zeros(size, np.int64)
        splits = np.searchsorted(drawn, ends)
        self.mean_age = float((ends[np.searchsorted(ends, drawn, "right")] - drawn).mean()) * len(self.rings)
        start = n_moves = 0
        for i, (ring, lock) in enumerate(zip(self.rings, self.locks, strict=True)):
            part = slice(start, int(splits[i]))
            start = part.stop
            if part.start == part.stop:
                continue
            # Position number -> ring row; a row that has just been overwritten holds a newer position.
            rows = (drawn[part] - ends[i] + written[i]) % len(ring.outcome)
            with lock:
                n_moves += gather_minibatch(
                    self._game.encoding,
                    self._packing,
                    ring,
                    rows,
                    symmetries[part],
                    relabelled[part],
                    self._state,
                    *(array[part] for array in self._batch),
                )
        self.aliased = 1.0 - float(self._batch.legal.sum()) / n_moves
        return self._batch

    def _window_start(self, written: np.ndarray) -> np.ndarray:
        """The first position of each ring that is among the last ``window`` of all."""
        marks = self._marks
        if (written != marks[-1]).any():
            marks.append(written)
        oldest = written.sum() - self._window
        while len(marks) > 1 and marks[1].sum() <= oldest:
            marks.popleft()
        capacity = np.array([len(ring.outcome) for ring in self.rings])
        return np.maximum(marks[0], written - capacity)

    def arrays(self) -> dict[str, np.ndarray]:
        """Copies of all that :meth:`restore` needs."""
        arrays = {"marks": np.array(self._marks)}
        for i, (ring, lock) in enumerate(zip(self.rings, self.locks, strict=True)):
            with lock:
                filled = min(int(ring.counters[POSITIONS]), len(ring.outcome))
                for name, array in ring._asdict().items():
                    arrays[f"{i}.{name}"] = (array if name == "counters" else array[:filled]).copy()
        return arrays

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Take over what :meth:`arrays` returned.

        Raises:
            KeyError, ValueError: the arrays are those of another game or other settings.
        """
        self._marks = deque(arrays["marks"])
        for i, ring in enumerate(self.rings):
            for name, array in ring._asdict().items():
                stored = arrays[f"{i}.{name}"]
                array[: len(stored)] = stored
