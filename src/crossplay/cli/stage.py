"""What the commands of the workflow's stages share: options, loading games, recording a run."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from crossplay.errors import CrossplayError

if TYPE_CHECKING:
    from crossplay.config import NetworkSettings
    from crossplay.games import Game
    from crossplay.networks import ModelHeader
    from crossplay.tracking import Identity, Run

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)

CONFIG_HELP = "Settings: a YAML or JSON file, or JSON text. Defaults: see 'crossplay config schema'."


def stage_options(command: Command) -> Command:
    """The options of every stage: what the run belongs to and whether it is recorded."""
    for decorate in (
        click.option("--track/--no-track", default=True, help="Record an MLflow run.", show_default=True),
        click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True),
        click.option(
            "--experiment", default="default", show_default=True, help="Name of the experiment, for the run."
        ),
    ):
        command = decorate(command)
    return command


def game_options(name: str, what: str) -> Callable[[Command], Command]:
    """Options ``--NAME``, ``--NAME-option`` (for "game" plain ``--option``) and its key."""
    prefix = "" if name == "game" else f"{name}-"

    def decorate(command: Command) -> Command:
        for option in (
            click.option(f"--{prefix}key", help=f"Short name of {what} in results; made from it by default."),
            click.option(
                f"--{prefix}option",
                f"{name}_options",
                multiple=True,
                metavar="HEADING/ITEM",
                help=f"Choose an option of {what}, such as 'Board Size/7x7'; repeatable.",
            ),
            click.option(f"--{name}", required=True, help=f"Name or .lud file of {what}."),
        ):
            command = option(command)
        return command

    return decorate


def layout_options(hex: str, hands: str) -> Callable[[Command], Command]:
    """Options ``--hex`` and ``--hands`` with these defaults."""

    def decorate(command: Command) -> Command:
        for option in (
            click.option(
                "--hands",
                type=click.Choice(["faithful", "repaired"]),
                default=hands,
                show_default=True,
                help="Hands in tensors: mostly on the board's corner as in Ludii, or each site a cell.",
            ),
            click.option(
                "--hex",
                type=click.Choice(["sparse", "dense"]),
                default=hex,
                show_default=True,
                help="Boards of hexagons in tensors: spread as in Ludii, or rows of cells side by side.",
            ),
        ):
            command = option(command)
        return command

    return decorate


def settings_of(model: type[Any], text: str | None) -> Any:
    """Settings from ``--config`` (or all defaults without it)."""
    from crossplay.config import parse_settings

    return model() if text is None else parse_settings(model, text)


def with_seed(settings: Any, seed: int) -> Any:
    """The settings with the experiment's seed added to their own."""
    return settings.model_copy(update={"seed": settings.seed + seed})


def key_of(game: str, options: tuple[str, ...]) -> str:
    """A short name for a game and its options, such as ``Hex-7x7``."""
    parts = [Path(game).stem, *(option.rsplit("/", 1)[-1] for option in options)]
    return "-".join("".join(c if c.isalnum() or c in "._" else "-" for c in part) for part in parts)


def network_of(header: ModelHeader) -> NetworkSettings:
    """The network settings that a model was made with."""
    from crossplay.training.model import network_settings

    return network_settings(header)


def load_game_of(header: ModelHeader) -> Game:
    """The game that a model plays."""
    from crossplay.games import load_game

    return load_game(header.game, header.options, **header.layout)


def check_writable(folder: Path) -> None:
    """Make the folder and prove that files can be written there, before hours are spent on their content.

    Raises:
        CrossplayError: they cannot.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise CrossplayError(
            f"cannot write to {folder}: {error.strerror}; make the folder writable or choose another --output"
        ) from error


@contextlib.contextmanager
def recorded(
    track: bool,
    identity: Identity,
    params: Mapping[str, Any],
    beside: Path,
    resume_file: Path | None = None,
) -> Iterator[Run]:
    """Open a stage's run, see :func:`crossplay.tracking.stage_run`; with ``track`` false nothing is kept.

    ``beside`` is the stage's main output; records that the store does not take go to a file next to it.
    """
    from crossplay.tracking import Run, stage_run

    if not track:
        yield Run(Path(os.devnull))
        return
    with stage_run(identity, params, beside.with_suffix(".tracking.jsonl"), resume_file) as run:
        yield run
