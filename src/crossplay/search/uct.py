"""Tree search whose leaves are valued by random playouts: the untrained opponent.

With PUCT selection (equal priors, c = 1.1, 10 playouts a leaf, playouts of over 200 moves drawn) it is
the opponent of Polygames' evaluation. With ``selection="ucb1"``, c = sqrt(2) and one playout it is the
textbook's UCT (Kocsis and Szepesvári 2006), for rewards in 0..1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit, types

from crossplay.errors import CrossplayError
from crossplay.games.state import APPLY, LEGAL, MOVE_LIST, OUTCOME, PLAYOUT, RANDOM_STATE, RUNNING, STATE
from crossplay.search.edges import step
from crossplay.search.root import pick, root_targets
from crossplay.search.steps import (
    backup_first,
    descend,
    expand_uniform,
    outcome_value,
    reset,
)
from crossplay.search.tree import (
    EXPONENTS,
    PARAMETERS,
    STATES,
    TREE,
    SearchParameters,
    Tree,
    make_tree,
    search_parameters,
)

if TYPE_CHECKING:
    from crossplay.games import Game


@step
def search_tree(
    legal: Any,
    apply: Any,
    playout: Any,
    tree: Tree,
    parameters: SearchParameters,
    playouts: int,
    limit: int,
    state: np.ndarray,
) -> None:
    """Search the root of slot 0; ``state`` is scratch space."""
    reset(tree, 0)
    while tree.progress[0].simulations < parameters.simulations:
        if not descend(apply, tree, 0, parameters):
            continue
        expand_uniform(legal, tree, 0)
        total = 0.0
        for number in range(playouts):
            position = tree.leaves[0]
            if number < playouts - 1:  # the last one may use the leaf up
                for i in range(state.shape[0]):
                    state[i] = position[i]
                position = state
            playout(position, tree.moves, tree.rng[0], limit)
            total += outcome_value(position[OUTCOME])
        backup_first(tree, 0, total / playouts)


@njit(
    types.void(
        LEGAL, APPLY, PLAYOUT, TREE, STATES, RANDOM_STATE, PARAMETERS, types.int64, types.int64, EXPONENTS,
        STATE, MOVE_LIST,
    ),
    cache=True,
    nogil=True,
    _nrt=False,
)  # fmt: skip
def uct_moves(
    legal: Any,
    apply: Any,
    playout: Any,
    tree: Tree,
    states: np.ndarray,
    streams: np.ndarray,
    parameters: SearchParameters,
    playouts: int,
    limit: int,
    exponents: np.ndarray,
    state: np.ndarray,
    chosen: np.ndarray,
) -> None:
    """Search every one of ``states`` in turn, with its own random stream, and write the move to play.

    ``state`` is scratch space.
    """
    for i in range(states.shape[0]):
        for j in range(states.shape[1]):
            tree.roots[0, j] = states[i, j]
        tree.rng[0, 0] = streams[i]
        search_tree(legal, apply, playout, tree, parameters, playouts, limit, state)
        root_targets(tree, 0, parameters)
        chosen[i] = tree.edges[0, pick(tree, 0, exponents[i])].move
        streams[i] = tree.rng[0, 0]


class UctSearch:
    """UCT. One tree serves any number of games in turn, as nothing is gained by searching them together.

    Args:
        game: the game to be searched.
        iterations: iterations per search.
        playouts: random playouts per leaf, whose mean is its value.
        exploration: the constant c.
        selection: "puct" or "ucb1".
        playout_limit: moves after which a playout counts as a draw.

    Attributes:
        tree: its only slot holds the last search.

    Raises:
        CrossplayError: a value out of range.
    """

    def __init__(
        self,
        game: Game,
        iterations: int,
        *,
        playouts: int = 10,
        exploration: float = 1.1,
        selection: str = "puct",
        playout_limit: int = 200,
    ) -> None:
        for name, value in (("playouts", playouts), ("playout_limit", playout_limit)):
            if value < 1:
                raise CrossplayError(f"{name}: must be at least 1, got {value}")
        self.game, self.playouts, self.playout_limit = game, playouts, playout_limit
        self.parameters = search_parameters(
            iterations, exploration=exploration, selection=selection, uniform=True
        )
        self.tree = make_tree(game, 1, iterations, 0)
        self._state = np.zeros(game.state_size, np.int16)

    def choose(
        self, states: np.ndarray, streams: np.ndarray, exponents: np.ndarray | float = 0.0
    ) -> np.ndarray:
        """Search positions and return the moves to play, ``int64[n]``.

        Args:
            states: ``int16[n, L]``, of running games.
            streams: ``uint64[n]`` random streams, advanced by the search.
            exponents: one for all or ``float64[n]``; 0 takes the most visited move, otherwise a move is
                drawn with probability proportional to its visits to that power.

        Raises:
            ValueError: a state of a finished game, which has no move to search for.
        """
        if (states[:, OUTCOME] != RUNNING).any():
            raise ValueError("a finished game cannot be searched")
        chosen = np.empty(len(states), np.int64)
        exponents = np.full(len(chosen), exponents, np.float64)
        kernels = self.game.kernels
        uct_moves(
            kernels.legal,
            kernels.apply,
            kernels.playout,
            self.tree,
            states,
            streams,
            self.parameters,
            self.playouts,
            self.playout_limit,
            exponents,
            self._state,
            chosen,
        )
        return chosen
