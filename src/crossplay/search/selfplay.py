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
from crossplay.search.cache import (
    CACHE,
    EvaluationCache,
    make_cache,
    position_key,
    remember,
    remembered,
)
from crossplay.search.gumbel import improved_policy, winner
from crossplay.search.packing import PACKING, Packing
from crossplay.search.playing import PLAY, PlayParameters, begin_game, choose_edge, next_turn, resigns, turn
from crossplay.search.puct import accept_evaluation
from crossplay.search.records import (
    RECORDS,
    SIMULATIONS,
    UNFINISHED,
    Records,
    Unfinished,
    make_unfinished,
    record_packing,
    record_position,
    targets_wanted,
    with_room,
)
from crossplay.search.reuse import keep_subtree
from crossplay.search.root import root_targets
from crossplay.search.steps import descend, reset
from crossplay.search.tree import PARAMETERS, ROWS, TREE, VALUES, SearchParameters, Tree, make_tree

if TYPE_CHECKING:
    from crossplay.games import Game


# Positions known to the cache after which a game waits for the others: of a small game it may know all.
MOST_REMEMBERED = 64


@turn
def play_move(
    start: Any,
    legal: Any,
    apply: Any,
    packing: Packing,
    tree: Tree,
    slot: int,
    unfinished: Unfinished,
    records: Records,
    full: SearchParameters,
    fast: SearchParameters,
    play: PlayParameters,
) -> None:
    """Record what a complete search has found, play a move, and begin the next search."""
    game = unfinished.games[slot]
    search = full if game.full_search else fast
    records.counters[SIMULATIONS] += tree.progress[slot].simulations
    if search.considered > 0:
        improved_policy(tree, slot, search)
    else:
        root_targets(tree, slot, search)
    if game.full_search:
        record_position(packing, tree, slot, unfinished)
    edge = 0
    if resigns(tree, slot, unfinished, play):
        tree.roots[slot, OUTCOME] = 3 - tree.roots[slot, AGENT]
    else:
        if search.considered > 0:
            edge = winner(tree, slot, search)
        else:
            edge = choose_edge(tree, slot, game.plies, play)
        apply(tree.roots[slot], tree.edges[slot, edge].move)
        game.plies += 1
    moved_on = next_turn(start, legal, apply, tree, slot, unfinished, records, play)
    search = full if game.full_search else fast
    if moved_on or not (search.tree_reuse and keep_subtree(tree, slot, edge, search)):
        reset(tree, slot)


@njit(
    types.void(
        START, LEGAL, APPLY, ENCODING, PACKING, TREE, UNFINISHED, RECORDS, PARAMETERS, PARAMETERS, PLAY,
        CACHE, types.Array(types.uint64, 1, "C"), ROWS, VALUES, ROWS,
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
    cache: EvaluationCache,
    waiting: np.ndarray,
    priors: np.ndarray,
    values: np.ndarray,
    batch: np.ndarray,
) -> None:
    """Move every game on until its next leaf awaits the network.

    A game also stops when it has no room for another position, or has met :data:`MOST_REMEMBERED` positions
    that the cache knows: then its row of the batch stays what it was and its evaluation is ignored.

    Args:
        full, fast: the searches whose positions are recorded and the others, as each game's ``full_search``
            says.
        waiting: ``uint64[S]``, keys of the leaves in ``batch``, or 0 for games without one.
        priors, values: ``float32[S, A]`` and ``float32[S]``, the evaluations of the rows of ``batch`` as the
            call before left them; ignored by the first call.
        batch: ``float32[S, C*X*Y]``, overwritten with the next leaves.
    """
    room = unfinished.root_value.shape[1]
    for slot in range(tree.roots.shape[0]):
        game = unfinished.games[slot]
        if game.plies < 0:
            begin_game(start, legal, apply, tree, slot, unfinished, records, play)
            next_turn(start, legal, apply, tree, slot, unfinished, records, play)
            reset(tree, slot)
        elif waiting[slot] != 0:
            search = full if game.full_search else fast
            remember(cache, waiting[slot], priors, values, slot)
            accept_evaluation(legal, encoding, tree, slot, priors, values, slot, search)
        waiting[slot] = 0
        known = 0
        while known < MOST_REMEMBERED:
            search = full if game.full_search else fast
            if tree.progress[slot].simulations >= search.simulations:
                if game.positions == room:
                    break
                play_move(start, legal, apply, packing, tree, slot, unfinished, records, full, fast, play)
            elif descend(apply, tree, slot, search):
                key = position_key(cache, tree.leaves[slot])
                entry = remembered(cache, key)
                if entry < 0:
                    waiting[slot] = key
                    encode_state(encoding, 0, tree.leaves[slot], batch[slot])
                    break
                accept_evaluation(legal, encoding, tree, slot, cache.priors, cache.values, entry, search)
                known += 1


class SelfPlay:
    """Games in progress and the search trees behind them; one object per thread.

    Args:
        game: the game to play.
        parameters: of the full searches, see :func:`crossplay.search.tree.search_parameters`.
        play: how games are played, see :func:`crossplay.search.playing.play_parameters`.
        slots: number of games side by side.
        seed: decides everything random here.
        fast_simulations: simulations of the fast searches, which have neither noise nor forced playouts.
        cache_megabytes: memory for evaluations that may be met again.

    Attributes:
        batch: ``float32[slots, C*X*Y]``, the leaves that await an evaluation.
        evaluations: rows of batches so far that held a leaf.

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
        cache_megabytes: float = 0.0,
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
        self.evaluations = 0
        self._waiting = np.zeros(slots, np.uint64)
        self._cache = make_cache(game, cache_megabytes)
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
            self._cache,
            self._waiting,
            priors,
            values,
            self.batch,
        )
        self.evaluations += int(np.count_nonzero(self._waiting))

    def forget_evaluations(self) -> None:
        """Empty the cache: the network has changed."""
        self._cache.keys[:] = 0
