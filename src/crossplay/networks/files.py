"""Model files: safetensors with a JSON header. Reading one never runs code from it."""

from __future__ import annotations

import dataclasses
import json
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch

from crossplay.errors import CrossplayError
from crossplay.files import write_bytes
from crossplay.networks.base import Board, PolicyValueNetwork
from crossplay.networks.registry import build_network, default_hyperparameters

FORMAT_VERSION = 3

# Far above any board, low enough that a crafted file cannot ask for endless work.
MAX_SIDE = 1000

# One metadata key only: safetensors writes several in random order, and equal models should be equal files.
_METADATA_KEY = "crossplay"


@dataclasses.dataclass(frozen=True)
class ModelHeader:
    """What a model file says about its network.

    Attributes:
        architecture: name in the registry.
        hyperparameters: the architecture's keyword arguments.
        game: name or path of the game whose tensors the network reads.
        options: the game's option selections.
        layout: how the game's sites lie in its tensors, keyword arguments for loading it.
        state_channels: names of the input planes, in order.
        move_channels: names of the policy planes, in order.
        board: (X, Y) of these planes; None in files of earlier formats.
        positions: self-play positions the weights have been trained with; 0 for an untrained network.
        source: of a transferred network, where its weights came from (game, options, positions, mode);
            its own ``positions`` count what was trained since.
    """

    architecture: str
    hyperparameters: Mapping[str, Any]
    game: str
    options: tuple[str, ...]
    layout: Mapping[str, str]
    state_channels: tuple[str, ...]
    move_channels: tuple[str, ...]
    board: Board | None = None
    positions: int = 0
    source: Mapping[str, Any] | None = None

    def new_network(self) -> PolicyValueNetwork:
        """Build the network that this describes, with initial parameters from torch's generator.

        Raises:
            CrossplayError: no such architecture, or values that it cannot have.
        """
        return build_network(
            self.architecture,
            len(self.state_channels),
            len(self.move_channels),
            self.board,
            self.hyperparameters,
        )

    def all_hyperparameters(self) -> dict[str, Any]:
        """The hyperparameters with the defaults of those it lacks, as files of earlier versions do.

        Raises:
            CrossplayError: unknown architecture.
        """
        return {**default_hyperparameters(self.architecture), **self.hyperparameters}

    def to_json(self) -> str:
        """Return the header as the JSON text kept in a model file."""
        return json.dumps({"format": FORMAT_VERSION, **dataclasses.asdict(self)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> ModelHeader:
        """Read what :meth:`to_json` wrote.

        Raises:
            ValueError: the text is no such header; the message says in what respect.
        """
        try:
            fields = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError("its header is not JSON") from error
        if not isinstance(fields, dict) or not isinstance(fields.get("format"), int):
            raise ValueError("its header has no format number")
        if fields.pop("format") > FORMAT_VERSION:
            raise ValueError("it was written by a newer version of Crossplay")
        kinds: dict[str, type | types.UnionType] = {
            "architecture": str,
            "hyperparameters": dict,
            "game": str,
            "options": list,
            "layout": dict,
            "state_channels": list,
            "move_channels": list,
            "board": list | types.NoneType,
            "positions": int,
            "source": dict | types.NoneType,
        }
        for name, kind in kinds.items():
            if not isinstance(fields.setdefault(name, None), kind):
                raise ValueError(f"its header has no valid {name!r}")
        for name in ("options", "state_channels", "move_channels"):
            fields[name] = tuple(map(str, fields[name]))
        board = fields["board"]
        if board is not None:
            if len(board) != 2 or not all(type(size) is int and 0 < size <= MAX_SIDE for size in board):
                raise ValueError("its header has no valid 'board'")
            fields["board"] = tuple(board)
        return cls(**{name: fields[name] for name in kinds})


def save_model(path: Path, network: PolicyValueNetwork, header: ModelHeader) -> None:
    """Write a model file atomically. Equal weights and headers give equal bytes.

    Raises:
        CrossplayError: the file cannot be written.
    """
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    data = safetensors.torch.save(tensors, {_METADATA_KEY: header.to_json()})
    write_bytes(path, data)


def load_model(path: Path) -> tuple[PolicyValueNetwork, ModelHeader]:
    """Read a model file: the network on the CPU in evaluation mode, and its header.

    Raises:
        CrossplayError: no such file, damaged, not a model file, an architecture unknown here, or
            tensors that do not fit the architecture.
    """
    header, tensors = _read(path, with_tensors=True)
    try:
        # On the meta device a network costs neither memory nor initialisation: its shapes are checked
        # before anything of the size that the header asks for is made.
        with torch.device("meta"):
            network = header.new_network()
    except CrossplayError as error:
        raise CrossplayError(f"cannot load model {path}: {error}") from error
    expected = network.state_dict()
    for name in sorted(expected.keys() ^ tensors.keys()):
        fault = "is missing" if name in expected else "does not belong to it"
        raise _damaged(path, f"its tensor {name!r} {fault} ({header.architecture})")
    for name, tensor in tensors.items():
        if tensor.shape != expected[name].shape or tensor.dtype != expected[name].dtype:
            raise _damaged(
                path,
                f"its tensor {name!r} is {_describe(tensor)}, its header says {_describe(expected[name])}",
            )
    network.load_state_dict(tensors, assign=True)
    return network.eval(), header


def read_header(path: Path) -> ModelHeader:
    """Read only the header of a model file.

    Raises:
        CrossplayError: no such file, damaged, or not a model file.
    """
    return _read(path, with_tensors=False)[0]


def _read(path: Path, with_tensors: bool) -> tuple[ModelHeader, dict[str, torch.Tensor]]:
    if not path.is_file():
        raise CrossplayError(f"no model file at {path}; give the path of a file that training wrote")
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in (file.keys() if with_tensors else ())}
    except (safetensors.SafetensorError, OSError, ValueError) as error:
        raise _damaged(path, "it is damaged, cut short or not a safetensors file") from error
    if _METADATA_KEY not in metadata:
        raise _damaged(path, "it has no Crossplay header")
    try:
        return ModelHeader.from_json(metadata[_METADATA_KEY]), tensors
    except ValueError as error:
        raise _damaged(path, str(error)) from error


def _damaged(path: Path, reason: str) -> CrossplayError:
    return CrossplayError(
        f"cannot load model {path}: {reason}; write it again by the stage that made it, or give another file"
    )


def _describe(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"
