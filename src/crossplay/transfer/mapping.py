"""The result of matching channels: one source, or none, for every target channel, and why.

Its file form is meant to be read and edited by a person:

    {"source": "Hex", "target": "Gomoku", "policy": "ludii",
     "state": [{"target": "Piece Type 1 (Ball1)", "source": "Piece Type 1 (Ball1)", "why": "..."}, ...],
     "moves": [{"target": "Place", "source": "Place", "why": "..."}, ...]}

``"source": null`` leaves a channel without a source; ``why`` is free text.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from crossplay.errors import CrossplayError


class Channels(Protocol):
    """Anything with channel names: a game, a channel table, or the header of a model file."""

    @property
    def state_channels(self) -> Sequence[str]: ...

    @property
    def move_channels(self) -> Sequence[str]: ...


class NamedChannels(Channels, Protocol):
    """Channels of a game with a name."""

    @property
    def name(self) -> str: ...


@dataclass(frozen=True, slots=True)
class ChannelMatch:
    """One target channel: its source channel or None, the rule that chose it, and what it compared.

    ``distances`` are the tree edit distances to all candidate pieces, nearest (the chosen one) first;
    empty where the rule compared none.
    """

    target: str
    source: str | None
    rule: str
    distances: tuple[tuple[str, int], ...] = ()

    @property
    def why(self) -> str:
        """The rule, with the distances it rests on."""
        if not self.distances:
            return self.rule
        return f"{self.rule}: " + ", ".join(f"{name} {distance}" for name, distance in self.distances)


@dataclass(frozen=True, slots=True)
class ChannelMapping:
    """Where a target network's input and output channels take their parameters from.

    ``state_sources`` and ``move_sources`` hold, for every target channel in the target's order, the
    index of the source channel, or -1 for none.
    """

    source: str
    target: str
    policy: str
    state: tuple[ChannelMatch, ...]
    moves: tuple[ChannelMatch, ...]
    state_sources: tuple[int, ...]
    move_sources: tuple[int, ...]

    @classmethod
    def between(
        cls,
        source: NamedChannels,
        target: NamedChannels,
        policy: str,
        state: tuple[ChannelMatch, ...],
        moves: tuple[ChannelMatch, ...],
    ) -> ChannelMapping:
        """A mapping from matches in the target's channel order."""
        return cls(
            source.name,
            target.name,
            policy,
            state,
            moves,
            _indices(state, source.state_channels),
            _indices(moves, source.move_channels),
        )

    def to_json(self) -> str:
        """The file form, one channel a line."""
        head = {"source": self.source, "target": self.target, "policy": self.policy}
        lines = [f"  {json.dumps(key)}: {_dump(value)}" for key, value in head.items()]
        for key, matches in (("state", self.state), ("moves", self.moves)):
            rows = [
                "    " + _dump({"target": match.target, "source": match.source, "why": match.why})
                for match in matches
            ]
            lines.append(f"  {json.dumps(key)}: [\n" + ",\n".join(rows) + "\n  ]")
        return "{\n" + ",\n".join(lines) + "\n}\n"

    @classmethod
    def from_json(
        cls, text: str, source: Channels, target: Channels, file: str = "channel mapping"
    ) -> ChannelMapping:
        """Read the file form and check it against the channels of both games.

        Args:
            text: the file's content.
            source: the source's channels; only its names may stand as sources.
            target: the target's channels; each must be listed exactly once, in any order.
            file: how to name the file in errors.

        Raises:
            CrossplayError: one line with the file, the channel at fault and what could be meant.
        """
        try:
            content = json.loads(text)
        except ValueError as error:
            raise CrossplayError(f"{file}: not valid JSON: {error}") from error
        keys = {"source", "target", "policy", "state", "moves"}
        if not isinstance(content, dict) or set(content) != keys:
            raise CrossplayError(
                f"{file}: must hold exactly {', '.join(sorted(keys))}; run map-channels anew"
            )
        for key in ("source", "target", "policy"):
            if not isinstance(content[key], str):
                raise CrossplayError(f"{file}: {key}: must be text")
        state = _read_matches(
            content["state"], source.state_channels, target.state_channels, f"{file}: state"
        )
        moves = _read_matches(content["moves"], source.move_channels, target.move_channels, f"{file}: moves")
        return cls(
            content["source"],
            content["target"],
            content["policy"],
            state,
            moves,
            _indices(state, source.state_channels),
            _indices(moves, source.move_channels),
        )

    def to_table(self) -> str:
        """Both lists as aligned text for printing."""
        rows = [("TARGET", "SOURCE", "WHY")]
        for title, matches in (("state", self.state), ("moves", self.moves)):
            rows.append((f"[{title}]", "", ""))
            rows += [(match.target, match.source or "-", match.why) for match in matches]
        widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
        lines = [f"{row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]}".rstrip() for row in rows]
        return f"{self.source} -> {self.target} ({self.policy})\n" + "\n".join(lines)


def _indices(matches: Sequence[ChannelMatch], channels: Sequence[str]) -> tuple[int, ...]:
    position = {name: index for index, name in enumerate(channels)}
    return tuple(-1 if match.source is None else position[match.source] for match in matches)


def _read_matches(
    rows: Any, sources: Sequence[str], targets: Sequence[str], place: str
) -> tuple[ChannelMatch, ...]:
    if not isinstance(rows, list):
        raise CrossplayError(f"{place}: must be a list with one entry per channel of the target")
    found: dict[str, ChannelMatch] = {}
    for row in rows:
        if not isinstance(row, dict) or not {"target", "source"} <= set(row) <= {"target", "source", "why"}:
            raise CrossplayError(f"{place}: entry {_dump(row)} must hold target, source and why")
        name, source, why = row["target"], row["source"], row.get("why", "")
        if name not in targets:
            raise CrossplayError(f"{place}: the target has no channel {_dump(name)}{_hint(name, targets)}")
        if source is not None and source not in sources:
            raise CrossplayError(
                f"{place}: {name}: the source has no channel {_dump(source)}{_hint(source, sources)}"
            )
        if name in found:
            raise CrossplayError(f"{place}: {name} is listed twice; keep one entry")
        found[name] = ChannelMatch(name, source, str(why))
    if missing := [name for name in targets if name not in found]:
        raise CrossplayError(f'{place}: {missing[0]} is missing; add it, with "source": null for none')
    return tuple(found[name] for name in targets)


def _hint(name: Any, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(str(name), known, n=1)
    return f"; did you mean {_dump(close[0])}?" if close else "; crossplay games tensors NAME lists them"


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
