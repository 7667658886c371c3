"""``crossplay config``: the schema of experiment files, and checking one."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def config() -> None:
    """Describe and check experiment files."""


@config.command()
@click.option("--output", type=click.Path(path_type=Path), help="File to write instead of printing.")
def schema(output: Path | None) -> None:
    """Print the JSON Schema of experiment files, as YAML: every key, its meaning, default and range."""
    from crossplay.config import schema_text
    from crossplay.files import write_text

    if output is None:
        click.echo(schema_text(), nl=False)
    else:
        write_text(output, schema_text())


@config.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def check(files: tuple[Path, ...]) -> None:
    """Say whether experiment FILES are valid."""
    from crossplay.config import Experiment, parse_settings
    from crossplay.ntuple.study import runs_of

    for file in files:
        experiment = parse_settings(Experiment, file)
        runs_of(experiment.ntuple, str(file))
        click.echo(f"{file}: valid experiment {experiment.experiment!r}")
