"""How fast games, searches and self-play run on this machine.

    python benchmarks/speed.py [--quick] [--threads 2] [--json]

Every figure is the best of several short measurements; those to be compared are taken in turn. Rates are
per second of CPU time, so that other work on the machine disturbs them little. Of several threads two
figures say how they compare with one: *wall*, the ratio of work done per second on the clock (as many as
there are threads, at best, on a machine with nothing else to do), and *efficiency*, the ratio of work done
per second of CPU time (1 at best).
"""

from __future__ import annotations

import argparse
import json
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from crossplay.config import NetworkSettings, SelfPlaySettings
from crossplay.games import Game, load_game
from crossplay.games.random import seed_streams
from crossplay.search.playing import play_parameters
from crossplay.search.playout import random_playouts
from crossplay.search.records import make_records
from crossplay.search.selfplay import SelfPlay
from crossplay.search.tree import search_parameters
from crossplay.search.uct import UctSearch

GAMES = {
    "Tic-Tac-Toe": ("Tic-Tac-Toe", []),
    "Gomoku 15x15": ("Gomoku", ["Board Size/15x15"]),
    "Hex 7x7": ("Hex", ["Board Size/7x7"]),
    "Hex 11x11": ("Hex", ["Board Size/11x11"]),
    "Diagonal Hex 11x11": ("Diagonal Hex", ["Board Size/11x11"]),
}
SIMULATIONS = 40


class Rates(NamedTuple):
    """Work per second, of CPU time and on the clock."""

    cpu: float
    wall: float


def rates(work: Callable[[], float]) -> Rates:
    """Time ``work``, which returns how much it did."""
    cpu, wall = time.process_time(), time.perf_counter()
    amount = work()
    return Rates(amount / (time.process_time() - cpu), amount / (time.perf_counter() - wall))


def best_rates(works: list[Callable[[], float]], repeats: int) -> list[Rates]:
    """The highest rates of each kind of work in so many rounds."""
    rounds = [[rates(work) for work in works] for _ in range(repeats)]
    return [
        Rates(max(r.cpu for r in measured), max(r.wall for r in measured))
        for measured in zip(*rounds, strict=True)
    ]


def compare_threads(one: Rates, several: Rates, threads: int) -> dict[str, float]:
    """The part of a table's row about several threads."""
    return {"threads": threads, "wall": several.wall / one.wall, "efficiency": several.cpu / one.cpu}


def repeated(seconds: float, work: Callable[[], float]) -> float:
    """Do ``work`` over and over for so long; returns how much was done in all."""
    amount, end = 0.0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        amount += work()
    return amount


def together(works: list[Callable[[], float]]) -> float:
    """Do each work in a thread of its own; returns how much was done in all."""
    with ThreadPoolExecutor(len(works)) as pool:
        return sum(pool.map(lambda work: work(), works))


def playouts(games: dict[str, Game], threads: int, seconds: float, repeats: int) -> dict[str, Any]:
    """Random moves per second by one thread and by several."""
    table = {}
    for name, game in games.items():
        random_playouts(game, 100, 1)
        n = max(100, int(2_000 * seconds / random_playouts(game, 2_000, 1).seconds))
        one, several = best_rates(
            [lambda g=game, k=k, n=n: random_playouts(g, k * n, 1, k).moves for k in (1, threads)], repeats
        )
        table[name] = {"moves_per_second": one.cpu, **compare_threads(one, several, threads)}
    return table


def uct(games: dict[str, Game], threads: int, seconds: float, repeats: int) -> dict[str, Any]:
    """UCT iterations per second from the start position; several threads play 1 playout a leaf."""

    def work(game: Game, playouts: int) -> Callable[[], float]:
        search, state = UctSearch(game, 2_000, playouts=playouts), game.new_state()[np.newaxis]

        def iterate() -> float:
            search.choose(state, seed_streams(1, 1))
            return search.parameters.simulations

        return lambda: repeated(seconds, iterate)

    table = {}
    for name, game in games.items():
        teams = [[work(game, 1)], [work(game, 10)], [work(game, 1) for _ in range(threads)]]
        one, ten, several = best_rates([lambda team=team: together(team) for team in teams], repeats)
        table[name] = {
            "playouts_1": one.cpu,
            "playouts_10": ten.cpu,
            **compare_threads(one, several, threads),
        }
    return table


