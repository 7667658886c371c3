"""An examination of one network: what it sees, what it says, and whether that makes sense."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import torch
from torch import nn

from crossplay.config import SelfPlaySettings
from crossplay.diagnosis.positions import Puzzle, legal_moves, puzzles, random_positions
from crossplay.games.tensors import action_index
from crossplay.networks import Evaluator, ModelHeader, PolicyValueNetwork
from crossplay.networks.calibration import calibration_bins, calibration_error
from crossplay.search.packing import pack_position
from crossplay.search.puct import BatchedSearch
from crossplay.search.records import GAMES, make_records, record_packing, targets_wanted
from crossplay.search.tree import search_parameters
from crossplay.selfplay import Actor, Minibatch, ReplayBuffer
from crossplay.selfplay.buffer import empty_minibatch, gather_minibatch
from crossplay.selfplay.parameters import search_of

if TYPE_CHECKING:
    from crossplay.games import Game

Mark = Literal["ok", "warn", "FAIL"]

POSITIONS = 256  # of random play
PUZZLE_GAMES = 150
SELF_PLAY = SelfPlaySettings(simulations=16, noise_fraction=0.0)
SLOTS = 32  # games side by side
SELF_PLAY_GAMES = 64  # finished ones that are enough
SELF_PLAY_STEPS = 12_000  # batches after which no more games are waited for
SAMPLE, SAMPLE_WINDOW = 1024, 20_000  # positions of these games
SIMULATIONS = 40
TINY = 1e-30

# Beyond these a finding is a warning.
MOST_ALIASED = 0.25  # share of moves that share their output with another one
MOST_SPREAD, MOST_DISTANCE = 0.75, 0.4  # of values and of policies over a position's symmetric images
MOST_ENTROPY, LEAST_ENTROPY = 0.97, 0.02  # in shares of a uniform policy's
MOST_MISCALIBRATION = 0.35
LEAST_SPREAD = 0.02  # standard deviation of values
LEAST_FOUND = 0.85  # share of puzzles that a search solves


class Finding(NamedTuple):
    """What one check found: ``FAIL`` for what is surely broken, ``warn`` for what looks wrong."""

    check: str
    mark: Mark
    text: str
    remedy: str = ""


def examine(game: Game, network: PolicyValueNetwork, header: ModelHeader, seed: int = 0) -> Iterator[Finding]:
    """Examine a network; what is broken beyond use ends the examination.

    Args:
        game: as the header says.
        network: on the CPU, in any mode; it is left as it is.
        header: of its file.
        seed: of the positions and games.
    """
    for finding in (check_channels(game, header), check_parameters(network)):
        yield finding
        if finding.mark == "FAIL":
            return
    rng = np.random.default_rng(seed)
    states = random_positions(game, POSITIONS, rng)
    images = images_of(game, states)
    planes = images[0].planes
    evaluate = Evaluator(network, game.state_shape)
    yield check_encoding(game, states, images)
    yield check_dead_channels(network, game, planes)
    yield check_inputs(network, game, planes)
    yield check_symmetry(game, evaluate, states, images)
    sample = self_play_sample(game, evaluate, seed)
    if sample is not None:
        yield check_policy(_logits(network, game, sample.planes), sample.legal)
        yield check_calibration(evaluate(sample.planes)[1], sample.outcomes)
    winning, saving = puzzles(game, PUZZLE_GAMES, rng)
    yield check_puzzles(game, evaluate, winning, "wins", "a move that wins at once")
    yield check_puzzles(game, evaluate, saving, "threats", "a move that does not lose")


def check_channels(game: Game, header: ModelHeader) -> Finding:
    """Whether the file's channels are those that the game has now."""
    for what, theirs, ours in (
        ("state", header.state_channels, game.state_channels),
        ("move", header.move_channels, game.move_channels),
    ):
        for number, (old, new) in enumerate(zip(theirs, ours, strict=False)):
            if old != new:
                text = f"{what} channel {number} was {old!r} in training and is {new!r} now"
                return Finding("channels", "FAIL", text, "the game's description has changed: train again")
        if len(theirs) != len(ours):
            text = f"{len(theirs)} {what} channels in training, {len(ours)} now"
            return Finding("channels", "FAIL", text, "the game's description has changed: train again")
    text = f"{len(game.state_channels)} of states and {len(game.move_channels)} of moves, as in training"
    return Finding("channels", "ok", text)


def check_parameters(network: PolicyValueNetwork) -> Finding:
    """Whether all parameters are numbers."""
    tensors = network.state_dict()
    for name, tensor in tensors.items():
        if not torch.isfinite(tensor.float()).all():
            text = f"{name} has values that are not finite"
            return Finding("parameters", "FAIL", text, "training diverged: lower learning_rate, train again")
    count = sum(parameter.numel() for parameter in network.parameters())
    return Finding("parameters", "ok", f"{count:,}, all finite")


