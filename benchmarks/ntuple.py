"""How fast 2048 is learned and played, beside what the same machine's memory allows at that moment.

    python benchmarks/ntuple.py [--actions 1e8] [--rounds 9] [--only NAME ...] [--json]

Every kind of work has tables that ``--actions`` moves have filled, and all kinds are measured in turn, round
after round, by the CPU time of their threads; a ratio is the median of the rounds' ratios. Random reads of a
table of the same size, 128 in flight, show the limit of the memory: a move of the 42-33 network reads about
110 weights.
"""

from __future__ import annotations

import argparse
import json
import statistics
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit, types
from tqdm import tqdm

from crossplay.kernel_cache import use_kernel_cache

use_kernel_cache()

from crossplay.ntuple.board import mix, row_table  # noqa: E402
from crossplay.ntuple.evaluation import play_games  # noqa: E402
from crossplay.ntuple.files import Network, NetworkHeader  # noqa: E402
from crossplay.ntuple.intrinsics import prefetch_weights  # noqa: E402
from crossplay.ntuple.learning import (  # noqa: E402
    ACCUMULATORS,
    QUEUE,
    Rule,
    Worker,
    horizon_of,
    learner,
    new_worker,
)
from crossplay.ntuple.shapes import network_tuples, stage_weights  # noqa: E402
from crossplay.ntuple.tables import new_table  # noqa: E402

ROWS = row_table()
ACTIONS = 400_000  # in one call of a kernel
READS = 20_000_000
IN_FLIGHT = 128

RATES = {"td": 0.1, "tc": 1.0, "autostep": 1.0}


class Learning(NamedTuple):
    """A way to learn."""

    kind: str
    decay: float = 0.0
    delayed: bool = True
    network: str = "42-33"
    stage_bits: int = 0
    threads: int = 1


LEARNINGS = {
    "TD(0)": Learning("td"),
    "TD(0), 2 threads": Learning("td", threads=2),
    "TC(0)": Learning("tc"),
    "TC(0), 2 threads": Learning("tc", threads=2),
    "Autostep": Learning("autostep"),
    "TC(0.5)": Learning("tc", 0.5, delayed=False),
    "delayed TC(0.5)": Learning("tc", 0.5),
    "delayed TC(0.5), 2 threads": Learning("tc", 0.5, threads=2),
    "delayed TC(0.5), 16 stages": Learning("tc", 0.5, stage_bits=4),
    "delayed TC(0.5), 42-33-4-22": Learning("tc", 0.5, network="42-33-4-22"),
    "delayed TC(0.5), 42-33-4-22-3": Learning("tc", 0.5, network="42-33-4-22-3"),
}
# Each is measured in turn with the first of its group, on the same tables where they fit.
GROUPS = [
    ["TD(0)", "TC(0)", "Autostep", "TD(0), 2 threads", "TC(0), 2 threads"],
    ["delayed TC(0.5)", "TC(0.5)", "delayed TC(0.5), 2 threads"],
    ["delayed TC(0.5)", "delayed TC(0.5), 16 stages"],
    ["delayed TC(0.5)", "delayed TC(0.5), 42-33-4-22", "delayed TC(0.5), 42-33-4-22-3"],
]


class Work(NamedTuple):
    """Something to measure: each task does ``amount`` units, all tasks at the same time."""

    amount: float
    tasks: list[Callable[[], object]]


