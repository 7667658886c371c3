"""What a process that plays for a training is told."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from typing import Any

import torch

from crossplay.config import TrainingSettings
from crossplay.networks import ModelHeader, choose_device
from crossplay.selfplay.place import Place


@dataclass(frozen=True)
class Task:
    """What to play, with whom.

    Attributes:
        header: of the model that learns, as JSON; it also says which game that is.
        self_play: settings, as JSON.
        threads: of the process.
        device, precision: as in the settings of training.
        place: of the process.
    """

    header: str
    self_play: str
    threads: int
    device: str
    precision: str
    place: Place

    def to_json(self) -> str:
        """The task as a line of JSON."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Task:
        """The inverse of :meth:`to_json`."""
        fields: dict[str, Any] = json.loads(text)
        return cls(**{**fields, "place": Place(*fields["place"])})

    @property
    def digest(self) -> str:
        """What processes of one training must have in common."""
        return hashlib.sha256(f"{self.header} {self.self_play} {self.precision}".encode()).hexdigest()[:16]


def playing_task(header: ModelHeader, settings: TrainingSettings, place: Place) -> Task:
    """What the processes that play for a training of this model are told."""
    return Task(
        header.to_json(),
        settings.self_play.model_dump_json(),
        settings.threads,
        settings.device,
        settings.precision,
        place,
    )


def device_of(name: str, local_rank: int) -> torch.device:
    """The device of a process; with ``auto`` or ``cuda`` each takes another GPU in turn.

    Raises:
        CrossplayError: no such device here.
    """
    device = choose_device(name)
    if device.type == "cuda" and device.index is None and torch.cuda.device_count() > 1:
        return torch.device("cuda", local_rank % torch.cuda.device_count())
    return device
