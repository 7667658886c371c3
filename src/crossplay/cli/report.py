"""``crossplay report``."""

from __future__ import annotations

from pathlib import Path

import click

from crossplay.cli import stage


@click.command()
@click.option("--config", required=True, help="The experiment: a YAML or JSON file, or JSON text.")
@click.option("--results", type=stage.FOLDER, help="Its results; results/EXPERIMENT by default.")
@click.option("--track/--no-track", default=True, show_default=True, help="Record an MLflow run.")
@click.option("--output", type=stage.FOLDER, help="Folder to write; RESULTS/report by default.")
def report(config: str, results: Path | None, track: bool, output: Path | None) -> None:
    """Write an experiment's tables and figures.

    And a page that shows and explains them, index.html.
    """
    from crossplay.config import Experiment, parse_settings

    experiment = parse_settings(Experiment, config)
    results = results or Path("results") / experiment.experiment
    output = output or results / "report"
    stage.check_writable(output)
    from crossplay.report import write_report
    from crossplay.tracking import Identity, code_version

    identity = Identity("report", experiment.experiment, experiment.seed)
    with stage.recorded(track, identity, experiment.model_dump(mode="json"), output / "index.html") as run:
        for path in write_report(experiment, results, output, code_version()):
            run.log_artifact(path)
    click.echo(f"report: wrote {output / 'index.html'}")
