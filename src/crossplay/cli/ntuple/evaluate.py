"""``crossplay ntuple evaluate``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from crossplay.cli import stage
from crossplay.cli.ntuple.train import Number
from crossplay.errors import CrossplayError

if TYPE_CHECKING:
    from crossplay.config import NtupleEvaluation
    from crossplay.ntuple.files import Network

FORMAT_VERSION = 1


class Measurement(NamedTuple):
    """Games that are played with one kind of search."""

    games: int
    plies: int | None
    seconds_per_move: float | None = None

    @property
    def key(self) -> str:
        """What the search is, for files: ``3``, or ``0.01s``."""
        return f"{self.plies or 1}" if self.seconds_per_move is None else f"{self.seconds_per_move:g}s"

    @property
    def label(self) -> str:
        """The same for names and people: ``3ply``."""
        return f"{self.key}ply" if self.seconds_per_move is None else self.key


@click.command()
@click.argument("network", type=click.Path(path_type=Path))
@click.option("--games", type=Number(), help="Games to play.  [default: 1000]")
@click.option("--plies", type=Number(), help="Moves to look ahead; 1 is greedy.  [default: 1]")
@click.option(
    "--seconds-per-move", type=float, help="Look ahead as far as this time allows, at most --plies if given."
)
@click.option("--threads", type=Number(), help="Threads, each with games of its own.  [default: 1]")
@click.option(
    "--downgrade/--no-downgrade",
    default=None,
    help="Judge boards with a tile of 32768 as if their large tiles were halved.  [default: --no-downgrade]",
)
@click.option(
    "--config", help="An experiment's evaluation (games without and with search): a file or JSON text."
)
@click.option("--key", help="Short name of the learning in results; the folder's name by default.")
@click.option(
    "--allow-divergence",
    is_flag=True,
    help="Record that the network's values grew beyond all bounds instead of failing.",
)
@stage.stage_options
@click.option("--output", type=stage.FILE, help="JSON file to write.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def evaluate(
    network: Path,
    games: int | None,
    plies: int | None,
    seconds_per_move: float | None,
    threads: int | None,
    downgrade: bool | None,
    config: str | None,
    key: str | None,
    allow_divergence: bool,
    experiment: str,
    seed: int,
    track: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """Measure how well a network plays 2048.

    \b
      crossplay ntuple evaluate runs/first --games 1000
      crossplay ntuple evaluate runs/first --games 100 --plies 3 --threads 2
      crossplay ntuple evaluate runs/first --games 10 --seconds-per-move 0.01 --json

    NETWORK is the folder of a learning, or a model file. The mean score comes with its 95% interval, and
    for each large tile with the share of games that reached it. Each game has random numbers of its own,
    given by --seed, so the same command gives the same scores on any number of threads.
    """
    import json

    from crossplay.config import NtupleEvaluation, check_settings
    from crossplay.files import write_text
    from crossplay.ntuple.evaluation import DivergenceError, check_games
    from crossplay.ntuple.files import load_network
    from crossplay.ntuple.session import divergence
    from crossplay.tracking import Identity

    options = {"threads": threads, "downgrade": downgrade}
    given = {name: value for name, value in options.items() if value is not None}
    if config is None:
        settings = check_settings(NtupleEvaluation, given, "options")
        measurements = [Measurement(1000 if games is None else games, plies, seconds_per_move)]
    elif given or any(option is not None for option in (games, plies, seconds_per_move)):
        raise CrossplayError("--config says what to play; give it, or the other options")
    else:
        settings = stage.settings_of(NtupleEvaluation, config)
        measurements = [Measurement(settings.games, 1)]
        if settings.search_games:
            measurements.append(Measurement(settings.search_games, settings.search_plies))
    settings = stage.with_seed(settings, seed)
    for measurement in measurements:
        # Here, so that a mistake does not become a run that failed.
        check_games(*measurement)
    if output is not None:
        stage.check_writable(output.parent)
    loaded = load_network(network)
    source = loaded.source or network
    identity = Identity("ntuple-evaluate", experiment, seed, game="2048", mode=key or _name_of(source))
    params = {
        "threads": settings.threads,
        "downgrade": settings.downgrade,
        **{measurement.label: measurement._asdict() for measurement in measurements},
    }
    with stage.recorded(track, identity, params, output or source.with_name("evaluation.json")) as run:
        diverged, found = loaded.header.diverged, {}
        try:
            if not diverged:
                found = _play_all(_in_memory(loaded), measurements, settings)
        except DivergenceError:
            diverged = True
        if diverged and not allow_divergence:
            raise divergence(source, loaded.header)
        record = {
            "format": FORMAT_VERSION,
            **{name: value for name, value in identity._asdict().items() if value is not None},
            "network": loaded.header.network,
            "actions": loaded.header.actions,
            "diverged": diverged,
            "downgrade": settings.downgrade,
            "plies": found,
        }
        labelled = {m.label: found[m.key] for m in measurements if m.key in found}
        for label, scores in labelled.items():
            run.log_metrics(_metrics(scores, label), loaded.header.actions)
        if output is not None:
            write_text(output, json.dumps(record, indent=1) + "\n")
            run.log_artifact(output)
    if as_json:
        # A single measurement's numbers also stand at the top, where they are easy to find.
        single = next(iter(found.values())) if len(found) == 1 else {}
        click.echo(json.dumps({**record, **single}))
        return
    click.echo(f"{source}: network {loaded.header.network} after {loaded.header.actions:,} actions")
    if diverged:
        click.echo("diverged: its values grew beyond all bounds while it learned, so it played no games")
    else:
        click.echo(_table(labelled), nl=False)
    if output is not None:
        click.echo(f"wrote {output}")


def _play_all(
    network: Network, measurements: Sequence[Measurement], settings: NtupleEvaluation
) -> dict[str, Any]:
    return {
        measurement.key: _play(network, measurement, settings.threads, settings.downgrade, settings.seed)
        for measurement in measurements
    }


def _play(
    network: Network, measurement: Measurement, threads: int, downgrade: bool, seed: int
) -> dict[str, Any]:
    """Play with a bar on a terminal."""
    from tqdm import tqdm

    from crossplay.ntuple.evaluation import evaluate

    with tqdm(total=measurement.games, unit="game", desc=measurement.label, disable=None) as bar:

        def show(finished: int) -> None:
            bar.update(finished - bar.n)

        scores = evaluate(
            network,
            *measurement[:2],
            seconds_per_move=measurement.seconds_per_move,
            seed=seed,
            threads=threads,
            downgrade=downgrade,
            progress=show,
        )
    return scores.as_dict()


def _in_memory(network: Network) -> Network:
    """The network in memory of its own if there is enough: it plays faster there than from the file."""
    try:
        return network.in_memory()
    except CrossplayError:
        return network


def _name_of(model: Path) -> str:
    """The name of a learning, from its model file."""
    folder = model.resolve().parent
    return folder.parent.name if folder.name == "folded" else folder.name


def _metrics(scores: dict[str, Any], label: str) -> dict[str, float]:
    low, high = scores["interval"] or (scores["mean"], scores["mean"])
    return {
        f"score_{label}": scores["mean"],
        f"score_{label}_low": low,
        f"score_{label}_high": high,
        f"best_{label}": scores["best"],
        f"moves_per_second_{label}": scores["moves"] / max(scores["seconds"], 1e-9),
        **{f"reach_{tile}_{label}": share for tile, share in scores["reach"].items()},
    }


def _table(measured: dict[str, dict[str, Any]]) -> str:
    """Measurements as lines of text, one below the other."""
    tiles = list(next(iter(measured.values()))["reach"])
    rows = [["search", "games", "mean score", "95% interval", "best", *tiles, "moves/s"]]
    for label, scores in measured.items():
        interval = " - ".join(f"{limit:,.0f}" for limit in scores["interval"] or ()) or "-"
        rows.append(
            [
                label,
                f"{scores['games']:,}",
                f"{scores['mean']:,.0f}",
                interval,
                f"{scores['best']:,}",
                *(f"{100 * scores['reach'][tile]:.1f}%" for tile in tiles),
                f"{scores['moves'] / max(scores['seconds'], 1e-9):,.0f}",
            ]
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) + "\n" for row in rows
    )
