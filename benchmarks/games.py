"""How fast the games are: random play beside Ludii's, UCT beside OpenSpiel's hand-written games.

    python benchmarks/games.py [GAME ...] [--seconds 1] [--compile] [--json]

GAME is an id of the tables below, such as ``chess``; all by default. Rates are per second of one thread's CPU
time, the best of several short measurements. The figures of Ludii and of OpenSpiel are kept in
``peers.json``, which says how they were taken; where the Python package ``open_spiel`` is installed its
searches are measured again, in turn with ours, so that both see the same machine. ``--compile`` also times
compiling each game with an empty cache, and loading it from the cache, each in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from crossplay.games import Game, load_game
from crossplay.games.random import seed_streams
from crossplay.search.playout import random_playouts
from crossplay.search.uct import UctSearch

GAMES: dict[str, tuple[str, list[str]]] = {
    "tictactoe": ("Tic-Tac-Toe", []),
    "connectfour": ("Connect Four", []),
    "connectfour-2d": ("Connect Four", ["Modelisation/2D"]),
    "hex-7": ("Hex", ["Board Size/7x7"]),
    "hex-11": ("Hex", ["Board Size/11x11"]),
    "havannah-8": ("Havannah", ["Board Size/8x8"]),
    "gomoku-15": ("Gomoku", ["Board Size/15x15"]),
    "yavalath-5": ("Yavalath", ["Board Size/5x5"]),
    "breakthrough-square8": ("Breakthrough", ["Board Size/8x8", "Board/Square"]),
    "reversi-8": ("Reversi", ["Board Size/8x8"]),
    "amazons": ("Amazons", []),
    "konane-8": ("Konane", ["Board Size/8x8"]),
    "go-9": ("Go", ["Board Size/9x9"]),
    "chess": ("Chess", []),
    "shogi": ("Shogi", []),
}
OPENSPIEL = {
    "tictactoe": "tic_tac_toe",
    "connectfour": "connect_four",
    "hex-7": "hex(board_size=7)",
    "hex-11": "hex(board_size=11)",
    "havannah-8": "havannah(board_size=8)",
    "breakthrough-square8": "breakthrough",
    "reversi-8": "othello",
    "amazons": "amazons",
    "go-9": "go(board_size=9)",
    "chess": "chess",
}
EXPLORATION = 1.4
REPEATS = 3


def best_rate(works: list[Callable[[], float]], seconds: float) -> list[float]:
    """The highest rate per CPU second of each kind of work, taken in turn."""
    best = [0.0] * len(works)
    for _ in range(REPEATS):
        for i, work in enumerate(works):
            amount, began, end = 0.0, time.process_time(), time.perf_counter() + seconds / REPEATS
            while time.perf_counter() < end:
                amount += work()
            best[i] = max(best[i], amount / (time.process_time() - began))
    return best


def random_play(game: Game, seconds: float) -> float:
    """Random moves per CPU second."""
    seed = iter(range(1_000_000))
    n = 1
    while (took := random_playouts(game, n, next(seed)).seconds) < seconds / 20 and n < 100_000:
        n *= 2 if took > seconds / 100 else 8
    return best_rate([lambda: random_playouts(game, n, next(seed)).moves], seconds)[0]


def uct(name: str, game: Game, seconds: float) -> tuple[float, float | None]:
    """Iterations per CPU second from the start position, ours and OpenSpiel's if it is installed."""
    iterations = 100 if name == "chess" else 2_000
    search = UctSearch(game, iterations, playouts=1)
    state = game.new_state()[np.newaxis]
    seed = iter(range(1_000_000))

    def ours() -> float:
        search.choose(state, seed_streams(next(seed), 1))
        return iterations

    works: list[Callable[[], float]] = [ours]
    if find_spec("pyspiel") is not None:
        import pyspiel

        theirs = pyspiel.load_game(OPENSPIEL[name])
        start = theirs.new_initial_state()

        def openspiel() -> float:
            evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=next(seed))
            bot = pyspiel.MCTSBot(theirs, evaluator, EXPLORATION, iterations, 1000, False, next(seed), False)
            bot.mcts_search(start)
            return iterations

        works.append(openspiel)
    for work in works:
        work()
    rates = best_rate(works, seconds * len(works))
    return rates[0], rates[1] if len(rates) > 1 else None


