"""``crossplay games``: look at games, count their move trees, play them out at random."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crossplay.cli import stage
from crossplay.errors import CrossplayError

if TYPE_CHECKING:
    from crossplay.games import Game


def game_options(command: Callable[..., None]) -> Callable[..., None]:
    """The game's name, its options and the form of the output."""
    for decorate in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text."),
        stage.layout_options(hex="sparse", hands="faithful"),
        click.option(
            "-o",
            "--option",
            "options",
            multiple=True,
            metavar="HEADING/ITEM",
            help="Choose an option of the game, e.g. -o 'Board Size/7x7'; repeat for several.",
        ),
        click.argument("name"),
    ):
        command = decorate(command)
    return command


def _load(name: str, options: tuple[str, ...], hex: str, hands: str) -> Game:
    from crossplay.games import load_game

    return load_game(name, options, hex, hands)


def _print(as_json: bool, data: dict[str, Any], text: str) -> None:
    click.echo(json.dumps(data) if as_json else text)


@click.group()
def games() -> None:
    """Look at games: rules, tensors, move counts, random play.

    NAME is a game of the library ("crossplay games list") or the path of a .lud file.
    """


@games.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def list_command(as_json: bool) -> None:
    """List the games of the library."""
    from crossplay.games import list_games

    names = list_games()
    _print(as_json, {"games": names}, "\n".join(names))


@games.command()
@game_options
@click.option("--source", is_flag=True, help="Print the generated source of the game's kernels.")
def show(name: str, options: tuple[str, ...], hex: str, hands: str, as_json: bool, source: bool) -> None:
    """Show a game: its options, equipment and starting position."""
    game = _load(name, options, hex, hands)
    if source:
        _print(
            as_json,
            {"game": game.name, "options": list(game.description.given), "source": game.source},
            game.source,
        )
        return
    headings = [
        {
            "heading": heading.heading,
            "items": [item.name for item in heading.items],
            "default": heading.items[heading.default].name,
        }
        for heading in game.description.options
    ]
    data = {
        "game": game.name,
        "options": list(game.description.given),
        "selections": list(game.options),
        "available_options": headings,
        "sites": game.board.n_sites,
        "components": [{"index": c.index, "name": c.name, "owner": c.owner} for c in game.components],
        "swap": game.flags.swap,
    }
    lines = [f"{game.name}  ({', '.join(game.options) or 'no options'})"]
    for heading in headings:
        choices = ", ".join(f"{i} (default)" if i == heading["default"] else i for i in heading["items"])
        lines.append(f"  {heading['heading']}: {choices}")
    lines.append(f"  pieces: {', '.join(c.name for c in game.components)}")
    lines.append(f"  board: {game.board.n_sites} sites; swap rule: {'yes' if game.flags.swap else 'no'}")
    lines += ["", game.render(game.new_state())]
    _print(as_json, data, "\n".join(lines))


@games.command()
@game_options
@click.option(
    "--depth", type=click.IntRange(1, 20), default=3, show_default=True, help="Plies to look ahead."
)
def perft(name: str, options: tuple[str, ...], hex: str, hands: str, as_json: bool, depth: int) -> None:
    """Count the move sequences of each length from the start, to check rules against other programs."""
    game = _load(name, options, hex, hands)
    counts = game.perft(depth)
    _print(
        as_json,
        {"game": game.name, "options": list(game.description.given), "perft": counts},
        "\n".join(f"{ply:>2}  {count:>16,}" for ply, count in enumerate(counts, 1)),
    )


@games.command()
@game_options
@click.option(
    "-n", "--games", "n", type=click.IntRange(1), default=1000, show_default=True, help="Games to play."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the random moves.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="Threads to use.")
def playout(
    name: str, options: tuple[str, ...], hex: str, hands: str, as_json: bool, n: int, seed: int, threads: int
) -> None:
    """Play games with uniformly random moves and report their lengths and results."""
    from crossplay.search.playout import random_playouts

    game = _load(name, options, hex, hands)
    statistics = random_playouts(game, n, seed, threads)
    data = {"game": game.name, "options": list(game.description.given), "seed": seed, **asdict(statistics)}
    _print(as_json, data, "\n".join(f"{key:>16}  {value}" for key, value in data.items()))


