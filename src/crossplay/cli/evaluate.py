"""``crossplay evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crossplay.cli import stage

if TYPE_CHECKING:
    from crossplay.config import EvaluationSettings
    from crossplay.evaluation.players import PlayerSpec
    from crossplay.games import Game

FORMAT_VERSION = 1


@click.command()
@click.option("--model", type=stage.FILE, required=True, help="Model file to measure.")
@click.option(
    "--scratch", type=stage.FILE, help="Model trained from scratch on the same game, to play against."
)
@click.option("--initial", type=stage.FILE, help="Model that training started from: the curve's first point.")
@click.option(
    "--opponent",
    "opponents",
    multiple=True,
    metavar="PLAYER",
    help="Another opponent: a model file, 'random', or 'uct:iterations=100,playouts=1'; repeatable.",
)
@click.option(
    "--kind",
    type=click.Choice(["source", "scratch", "transfer"]),
    default="source",
    show_default=True,
    help="What the model is in the experiment, for the run.",
)
@click.option("--key", help="Short name of the game in results; made from it by default.")
@click.option("--source-key", help="The same of the source game of a transferred model.")
@click.option("--target-key", help="The same of its target game.")
@click.option("--mode", help="Its kind of transfer.")
@click.option("--config", help=stage.CONFIG_HELP)
@stage.stage_options
@click.option("--output", type=stage.FILE, required=True, help="JSON file to write.")
def evaluate(
    model: Path,
    scratch: Path | None,
    initial: Path | None,
    opponents: tuple[str, ...],
    kind: str,
    key: str | None,
    source_key: str | None,
    target_key: str | None,
    mode: str | None,
    config: str | None,
    experiment: str,
    seed: int,
    track: bool,
    output: Path,
) -> None:
    """Play a model against other players.

    Search without a network (UCT) always, the model trained from scratch and others if given.
    The models that its training kept on the way (the folder "snapshots" beside it) also play, fewer games,
    for the learning curve.
    """
    stage.check_writable(output.parent)
    import json

    from crossplay.config import EvaluationSettings
    from crossplay.evaluation.ladder import snapshots_of
    from crossplay.evaluation.players import parse_player
    from crossplay.files import write_text
    from crossplay.networks import read_header
    from crossplay.tracking import Identity

    # Read first: a mistake is told before the first match, not after the last.
    others = {opponent: parse_player(opponent, "--opponent") for opponent in opponents}
    settings = stage.with_seed(stage.settings_of(EvaluationSettings, config), seed)
    header = read_header(model)
    if kind == "transfer":
        identity = Identity("evaluate", experiment, seed, source=source_key, target=target_key, mode=mode)
    else:
        key = key or stage.key_of(header.game, header.options)
        identity = Identity("evaluate", experiment, seed, game=key, mode=kind)

    play = Matches(stage.load_game_of(header), settings)
    uct = parse_player({"kind": "uct", **settings.uct.model_dump()})
    with stage.recorded(track, identity, settings.model_dump(), output) as run:
        matches = {"uct": play(model, uct, settings.uct_games)}
        if scratch is not None:
            matches["scratch"] = play(model, play.model(scratch), settings.games)
        for opponent, player in others.items():
            matches[opponent] = play(model, player, settings.games)
        curve = [{"positions": header.positions, **matches["uct"]}]
        if settings.curve_games:
            earlier = snapshots_of(model.parent)
            if initial is not None:
                earlier[0] = initial
            points = [(n, play(earlier[n], uct, settings.curve_games)) for n in sorted(earlier)]
            curve = [*({"positions": n, **result} for n, result in points), *curve]
        record = {
            "format": FORMAT_VERSION,
            **{name: value for name, value in identity._asdict().items() if value is not None},
            "positions": header.positions,
            "settings": settings.model_dump(mode="json"),
            "matches": matches,
            "curve": curve,
        }
        write_text(output, json.dumps(record, indent=1) + "\n")
        for name, result in matches.items():
            values = {f"{name}_{field}": result[field] for field in ("score", "low", "high", "games")}
            run.log_metrics({_metric_name(field): value for field, value in values.items()}, 0)
        for point in curve:
            run.log_metrics({"curve_uct_score": point["score"]}, point["positions"])
        run.log_artifact(output)
    scores = ", ".join(f"{100 * result['score']:.1f}% against {name}" for name, result in matches.items())
    click.echo(f"{identity.name}: {scores}; wrote {output}")


class Matches:
    """Plays matches of one game and reports each in a line on standard error, on a terminal with a bar."""

    def __init__(self, game: Game, settings: EvaluationSettings) -> None:
        self._game, self._settings = game, settings

    def model(self, file: Path) -> PlayerSpec:
        """A model as these settings let it play."""
        from crossplay.evaluation.players import parse_player

        search = {"simulations": self._settings.simulations, "exploration": self._settings.exploration}
        return parse_player({"kind": "model", "file": str(file), **search})

    def __call__(self, model: Path, opponent: PlayerSpec, games: int) -> dict[str, Any]:
        from tqdm import tqdm

        from crossplay.evaluation.match import play_match

        with tqdm(total=games, unit="game", desc=f"{model.name} - {opponent.label}", disable=None) as bar:

            def show(finished: int) -> None:
                bar.update(finished - bar.n)

            result = play_match(
                self._game,
                self.model(model),
                opponent,
                games,
                self._settings.seed,
                sampled_plies=self._settings.sampled_plies,
                threads=self._settings.threads,
                progress=show,
            )
        low, high = result.interval
        click.echo(
            f"{model} against {opponent.label}: {100 * result.score:.1f}% "
            f"[{100 * low:.0f}, {100 * high:.0f}] in {games} games, {result.seconds:.1f} s",
            err=True,
        )
        return result.to_json()


def _metric_name(text: str) -> str:
    """A name that MLflow takes for a metric."""
    return "".join(c if c.isalnum() or c in "_-. /" else "_" for c in text)