def compile_times(name: str, options: list[str]) -> tuple[float, float]:
    """Seconds to load a game with an empty cache and from the cache, imports not counted."""
    program = (
        "import sys, time; from crossplay.games import load_game; load_game('Tic-Tac-Toe'); "
        "began = time.perf_counter(); load_game(sys.argv[1], sys.argv[2:]); "
        "print(time.perf_counter() - began)"
    )
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CROSSPLAY_CACHE_DIR": folder}
        command = [sys.executable, "-c", program, name, *options]
        cold, warm = (
            float(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
            for _ in range(2)
        )
    return cold, warm


def measure(names: list[str], seconds: float, with_compile: bool) -> dict[str, dict[str, Any]]:
    """One row of figures per game."""
    peers = json.loads((Path(__file__).parent / "peers.json").read_text())
    table: dict[str, dict[str, Any]] = {}
    for name in tqdm(names, unit="game", disable=None):
        game = load_game(*GAMES[name])
        row: dict[str, Any] = {"moves_per_second": random_play(game, seconds), **peers["ludii"].get(name, {})}
        if name in OPENSPIEL:
            row["uct_iterations"], row["openspiel_now"] = uct(name, game, seconds)
            row["openspiel"] = peers["openspiel"][name]
        if with_compile:
            row["compile_seconds"], row["load_seconds"] = compile_times(*GAMES[name])
        table[name] = row
    return table


def show(table: dict[str, dict[str, Any]]) -> None:
    """Print the figures as plain text."""

    def number(value: float | None) -> str:
        return f"{value:,.0f}" if value else "-"

    def ratio(ours: float, theirs: float | None) -> str:
        return f"x {ours / theirs:.1f}" if theirs else "-"

    print(f"{'random moves per CPU second':22} {'':>6}  {'Ludii':>12} {'':>8} {'its shortcut':>12}")
    for name, row in table.items():
        ours = row["moves_per_second"]
        print(
            f"{name:22} {number(ours):>12} {number(row.get('generic')):>12} "
            f"{ratio(ours, row.get('generic')):>8} {number(row.get('optimised')):>12} "
            f"{ratio(ours, row.get('optimised')):>8}"
        )
    print(f"\n{'UCT iterations':22} {'':>12} {'OpenSpiel':>12} {'':>8} {'measured now':>12}")
    ratios = []
    for name, row in table.items():
        if "uct_iterations" in row:
            ours, now = row["uct_iterations"], row["openspiel_now"]
            ratios.append(ours / (now or row["openspiel"]))
            print(
                f"{name:22} {number(ours):>12} {number(row['openspiel']):>12} "
                f"{ratio(ours, row['openspiel']):>8} {number(now):>12} {ratio(ours, now):>8}"
            )
    if ratios:
        print(f"geometric mean x {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")
    if any("compile_seconds" in row for row in table.values()):
        print(f"\n{'seconds to load':22} {'compiling':>12} {'from cache':>12}")
        for name, row in table.items():
            print(f"{name:22} {row['compile_seconds']:>12.1f} {row['load_seconds']:>12.2f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"any of: {', '.join(GAMES)}")
    parser.add_argument("--seconds", type=float, default=1.0, help="per measurement (default 1)")
    parser.add_argument("--compile", action="store_true", help="time compiling and loading, too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.games if name not in GAMES]:
        parser.error(f"unknown game {unknown[0]!r}; choose among: {', '.join(GAMES)}")
    table = measure(arguments.games or list(GAMES), arguments.seconds, arguments.compile)
    if arguments.json:
        print(json.dumps(table))
    else:
        show(table)


if __name__ == "__main__":
    main()
