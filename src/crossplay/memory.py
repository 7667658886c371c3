"""How much memory is left, and refusing what cannot fit."""

from __future__ import annotations

import os
from pathlib import Path

from crossplay.errors import CrossplayError

_GIB = 1 << 30


def check_memory(needed: int, what: str, remedy: str) -> None:
    """Refuse what can need more memory than the machine has left.

    Args:
        needed: bytes, at most.
        what: what needs them, for the message.
        remedy: what to do about it, for the message.

    Raises:
        CrossplayError: it cannot fit.
    """
    available = available_memory()
    if available is not None and needed > available:
        raise CrossplayError(
            f"{what} can need up to {gibibytes(needed)} of memory, this machine has"
            f" {gibibytes(available)} free; {remedy}"
        )


def available_memory(root: Path = Path("/")) -> int | None:
    """Bytes that this process may still take: what is free, within the limits of its control groups.

    ``root`` is where ``proc`` and ``sys`` are found. None if the system does not say.
    """
    found = [*_free_in_groups(root)]
    if (free := _fields(root / "proc/meminfo").get("MemAvailable:")) is not None:
        found.append(free * 1024)
    elif "SC_PHYS_PAGES" in os.sysconf_names:
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(found, default=None)


def _free_in_groups(root: Path) -> list[int]:
    """Free bytes of every control group, of either version, that holds this process."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    free = []
    for line in lines:
        number, controllers, path = line.split(":", 2)
        if number == "0":
            top, names = root / "sys/fs/cgroup", ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            top = root / "sys/fs/cgroup/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        # The limits of all groups above it hold as well. In a container the path may lead nowhere.
        inner = top / path.lstrip("/")
        for group in [inner, *inner.parents]:
            limit, used = _number(group / names[0]), _number(group / names[1])
            if limit is not None and used is not None:
                # Cached files count as used, but give way.
                free.append(max(0, limit - used + _fields(group / "memory.stat").get(names[2], 0)))
            if group == top:
                break
    return free


def _number(path: Path) -> int | None:
    """The number in a file; None if there is none, or "max"."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _fields(path: Path) -> dict[str, int]:
    """The first two words of every line of a file; nothing if it cannot be read."""
    try:
        rows = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return {}
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def gibibytes(size: int) -> str:
    """A number of bytes, readable."""
    number, unit = (size / _GIB, "GiB") if size >= _GIB / 10 else (size / (1 << 20), "MiB")
    return f"{number:,.0f} {unit}" if number >= 100 else f"{number:.3g} {unit}"
