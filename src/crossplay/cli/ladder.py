"""``crossplay ladder``."""

from __future__ import annotations

from pathlib import Path

import click

from crossplay.cli import stage

FORMAT_VERSION = 1


@click.command()
@click.argument("folder", type=stage.FOLDER)
@click.option(
    "--games", type=click.IntRange(min=2), help="Games of each match; even. From --config by default."
)
@click.option(
    "--role", default="source", show_default=True, help="What the training is for, or its mode of transfer."
)
@click.option("--key", help="Short name of the game in results; made from it by default.")
@click.option("--source-key", help="The same of the source game of a transferred network, if it is one.")
@click.option("--config", help=stage.CONFIG_HELP)
@stage.stage_options
@click.option(
    "--output", type=stage.FILE, required=True, help="JSON file to write, with a picture beside it."
)
@click.option("--json", "as_json", is_flag=True, help="Print the ratings as JSON.")
def ladder(
    folder: Path,
    games: int | None,
    role: str,
    key: str | None,
    source_key: str | None,
    config: str | None,
    experiment: str,
    seed: int,
    track: bool,
    output: Path,
    as_json: bool,
) -> None:
    """Rate the models that a training kept on its way.

    FOLDER is the --output of 'crossplay train' or 'crossplay fine-tune'. Every model in it plays search
    without a network (UCT) and the two models before it. The ratings are Elo points above UCT, with 95%
    intervals; if they do not rise, the training has stopped learning.

      crossplay ladder results/demo/source/hex5 --output ladder.json
    """
    stage.check_writable(output.parent)
    import json

    from crossplay.cli.evaluate import Matches
    from crossplay.config import EvaluationSettings
    from crossplay.evaluation.ladder import play_ladder, rungs_of
    from crossplay.evaluation.players import parse_player
    from crossplay.figures import Band, draw_ladders, save_figure
    from crossplay.files import write_text
    from crossplay.tracking import Identity

    settings = stage.with_seed(stage.settings_of(EvaluationSettings, config), seed)
    header, rungs = rungs_of(folder)
    number = games or settings.ladder_games
    game = key or stage.key_of(header.game, header.options)
    about = {"game": game} if source_key is None else {"source": source_key, "target": game}
    identity = Identity("ladder", experiment, seed, **about, mode=role)
    matches = Matches(stage.load_game_of(header), settings)
    uct = parse_player({"kind": "uct", **settings.uct.model_dump()})

    with stage.recorded(track, identity, settings.model_dump(), output) as run:
        ratings, played = play_ladder(
            rungs, lambda model, other: matches(model, uct if other is None else matches.model(other), number)
        )
        rated = [
            {"positions": rung.positions, **rating._asdict()}
            for rung, rating in zip(rungs, ratings, strict=True)
        ]
        record = {
            "format": FORMAT_VERSION,
            **about,
            "mode": role,
            "anchor": uct.label,
            "ratings": rated,
            "matches": played,
        }
        write_text(output, json.dumps(record, indent=1) + "\n")
        columns = {name: [row[name] for row in rated] for name in ("positions", "elo", "low", "high")}
        band = Band(game, columns["positions"], columns["elo"], columns["low"], columns["high"])
        save_figure(draw_ladders([band], uct.label), output.with_suffix(".png"))
        for row in rated:
            metrics = {"elo": row["elo"], "elo_low": row["low"], "elo_high": row["high"]}
            run.log_metrics(metrics, int(row["positions"]))
        run.log_artifact(output)
        run.log_artifact(output.with_suffix(".png"))
    if as_json:
        click.echo(json.dumps(record))
        return
    for row in rated:
        interval = f"[{row['low']:+.0f}, {row['high']:+.0f}]"
        click.echo(f"{row['positions']:>12,} positions: {row['elo']:+6.0f} Elo {interval}")
    last = rated[-1]["elo"]
    side = "above" if last >= 0 else "below"
    click.echo(f"{identity.name}: the last model is {abs(last):.0f} Elo {side} {uct.label}; wrote {output}")
    if any(match["score"] in (0, 1) for match in played if match["opponent"] == "uct"):
        click.echo("one-sided matches bound a rating from one side only: play more --games for a number")
