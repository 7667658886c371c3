"""The command ``crossplay``: one sub-command per stage of the workflow, and tools around it."""

from __future__ import annotations

import click

import crossplay
from crossplay.cli.lazy import MainGroup

_COMMANDS = {
    "games": "crossplay.cli.games:games",
    "train": "crossplay.cli.train:train",
    "map-channels": "crossplay.cli.transfer:map_channels",
    "transfer": "crossplay.cli.transfer:transfer",
    "fine-tune": "crossplay.cli.train:fine_tune",
    "evaluate": "crossplay.cli.evaluate:evaluate",
    "ladder": "crossplay.cli.ladder:ladder",
    "similarity": "crossplay.cli.similarity:similarity",
    "report": "crossplay.cli.report:report",
    "ntuple": "crossplay.cli.ntuple:ntuple",
    "config": "crossplay.cli.config:config",
    "tracking": "crossplay.cli.tracking:tracking",
    "ui": "crossplay.cli.tracking:ui",
    "doctor": "crossplay.cli.doctor:doctor",
}


@click.group(
    cls=MainGroup,
    lazy=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(crossplay.__version__, prog_name="crossplay")
def main() -> None:
    """Learn board games by self-play and measure what can be carried from one game to another."""