def check_encoding(game: Game, states: list[np.ndarray], images: list[Minibatch]) -> Finding:
    """Whether training is shown of a position what playing is shown, and how many moves share an output."""
    n_moves = 0
    for state, planes, legal in zip(states, images[0].planes, images[0].legal, strict=True):
        moves = legal_moves(game, state)
        n_moves += len(moves)
        actions = sorted({game.action(move) for move in moves})
        if not np.array_equal(planes.reshape(game.state_shape), game.state_tensor(state)):
            text = "records show other planes than the positions that they were made of"
            return Finding("encoding", "FAIL", text, "report it with the game's description")
        if len(moves) <= game.usual_moves and actions != np.flatnonzero(legal).tolist():
            text = "records show other legal moves than the positions that they were made of"
            return Finding("encoding", "FAIL", text, "report it with the game's description")
    aliased = 1 - sum(float(legal.sum()) for legal in images[0].legal) / n_moves
    text = (
        f"{len(states)} positions are the same after recording; {100 * aliased:.1f}% of moves share outputs"
    )
    if aliased > MOST_ALIASED:
        return Finding("encoding", "warn", text, "so many moves cannot be told apart: expect weak play")
    return Finding("encoding", "ok", text)


def check_dead_channels(network: PolicyValueNetwork, game: Game, planes: np.ndarray) -> Finding:
    """Whether convolutions have outputs that never change, whatever the position."""
    ranges: dict[str, torch.Tensor] = {}
    model = copy.deepcopy(network).eval()
    for name, module in model.named_modules():
        if isinstance(module, nn.Conv2d):
            module.register_forward_hook(
                lambda _module, _inputs, output, name=name: ranges.update(
                    {name: output.amax((0, 2, 3)) - output.amin((0, 2, 3))}
                )
            )
    with torch.inference_mode():
        model(torch.from_numpy(planes).view(-1, *game.state_shape))
    dead = {name: int((found < 1e-6).sum()) for name, found in ranges.items()}
    count, total = sum(dead.values()), sum(len(found) for found in ranges.values())
    text = f"{count} of {total} outputs of convolutions never change"
    if count > total / 10:
        worst = max(dead, key=lambda name: dead[name] / len(ranges[name]))
        text += f", of {worst} {dead[worst]} of {len(ranges[worst])}"
        return Finding("dead channels", "warn", text, "lower learning_rate or weight_decay")
    return Finding("dead channels", "ok", text)


def check_inputs(network: PolicyValueNetwork, game: Game, planes: np.ndarray) -> Finding:
    """Whether the network looks at all channels that tell positions apart."""
    varied = np.ptp(planes.reshape(-1, *game.state_shape), axis=0).any((1, 2))
    first = next(module for module in network.modules() if isinstance(module, nn.Conv2d))
    seen = first.weight.detach().abs().amax((0, 2, 3)).numpy() > 0
    unseen = [game.state_channels[number] for number in np.flatnonzero(varied & ~seen)]
    if unseen:
        text = f"{len(unseen)} channels with information have no weights: {', '.join(unseen)}"
        return Finding(
            "inputs", "warn", text, "they had no counterpart in the source game: fine-tune the model"
        )
    return Finding("inputs", "ok", f"all {int(varied.sum())} channels with information have weights")


def check_symmetry(
    game: Game, evaluate: Evaluator, states: list[np.ndarray], images: list[Minibatch]
) -> Finding:
    """Whether a position is judged as its images under the board's symmetries."""
    if len(images) == 1:
        return Finding("symmetry", "ok", "the game has no symmetric positions")
    evaluated = [evaluate(image.planes) for image in images]
    spread = float(np.ptp([values for _, values in evaluated], axis=0).mean())
    distances = []
    for row, state in enumerate(states):
        actions = np.array(
            [
                [action_index(game.encoding, s, m) for m in legal_moves(game, state)]
                for s in range(len(images))
            ]
        )
        shares = np.array([priors[row][actions[s]] for s, (priors, _) in enumerate(evaluated)])
        # Beside illegal moves that it prefers by far, the legal ones may all be 0.
        shares = (shares + TINY) / (shares + TINY).sum(1, keepdims=True)
        distances.append(np.abs(shares[1:] - shares[0]).sum(1).mean() / 2)
    text = (
        f"values of a position's {len(images)} images spread over {spread:.2f}, policies differ by"
        f" {np.mean(distances):.2f} (total variation)"
    )
    if spread > MOST_SPREAD or np.mean(distances) > MOST_DISTANCE:
        return Finding("symmetry", "warn", text, "train with symmetries, or longer")
    return Finding("symmetry", "ok", text)


