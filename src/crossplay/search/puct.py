"""Tree search with a network, many games at a time so that the network sees full batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit, types

from crossplay.games.state import AGENT, APPLY, LEGAL, MOVE_LIST, OUTCOME, RUNNING
from crossplay.games.tensors import ENCODING, encode_state
from crossplay.search.root import pick, root_targets
from crossplay.search.steps import backup_first, descend, expand, reset
from crossplay.search.tree import (
    EXPONENTS,
    PARAMETERS,
    ROWS,
    SLOTS,
    TREE,
    VALUES,
    SearchParameters,
    Tree,
    make_tree,
)

if TYPE_CHECKING:
    from crossplay.games import Game

# batch float32[n, C*X*Y] -> (priors float32[n, A], values float32[n]); priors need not be normalised and
# values are for the agent to move.
Evaluate = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


@njit(nogil=True)
def accept_evaluation(
    legal: Any,
    encoding: Any,
    tree: Tree,
    slot: int,
    priors: np.ndarray,
    values: np.ndarray,
    row: int,
    parameters: SearchParameters,
) -> None:
    """End the simulation of a slot whose leaf was evaluated in row ``row``."""
    expand(legal, encoding, tree, slot, priors, row, parameters)
    value = float(values[row]) if tree.leaves[slot, AGENT] == 1 else -float(values[row])
    backup_first(tree, slot, value)


@njit(types.void(TREE, SLOTS), cache=True, nogil=True)
def reset_trees(tree: Tree, slots: np.ndarray) -> None:
    """Begin a search in every one of ``slots``."""
    for slot in slots:
        reset(tree, slot)


@njit(types.int64(APPLY, ENCODING, TREE, SLOTS, PARAMETERS, SLOTS, ROWS), cache=True, nogil=True)
def select_leaves(
    apply: Any,
    encoding: Any,
    tree: Tree,
    slots: np.ndarray,
    parameters: SearchParameters,
    waiting: np.ndarray,
    batch: np.ndarray,
) -> int:
    """Search on in every slot until it needs an evaluation or is done.

    Writes the slots that wait to ``waiting`` and their leaves' tensors to the rows of ``batch``.

    Returns:
        How many slots wait; 0 means that all searches are complete.
    """
    n = 0
    for slot in slots:
        while tree.progress[slot].simulations < parameters.simulations:
            if descend(apply, tree, slot, parameters):
                encode_state(encoding, 0, tree.leaves[slot], batch[n])
                waiting[n] = slot
                n += 1
                break
    return n


@njit(types.void(LEGAL, ENCODING, TREE, SLOTS, PARAMETERS, ROWS, VALUES), cache=True, nogil=True)
def expand_leaves(
    legal: Any,
    encoding: Any,
    tree: Tree,
    waiting: np.ndarray,
    parameters: SearchParameters,
    priors: np.ndarray,
    values: np.ndarray,
) -> None:
    """Give the slots in ``waiting`` the evaluations of the rows with the same number."""
    for row in range(waiting.shape[0]):
        accept_evaluation(legal, encoding, tree, waiting[row], priors, values, row, parameters)


@njit(types.void(TREE, SLOTS, PARAMETERS, EXPONENTS, MOVE_LIST), cache=True, nogil=True)
def choose_moves(
    tree: Tree, slots: np.ndarray, parameters: SearchParameters, exponents: np.ndarray, chosen: np.ndarray
) -> None:
    """Write the moves to play in searched slots, see :func:`crossplay.search.root.pick`."""
    for i in range(slots.shape[0]):
        root_targets(tree, slots[i], parameters)
        chosen[i] = tree.edges[slots[i], pick(tree, slots[i], exponents[i])].move


class BatchedSearch:
    """PUCT over several independent games; their roots are read by the functions on its ``tree``.

    Args:
        game: the game to be searched.
        parameters: see :func:`crossplay.search.tree.search_parameters`.
        slots: number of games.
        streams: ``uint64[slots]`` random streams, or one seed for them all.
    """

    def __init__(
        self, game: Game, parameters: SearchParameters, slots: int, streams: np.ndarray | int = 0
    ) -> None:
        self.game, self.parameters = game, parameters
        self.tree = make_tree(game, slots, parameters.simulations, streams)
        self._batch = np.zeros((slots, int(np.prod(game.state_shape))), np.float32)
        self._waiting = np.zeros(slots, np.int64)

    def search(self, slots: np.ndarray, states: np.ndarray, evaluate: Evaluate) -> None:
        """Search positions.

        Args:
            slots: ``int64[n]``, distinct.
            states: ``int16[n, L]``, of running games.
            evaluate: maps ``batch float32[m, C*X*Y]`` to ``(priors float32[m, A], values float32[m])``,
                priors up to a factor per row, values for the agent to move.

        Raises:
            ValueError: a state of a finished game, which has no move to search for.
        """
        if (states[:, OUTCOME] != RUNNING).any():
            raise ValueError("a finished game cannot be searched")
        self.tree.roots[slots] = states
        reset_trees(self.tree, slots)
        kernels, encoding = self.game.kernels, self.game.encoding
        while n := select_leaves(
            kernels.apply, encoding, self.tree, slots, self.parameters, self._waiting, self._batch
        ):
            priors, values = evaluate(self._batch[:n])
            expand_leaves(
                kernels.legal, encoding, self.tree, self._waiting[:n], self.parameters, priors, values
            )

    def choose(self, slots: np.ndarray, exponents: np.ndarray | float = 0.0) -> np.ndarray:
        """The moves to play, ``int64[n]``, in searched slots ``int64[n]``.

        An exponent (one for all or ``float64[n]``) of 0 takes the most visited move; otherwise a move is
        drawn with probability proportional to its visits to that power.
        """
        chosen = np.empty(len(slots), np.int64)
        exponents = np.full(len(chosen), exponents, np.float64)
        choose_moves(self.tree, slots, self.parameters, exponents, chosen)
        return chosen
