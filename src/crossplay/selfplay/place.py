"""Where a process stands among those of one training, as its launcher says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from crossplay.errors import CrossplayError

# Ports above those of well-known services and below those that systems hand out by themselves.
FIRST_PORT, PORTS = 20_000, 12_000


class Place(NamedTuple):
    """One of the processes of a training; the first one learns, the others play.

    Attributes:
        rank, size: which one of how many.
        local_rank: which one on its machine.
        host, port: where they meet; port 0 is any that is free.
        hosted: the launcher keeps the meeting point, else the first process does.
        attempt: how often the launcher has started all anew.
    """

    rank: int
    size: int
    local_rank: int = 0
    host: str = "127.0.0.1"
    port: int = 0
    hosted: bool = False
    attempt: int = 0


def place_from_environment(environment: Mapping[str, str]) -> Place | None:
    """The place that ``torchrun`` or ``srun`` has given to this process; None if it is alone.

    Raises:
        CrossplayError: a variable of theirs makes no sense, or the first node cannot be told.
    """
    if "TORCHELASTIC_RUN_ID" in environment:
        rank, size = _number(environment, "RANK"), _number(environment, "WORLD_SIZE")
        place = Place(
            rank,
            size,
            _number(environment, "LOCAL_RANK"),
            environment.get("MASTER_ADDR", "127.0.0.1"),
            _number(environment, "MASTER_PORT"),
            environment.get("TORCHELASTIC_USE_AGENT_STORE") == "True",
            _number(environment, "TORCHELASTIC_RESTART_COUNT", 0),
        )
    elif "SLURM_STEP_NUM_TASKS" in environment and "SLURM_PROCID" in environment:
        size = _number(environment, "SLURM_STEP_NUM_TASKS")
        step = 100 * _number(environment, "SLURM_JOB_ID", 0) + _number(environment, "SLURM_STEP_ID", 0)
        place = Place(
            _number(environment, "SLURM_PROCID"),
            size,
            _number(environment, "SLURM_LOCALID", 0),
            environment.get("MASTER_ADDR") or first_node(environment.get("SLURM_STEP_NODELIST", "")),
            _number(environment, "MASTER_PORT", FIRST_PORT + step % PORTS),
        )
    else:
        return None
    return place if place.size > 1 else None


def first_node(nodes: str) -> str:
    """The first of Slurm's list of nodes, such as ``gpu[07-09,12],login1``.

    Raises:
        CrossplayError: it is no such list.
    """
    found = re.match(r"([^\[\],\s]+)(?:\[(\d+)[^\]]*\]([^\[\],\s]*))?(?:,|$)", nodes)
    if found is None:
        raise CrossplayError(
            f"SLURM_STEP_NODELIST: cannot tell the first node of {nodes!r}; set MASTER_ADDR to its name"
        )
    return "".join(part or "" for part in found.groups())


def _number(environment: Mapping[str, str], name: str, default: int | None = None) -> int:
    text = environment.get(name, "" if default is None else str(default))
    if not text.isdecimal():
        raise CrossplayError(
            f"{name}: must be a number in the environment of a launched process, got {text!r}"
        )
    return int(text)