def rate_of(work: Work) -> float:
    """Units per second of CPU time of one thread."""
    seconds = [0.0] * len(work.tasks)

    def timed(number: int) -> None:
        began = time.thread_time()
        work.tasks[number]()
        seconds[number] = time.thread_time() - began

    threads = [threading.Thread(target=timed, args=(number,)) for number in range(len(work.tasks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return work.amount * len(work.tasks) / sum(seconds)


@njit(types.uint32(types.float32[::1], types.int64, types.uint64), cache=True, nogil=True)
def random_reads(table: np.ndarray, count: int, seed: int) -> int:
    """Read random places of a table, :data:`IN_FLIGHT` at a time."""
    places = np.empty(IN_FLIGHT, np.uint32)
    found = np.uint32(0)
    for first in range(count // IN_FLIGHT):
        for i in range(IN_FLIGHT):
            bits = mix(seed + np.uint64(first * IN_FLIGHT + i))
            places[i] = np.uint32(((bits >> np.uint64(32)) * np.uint64(table.size)) >> np.uint64(32))
        prefetch_weights(table, np.uint64(0), places, np.uint64(0), IN_FLIGHT, 1)
        for i in range(IN_FLIGHT):
            found += np.uint32(table[np.int64(places[i])] > np.float32(0.0))
    return found


class Tables:
    """Weights and accumulators of a network, shared by the ways to learn that fit them."""

    def __init__(self, network: str, stage_bits: int) -> None:
        self.size = stage_weights(network_tuples(network)) << stage_bits
        self.weights = new_table(self.size)
        self.accumulators: dict[str, np.ndarray] = {}

    def accumulators_of(self, kind: str) -> np.ndarray:
        return self.accumulators.setdefault(kind, new_table(max(1, self.size * ACCUMULATORS[kind])))


def learning_work(learning: Learning, tables: Tables) -> Work:
    """Going on to learn, on as many threads as it says."""
    tuples = network_tuples(learning.network)
    rule = Rule(learning.kind, horizon_of(learning.decay), learning.delayed, learning.stage_bits)
    kernel = learner(tuples, rule)
    accumulators = tables.accumulators_of(learning.kind)
    queue, queued = np.zeros(QUEUE, np.uint64), np.zeros(1, np.int64)
    rate, decay = np.float32(RATES[learning.kind] / (8 * len(tuples))), np.float32(learning.decay)
    workers = [new_worker(tuples, rule, seed) for seed in range(learning.threads)]

    def task(worker: Worker) -> Callable[[], object]:
        return lambda: kernel(tables.weights, accumulators, ROWS, *worker, queue, queued, ACTIONS, rate,
                              decay, np.float32(0.0), np.float32(0.01))  # fmt: skip

    return Work(ACTIONS, [task(worker) for worker in workers])


def filled_tables(learning: Learning, actions: float) -> Tables:
    """Tables after learning by delayed TC(0.5), as many actions on two threads."""
    tables = Tables(learning.network, learning.stage_bits)
    work = learning_work(learning._replace(kind="tc", decay=0.5, delayed=True, threads=2), tables)
    name = f"{learning.network}, {1 << learning.stage_bits} stages"
    calls = max(1, round(actions / (2 * ACTIONS)))
    for _ in tqdm(range(calls), desc=f"filling {name}", leave=False, disable=None):
        rate_of(work)
    return tables


def measure(works: dict[str, Work], rounds: int) -> dict[str, list[float]]:
    """The rates of every kind of work, taken in turn; a first round is not counted."""
    rates: dict[str, list[float]] = {name: [] for name in works}
    for turn in tqdm(range(rounds + 1), desc="measuring", leave=False, disable=None):
        for name, work in works.items():
            rate = rate_of(work)
            if turn:
                rates[name].append(rate)
    return rates


def show(rates: dict[str, list[float]], unit: str, scale: float) -> list[dict[str, object]]:
    """Print the rates and their ratios to the first."""
    first = next(iter(rates))
    rows = []
    for name, values in rates.items():
        ratio = statistics.median(own / base for own, base in zip(values, rates[first], strict=True))
        rate = statistics.median(values) / scale
        print(f"{name:42} {rate:9.2f} {unit} a CPU second   {ratio:6.2f}", flush=True)
        rows.append({"name": name, "rate": rate, "unit": unit, "first": first, "ratio": ratio})
    print()
    return rows


def learning_rates(options: argparse.Namespace) -> list[dict[str, object]]:
    """Measure the ways to learn, group by group, beside random reads of the first one's table."""
    rows = []
    for names in GROUPS:
        wanted = [name for name in names if not options.only or name in options.only]
        if not wanted:
            continue
        filled: dict[tuple[str, int], Tables] = {}
        works = {}
        for name in wanted:
            learning = LEARNINGS[name]
            key = learning.network, learning.stage_bits
            if key not in filled:
                filled[key] = filled_tables(learning, options.actions)
            works[name] = learning_work(learning, filled[key])
        rates = measure(works, options.rounds)
        rows += show(rates, "M actions", 1e6)
        if names is GROUPS[0]:
            weights = next(iter(filled.values())).weights
            reads = Work(READS, [lambda table=weights: random_reads(table, READS, 1)])  # type: ignore[misc]
            rows += show(measure({"random reads of the weights": reads}, options.rounds), "M reads", 1e6)
    return rows


def playing_rates(options: argparse.Namespace) -> list[dict[str, object]]:
    """Measure the players on a network that has learned, and on one of 16 stages."""
    rows = []
    for learning in (LEARNINGS["delayed TC(0.5)"], LEARNINGS["delayed TC(0.5), 16 stages"]):
        tables = filled_tables(learning, options.actions)
        header = NetworkHeader(learning.network, network_tuples(learning.network), learning.stage_bits)
        network = Network(header, tables.weights)
        stages = "16 stages" if learning.stage_bits else "1 stage"
        rates: dict[str, list[float]] = {}
        for turn in tqdm(range(options.rounds), desc="playing", leave=False, disable=None):
            for plies, games in ((1, 400), (2, 12), (3, 2)):
                played = play_games(network, games, plies, seed=turn)
                name = f"{plies}-ply, {stages}"
                rates.setdefault(name, []).append(played.moves.sum() / played.cpu_seconds)
        rows += show(rates, "k moves", 1e3)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--actions", type=float, default=1e8, help="actions that fill the tables first")
    parser.add_argument("--rounds", type=int, default=9, help="measurements of each kind")
    parser.add_argument("--only", nargs="*", metavar="NAME", help=f"any of: {'; '.join(LEARNINGS)}; playing")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON at the end")
    options = parser.parse_args()
    rows = learning_rates(options)
    if not options.only or "playing" in options.only:
        rows += playing_rates(options)
    if options.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
