"""``crossplay doctor``: is this installation sound?"""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version

import click


@click.command()
def doctor() -> None:
    """Check this installation.

    Versions, device, processors, caches, kernels and the store of runs; exit code 1 if one fails.
    """
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
            mark, text = "ok  ", check()
        except Exception as error:  # a check reports whatever is wrong and the others go on
            sound = False
            mark, text = "FAIL", f"{type(error).__name__}: {' '.join(str(error).split())}"
        click.echo(f"{mark} {name:<15} {text}")
    sys.exit(0 if sound else 1)


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
