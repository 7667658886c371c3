"""Starting processes that play, and replacing those that die."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from crossplay.errors import CrossplayError
from crossplay.selfplay.link import LEFT, MISFIT, OVER, open_store, part_of_store
from crossplay.selfplay.place import Place
from crossplay.selfplay.task import Task

SHORT_SECONDS = 60.0  # a life so short may be due to a fault that will come again
MOST_SHORT_LIVES = 5  # in a row
END_SECONDS = 10.0
LOOK_SECONDS = 0.5
MODULE = "crossplay.selfplay.process"


class _Member(NamedTuple):
    process: subprocess.Popen[bytes]
    started: float
    short_lives: int  # before, in a row


class Crew:
    """Processes of this machine that play.

    Args:
        task: what they do.
        place: where they meet the process that learns; each gets the next local rank.
        size: how many.
        say: takes a line for the user.
    """

    def __init__(self, task: Task, place: Place, size: int, say: Callable[[str], object]) -> None:
        self._task, self._place, self._size, self._say = task, place, size, say
        self._members: dict[int, _Member] = {}

    def look(self) -> bool:
        """Start what is missing; tell whether any that was started is not at its end.

        Raises:
            CrossplayError: a process dies again and again.
        """
        for number in range(self._size):
            member = self._members.get(number)
            if member is None:
                self._members[number] = _Member(self._start(number), time.monotonic(), 0)
            elif member.process.poll():
                self._replace(number, member)
        return any(member.process.returncode is None for member in self._members.values())

    def close(self) -> None:
        """End all processes; those that were told that all is over end by themselves."""
        for member in self._members.values():
            assert member.process.stdin is not None
            with contextlib.suppress(OSError):
                member.process.stdin.close()  # of which each takes notice at once
        for member in self._members.values():
            try:
                member.process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                member.process.kill()
                member.process.wait()

    def _start(self, number: int) -> subprocess.Popen[bytes]:
        # Local ranks count from the process that learns, if that is on this machine.
        local_rank = self._place.local_rank + (1 + number if self._place.rank == 0 else 0)
        task = replace(self._task, place=self._place._replace(rank=1 + number, local_rank=local_rank))
        process = subprocess.Popen([sys.executable, "-m", MODULE], stdin=subprocess.PIPE)
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it died at once, which look() finds
            process.stdin.write(task.to_json().encode() + b"\n")
            process.stdin.flush()
        return process

    def _replace(self, number: int, member: _Member) -> None:
        lived = time.monotonic() - member.started
        short_lives = member.short_lives + 1 if lived < SHORT_SECONDS else 0
        code = member.process.returncode
        if code == MISFIT:
            raise CrossplayError(
                "the process that learns was started with other settings than this one, which is to play for"
                " it; give all processes of a training the same command"
            )
        cause = f"signal {-code}" if code < 0 else f"exit code {code}"
        if short_lives >= MOST_SHORT_LIVES:
            raise CrossplayError(
                f"a self-play process has ended {short_lives} times within a minute of its start, at last"
                f" with {cause}; see what it said before this line"
            )
        self._say(f"a self-play process ended with {cause} after {lived:.0f} s; starting another one")
        assert member.process.stdin is not None
        member.process.stdin.close()
        self._members[number] = _Member(self._start(number), time.monotonic(), short_lives)


def play_for(task: Task) -> None:
    """Play for a training that another process learns in, until it is over.

    A process of its own plays, and is replaced should it die.

    Raises:
        CrossplayError: the process that learns cannot be reached or is gone, or this one's dies again and
            again.
    """
    place = task.place
    store = part_of_store(open_store(place), place)
    crew = Crew(task, place, 1, lambda line: print(f"self-play: {line}", file=sys.stderr, flush=True))
    try:
        while crew.look() and not store.check([OVER]):
            time.sleep(LOOK_SECONDS)
        store.add(LEFT, 1)
    except RuntimeError as error:
        raise CrossplayError(
            "the process that learns is gone; run the training again to continue from its checkpoint"
        ) from error
    finally:
        crew.close()
