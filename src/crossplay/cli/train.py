"""``crossplay train`` and ``crossplay fine-tune``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crossplay.cli import stage

if TYPE_CHECKING:
    from crossplay.config import NetworkSettings, TrainingSettings
    from crossplay.games import Game
    from crossplay.networks import ModelHeader, PolicyValueNetwork
    from crossplay.selfplay.place import Place
    from crossplay.tracking import Identity


@click.command()
@stage.game_options("game", "the game")
@stage.layout_options(hex="dense", hands="repaired")
@click.option("--network", help=stage.CONFIG_HELP)
@click.option("--config", help=stage.CONFIG_HELP)
@click.option(
    "--role",
    type=click.Choice(["source", "scratch"]),
    default="source",
    show_default=True,
    help="What the model is for: to be transferred, or to compare transferred ones with.",
)
@stage.stage_options
@click.option("--output", type=stage.FOLDER, required=True, help="Folder for model.safetensors and more.")
def train(
    game: str,
    game_options: tuple[str, ...],
    key: str | None,
    hex: str,
    hands: str,
    network: str | None,
    config: str | None,
    role: str,
    experiment: str,
    seed: int,
    track: bool,
    output: Path,
) -> None:
    """Learn a game by self-play from random parameters.

    \b
      crossplay train --game Hex --option "Board Size/7x7" --output runs/hex7
      crossplay train --game Hex --config "{self_play_processes: 7}" --output runs/hex11
      torchrun --nproc-per-node 8 -m crossplay train --game Hex --output runs/hex11

    Interrupted or killed, the same command continues from the last checkpoint. With self_play_processes, or
    launched by torchrun or srun as several processes, the first one learns and the others play; one that dies
    is replaced.
    """
    stage.check_writable(output)
    from crossplay.config import NetworkSettings, TrainingSettings
    from crossplay.games import load_game
    from crossplay.tracking import Identity

    settings = stage.with_seed(stage.settings_of(TrainingSettings, config), seed)
    network_settings = stage.settings_of(NetworkSettings, network)
    identity = Identity(f"train-{role}", experiment, seed, game=key or stage.key_of(game, game_options))
    loaded = load_game(game, game_options, hex, hands)
    _train(loaded, settings, network_settings, identity, track, output, None)


@click.command("fine-tune")
@click.option("--model", type=stage.FILE, required=True, help="Model file that transfer wrote.")
@click.option("--source-key", help="Short name of the source game in results; made from it by default.")
@click.option("--target-key", help="Short name of the target game in results; made from it by default.")
@click.option("--mode", default="fine-tune", show_default=True, help="Kind of transfer, for the run.")
@click.option("--config", help=stage.CONFIG_HELP)
@stage.stage_options
@click.option("--output", type=stage.FOLDER, required=True, help="Folder for model.safetensors and more.")
def fine_tune(
    model: Path,
    source_key: str | None,
    target_key: str | None,
    mode: str,
    config: str | None,
    experiment: str,
    seed: int,
    track: bool,
    output: Path,
) -> None:
    """Train a transferred model on its new game.

    Interrupted or killed, the same command continues from the last checkpoint.
    """
    stage.check_writable(output)
    from crossplay.config import TrainingSettings
    from crossplay.networks import load_model
    from crossplay.tracking import Identity

    settings = stage.with_seed(stage.settings_of(TrainingSettings, config), seed)
    initial = load_model(model)
    header = initial[1]
    origin = header.source or {"game": header.game, "options": header.options}
    identity = Identity(
        "fine-tune",
        experiment,
        seed,
        source=source_key or stage.key_of(origin["game"], origin["options"]),
        target=target_key or stage.key_of(header.game, header.options),
        mode=mode,
    )
    game = stage.load_game_of(header)
    _train(game, settings, stage.network_of(header), identity, track, output, initial)


def _train(
    game: Game,
    settings: TrainingSettings,
    network: NetworkSettings,
    identity: Identity,
    track: bool,
    output: Path,
    initial: tuple[PolicyValueNetwork, ModelHeader] | None,
) -> None:
    """Train and record it; a training that continues from a checkpoint continues its run.

    Started as one of several processes, any but the first plays for the training of the first.
    """
    from crossplay.selfplay.place import place_from_environment
    from crossplay.training import can_resume, train
    from crossplay.training.session import CHECKPOINT

    place = place_from_environment(os.environ)
    if place is not None and place.rank > 0:
        _play_for(game, settings, network, initial, place)
        return
    # Among the checkpoint's files, so that the run's id goes when the checkpoint goes.
    resume_file = output / CHECKPOINT / "run.json"
    if not can_resume(output):
        resume_file.unlink(missing_ok=True)
    params: dict[str, Any] = {
        "game": game.name,
        "options": list(game.options),
        "layout": game.layout._asdict(),
        "network": network.model_dump(),
        "training": settings.model_dump(),
    }
    with stage.recorded(track, identity, params, output / "model.safetensors", resume_file) as run:
        result = train(
            game,
            settings,
            network,
            output,
            initial=initial,
            on_metrics=lambda row: run.log_metrics(row, int(row["positions"])),
            place=place,
        )
        run.log_artifact(result.model)
    amount = result.amount
    click.echo(
        f"{identity.name}: {amount.positions:,} positions, {amount.games:,} games and {amount.steps:,} steps "
        f"in {amount.seconds:.0f} s; wrote {result.model}"
    )


def _play_for(
    game: Game,
    settings: TrainingSettings,
    network: NetworkSettings,
    initial: tuple[PolicyValueNetwork, ModelHeader] | None,
    place: Place,
) -> None:
    from dataclasses import replace

    from crossplay.interrupts import sigterm_exits
    from crossplay.selfplay.crew import play_for
    from crossplay.selfplay.task import playing_task
    from crossplay.training.model import model_header

    header = model_header(game, network)
    if initial is not None:
        header = replace(header, source=initial[1].source)
    with sigterm_exits():
        play_for(playing_task(header, settings, place))
