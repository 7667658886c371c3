"""``crossplay ntuple train``."""

from __future__ import annotations

import contextlib
import typing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crossplay.cli import stage

if TYPE_CHECKING:
    from crossplay.config import NtupleSettings


class Number(click.ParamType):
    """A whole number, which may be written 10000000, 10_000_000 or 1e7."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        with contextlib.suppress(ValueError):
            return int(value)
        with contextlib.suppress(ValueError, OverflowError):
            if (number := float(value)) == int(number):
                return int(number)
        self.fail(f"{value!r} is no whole number, such as 10000000, 10_000_000 or 1e7.", param, ctx)


class SettingsCommand(click.Command):
    """A command that also has an option for every setting; they are made when they are asked for."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        known = super().get_params(ctx)
        return [*self.params, *_options(), *known[len(self.params) :]]


@cache
def _options() -> tuple[click.Option, ...]:
    """An option for each setting but the seed, which every stage has."""
    from crossplay.config import NtupleSettings

    fields = NtupleSettings.model_fields.items()
    return tuple(_option(name, field) for name, field in fields if name != "seed")


def _option(name: str, field: Any) -> click.Option:
    word, default = name.replace("_", "-"), field.default
    kinds = typing.get_args(field.annotation) or (field.annotation,)
    flag = f"--{word}"
    kind: Any = None
    if bool in kinds:
        flag, default = f"--{word}/--no-{word}", f"--{word}" if default else f"--no-{word}"
    elif typing.get_origin(field.annotation) is typing.Literal and isinstance(kinds[0], str):
        kind = click.Choice(kinds)
    elif int in kinds or isinstance(kinds[0], int):
        kind = Number()
    elif float in kinds:
        kind = click.FLOAT
    shown = (
        ""
        if default is None
        else f"  [default: {default:_}]"
        if isinstance(default, int)
        else f"  [default: {default}]"
    )
    return click.Option([flag, name], type=kind, default=None, help=field.description + shown)


@click.command(cls=SettingsCommand)
@click.option("--output", type=stage.FOLDER, required=True, help="Folder for model.safetensors and more.")
@click.option("--config", help="Settings: a YAML or JSON file, or JSON text. The options below go before it.")
@click.option("--key", help="Short name of the learning in results; the folder's name by default.")
@click.option(
    "--allow-divergence", is_flag=True, help="Take values that grow beyond all bounds for a result, no error."
)
@stage.stage_options
def train(
    output: Path,
    config: str | None,
    key: str | None,
    allow_divergence: bool,
    experiment: str,
    seed: int,
    track: bool,
    **options: Any,
) -> None:
    """Learn 2048 by playing it.

    \b
      crossplay ntuple train --output runs/first --actions 1e8 --threads 2
      crossplay ntuple evaluate runs/first --games 1000 --plies 1

    The network's value of a board is a sum of table entries, and after every move the entries of the
    board before it are corrected towards what the move revealed. With the default rule, temporal
    coherence (tc), each entry finds its own rate, so there is nothing to tune. 10^8 actions take a minute
    on two processors and lead to a mean score near 90000; 10^9 take ten and lead to one near 150000.

    \b
    To make it stronger, in the order of what it costs:
      --actions 1e10                  a longer learning
      --network 42-33-4-22            more tuples, 'ntuple fold' removes them afterwards
      --stages 16 --carousel-stages 16  tables of their own for late parts of the game
      --network 421-43                longer tuples, 16 times the memory

    Interrupted or killed, the same command continues from the last checkpoint; finished, it does nothing.
    On one thread it gives the same weights every time. Numbers may be written 1e8 or 100_000_000.
    """
    stage.check_writable(output)
    settings = _settings(config, seed, options)
    from crossplay.ntuple.files import load_network
    from crossplay.ntuple.training import can_resume, is_finished, train

    # Beside the checkpoint, so that a learning that continues also continues its run.
    resume_file = output / "run.json"
    if not can_resume(output):
        resume_file.unlink(missing_ok=True)
    if is_finished(settings, output):
        train(settings, output, allow_divergence=allow_divergence)
        header = load_network(output).header
        done = f"diverged after {header.actions:,}" if header.diverged else f"made its {header.actions:,}"
        click.echo(f"{output} has {done} actions already; nothing to do")
        return

    from crossplay.files import write_text
    from crossplay.ntuple.curve import describe, markdown_table
    from crossplay.ntuple.session import CURVE
    from crossplay.tracking import Identity

    identity = Identity("ntuple-train", experiment, seed, game="2048", mode=key or output.resolve().name)
    params = settings.resolved().model_dump()
    with stage.recorded(track, identity, params, output / "model.safetensors", resume_file) as run:
        result = train(settings, output, on_metrics=run.log_metrics, allow_divergence=allow_divergence)
        if result is None:
            return
        table = output / "curve.md"
        write_text(table, markdown_table(result.curve))
        run.log_artifact(table)
        run.log_artifact(output / CURVE)
    if not can_resume(output):
        resume_file.unlink(missing_ok=True)
    click.echo(
        f"{identity.name}: {result.actions:,} actions and {result.games:,} games in {result.seconds:.0f} s; "
        f"{describe(result.curve[-1])}; wrote {result.model}"
    )


def _settings(config: str | None, seed: int, options: dict[str, Any]) -> NtupleSettings:
    """The settings: defaults, then the file's, then those of the options."""
    from crossplay.config import NtupleSettings, check_settings

    settings: NtupleSettings = stage.settings_of(NtupleSettings, config)
    given = {name: value for name, value in options.items() if value is not None}
    if given:
        chosen = settings.model_dump(mode="json", exclude_unset=True)
        settings = check_settings(NtupleSettings, {**chosen, **given}, "settings")
    with_seed: NtupleSettings = stage.with_seed(settings, seed)
    return with_seed
