"""How self-play games are played beside the searches: starts, random moves, moves drawn, resignations.

The options of Polygames ("Polygames: Improved Zero Learning", Cazenave et al. 2020, and its code), and
playout-cap randomisation (Wu 2019, "Accelerating self-play learning in Go", section 3.1). What an option
decides at random is drawn from the slot's stream, and nothing is drawn for an option that is off.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import njit

from crossplay.errors import CrossplayError
from crossplay.games.random import below, uniform
from crossplay.games.state import AGENT, OUTCOME, RUNNING
from crossplay.search.records import GAMES, PLIES, Records, Unfinished, finish_game
from crossplay.search.root import pick
from crossplay.search.tree import Tree

turn = njit(nogil=True, error_model="numpy")


class PlayParameters(NamedTuple):
    """How games are played, as plain numbers for the kernels; made by :func:`play_parameters`."""

    temperature_plies: int
    polygames_sampling: bool
    random_movers: float
    random_starts: float
    resign_share: float
    resign_threshold: float
    resign_plies: int
    full_search_share: float


def play_parameters(
    temperature_plies: int = 10,
    *,
    sampling: str = "visits",
    random_movers: float = 0.0,
    random_starts: float = 0.0,
    resign_share: float = 0.0,
    resign_threshold: float = 0.95,
    resign_plies: int = 7,
    full_search_share: float = 1.0,
) -> PlayParameters:
    """Check and bundle the parameters of playing.

    Args:
        temperature_plies: at the first so many plies of a game moves are drawn, later the one of highest
            target is played.
        sampling: how they are drawn: "visits", in proportion to the targets, or "polygames", by weights
            ``exp(2 p^2) - (1 - 0.5 / m)`` for the share p of the targets and m legal moves.
        random_movers: the share of players that may move at random, each ply t of a game with probability
            ``4 / (t + 10)^2``. Nothing is searched or recorded there.
        random_starts: the share of games that begin with random moves, up to the average length of the games
            so far.
        resign_share: the share of games in which an agent resigns once its search has valued its position
            below ``-resign_threshold``, and the opponent's search theirs above ``resign_threshold``,
            ``resign_plies`` times in a row together. The other games are played to the end and tell how often
            resigning would have been wrong.
        full_search_share: the share of searches that are full and recorded; the others are fast.

    Raises:
        CrossplayError: a value out of range.
    """
    if sampling not in ("visits", "polygames"):
        raise CrossplayError(f"sampling: must be 'visits' or 'polygames', got {sampling!r}")
    shares = {"random_movers": random_movers, "random_starts": random_starts, "resign_share": resign_share}
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise CrossplayError(f"{name}: must be between 0 and 1, got {share}")
    if not 0 < full_search_share <= 1:
        raise CrossplayError(
            f"full_search_share: must be above 0 and at most 1 (only full searches are recorded), "
            f"got {full_search_share}"
        )
    if resign_plies < 1:
        raise CrossplayError(f"resign_plies: must be at least 1, got {resign_plies}")
    return PlayParameters(
        int(temperature_plies),
        sampling == "polygames",
        float(random_movers),
        float(random_starts),
        float(resign_share),
        float(resign_threshold),
        int(resign_plies),
        float(full_search_share),
    )


PLAY: Any = numba.typeof(play_parameters())


@turn
def happens(rng: np.ndarray, share: float) -> bool:
    """Whether something of this probability happens; nothing is drawn for 0 and 1."""
    return share >= 1.0 or (share > 0.0 and uniform(rng) < share)


@turn
def make_random_move(legal: Any, apply: Any, tree: Tree, slot: int, unfinished: Unfinished) -> None:
    """Make a legal move, each as likely as the others."""
    n_moves = legal(tree.roots[slot], tree.moves)
    apply(tree.roots[slot], tree.moves[below(tree.rng[slot], n_moves)])
    unfinished.games[slot].plies += 1


@turn
def begin_game(
    start: Any,
    legal: Any,
    apply: Any,
    tree: Tree,
    slot: int,
    unfinished: Unfinished,
    records: Records,
    play: PlayParameters,
) -> None:
    """Set up the next game in ``tree.roots[slot]`` and draw what is particular to it."""
    rng = tree.rng[slot]
    game = unfinished.games[slot]
    game.positions = game.agreed = game.losing = game.given_up = game.random_agents = 0
    game.may_resign = happens(rng, play.resign_share)
    for agent in range(1, 3):
        if happens(rng, play.random_movers):
            game.random_agents |= 1 << agent
    start(tree.roots[slot])
    game.plies = 0
    if happens(rng, play.random_starts):
        length = records.counters[PLIES] // max(records.counters[GAMES], 1)
        for _ in range(below(rng, max(length, 1))):
            make_random_move(legal, apply, tree, slot, unfinished)
            if tree.roots[slot, OUTCOME] != RUNNING:  # that was no start of a game
                start(tree.roots[slot])
                game.plies = 0
                break


@turn
def next_turn(
    start: Any,
    legal: Any,
    apply: Any,
    tree: Tree,
    slot: int,
    unfinished: Unfinished,
    records: Records,
    play: PlayParameters,
) -> bool:
    """Go on to the next position that is to be searched.

    A game that is over is recorded and another one begun; agents that move at random now do so.

    Returns:
        Whether anything happened: if not, the position is the one it was.
    """
    moved = False
    game = unfinished.games[slot]
    while True:
        if tree.roots[slot, OUTCOME] != RUNNING:
            finish_game(tree, slot, unfinished, records)
            begin_game(start, legal, apply, tree, slot, unfinished, records, play)
        elif game.random_agents >> tree.roots[slot, AGENT] & 1 and happens(
            tree.rng[slot], 4.0 / (game.plies + 10) ** 2
        ):
            make_random_move(legal, apply, tree, slot, unfinished)
        else:
            game.full_search = happens(tree.rng[slot], play.full_search_share)
            return moved
        moved = True


@turn
def resigns(tree: Tree, slot: int, unfinished: Unfinished, play: PlayParameters) -> bool:
    """Whether the agent to move resigns after its search; takes note of what the search thinks."""
    root = tree.nodes[slot, 0]
    game = unfinished.games[slot]
    value = root.mean if root.agent == 1 else -root.mean
    losing = 0
    if value < -play.resign_threshold:
        losing = root.agent
    elif value > play.resign_threshold:
        losing = 3 - root.agent
    if losing == 0 or losing != game.losing:
        game.agreed = 0
    game.losing = losing
    if losing == 0:
        return False
    game.agreed += 1
    if game.agreed < play.resign_plies or losing != root.agent:
        return False
    if game.given_up == 0:
        game.given_up = losing
    return game.may_resign


@turn
def choose_edge(tree: Tree, slot: int, ply: int, play: PlayParameters) -> int:
    """The root's edge to play at ply ``ply`` of the game, by the targets."""
    if ply < play.temperature_plies and play.polygames_sampling:
        return sample_polygames(tree, slot)
    return pick(tree, slot, 1.0 if ply < play.temperature_plies else 0.0)


@turn
def sample_polygames(tree: Tree, slot: int) -> int:
    """Draw one of the root's edges as Polygames does, see :func:`play_parameters`.

    Polygames draws among the moves up to the last one visited in the order of the rules; here among all.
    """
    root = tree.nodes[slot, 0]
    sum_of_targets = np.float32(0.0)
    for i in range(root.n_edges):
        sum_of_targets += tree.targets[i]
    floor = 0.5 / root.n_edges
    total = 0.0
    for i in range(root.n_edges):
        total += math.exp(2.0 * (tree.targets[i] / sum_of_targets) ** 2) - 1.0 + floor
    rest = uniform(tree.rng[slot]) * total
    for i in range(root.n_edges):
        rest -= math.exp(2.0 * (tree.targets[i] / sum_of_targets) ** 2) - 1.0 + floor
        if rest < 0.0:
            return root.first_edge + i
    return root.first_edge
