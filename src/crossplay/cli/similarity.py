"""``crossplay similarity``."""

from __future__ import annotations

from pathlib import Path

import click

from crossplay.cli import stage


@click.command()
@click.option(
    "--games",
    "games_text",
    required=True,
    help='The games: a YAML or JSON file, or JSON text, {"games": {"hex": {"game": "Hex"}, ...}}.',
)
@click.option("--config", help=stage.CONFIG_HELP)
@stage.stage_options
@click.option("--output", type=stage.FILE, required=True, help="JSON file to write.")
def similarity(
    games_text: str, config: str | None, experiment: str, seed: int, track: bool, output: Path
) -> None:
    """Compare games with each other.

    By their rules as written, and by the moves that can follow their start positions.
    """
    stage.check_writable(output.parent)
    import json

    from tqdm import tqdm

    from crossplay.config import GameTable, SimilaritySettings, parse_settings
    from crossplay.files import write_text
    from crossplay.games import load_game
    from crossplay.similarity import compare_games
    from crossplay.tracking import Identity

    settings = stage.settings_of(SimilaritySettings, config)
    choices = parse_settings(GameTable, games_text).games
    games = [load_game(choice.game, choice.options) for choice in choices.values()]
    pairs = len(games) * (len(games) - 1) // 2
    identity = Identity("similarity", experiment, seed)
    params = {**settings.model_dump(), "games": list(choices)}
    with stage.recorded(track, identity, params, output) as run:
        with tqdm(total=pairs, unit="pair", disable=None) as bar:
            table = compare_games(
                games, settings.depth, list(choices), progress=lambda: bar.update() and None
            )
        write_text(output, json.dumps(table.to_dict(), indent=1) + "\n")
        for row in table.rows():
            pair = f"{row['first']}--{row['second']}"
            run.log_metrics({f"{name}/{pair}": row[name] for name in row if name.endswith("similarity")}, 0)
        run.log_artifact(output)
    for row in table.rows():
        click.echo(
            f"{row['first']} and {row['second']}: rules {row['ludeme_similarity']:.3f} "
            f"({row['ludeme_distance']} edits), continuations {row['continuation_similarity']:.3f}"
        )
    click.echo(f"compared {len(games)} games in {pairs} pairs; wrote {output}")
