"""Files of n-tuple networks: a header in JSON and one table of weights, mapped into memory when read."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crossplay.errors import CrossplayError
from crossplay.memory import check_memory
from crossplay.ntuple.shapes import Tuples, format_tuples, parse_tuples, stage_weights
from crossplay.ntuple.sparse import Place, map_array, read_array, read_layout, write_arrays
from crossplay.ntuple.tables import new_table

MODEL = "model.safetensors"
CHECKPOINT = "checkpoint.safetensors"
FORMAT_VERSION = 1
MOST_STAGE_BITS = 5

_WEIGHTS = "weights"
# As for other models, one key only.
_METADATA_KEY = "crossplay"
_KIND = "ntuple"


@dataclass(frozen=True)
class NetworkHeader:
    """What a file says about its network.

    Attributes:
        network: its name as it was given.
        tuples: the cells of its tuples.
        stage_bits: it has ``2**stage_bits`` stages.
        promotion: weights of a stage that are 0 stand for those of the stage before.
        offset: added to every value (optimistic initialisation).
        actions: moves made while it learned.
        settings: all settings of the learning.
        seed: of the learning.
        diverged: its values grew beyond all bounds while it learned, so that it cannot play.
    """

    network: str
    tuples: Tuples
    stage_bits: int = 0
    promotion: bool = True
    offset: float = 0.0
    actions: int = 0
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    seed: int = 0
    diverged: bool = False

    @property
    def weights(self) -> int:
        """The number of weights, of all stages."""
        return stage_weights(self.tuples) << self.stage_bits

    def to_json(self) -> dict[str, Any]:
        """The header as values of JSON."""
        fields = {**dataclasses.asdict(self), "tuples": format_tuples(self.tuples)}
        return {"format": FORMAT_VERSION, "kind": _KIND, **fields}

    @classmethod
    def from_json(cls, fields: Any) -> NetworkHeader:
        """The inverse of :meth:`to_json`.

        Raises:
            ValueError: the values are no such header; the message says in what respect.
        """
        if not isinstance(fields, dict) or fields.get("kind") != _KIND:
            raise ValueError("it is not a network for 2048")
        if not isinstance(fields.get("format"), int) or fields["format"] > FORMAT_VERSION:
            raise ValueError("it was written by a newer version of Crossplay")
        kinds: dict[str, type | tuple[type, ...]] = {
            "network": str,
            "tuples": str,
            "stage_bits": int,
            "promotion": bool,
            "offset": (int, float),
            "actions": int,
            "diverged": bool,
            "settings": dict,
            "seed": int,
        }
        fields = {"diverged": False, **fields}  # files had no such field at first
        for name, kind in kinds.items():
            if not isinstance(fields.get(name), kind):
                raise ValueError(f"its header has no valid {name!r}")
        if not 0 <= fields["stage_bits"] <= MOST_STAGE_BITS:
            raise ValueError("its header has no valid 'stage_bits'")
        try:
            tuples = parse_tuples(fields["tuples"])
        except CrossplayError as error:
            raise ValueError("its header has no valid 'tuples'") from error
        return cls(**{name: fields[name] for name in kinds if name != "tuples"}, tuples=tuples)


@dataclass(frozen=True)
class Network:
    """A network that can be played.

    Attributes:
        header: what it is.
        weights: ``float32[stages * weights of a stage]``; read-only if it comes from a file.
        source: the file that it comes from.
    """

    header: NetworkHeader
    weights: np.ndarray
    source: Path | None = None

    def in_memory(self) -> Network:
        """The network with its weights in memory of its own, on huge pages and writable; faster to play.

        Raises:
            CrossplayError: there is not enough memory, or the file cannot be read any more.
        """
        size = self.weights.nbytes
        check_memory(size, f"network {self.header.network}", "choose a smaller network")
        table = new_table(len(self.weights))
        if self.source is None:
            table[:] = self.weights
        else:
            TableFile(self.source).read(_WEIGHTS, table)
        return Network(self.header, table)


class TableFile:
    """A file of a network, opened to read what it holds: a model or a checkpoint.

    Attributes:
        path: the file.
        header: what it says about its network.
        state: what else it says; nothing in a model.

    Args:
        path: the file.
        remedy: what to do if it is of no use, for the message.

    Raises:
        CrossplayError: no such file, cut short, damaged, or not a network for 2048.
    """

    def __init__(self, path: Path, remedy: str = "give another file, or write this one again") -> None:
        self.path = path
        self._remedy = remedy
        if not path.is_file():
            raise CrossplayError(f"no network at {path}; give the folder or file that 'ntuple train' wrote")
        try:
            self._places, texts = read_layout(path)
            if _METADATA_KEY not in texts:
                raise ValueError("it has no Crossplay header")
            self.header, self.state = _read_header(texts[_METADATA_KEY])
            self.place(_WEIGHTS, np.float32, (self.header.weights,))
        except (OSError, ValueError) as error:
            raise self.unusable(getattr(error, "strerror", None) or str(error)) from error

    def place(self, name: str, dtype: Any, shape: tuple[int, ...]) -> Place:
        """Where an array lies.

        Raises:
            ValueError: it is not there, or of another type or shape.
        """
        place = self._places.get(name)
        if place is None or place.dtype != dtype or place.shape != shape:
            raise ValueError(f"its table {name!r} is missing or does not fit its header")
        return place

    def map(self) -> np.ndarray:
        """The weights as read-only memory, read from the disk as they are used."""
        try:
            return map_array(self.path, self._places[_WEIGHTS])
        except OSError as error:
            raise self.unusable(error.strerror or str(error)) from error

    def read(self, name: str, into: np.ndarray) -> None:
        """Read an array into the beginning of one of its type that holds zeros.

        Raises:
            CrossplayError: it cannot be read, or is missing or longer than ``into``.
        """
        try:
            place = self._places.get(name)
            if place is None or place.dtype != into.dtype or place.size > into.nbytes:
                raise ValueError(f"its table {name!r} is missing or does not fit its header")
            read_array(self.path, place, into)
        except (OSError, ValueError) as error:
            raise self.unusable(getattr(error, "strerror", None) or str(error)) from error

    def unusable(self, reason: str) -> CrossplayError:
        """The error that says why this file is of no use."""
        return CrossplayError(f"cannot load network {self.path}: {reason}; {self._remedy}")


def _read_header(text: str) -> tuple[NetworkHeader, dict[str, Any]]:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("its header is not JSON") from error
    return NetworkHeader.from_json(fields), fields.get("state", {})


def save_network(path: Path, header: NetworkHeader, weights: np.ndarray) -> None:
    """Write a network's file atomically.

    Raises:
        CrossplayError: the file cannot be written.
    """
    save_tables(path, header, {_WEIGHTS: weights}, {})


def save_tables(
    path: Path, header: NetworkHeader, arrays: Mapping[str, np.ndarray], state: Mapping[str, Any]
) -> None:
    """Write a file with a network's tables, and values of JSON beside the header, atomically.

    Raises:
        CrossplayError: the file cannot be written.
    """
    fields = {**header.to_json(), **({"state": dict(state)} if state else {})}
    write_arrays(path, arrays, {_METADATA_KEY: json.dumps(fields)})


def load_network(path: Path | str) -> Network:
    """Open a network.

    Args:
        path: a run's folder, or a file: a model or a checkpoint.

    Returns:
        The network, its weights mapped from the file.

    Raises:
        CrossplayError: no such file, cut short, damaged, or not a network for 2048.
    """
    file = TableFile(network_file(Path(path)))
    return Network(file.header, file.map(), file.path)


def network_file(path: Path) -> Path:
    """The model in a run's folder, or the file itself.

    Raises:
        CrossplayError: the folder has no model.
    """
    if not path.is_dir():
        return path
    if not (path / MODEL).exists() and (path / CHECKPOINT).exists():
        raise CrossplayError(
            f"the learning in {path} has not ended; run its command again, or give {path / CHECKPOINT}"
        )
    return path / MODEL
