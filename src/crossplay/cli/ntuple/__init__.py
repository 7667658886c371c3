"""``crossplay ntuple``: learning 2048, and playing what was learned."""

from __future__ import annotations

import click

from crossplay.cli.lazy import LazyGroup

_COMMANDS = {
    "train": "crossplay.cli.ntuple.train:train",
    "evaluate": "crossplay.cli.ntuple.evaluate:evaluate",
    "fold": "crossplay.cli.ntuple.fold:fold",
    "play": "crossplay.cli.ntuple.play:play",
}


@click.group(cls=LazyGroup, lazy=_COMMANDS)
def ntuple() -> None:
    """2048: learn an n-tuple network, measure it, and watch it play.

    A network is a sum of table entries: each of its tuples looks at some cells of the board, in all eight
    symmetric ways, and the tiles there name the entry. "train" learns the entries by playing, "evaluate"
    plays many games with and without search, "fold" turns a network with small extra tuples into an equal
    one without them, which plays faster, and "play" shows a game in the terminal.
    """