def check_policy(logits: np.ndarray, legal: np.ndarray) -> Finding:
    """Whether the policy prefers legal moves, and some of them to others."""
    shares = np.exp(logits - logits.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    on_legal = (shares * legal).sum(1)
    legal_logits = np.where(legal > 0, logits, -np.inf)
    among = np.exp(legal_logits - legal_logits.max(1, keepdims=True))
    among /= among.sum(1, keepdims=True)
    entropy = -np.sum(among * np.log(np.maximum(among, TINY)), 1)
    choices = legal.sum(1) > 1
    uniform = float((entropy[choices] / np.log(legal.sum(1)[choices])).mean()) if choices.any() else 0.0
    text = (
        f"{100 * on_legal.mean():.0f}% of the policy lies on legal moves; its entropy among them is"
        f" {100 * uniform:.0f}% of a uniform policy's"
    )
    if uniform > MOST_ENTROPY:
        return Finding(
            "policy", "warn", text, "it has no preferences: train longer, or with more simulations"
        )
    if uniform < LEAST_ENTROPY:
        remedy = "it has made up its mind: more noise_fraction or temperature_plies keep it looking"
        return Finding("policy", "warn", text, remedy)
    return Finding("policy", "ok", text)


def check_calibration(values: np.ndarray, outcomes: np.ndarray) -> Finding:
    """Whether games between the network and itself end as it expects."""
    error = calibration_error(calibration_bins(torch.from_numpy(values), torch.from_numpy(outcomes)))
    bias = float((values - outcomes).mean())
    spread = float(values.std())
    text = (
        f"over {len(values)} positions of its own games values are off by {error:.2f} (by {bias:+.2f} on"
        f" average) and vary by {spread:.2f}"
    )
    if error > MOST_MISCALIBRATION:
        remedy = (
            "values mislead the search: train longer, with more fresh positions or a smaller learning_rate"
        )
        return Finding("calibration", "warn", text, remedy)
    if spread < LEAST_SPREAD:
        return Finding("calibration", "warn", text, "all positions look alike to it: train longer")
    return Finding("calibration", "ok", text)


def check_puzzles(game: Game, evaluate: Evaluator, found: list[Puzzle], check: str, right: str) -> Finding:
    """Whether search and policy find the right moves of positions in which these are known."""
    if not found:
        return Finding(check, "ok", "no such positions among the ends of random games")
    states = np.array([puzzle.state for puzzle in found])
    slots = np.arange(len(found))
    search = BatchedSearch(game, search_parameters(SIMULATIONS), len(found))
    search.search(slots, states, evaluate)
    solved = np.mean([move in p.right for move, p in zip(search.choose(slots).tolist(), found, strict=True)])
    priors, _ = evaluate(np.array([game.state_tensor(state).ravel() for state in states]))
    by_policy, by_chance = [], []
    for puzzle, row in zip(found, priors, strict=True):
        best = max(puzzle.moves, key=lambda move: row[game.action(move)])
        by_policy.append(game.action(best) in {game.action(move) for move in puzzle.right})
        by_chance.append(len(puzzle.right) / len(puzzle.moves))
    policy, chance = np.mean(by_policy), np.mean(by_chance)
    text = (
        f"with {SIMULATIONS} simulations it finds {right} in {100 * solved:.0f}% of {len(found)} positions,"
        f" by its policy alone in {100 * policy:.0f}%, by chance in {100 * chance:.0f}%"
    )
    if solved < LEAST_FOUND or policy <= chance:
        return Finding(check, "warn", text, "it misses what is plain: train longer")
    return Finding(check, "ok", text)


def images_of(game: Game, states: list[np.ndarray]) -> list[Minibatch]:
    """Positions as training is shown them, under each symmetry of the board."""
    packing, n = record_packing(game), len(states)
    records = make_records(n, game, 1)
    for row, state in enumerate(states):
        moves = np.array(legal_moves(game, state), np.int64)
        pack_position(packing, state, moves, len(moves), records.packed[row])
    images = []
    rows, zeros = np.arange(n), np.zeros(n, np.int64)
    for symmetry in range(len(game.encoding.cells)):
        image = empty_minibatch(game, n)
        state = np.zeros(game.tensor_size, np.int16)
        gather_minibatch(
            game.encoding, packing, records, rows, np.full(n, symmetry), zeros, state, *image
        )  # fmt: skip
        images.append(image)
    return images


def self_play_sample(game: Game, evaluate: Evaluator, seed: int) -> Minibatch | None:
    """Positions of games that the network plays against itself; None if none of them ends."""
    targets = targets_wanted(game, search_of(SELF_PLAY))
    buffer = ReplayBuffer(game, targets, SAMPLE_WINDOW, SAMPLE, False, 1)
    actor = Actor(game, SELF_PLAY, SLOTS, buffer.rings[0], buffer.locks[0], seed)
    for _ in range(SELF_PLAY_STEPS):
        actor.play(evaluate)
        if buffer.totals()[GAMES] >= SELF_PLAY_GAMES:
            break
    return buffer.sample(np.random.default_rng(seed)) if buffer.totals()[GAMES] > 0 else None


def _logits(network: PolicyValueNetwork, game: Game, planes: np.ndarray) -> np.ndarray:
    with torch.inference_mode():
        model = copy.deepcopy(network).eval()
        logits, _ = model(torch.from_numpy(planes).view(-1, *game.state_shape))
    found: np.ndarray = logits.flatten(1).numpy()
    return found
