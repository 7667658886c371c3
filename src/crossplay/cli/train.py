"""``crossplay train`` and ``crossplay fine-tune``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crossplay.cli import stage

if TYPE_CHECKING:
    from crossplay.config import NetworkSettings, TrainingSettings
    from crossplay.games import Game
    from crossplay.networks import ModelHeader, PolicyValueNetwork
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

    Interrupted or killed, the same command continues from the last checkpoint.
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
    """Train and record it; a training that continues from a checkpoint continues its run."""
    from crossplay.training import can_resume, train
    from crossplay.training.session import CHECKPOINT

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
        )
        run.log_artifact(result.model)
    amount = result.amount
    click.echo(
        f"{identity.name}: {amount.positions:,} positions, {amount.games:,} games and {amount.steps:,} steps "
        f"in {amount.seconds:.0f} s; wrote {result.model}"
    )
