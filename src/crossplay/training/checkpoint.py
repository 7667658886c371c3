"""Checkpoints: a folder with one data file and an index that names it.

The index is written last and atomically, so the folder always holds one whole checkpoint, the new one
or the one before, whenever the process dies.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import safetensors
import safetensors.numpy

from crossplay.errors import CrossplayError
from crossplay.files import write_bytes, write_text

FORMAT_VERSION = 1
INDEX = "index.json"


class Checkpoint(NamedTuple):
    """Contents of a checkpoint: named arrays, and values that JSON can hold."""

    arrays: dict[str, np.ndarray]
    values: dict[str, Any]


def has_checkpoint(folder: Path) -> bool:
    """Whether ``folder`` holds a checkpoint to continue from."""
    return (folder / INDEX).is_file()


def save_checkpoint(folder: Path, arrays: Mapping[str, np.ndarray], values: Mapping[str, Any]) -> None:
    """Replace the checkpoint in ``folder``.

    Raises:
        CrossplayError: it cannot be written; the checkpoint before is still there.
    """
    data = safetensors.numpy.save(dict(arrays))
    digest = hashlib.sha256(data).hexdigest()
    name = f"{digest[:16]}.safetensors"
    write_bytes(folder / name, data)
    index = {"format": FORMAT_VERSION, "data": name, "sha256": digest, "values": dict(values)}
    write_text(folder / INDEX, json.dumps(index))
    # The data of the checkpoint before, and what a kill in the middle of a write has left.
    for path in folder.iterdir():
        if path.name != name and ".safetensors" in path.name:
            path.unlink(missing_ok=True)


def load_checkpoint(folder: Path) -> Checkpoint:
    """Read the checkpoint in ``folder``.

    Raises:
        CrossplayError: damaged or written by a newer version; the message names the file.
    """
    path = folder / INDEX
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
        version, values = int(index["format"]), dict(index["values"])
        if version > FORMAT_VERSION:
            raise _unusable(folder, f"{path.name} was written by a newer version of Crossplay")
        path = folder / Path(index["data"]).name
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != index["sha256"]:
            raise ValueError("contents changed")
        return Checkpoint(safetensors.numpy.load(data), values)
    except (OSError, ValueError, KeyError, TypeError, safetensors.SafetensorError) as error:
        raise _unusable(folder, f"{path.name} is missing or damaged") from error


def remove_checkpoint(folder: Path) -> None:
    """Delete ``folder``, index first, so that no half-deleted checkpoint is ever found."""
    (folder / INDEX).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def check_identity(folder: Path, stored: Mapping[str, Any], current: Mapping[str, Any]) -> None:
    """Refuse to continue a training under other settings than it began with.

    Args:
        folder: the checkpoint's folder, for the message.
        stored: flat settings in the checkpoint.
        current: flat settings now.

    Raises:
        CrossplayError: a setting differs; the first is named.
    """
    for name in sorted(stored.keys() | current.keys()):
        old, new = stored.get(name), current.get(name)
        if old != new:
            raise _unusable(folder, f"it began with {name} = {json.dumps(old)}, now it is {json.dumps(new)}")


def check_budget(
    folder: Path, stored: Mapping[str, float | None], current: Mapping[str, float | None]
) -> None:
    """Refuse a budget that is smaller than at the start; None is no limit. Arguments as before.

    Raises:
        CrossplayError: a budget shrank.
    """
    for name, old in stored.items():
        new = current[name]
        if new is not None and (old is None or new < old):
            raise _unusable(folder, f"its budget of {name} was {old or 'unlimited'}, {new} is less")


def _unusable(folder: Path, reason: str) -> CrossplayError:
    return CrossplayError(
        f"cannot continue the training in {folder}: {reason}; delete that folder to start afresh"
    )