@games.command()
@game_options
def tensors(name: str, options: tuple[str, ...], hex: str, hands: str, as_json: bool) -> None:
    """Show the shapes and channels of a game's state and action tensors."""
    game = _load(name, options, hex, hands)
    data = {
        "game": game.name,
        "options": list(game.description.given),
        "layout": game.layout._asdict(),
        "state_shape": list(game.state_shape),
        "state_channels": game.state_channels,
        "move_shape": list(game.move_shape),
        "move_channels": game.move_channels,
    }
    lines = [f"state {list(game.state_shape)}"]
    lines += [f"  {i:>3}  {channel}" for i, channel in enumerate(game.state_channels)]
    lines.append(f"action {list(game.move_shape)}")
    lines += [f"  {i:>3}  {channel}" for i, channel in enumerate(game.move_channels)]
    _print(as_json, data, "\n".join(lines))


@games.command()
@click.argument("word", default="")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def ludemes(word: str, as_json: bool) -> None:
    """List the ludemes that a description may use, or those whose text has WORD in it.

    Boards, pieces and the frame of a game are not among them: see docs/games.md.
    """
    from crossplay.games import known_ludemes

    found = [entry for entry in known_ludemes() if word.lower() in " ".join(entry).lower()]
    if not found:
        raise CrossplayError(f"no ludeme known here has {word!r} in its name or description")
    data = {"ludemes": [{"kind": kind, "ludeme": name, "about": about} for kind, name, about in found]}
    width = max(len(name) for _, name, _ in found)
    _print(as_json, data, "\n".join(f"{kind:16}  {name:{width}}  {about}" for kind, name, about in found))


@games.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-n",
    "--games",
    "n",
    type=click.IntRange(0),
    default=20,
    show_default=True,
    help="Random games to play of each; 0 only translates the rules, which is much quicker.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def check(files: tuple[Path, ...], n: int, as_json: bool) -> None:
    """Say of each description FILE (a folder stands for all in it) whether it can be read and played.

    Exit code 2 if one cannot.
    """
    from tqdm import tqdm

    found = [path for file in files for path in (sorted(file.rglob("*.lud")) if file.is_dir() else [file])]
    results, details = {}, {}
    for path in tqdm(found, unit="file", leave=False, disable=None):
        results[str(path)], details[str(path)] = _check(path, n)
    data = {"files": results, "games": {file: detail for file, detail in details.items() if detail}}
    width = max(map(len, results), default=0)
    lines = [f"{file:<{width}}  {_summary(results[file], details[file])}" for file in results]
    if len(results) > 1:
        lines.append(f"{sum(result == 'ok' for result in results.values())} of {len(results)} files are ok")
    _print(as_json, data, "\n".join(lines))
    if any(result != "ok" for result in results.values()):
        raise click.exceptions.Exit(2)


def _check(path: Path, n: int) -> tuple[str, dict[str, Any]]:
    """ "ok" or one line that says what is wrong, and what happened in ``n`` random games."""
    from crossplay.games import load_game, translate
    from crossplay.games.random import seed_streams
    from crossplay.games.state import DRAW
    from crossplay.search.playout import survey_games

    if path.suffix != ".lud":
        return f"{path} is no .lud file", {}
    try:
        if n == 0:
            translate(str(path))
            return "ok", {}
        counts = survey_games(load_game(str(path)), seed_streams(1, n))
    except CrossplayError as error:
        return str(error), {}
    except Exception as error:  # one bad file must not keep the others from being checked
        first_line = next(iter(str(error).splitlines()), "")
        return f"fault in the compiler: {type(error).__name__}: {first_line}", {}
    return "ok", {
        "games": n,
        "mean_length": float(counts.lengths.mean()),
        "mean_choices": float(counts.choices.sum() / counts.lengths.sum()),
        "wins1": int((counts.outcomes == 1).sum()),
        "wins2": int((counts.outcomes == 2).sum()),
        "draws": int((counts.outcomes == DRAW).sum()),
    }


def _summary(result: str, detail: dict[str, Any]) -> str:
    if not detail:
        return result
    return (
        f"ok  {detail['mean_length']:6.1f} moves, {detail['mean_choices']:5.1f} choices,"
        f" {detail['wins1']}+ {detail['wins2']}- {detail['draws']}="
    )
