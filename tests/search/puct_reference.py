"""PUCT written straight from its equations, in slow plain Python, and a network that is only a hash."""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np

from crossplay.games.kernels import call_action, call_apply, call_encode, call_legal, call_start
from crossplay.games.state import AGENT, DRAW, OUTCOME, RUNNING


def hash_network(n_actions: int):
    """An evaluator whose answer to a position is drawn from a generator seeded by the position."""

    def evaluate(batch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        priors = np.empty((len(batch), n_actions), np.float32)
        values = np.empty(len(batch), np.float32)
        for i, row in enumerate(batch):
            rng = np.random.default_rng(zlib.crc32(row.tobytes()))
            priors[i] = np.exp(rng.normal(size=n_actions))
            values[i] = rng.uniform(-0.9, 0.9)
        return priors, values

    return evaluate


def new_state(game: Any) -> np.ndarray:
    state = np.zeros(game.state_size, np.int16)
    call_start(game.kernels.start, state)
    return state


def legal_moves(game: Any, state: np.ndarray) -> list[int]:
    moves = np.zeros(game.max_moves, np.int64)
    return moves[: call_legal(game.kernels.legal, state, moves)].tolist()


def after(game: Any, state: np.ndarray, move: int) -> np.ndarray:
    state = state.copy()
    call_apply(game.kernels.apply, state, move)
    return state


def random_state(game: Any, plies: int, seed: int) -> np.ndarray:
    """A position of a running game after at most so many random moves."""
    rng = np.random.default_rng(seed)
    state = new_state(game)
    for _ in range(plies):
        following = after(game, state, int(rng.choice(legal_moves(game, state))))
        if following[OUTCOME] != RUNNING:
            break
        state = following
    return state


class Node:
    def __init__(self, state: np.ndarray) -> None:
        self.state = state
        self.n = 0
        self.w = 0.0  # from agent 1's view
        self.first_value: float | None = None
        self.priors: dict[int, float] | None = None
        self.children: dict[int, Node] = {}


def reference_search(
    game: Any,
    state: np.ndarray,
    evaluate: Any,
    simulations: int,
    exploration: float,
    reduction: float | None = None,
    forced: float = 0.0,
) -> Node:
    """Search and return the root; ``reduction`` None means Polygames' first-play value."""
    root = Node(state)
    for _ in range(simulations):
        path = [root]
        while path[-1].priors is not None and path[-1].state[OUTCOME] == RUNNING:
            node = path[-1]
            move = select(node, exploration, reduction, forced * simulations if node is root else 0.0)
            if move not in node.children:
                node.children[move] = Node(after(game, node.state, move))
            path.append(node.children[move])
        value = expand_and_evaluate(game, path[-1], evaluate)
        if path[-1].first_value is None:
            path[-1].first_value = value
        for node in path:
            node.n += 1
            node.w += value
    return root


def select(node: Node, exploration: float, reduction: float | None, forced: float) -> int:
    sign = 1 if node.state[AGENT] == 1 else -1
    for move, child in node.children.items():
        if child.n < math.floor(math.sqrt(forced * node.priors[move])):
            return move
    seen = [child.first_value for child in node.children.values()]
    if reduction is None:
        first_play = sign * sum(seen) / len(seen) if seen else 0.0
    else:
        first_play = sign * node.w / node.n - reduction

    def score(move: int) -> float:
        child = node.children.get(move)
        q = sign * child.w / child.n if child else first_play
        return q + exploration * node.priors[move] * math.sqrt(node.n) / (1 + (child.n if child else 0))

    return max(node.priors, key=score)


def expand_and_evaluate(game: Any, node: Node, evaluate: Any) -> float:
    outcome = node.state[OUTCOME]
    if outcome != RUNNING:
        return 0.0 if outcome == DRAW else 1.0 if outcome == 1 else -1.0
    planes = np.zeros((1, int(np.prod(game.state_shape))), np.float32)
    call_encode(game.encoding, node.state, planes[0])
    (weights,), (value,) = evaluate(planes)
    actions = {move: int(call_action(game.encoding, move)) for move in legal_moves(game, node.state)}
    total = sum(float(weights[action]) for action in set(actions.values()))
    node.priors = {move: float(weights[action]) / total for move, action in actions.items()}
    return float(value) if node.state[AGENT] == 1 else -float(value)
