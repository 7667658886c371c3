"""``crossplay map-channels`` and ``crossplay transfer``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from crossplay.cli import stage

if TYPE_CHECKING:
    from crossplay.config import Mode


@click.command("map-channels")
@stage.game_options("source", "the game to transfer from")
@stage.game_options("target", "the game to transfer to")
@stage.layout_options(hex="dense", hands="repaired")
@stage.stage_options
@click.option("--output", type=stage.FILE, required=True, help="JSON file to write.")
def map_channels(
    source: str,
    source_options: tuple[str, ...],
    source_key: str | None,
    target: str,
    target_options: tuple[str, ...],
    target_key: str | None,
    hex: str,
    hands: str,
    experiment: str,
    seed: int,
    track: bool,
    output: Path,
) -> None:
    """Find out which channels of two games' tensors mean the same."""
    stage.check_writable(output.parent)
    from crossplay.files import write_text
    from crossplay.games import load_game
    from crossplay.tracking import Identity
    from crossplay.transfer import map_channels as map_games

    mapping = map_games(
        load_game(source, source_options, hex, hands), load_game(target, target_options, hex, hands)
    )
    source_key = source_key or stage.key_of(source, source_options)
    target_key = target_key or stage.key_of(target, target_options)
    identity = Identity("map-channels", experiment, seed, source=source_key, target=target_key)
    counts = {
        "state_channels": len(mapping.state_sources),
        "state_channels_matched": sum(index >= 0 for index in mapping.state_sources),
        "move_channels": len(mapping.move_sources),
        "move_channels_matched": sum(index >= 0 for index in mapping.move_sources),
    }
    params = {"policy": mapping.policy, "layout": {"hex": hex, "hands": hands}}
    with stage.recorded(track, identity, params, output) as run:
        write_text(output, mapping.to_json())
        run.log_metrics(counts, 0)
        run.log_artifact(output)
    click.echo(mapping.to_table())
    click.echo(
        f"{source_key} -> {target_key}: {counts['state_channels_matched']} of {counts['state_channels']} "
        f"state channels and {counts['move_channels_matched']} of {counts['move_channels']} move channels "
        f"have a source; wrote {output}"
    )


@click.command()
@click.option("--model", type=stage.FILE, required=True, help="Model file of the source game.")
@click.option("--mapping", type=stage.FILE, required=True, help="File that map-channels wrote.")
@click.option("--source-key", help="Short name of the source game in results; made from it by default.")
@stage.game_options("target", "the game to transfer to")
@click.option(
    "--mode",
    type=click.Choice(["zero-shot", "fine-tune", "fine-tune-reinit"]),
    default="zero-shot",
    show_default=True,
    help="Whether the network is to play as it is or is trained further, and then if its heads start anew.",
)
@click.option("--network", help="Network wanted; the source's by default. " + stage.CONFIG_HELP)
@stage.stage_options
@click.option("--output", type=stage.FILE, required=True, help="Model file to write.")
def transfer(
    model: Path,
    mapping: Path,
    source_key: str | None,
    target: str,
    target_options: tuple[str, ...],
    target_key: str | None,
    mode: Mode,
    network: str | None,
    experiment: str,
    seed: int,
    track: bool,
    output: Path,
) -> None:
    """Carry a trained network over to another game."""
    stage.check_writable(output.parent)
    from crossplay.config import NetworkSettings
    from crossplay.games import load_game
    from crossplay.networks import load_model, save_model
    from crossplay.tracking import Identity
    from crossplay.training import model_header
    from crossplay.transfer import ChannelMapping, transfer_parameters

    trained, source_header = load_model(model)
    game = load_game(target, target_options, **source_header.layout)
    wanted = stage.settings_of(NetworkSettings, network) if network else stage.network_of(source_header)
    target_header = model_header(game, wanted)
    channels = ChannelMapping.from_json(
        mapping.read_text(encoding="utf-8", errors="replace"), source_header, target_header, str(mapping)
    )
    result, header = transfer_parameters(trained, source_header, target_header, channels, mode, seed)

    source_key = source_key or stage.key_of(source_header.game, source_header.options)
    target_key = target_key or stage.key_of(target, target_options)
    identity = Identity("transfer", experiment, seed, source=source_key, target=target_key, mode=mode)
    parameters = sum(tensor.numel() for tensor in result.parameters())
    with stage.recorded(track, identity, {"network": dict(header.hyperparameters)}, output) as run:
        save_model(output, result, header)
        run.log_metrics({"parameters": parameters, "source_positions": source_header.positions}, 0)
        run.log_artifact(output)
    click.echo(f"{source_key} -> {target_key} ({mode}): {parameters:,} parameters; wrote {output}")