def free_network(
    game: Game, slots: int, simulations: int, threads: int, seconds: float, repeats: int
) -> dict[str, Any]:
    """Microseconds per simulation of PUCT self-play when the network costs nothing; slots are per thread."""
    rng = np.random.default_rng(0)
    priors = np.exp(rng.normal(size=(slots, game.n_actions))).astype(np.float32)
    values = rng.uniform(-0.3, 0.3, slots).astype(np.float32)

    def work(seed: int) -> Callable[[], float]:
        games = SelfPlay(
            game, search_parameters(simulations, noise_fraction=0.25), play_parameters(10), slots, seed
        )
        records = make_records(10_000, game, min(simulations, game.usual_moves))

        def step() -> float:
            games.step(priors, values, records)
            return slots

        return lambda: repeated(seconds, step)

    teams = [[work(1)], [work(seed) for seed in range(threads)]]
    for team in teams:
        together(team)  # games of all lengths are under way afterwards
    one, several = best_rates([lambda team=team: together(team) for team in teams], repeats)
    return {"microseconds": 1e6 / one.cpu, **compare_threads(one, several, threads)}


def self_play(game: Game, threads: int, seconds: float, repeats: int) -> dict[str, Any]:
    """Self-play with an untrained network of the default size; SIMULATIONS evaluations make a position."""
    import torch

    from crossplay.networks import Evaluator, build_network
    from crossplay.selfplay import Actor

    torch.set_num_threads(1)
    torch.manual_seed(1)
    network = NetworkSettings()
    evaluator = Evaluator(
        build_network(
            network.architecture,
            game.state_shape[0],
            game.move_shape[0],
            game.state_shape[1:],
            network.model_dump(exclude={"architecture"}),
        ),
        game.state_shape,
    )
    settings = SelfPlaySettings(simulations=SIMULATIONS, tree_reuse=False)

    def make_actors(count: int) -> list[Actor]:
        return [
            Actor(
                game,
                settings,
                settings.games // count,
                make_records(10_000, game, min(SIMULATIONS, game.usual_moves)),
                threading.Lock(),
                seed,
            )
            for seed in range(count)
        ]

    def play(actors: list[Actor]) -> float:
        def work(actor: Actor) -> Callable[[], float]:
            def batch() -> float:
                actor.play(evaluator)
                return settings.games / len(actors) / SIMULATIONS

            return lambda: repeated(seconds, batch)

        return together([work(actor) for actor in actors])

    teams = [make_actors(1), make_actors(threads)]
    play(teams[0])
    one, several = best_rates([lambda team=team: play(team) for team in teams], repeats)
    (actor,) = teams[0]
    return {
        "positions_per_second": one.cpu,
        **compare_threads(one, several, threads),
        "network_share": actor.played.network / (actor.played.network + actor.played.tree),
    }


def measure(threads: int, quick: bool) -> dict[str, Any]:
    """All figures."""
    seconds, repeats = (0.15, 3) if quick else (0.5, 5)
    games = {name: load_game(game, options, hex="dense") for name, (game, options) in GAMES.items()}
    hex7 = games["Hex 7x7"]
    return {
        "cores": os.cpu_count(),
        "playouts": playouts(games, threads, seconds, repeats),
        "uct_iterations_per_second": uct(games, threads, seconds, repeats),
        "search_microseconds_per_simulation": {
            f"Hex 7x7, {simulations} simulations, {slots} games": free_network(
                hex7, slots, simulations, threads, seconds, repeats
            )
            for simulations, slots in ((SIMULATIONS, 512), (SIMULATIONS, 64), (800, 64))
        },
        "self_play_hex7": self_play(hex7, threads, 4 * seconds, repeats),
    }


def show(figures: dict[str, Any]) -> None:
    """Print the figures as plain text."""

    def of_threads(row: dict[str, Any]) -> str:
        return f"{row['threads']} threads: wall x {row['wall']:.2f}, efficiency {row['efficiency']:.2f}"

    print(f"Random moves per second, 1 thread ({figures['cores']} cores)")
    for name, row in figures["playouts"].items():
        print(f"  {name:20} {row['moves_per_second']:>12,.0f}   {of_threads(row)}")
    print("UCT iterations per second, 1 thread, with 1 and with 10 playouts a leaf")
    for name, row in figures["uct_iterations_per_second"].items():
        print(f"  {name:20} {row['playouts_1']:>12,.0f} {row['playouts_10']:>12,.0f}   {of_threads(row)}")
    print("PUCT with a free network, microseconds per simulation, 1 thread")
    for name, row in figures["search_microseconds_per_simulation"].items():
        print(f"  {name:40} {row['microseconds']:.2f}   {of_threads(row)}")
    row = figures["self_play_hex7"]
    print(f"Self-play positions per second, Hex 7x7, {SIMULATIONS} simulations, default network, 1 thread")
    print(f"  {row['positions_per_second']:,.0f}   {of_threads(row)}")
    print(f"  share of the network: {row['network_share']:.0%}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="half a minute instead of two")
    parser.add_argument("--threads", type=int, default=2, help="threads to compare with one (default 2)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    figures = measure(arguments.threads, arguments.quick)
    if arguments.json:
        print(json.dumps(figures))
    else:
        show(figures)


if __name__ == "__main__":
    main()
