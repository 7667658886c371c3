"""``crossplay ntuple play``."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crossplay.cli.ntuple.train import Number

if TYPE_CHECKING:
    from crossplay.ntuple.expectimax import Decision, Searcher
    from crossplay.ntuple.game import Game

# What is typed, as a line or a key, and what it means.
_MOVES = {
    "up": 0, "w": 0, "k": 0, "\x1b[A": 0, "\x1bOA": 0,
    "right": 1, "d": 1, "l": 1, "\x1b[C": 1, "\x1bOC": 1,
    "down": 2, "s": 2, "j": 2, "\x1b[B": 2, "\x1bOB": 2,
    "left": 3, "a": 3, "h": 3, "\x1b[D": 3, "\x1bOD": 3,
}  # fmt: skip
_BEST = ("", "best", "b", "\r", "\n", " ")
_REST = ("auto", "r")
_UNDO = ("undo", "u")
_QUIT = ("quit", "q", "\x1b", "\x03", "\x04")
_HELP = (
    "arrows, wasd or hjkl: move; Enter: the network's move; u: take back; r: the network plays on; q: leave"
)

# Colours of the tiles 2, 4, ... 32768 on terminals of 256 colours.
_COLOURS = (230, 229, 222, 216, 209, 203, 227, 226, 220, 214, 208, 118, 84, 45, 141)


@click.command()
@click.argument("network", type=click.Path(path_type=Path))
@click.option("--plies", type=Number(), help="Moves that the network looks ahead.  [default: 1]")
@click.option("--seconds-per-move", type=float, help="It looks ahead as far as this time allows.")
@click.option("--downgrade", is_flag=True, help="Judge large tiles as if they were halved.")
@click.option("--auto", is_flag=True, help="The network plays to the end by itself.")
@click.option("--delay", type=float, default=0.1, show_default=True, help="Seconds between its moves.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="The same number, the same new tiles.")
def play(
    network: Path,
    plies: int | None,
    seconds_per_move: float | None,
    downgrade: bool,
    auto: bool,
    delay: float,
    seed: int | None,
) -> None:
    """Play 2048 in the terminal, with a network's value of each move.

    \b
      crossplay ntuple play runs/first
      crossplay ntuple play runs/first --plies 3 --auto

    NETWORK is the folder of a learning, or a model file. Beside the board stands for every legal move the
    score that the network expects from it to the end of the game; the best one is marked. Arrow keys, wasd
    or hjkl move, Enter makes the marked move, u takes a move back, r lets the network play on, q leaves.
    Without a terminal the same commands are read from standard input, one in a line.
    """
    import secrets

    from crossplay.ntuple.evaluation import plies_of
    from crossplay.ntuple.expectimax import Searcher
    from crossplay.ntuple.files import load_network
    from crossplay.ntuple.game import Game

    plies = plies_of(plies, seconds_per_move)
    searcher = Searcher(load_network(network), plies, seconds_per_move, downgrade)
    game = Game(secrets.randbelow(2**32) if seed is None else seed)
    _Table(game, searcher, delay).run(auto)


class _Table:
    """A game, who advises on it, and where it is shown."""

    def __init__(self, game: Game, searcher: Searcher, delay: float) -> None:
        self._game, self._searcher, self._delay = game, searcher, delay
        self._shown = sys.stdout.isatty()
        self._past: list[tuple[int, ...]] = []

    def run(self, auto: bool) -> None:
        """Play until the game ends or the player leaves."""
        decision, commands, note = self._look(), self._commands(), ""
        while decision.best is not None:
            if auto:
                # Only somebody who watches needs every position.
                if self._shown:
                    self._show(decision, "")
                    time.sleep(self._delay)
                decision = self._move(decision.best)
                continue
            self._show(decision, note or (_HELP if self._shown else ""))
            command, note = next(commands, "quit"), ""
            move = decision.best if command in _BEST else _MOVES.get(command)
            if command in _QUIT:
                return
            if command in _REST:
                auto = True
            elif command in _UNDO:
                decision = self._undo() or decision
            elif move is None:
                note = f"{command!r} is no command. {_HELP}"
            elif decision.values[move] is None:
                note = "That move changes nothing."
            else:
                decision = self._move(move)
        self._show(decision, "No move is left.")

    def _look(self) -> Decision:
        return self._searcher.values(self._game.board)

    def _move(self, move: int) -> Decision:
        self._past.append(self._game.state)
        self._game.move(move)
        return self._look()

    def _undo(self) -> Decision | None:
        if not self._past:
            return None
        self._game.state = self._past.pop()
        return self._look()

    def _commands(self) -> Iterator[str]:
        """What the player types: keys on a terminal, or else lines."""
        if sys.stdin.isatty() and self._shown:
            while True:
                try:
                    key = click.getchar()
                except (EOFError, KeyboardInterrupt):
                    return
                yield key if key.startswith("\x1b") else key.lower()
        for line in sys.stdin:
            yield line.strip().lower()

    def _show(self, decision: Decision, note: str) -> None:
        if self._shown:
            click.clear()
        text = render(self._game.board, self._game.score, self._game.moves, decision, self._shown)
        click.echo(text + (f"\n{note}" if note else ""))


def render(board: int, score: int, moves: int, decision: Decision, colour: bool) -> str:
    """The board, and beside it the value of each move."""
    from crossplay.ntuple.board import MOVE_NAMES, cells_of

    line = "+-------" * 4 + "+"
    values = []
    for move, value in enumerate(decision.values):
        number = "-" if value is None else f"{value:,.1f}"
        values.append(f"{'>' if move == decision.best else ' '} {MOVE_NAMES[move]:<5} {number:>12}")
    plies = f"{decision.plies} {'ply' if decision.plies == 1 else 'plies'} ahead"
    lines = [f"score {score:,}  moves {moves:,}  {plies}", line]
    for row, beside in zip(cells_of(board), values, strict=True):
        cells = "|".join(_cell(tile, colour) for tile in row)
        lines += [f"|{cells}|  {beside}", line]
    return "\n".join(lines)


def _cell(tile: int, colour: bool) -> str:
    text = f"{tile or '':>6} "
    if not (tile and colour):
        return text
    return f"\x1b[30;48;5;{_COLOURS[tile.bit_length() - 2]}m{text}\x1b[0m"
