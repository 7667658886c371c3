"""The link between the process that learns and one that plays for it.

All meet at a store of ``torch.distributed``; each that plays then gets a process group (gloo) of its own
with the one that learns. So one that dies takes nobody with it, as it would in a group of all, and another
one can come in its place at any time. What goes over a link are arrays of types and shapes that both ends
know: records in one direction, weights in the other, each after a fixed head. A few megabytes now and then
leave nothing to gain from a direct way between GPUs.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import torch
from torch.distributed import PrefixStore, ProcessGroupGloo, TCPStore  # type: ignore[attr-defined]

from crossplay.errors import CrossplayError
from crossplay.search.records import N_COUNTERS
from crossplay.selfplay.place import Place

LEARNER, PLAYER = 0, 1  # the ends of a link
MEETING = timedelta(seconds=300)  # in which processes of a training may start
SILENCE = timedelta(seconds=120)  # after which the other end is taken for dead

MISFIT = 3  # exit code of a process that plays, started with other settings than the one that learns

# Names in the store.
JOINED = "joined"  # links so far
TASK = "task"  # what all must have been started with
OVER = "over"  # the training has ended
LEFT = "left"  # ranks that have noticed

# What comes with new records.
REPORT = np.dtype(
    [
        ("weights", np.int64),  # version in use, 0 for none
        ("positions", np.int64),  # that follow
        ("counters", np.int64, (N_COUNTERS,)),  # by how much they grew
        ("network", np.float64),  # work done since the report before, see Played
        ("tree", np.float64),
        ("rows", np.int64),
        ("evaluations", np.int64),
    ]
)
# The answer.
ORDER = np.dtype(
    [
        ("weights", np.int64),  # version to use; follows if it is another one than reported
        ("seed", np.int64),
        ("play", np.int64),  # 0 to wait: learning lags behind
        ("over", np.int64),
    ]
)


class LinkLostError(CrossplayError):
    """The process at the other end is gone."""


def open_store(place: Place, number: int | None = None) -> Any:
    """The store at which the processes of a training meet, kept by the first of them if by no launcher.

    Args:
        place: this process.
        number: port of a store that this machine keeps already.

    Raises:
        CrossplayError: it cannot be reached.
    """
    keeps = place.rank == 0 and not place.hosted and number is None
    port = place.port if number is None else number
    try:
        store = TCPStore(place.host, port, None, keeps, MEETING, wait_for_workers=False)
    except RuntimeError as error:
        doing = "keep" if keeps else "reach"
        raise CrossplayError(
            f"cannot {doing} the meeting point of the training's processes at {place.host}:{port}; if another"
            " program has that port, set MASTER_PORT to a free one"
        ) from error
    return store


def part_of_store(store: Any, place: Place) -> Any:
    """The part that belongs to this attempt of the launcher."""
    return PrefixStore(f"crossplay/{place.attempt}", store)


class Link:
    """One end of a link.

    Args:
        store: where the two meet; used by this thread alone until the link is there.
        number: of the link.
        end: LEARNER or PLAYER.

    Raises:
        LinkLostError: the other one does not come.
    """

    def __init__(self, store: Any, number: int, end: int) -> None:
        self._other = 1 - end
        try:
            group: Any = ProcessGroupGloo(PrefixStore(f"link/{number}", store), end, 2, SILENCE)
        except RuntimeError as error:
            raise LinkLostError(f"link {number}: the other process did not come") from error
        self._group = group

    def send(self, *arrays: np.ndarray) -> None:
        """Send arrays.

        Raises:
            LinkLostError: the other process is gone.
        """
        self._transfer(self._group.send, [np.ascontiguousarray(array) for array in arrays])

    def receive(self, *arrays: np.ndarray) -> None:
        """Receive into contiguous arrays.

        Raises:
            LinkLostError: the other process is gone, or silent for :data:`SILENCE`.
        """
        self._transfer(self._group.recv, arrays)

    def _transfer(self, way: Any, arrays: Any) -> None:
        try:
            for array in arrays:
                if array.size > 0:
                    way([torch.from_numpy(array.reshape(-1).view(np.uint8))], self._other, 0).wait()
        except RuntimeError as error:
            raise LinkLostError("the process at the other end is gone") from error
