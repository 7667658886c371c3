"""``crossplay tracking`` and ``crossplay ui``: the store of runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from crossplay.errors import CrossplayError


@click.group()
def tracking() -> None:
    """Look after the store of runs.

    It is results/mlflow.db, or where MLFLOW_TRACKING_URI points.
    """


@tracking.command()
@click.option("--experiment", required=True, help="Name of the experiment.")
def prepare(experiment: str) -> None:
    """Create the store and the experiment in it, once, before stages open it side by side.

    A store that cannot be reached is only a warning: stages then keep their records in files.
    """
    from crossplay.tracking import prepare_store, tracking_uri, warn

    try:
        click.echo(f"tracking in {prepare_store(experiment)}")
    except Exception as error:
        warn(f"cannot open {tracking_uri()}", error)


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), default=5000, show_default=True)
def ui(port: int) -> None:
    """Open the MLflow pages on the recorded runs, until Ctrl-C."""
    from crossplay.tracking import tracking_uri

    uri = tracking_uri()
    if uri.startswith("http"):
        raise CrossplayError(f"runs are recorded on the server {uri}: open that address in a browser")
    if uri.startswith("sqlite:///") and not Path(uri.removeprefix("sqlite:///")).exists():
        raise CrossplayError(f"no runs in {uri} yet: run a stage or 'make demo' first, in the same folder")
    click.echo(f"runs: http://127.0.0.1:{port}/#/experiments  (Ctrl-C ends)")
    environment = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true"}
    environment["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] = "false"  # several processes that nothing here needs
    command = ["-m", "mlflow", "server", "--backend-store-uri", uri, "--host", "127.0.0.1"]
    os.execve(sys.executable, [sys.executable, *command, "--port", str(port), "--workers", "1"], environment)
