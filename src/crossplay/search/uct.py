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
from crossplay.games.state import APPLY, LEGAL, OUTCOME, SAMPLE, STATE
from crossplay.search.playout import play_out
from crossplay.search.results import SearchResults
from crossplay.search.steps import (
    backup_first,
    descend,
    expand_uniform,
    outcome_value,
    reset,
)
from crossplay.search.tree import (
    PARAMETERS,
    SLOTS,
    TREE,
    SearchParameters,
    Tree,
    make_tree,
    search_parameters,
)

if TYPE_CHECKING:
    from crossplay.games import Game


@njit(
    types.void(LEGAL, APPLY, SAMPLE, TREE, SLOTS, PARAMETERS, types.int64, types.int64, STATE),
    cache=True,
    nogil=True,
    error_model="numpy",
)
def uct_search(
    legal: Any,
    apply: Any,
    sample: Any,
    tree: Tree,
    slots: np.ndarray,
    parameters: SearchParameters,
    playouts: int,
    limit: int,
    state: np.ndarray,
) -> None:
    """Search the roots of ``slots`` one after the other; ``state`` is scratch space."""
    for slot in slots:
        reset(tree, slot)
        while tree.progress[slot].simulations < parameters.simulations:
            if not descend(apply, tree, slot, parameters):
                continue
            total = 0.0
            for _ in range(playouts):
                for i in range(state.shape[0]):
                    state[i] = tree.leaves[slot, i]
                play_out(apply, sample, state, tree.moves, tree.rng[slot], limit)
                total += outcome_value(state[OUTCOME])
            value = total / playouts
            expand_uniform(legal, tree, slot)
            backup_first(tree, slot, value)


class UctSearch(SearchResults):
    """UCT over several independent games.

    Args:
        game: the game to be searched.
        iterations: iterations per search.
        slots: number of games.
        playouts: random playouts per leaf, whose mean is its value.
        exploration: the constant c.
        selection: "puct" or "ucb1".
        playout_limit: moves after which a playout counts as a draw.
        streams: ``uint64[slots]`` random streams, or one seed for them all.

    Raises:
        CrossplayError: a value out of range.
    """

    def __init__(
        self,
        game: Game,
        iterations: int,
        slots: int,
        *,
        playouts: int = 10,
        exploration: float = 1.1,
        selection: str = "puct",
        playout_limit: int = 200,
        streams: np.ndarray | int = 0,
    ) -> None:
        for name, value in (("playouts", playouts), ("playout_limit", playout_limit)):
            if value < 1:
                raise CrossplayError(f"{name}: must be at least 1, got {value}")
        self.playouts, self.playout_limit = playouts, playout_limit
        parameters = search_parameters(iterations, exploration=exploration, selection=selection)
        super().__init__(game, parameters, make_tree(game, slots, iterations, streams))
        self._state = np.zeros(game.state_size, np.int16)

    def search(self, slots: np.ndarray, states: np.ndarray) -> None:
        """Search ``states int16[n, L]``, all of running games, in the given slots (distinct)."""
        slots = self.set_roots(slots, states)
        kernels = self.game.kernels
        uct_search(
            kernels.legal,
            kernels.apply,
            kernels.sample,
            self.tree,
            slots,
            self.parameters,
            self.playouts,
            self.playout_limit,
            self._state,
        )
