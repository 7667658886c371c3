"""Games that a search plays against itself, side by side, recorded for training.

One call of :func:`selfplay_step` moves every game on by as much as it can without the network: it takes
the evaluations of the leaves left by the call before, and per game expands, selects and, when a search is
complete, records the position, plays a move and starts the next search or game, until a leaf needs the
network again. So a batch always has exactly one row per game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit, types

from crossplay.errors import CrossplayError
from crossplay.games.state import AGENT, APPLY, LEGAL, OUTCOME, START
from crossplay.games.tensors import ENCODING, encode_state
from crossplay.search.packing import PACKING, Packing
from crossplay.search.playing import PLAY, PlayParameters, begin_game, choose_edge, next_turn, resigns
from crossplay.search.puct import accept_evaluation
from crossplay.search.records import (
    RECORDS,
    UNFINISHED,
    Records,
    Unfinished,
    make_unfinished,
    record_packing,
    record_position,
    targets_wanted,
    with_room,
)
from crossplay.search.root import root_targets
from crossplay.search.steps import descend, reset
from crossplay.search.tree import PARAMETERS, ROWS, TREE, VALUES, SearchParameters, Tree, make_tree

if TYPE_CHECKING:
    from crossplay.games import Game


@njit(
    types.void(
        START, LEGAL, APPLY, ENCODING, PACKING, TREE, UNFINISHED, RECORDS, PARAMETERS, PARAMETERS, PLAY,
        ROWS, VALUES, ROWS,
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
)  # fmt: skip
def selfplay_step(
    start: Any,
    legal: Any,
    apply: Any,
    encoding: Any,
    packing: Packing,
    tree: Tree,
    unfinished: Unfinished,
    records: Records,
    full: SearchParameters,
    fast: SearchParameters,
    play: PlayParameters,
    priors: np.ndarray,
    values: np.ndarray,
    batch: np.ndarray,
) -> None:
    """Move every game on until its next leaf awaits the network.

    Args:
        full, fast: the searches whose positions are recorded and the others, as each game's ``full_search``
            says.
        priors, values: ``float32[S, A]`` and ``float32[S]``, the evaluations of the rows of ``batch`` as the
            call before left them; ignored by the first call.
        batch: ``float32[S, C*X*Y]``, overwritten with the next leaves.
    """
    for slot in range(tree.roots.shape[0]):
        game = unfinished.games[slot]
        if game.plies < 0:
            begin_game(start, legal, apply, tree, slot, unfinished, records, play)
            next_turn(start, legal, apply, tree, slot, unfinished, records, play)
            reset(tree, slot)
        else:
            search = full if game.full_search else fast
            accept_evaluation(legal, encoding, tree, slot, priors, values, slot, search)
        while True:
            search = full if game.full_search else fast
            if tree.progress[slot].simulations >= search.simulations:
                # The search is done: it is recorded, a move is played, and the next search begins.
                root_targets(tree, slot, search)
                if game.full_search:
                    record_position(packing, tree, slot, unfinished)
                if resigns(tree, slot, unfinished, play):
                    tree.roots[slot, OUTCOME] = 3 - tree.roots[slot, AGENT]
                else:
                    edge = choose_edge(tree, slot, game.plies, play)
                    apply(tree.roots[slot], tree.edges[slot, edge].move)
                    game.plies += 1
                next_turn(start, legal, apply, tree, slot, unfinished, records, play)
                reset(tree, slot)
            elif descend(apply, tree, slot, search):
                break
        encode_state(encoding, 0, tree.leaves[slot], batch[slot])


class SelfPlay:
    """Games in progress and the search trees behind them; one object per thread.

    Args:
        game: the game to play.
        parameters: of the full searches, see :func:`crossplay.search.tree.search_parameters`.
        play: how games are played, see :func:`crossplay.search.playing.play_parameters`.
        slots: number of games side by side.
        seed: decides everything random here.
        fast_simulations: simulations of the fast searches, which have neither noise nor forced playouts.

    Attributes:
        batch: ``float32[slots, C*X*Y]``, the leaves that await an evaluation.

    Raises:
        CrossplayError: fewer than 2 or more than 65535 simulations, or more in fast searches, if there are
            any, than in full ones.
    """

    def __init__(
        self,
        game: Game,
        parameters: SearchParameters,
        play: PlayParameters,
        slots: int,
        seed: int,
        fast_simulations: int = 2,
    ) -> None:
        if play.full_search_share < 1 and not 2 <= fast_simulations <= parameters.simulations:
            raise CrossplayError(
                f"fast_simulations: must be from 2 to simulations ({parameters.simulations}), "
                f"got {fast_simulations}"
            )
        self.game, self._play = game, play
        self._full = parameters
        self._fast = parameters._replace(
            simulations=fast_simulations, noise_fraction=0.0, forced_playouts=0.0
        )
        self.batch = np.zeros((slots, int(np.prod(game.state_shape))), np.float32)
        self._tree = make_tree(game, slots, parameters.simulations, seed)
        targets = targets_wanted(game, parameters)
        self._packing = record_packing(game)
        self._unfinished = make_unfinished(slots, game, targets)

    def step(self, priors: np.ndarray, values: np.ndarray, records: Records) -> None:
        """Take the evaluations of ``batch`` (ignored the first time) and fill it with the next leaves.

        Args:
            priors: ``float32[slots, A]``, up to a factor per row.
            values: ``float32[slots]``, for the agent to move.
            records: where the positions of games that end are added.
        """
        # A game records at most one position, as the next one needs an evaluation first.
        self._unfinished = with_room(self._unfinished)
        kernels = self.game.kernels
        selfplay_step(
            kernels.start,
            kernels.legal,
            kernels.apply,
            self.game.encoding,
            self._packing,
            self._tree,
            self._unfinished,
            records,
            self._full,
            self._fast,
            self._play,
            priors,
            values,
            self.batch,
        )
