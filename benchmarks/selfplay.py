"""Where the time of self-play goes, and what its options save; each figure beside what it should reach.

    python benchmarks/selfplay.py [--quick] [--only NAME ...] [--json]

What is compared is measured in turn, round after round; a figure is the median of the rounds, of ratios the
median of the rounds' ratios. Times are the thread's on its processor, so that other work on the machine
disturbs them little; the share of the network and what a GPU does go by the clock. Where the games matter,
the network of the default size is trained for a moment first: a fresh one plays games of another kind. Games
are Hex 7x7 unless a row says otherwise. Without a GPU its part is left out.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from crossplay.config import NetworkSettings, SelfPlaySettings, TrainingSettings
from crossplay.games import Game, load_game
from crossplay.networks import Evaluator, PolicyValueNetwork, load_model
from crossplay.networks.inference import channels_last, fold_batch_norm
from crossplay.search.records import SIMULATIONS, make_records, targets_wanted
from crossplay.selfplay import Actor
from crossplay.selfplay.parameters import search_of
from crossplay.training import model_header, new_network, train

HEX, BREAKTHROUGH = ("Hex", ["Board Size/7x7"]), ("Breakthrough", [])
ROUNDS = 5
GPU_GAMES = {"Hex 11x11": ("Hex", ["Board Size/11x11"]), "Breakthrough 8x8": BREAKTHROUGH}
SAVING = {
    "subtree kept": {"tree_reuse": True},
    "cache of 32 MB": {"cache_megabytes": 32.0},
    "both": {"tree_reuse": True, "cache_megabytes": 32.0},
}


class Row(NamedTuple):
    """A figure, its unit and what it should be at least, if there is such an aim."""

    name: str
    value: float
    unit: str
    aim: float | None = None


class FreeNetwork:
    """Says the same of every position, at no cost."""

    def evaluate_into(self, batch: np.ndarray, priors: np.ndarray, values: np.ndarray) -> None:
        """Fill in constants, which stay."""
        if priors[0, 0] != 1.0:
            priors[:] = 1.0
            values[:] = 0.0


class Player:
    """Games of one thread under way."""

    def __init__(self, game: Game, evaluator: Any, games: int, **changes: Any) -> None:
        settings = SelfPlaySettings(**{"games": games, "simulations": 40, "tree_reuse": False, **changes})
        self._simulations = settings.simulations
        self._records = make_records(1000, game, targets_wanted(game, search_of(settings)))
        self._actor = Actor(game, settings, games, self._records, threading.Lock(), seed=1)
        self._evaluator = evaluator

    def play(self, batches: int) -> None:
        """Move every game on by so many evaluations."""
        for _ in range(batches):
            self._actor.play(self._evaluator)

    @property
    def done(self) -> np.ndarray:
        """Totals: complete searches, simulations, evaluations, seconds in the network and in the search."""
        simulations = self._records.counters[SIMULATIONS]
        played = self._actor.played
        searches = simulations / self._simulations
        return np.array([searches, simulations, played.evaluations, played.network, played.tree])


def rounds(players: Sequence[Player], batches: int) -> np.ndarray:
    """Let players play in turn.

    Returns:
        ``[ROUNDS, players, 6]``: what each did in each round (:attr:`Player.done`), and the time it took.
    """
    for player in players:
        player.play(4 * batches)  # games of all lengths are under way afterwards
    found = np.empty((ROUNDS, len(players), 6))
    for turn in range(ROUNDS):
        for which, player in enumerate(players):
            before, start = player.done, time.thread_time()
            player.play(batches)
            found[turn, which] = [*(player.done - before), time.thread_time() - start]
    return found


def batches_of(quick: bool) -> int:
    """Evaluations of each game in a round."""
    return 40 if quick else 200


@cache
def hex_game() -> Game:
    """The game of most figures."""
    return load_game(*HEX, hex="dense")


@cache
def trained_network(quick: bool) -> PolicyValueNetwork:
    """The default network after a short training."""
    settings = TrainingSettings(positions=1_500 if quick else 6_000, snapshots=(), seed=1)
    with tempfile.TemporaryDirectory() as folder:
        result = train(hex_game(), settings, NetworkSettings(), Path(folder), show_progress=False)
        return load_model(result.model)[0]


def network_share(quick: bool) -> list[Row]:
    """The part of self-play that is spent in the network."""
    game = hex_game()
    evaluator = Evaluator(trained_network(quick), game.state_shape)
    ways = {"every search from nothing": False, "subtree kept": True}
    players = [Player(game, evaluator, 128, tree_reuse=reuse) for reuse in ways.values()]
    found = rounds(players, batches_of(quick))
    shares = np.median(100 * found[:, :, 3] / found[:, :, 3:5].sum(2), axis=0)
    return [
        Row(f"share of the network, {name}", share, "%", 92) for name, share in zip(ways, shares, strict=True)
    ]


def search_alone(quick: bool) -> list[Row]:
    """Searches whose network costs nothing."""
    rows = []
    for name, game, aim in (
        ("Hex 7x7", hex_game(), 550.0),
        ("Breakthrough 8x8", load_game(*BREAKTHROUGH), 200.0),
    ):
        found = rounds([Player(game, FreeNetwork(), 512, noise_fraction=0.0)], batches_of(quick))[:, 0]
        speeds = found[:, 1] / found[:, 5] / 1000
        rows.append(Row(f"free network, {name}, best round", speeds.max(), "k simulations/s", aim))
        rows.append(Row(f"free network, {name}, median", np.median(speeds), "k simulations/s"))
    return rows


def savings(quick: bool) -> list[Row]:
    """Evaluations that need not be made, and what that is worth."""
    game = hex_game()
    evaluator = Evaluator(trained_network(quick), game.state_shape)
    players = [Player(game, evaluator, 128, **changes) for changes in ({}, *SAVING.values())]
    found = rounds(players, batches_of(quick))
    per_search = found[:, :, 2].sum(0) / found[:, :, 0].sum(0)
    speeds = found[:, :, 0] / found[:, :, 5]
    rows = [
        Row("evaluations of a position, 40 simulations", per_search[0], ""),
        Row("positions of a processor's second", np.median(speeds[:, 0]), "positions/s"),
    ]
    for which, name in enumerate(SAVING, start=1):
        times = np.median(speeds[:, which] / speeds[:, 0])
        rows.append(Row(f"evaluations of a position, {name}", per_search[which], ""))
        rows.append(Row(f"positions/s, {name}", times, "times", 2.0))
    return rows


def bare_loop(network: PolicyValueNetwork, device: torch.device) -> Callable[[torch.Tensor, int], None]:
    """The network as self-play computes it and nothing else, on so many rows of a batch at once."""
    model = channels_last(fold_batch_norm(network), device)

    def forward(batch: torch.Tensor, rows: int) -> None:
        with torch.inference_mode():
            for piece in batch.split(rows):
                model(piece)

    return forward


def throughput(quick: bool) -> list[Row]:
    """Evaluations for self-play beside the bare network on a batch that lies ready."""
    rows, game, cpu = [], hex_game(), torch.device("cpu")
    network = new_network(model_header(game, NetworkSettings()), seed=1)
    evaluator, forward = Evaluator(network, game.state_shape, cpu), bare_loop(network, cpu)
    random = np.random.default_rng(0)
    for size in (64, 128, 512):
        states = random.integers(0, 2, (size, int(np.prod(game.state_shape)))).astype(np.float32)
        batch = torch.from_numpy(states).view(-1, *game.state_shape)
        batch = batch.contiguous(memory_format=torch.channels_last)
        priors, values = np.empty((size, game.n_actions), np.float32), np.empty(size, np.float32)
        pieces = sorted({evaluator.rows_at_once(size), size})
        works = [partial(evaluator.evaluate_into, states, priors, values)]
        works += [partial(forward, batch, at_once) for at_once in pieces]
        took = np.empty((20 if quick else 60, len(works)))
        for work in works:
            work()
        for times in took:
            for which, work in enumerate(works):
                start = time.thread_time()
                work()
                times[which] = time.thread_time() - start
        ratios = np.median(took[:, 1:] / took[:, :1], axis=0)
        rows += [
            Row(f"evaluator beside model(batch), {size} by {at_once}", ratio, "times", 0.95)
            for at_once, ratio in zip(pieces, ratios, strict=True)
        ]
    return rows


def on_gpu(quick: bool) -> list[Row]:
    """Self-play of a large network on a GPU beside the bare network there."""
    rows, device, size, batches = [], torch.device("cuda"), 1024, batches_of(quick)
    for name, choice in GPU_GAMES.items():
        game = load_game(*choice, hex="dense")
        network = new_network(model_header(game, NetworkSettings(blocks=10, width=64)), seed=1)
        player = Player(game, Evaluator(network, game.state_shape, device), size)
        forward = bare_loop(network, device)
        batch = torch.zeros(size, *game.state_shape, device=device)
        batch = batch.contiguous(memory_format=torch.channels_last)
        player.play(4 * batches)
        forward(batch, size)
        found = np.empty((ROUNDS, 3))
        for turn in range(ROUNDS):
            before, start = player.done, time.perf_counter()
            player.play(batches)  # ends when its evaluations have arrived
            seconds = time.perf_counter() - start
            start = time.perf_counter()
            for _ in range(batches):
                forward(batch, size)
            torch.cuda.synchronize()
            bare = batches * size / (time.perf_counter() - start)
            searches, simulations, evaluations = (player.done - before)[:3] / seconds
            found[turn] = searches, simulations / 1000, evaluations / bare
        speed, simulations, ratio = np.median(found, axis=0)
        rows += [
            Row(f"{name} on {torch.cuda.get_device_name()}", speed, "positions/s"),
            Row(name, simulations, "k simulations/s"),
            Row(f"{name}, evaluations beside the bare network", ratio, "times", 0.8),
        ]
    return rows


PARTS: dict[str, Callable[[bool], list[Row]]] = {
    "share": network_share,
    "search": search_alone,
    "savings": savings,
    "throughput": throughput,
    "gpu": on_gpu,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="shorter measurements, of a network less trained"
    )
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS), metavar="NAME",
                        help=f"any of: {', '.join(PARTS)}")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the rows as JSON at the end")
    arguments = parser.parse_args()
    parts = [name for name in arguments.only if name != "gpu" or torch.cuda.is_available()]
    rows = []
    torch.set_num_threads(1)
    for part in parts:
        for row in PARTS[part](arguments.quick):
            rows.append(row)
            aim = "" if row.aim is None else f"(aim {row.aim:g})"
            print(f"{row.name:<52}{row.value:>10.2f} {row.unit:<16}{aim}", flush=True)
    if arguments.json:
        print(json.dumps([row._asdict() for row in rows]))


if __name__ == "__main__":
    main()
