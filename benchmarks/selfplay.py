"""Where the time of self-play goes, and what its options save; each figure beside what it should reach.

    python benchmarks/selfplay.py [--quick] [--only NAME ...] [--json]

What is compared is measured in turn, round after round; a ratio is the median of the rounds' ratios. Times
are those of the thread's processor, so that other work on the machine disturbs them little; on a GPU they are
those of the clock. The network of the default size is trained for a moment first, because a fresh one plays
games of another kind.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
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
        """Fill in constants."""
        priors[:] = 1.0
        values[:] = 0.0


class Player:
    """Games of one thread under way."""

    def __init__(self, game: Game, evaluator: Any, **changes: Any) -> None:
        self._settings = SelfPlaySettings(
            **{"noise_fraction": 0.0, "simulations": 40, "tree_reuse": False, **changes}
        )
        self._records = make_records(1000, game, targets_wanted(game, search_of(self._settings)))
        self._actor = Actor(
            game, self._settings, self._settings.games, self._records, threading.Lock(), seed=1
        )
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
        searches = simulations / self._settings.simulations
        return np.array([searches, simulations, played.evaluations, played.network, played.tree])


def rounds(players: Sequence[Player], batches: int, number: int, clock: Callable[[], float]) -> np.ndarray:
    """Let players play in turn.

    Returns:
        ``[rounds, players, 6]``: what each did in each round (:attr:`Player.done`), and the time it took.
    """
    for player in players:
        player.play(4 * batches)  # games of all lengths are under way afterwards
    found = np.empty((number, len(players), 6))
    for turn in range(number):
        for which, player in enumerate(players):
            before, start = player.done, clock()
            player.play(batches)
            found[turn, which] = [*(player.done - before), clock() - start]
    return found


def median_ratio(one: np.ndarray, other: np.ndarray) -> float:
    """The median of ratios by round."""
    return float(statistics.median(one / other))


def trained_network(game: Game, positions: int) -> PolicyValueNetwork:
    """The default network after a short training."""
    settings = TrainingSettings(positions=positions, snapshots=(), seed=1)
    with tempfile.TemporaryDirectory() as folder:
        result = train(game, settings, NetworkSettings(), Path(folder), show_progress=False)
        return load_model(result.model)[0]


def network_share(game: Game, network: PolicyValueNetwork, quick: bool) -> list[Row]:
    """The part of self-play that is spent in the network."""
    player = Player(game, Evaluator(network, game.state_shape), games=128)
    found = rounds([player], 40 if quick else 200, 5, time.thread_time)[:, 0]
    return [
        Row("network's share of self-play, Hex 7x7", 100 * found[:, 3].sum() / found[:, 3:5].sum(), "%", 92)
    ]


def search_alone(game: Game, network: PolicyValueNetwork, quick: bool) -> list[Row]:
    """Searches whose network costs nothing."""
    rows = []
    for name, chosen, aim in (
        ("Hex 7x7", game, 550.0),
        ("Breakthrough 8x8", load_game(*BREAKTHROUGH), 200.0),
    ):
        player = Player(chosen, FreeNetwork(), games=512)
        found = rounds([player], 40 if quick else 200, 5, time.thread_time)[:, 0]
        speed = max(found[:, 1] / found[:, 5]) / 1000
        rows.append(Row(f"search with a free network, {name}", speed, "k simulations/s", aim))
    return rows


def savings(game: Game, network: PolicyValueNetwork, quick: bool) -> list[Row]:
    """Evaluations that need not be made, and what that is worth."""
    evaluator = Evaluator(network, game.state_shape)
    players = [Player(game, evaluator, games=128, **changes) for changes in ({}, *SAVING.values())]
    found = rounds(players, 40 if quick else 200, 5, time.thread_time)
    per_search = found[:, :, 2].sum(0) / found[:, :, 0].sum(0)
    speed = found[:, :, 0] / found[:, :, 5]
    rows = [Row("evaluations of a position, 40 simulations", per_search[0], "")]
    for which, name in enumerate(SAVING, start=1):
        rows.append(Row(f"the same, {name}", per_search[which], ""))
        ratio = median_ratio(speed[:, which], speed[:, 0])
        rows.append(Row(f"positions/s, {name}", ratio, "times", 2.0 if name == "both" else None))
    return rows


def bare_loop(
    network: PolicyValueNetwork, game: Game, device: torch.device
) -> Callable[[torch.Tensor], None]:
    """The network as self-play computes it and nothing else."""
    model = channels_last(fold_batch_norm(network), device)

    def forward(batch: torch.Tensor) -> None:
        with torch.inference_mode():
            model(batch)

    return forward


def throughput(game: Game, network: PolicyValueNetwork, quick: bool) -> list[Row]:
    """Evaluations for self-play beside the bare network on a batch that lies ready."""
    rows = []
    cpu = torch.device("cpu")
    evaluator, forward = Evaluator(network, game.state_shape, cpu), bare_loop(network, game, cpu)
    for size in (64, 128, 512):
        states = (
            np.random.default_rng(0).integers(0, 2, (size, int(np.prod(game.state_shape)))).astype(np.float32)
        )
        batch = torch.from_numpy(states).view(-1, *game.state_shape)
        batch = batch.contiguous(memory_format=torch.channels_last)
        priors, values = np.empty((size, game.n_actions), np.float32), np.empty(size, np.float32)
        ratios = []
        for _ in range(20 if quick else 60):
            start = time.thread_time()
            forward(batch)
            middle = time.thread_time()
            evaluator.evaluate_into(states, priors, values)
            ratios.append((middle - start) / (time.thread_time() - middle))
        rows.append(
            Row(f"evaluator beside model(batch), {size} positions", statistics.median(ratios), "times", 0.95)
        )
    return rows


def on_gpu(game: Game, network: PolicyValueNetwork, quick: bool) -> list[Row]:
    """Self-play of a large network on a GPU beside the bare network there."""
    rows, device, size = [], torch.device("cuda"), 1024
    for name, choice in GPU_GAMES.items():
        chosen = load_game(*choice, hex="dense")
        large = new_network(model_header(chosen, NetworkSettings(blocks=10, width=64)), seed=1)
        forward = bare_loop(large, chosen, device)
        batch = torch.zeros(size, *chosen.state_shape, device=device)
        batch = batch.contiguous(memory_format=torch.channels_last)
        player = Player(chosen, Evaluator(large, chosen.state_shape, device), games=size)
        found = rounds([player], 40, 3, time.perf_counter)[:, 0]
        forward(batch)
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(40):
            forward(batch)
        torch.cuda.synchronize()
        bare = 40 * size / (time.perf_counter() - start)
        seconds = found[:, 5].sum()
        rows += [
            Row(f"{name} on {torch.cuda.get_device_name()}", found[:, 0].sum() / seconds, "positions/s"),
            Row(f"{name}", found[:, 1].sum() / seconds / 1000, "k simulations/s"),
            Row(
                f"{name}, evaluations beside the bare network",
                found[:, 2].sum() / seconds / bare,
                "times",
                0.8,
            ),
        ]
    return rows


PARTS: dict[str, Callable[[Game, PolicyValueNetwork, bool], list[Row]]] = {
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
    parser.add_argument("--quick", action="store_true", help="shorter measurements of a less trained network")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS), metavar="NAME",
                        help=f"any of: {', '.join(PARTS)}")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the rows as JSON at the end")
    arguments = parser.parse_args()
    parts = [name for name in arguments.only if name != "gpu" or torch.cuda.is_available()]
    game = load_game(*HEX, hex="dense")
    network = trained_network(game, 3_000 if arguments.quick else 20_000)
    torch.set_num_threads(1)
    rows = []
    for part in parts:
        for row in PARTS[part](game, network, arguments.quick):
            rows.append(row)
            aim = "" if row.aim is None else f"(aim {row.aim:g})"
            print(f"{row.name:<52}{row.value:>10.2f} {row.unit:<16}{aim}", flush=True)
    if arguments.json:
        print(json.dumps([row._asdict() for row in rows]))


if __name__ == "__main__":
    main()
