"""``crossplay doctor``: is this installation sound, or this model?"""

from __future__ import annotations

import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import click

from crossplay.cli import stage


@click.command()
@click.argument("model", required=False, type=stage.FILE)
@click.option(
    "--seed", default=0, show_default=True, help="Of the positions and games that a model is given."
)
@click.option("--json", "as_json", is_flag=True, help="Print what a model's examination finds as JSON.")
def doctor(model: Path | None, seed: int, as_json: bool) -> None:
    """Check this installation, or a MODEL that does not learn or play as it should.

    \b
      crossplay doctor
      crossplay doctor results/demo/scratch/hex7/model.safetensors

    Of the installation: versions, device, processors, caches, kernels and the store of runs. Of a model:
    whether its channels are those of the game, its parameters are numbers and none of its parts are dead;
    whether positions and moves survive being recorded; how differently it judges a position and its mirror
    images; whether its policy prefers anything, its values come true in games against itself, and it finds
    moves that win at once and those that do not lose at once, in positions found by the rules of the game.

    Lines begin with ok, warn (it looks wrong; the line says what to try) or FAIL (it is broken). The exit
    code is 1 if any fails.
    """
    if model is not None:
        sys.exit(0 if _examine(model, seed, as_json) else 1)
    checks: dict[str, Callable[[], str]] = {
        "versions": _versions,
        "processors": _processors,
        "network device": _device,
        "kernel cache": _kernel_cache,
        "game kernels": _kernels,
        "run store": _store,
    }
    sound = True
    for name, check in checks.items():
        try:
            mark, text = "ok", check()
        except Exception as error:  # a check reports whatever is wrong and the others go on
            sound = False
            mark, text = "FAIL", f"{type(error).__name__}: {' '.join(str(error).split())}"
        click.echo(_line(mark, name, text))
    sys.exit(0 if sound else 1)


def _line(mark: str, name: str, text: str) -> str:
    return f"{mark:<4} {name:<15} {text}"


def _examine(path: Path, seed: int, as_json: bool) -> bool:
    """Tell what is wrong with a model; whether nothing is broken."""
    from crossplay.diagnosis import examine
    from crossplay.networks import load_model

    network, header = load_model(path)
    game = stage.load_game_of(header)
    findings = []
    for finding in examine(game, network, header, seed):
        findings.append(finding)
        if not as_json:
            remedy = f" -> {finding.remedy}" if finding.remedy else ""
            click.echo(_line(finding.mark, finding.check, finding.text + remedy))
    if as_json:
        click.echo(json.dumps([finding._asdict() for finding in findings]))
    return all(finding.mark != "FAIL" for finding in findings)


def _versions() -> str:
    packages = ("crossplay", "numpy", "numba", "torch", "mlflow", "snakemake")
    return f"python {platform.python_version()}, " + ", ".join(f"{name} {version(name)}" for name in packages)


def _processors() -> str:
    return f"{len(os.sched_getaffinity(0))} usable of {os.cpu_count()}"


def _device() -> str:
    import torch

    if torch.cuda.is_available():
        return f"cuda: {torch.cuda.get_device_name()}"
    return "cpu (no CUDA device)"


def _kernel_cache() -> str:
    from crossplay.kernel_cache import cache_folder

    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        return str(folder)


def _kernels() -> str:
    from crossplay.games import load_game

    counts = load_game("Tic-Tac-Toe").perft(3)
    if counts != [9, 72, 504]:
        raise ValueError(f"Tic-Tac-Toe has 9, 72 and 504 openings, counted {counts}")
    return "Tic-Tac-Toe compiles and counts right"


def _store() -> str:
    from crossplay.tracking import check_store

    return check_store()
