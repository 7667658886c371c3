"""Which channel of a source game each channel of a target game corresponds to.

The policy "ludii" follows the two methods of Ludii's ``LudiiGameWrapper`` that the published transfer
experiments used, ``stateTensorSourceChannels`` and ``moveTensorSourceChannels``:

* a piece type comes from the first source piece of the same owner and exactly the same name; failing
  that from the piece of the same owner whose movement rules are nearest by tree edit distance (the
  first of several as near, however far it is); failing that from nothing;
* a container's positions come from the container with the same index;
* every other state channel comes from the channel of the same name, or from nothing;
* pass and swap moves come only from pass and swap moves; a placement from a placement; a movement from
  the movement by the same offset; every movement from the one placement channel of a placement game;
  a placement from the "zero offset" channel of a movement game, whose other channels are unused.

Stacking games are not supported, as in the original. Trees are made from the description's text in the
likeness of Ludii's objects (:mod:`crossplay.transfer.pieces`): for the games of the experiments all
distances between pieces are its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crossplay.errors import CrossplayError
from crossplay.similarity.ludemes import LudemeTree, tree_distance
from crossplay.transfer.mapping import ChannelMapping, ChannelMatch
from crossplay.transfer.pieces import piece_tree

if TYPE_CHECKING:
    from crossplay.games import Game

PASS, SWAP = "Pass", "Swap"  # names of the move channels that every game has

_PIECE = re.compile(r"Piece Type (\d+) \((.*)\)")
_STACKED = re.compile(r"Piece Type \d+ \(.*\) at level \d+ from stack (bottom|top)\.|Stack sizes .*")
_CONTAINER = re.compile(r"Does position exist in container (\d+) \(.*\)\?")

Distance = Callable[[LudemeTree, LudemeTree], int]


@dataclass(frozen=True, slots=True)
class Piece:
    """A component as the matching sees it; ``owner`` is a player number, 0 for neutral pieces."""

    name: str
    owner: int
    tree: LudemeTree


@dataclass(frozen=True, slots=True)
class ChannelTable:
    """What the matching needs to know of a game, as plain data.

    ``pieces[k - 1]`` is the component of the state channel ``Piece Type k (...)``; ``placement`` is the
    move channel of moves whose origin is their destination.
    """

    name: str
    pieces: tuple[Piece, ...]
    state_channels: tuple[str, ...]
    move_channels: tuple[str, ...]
    placement: str

    @classmethod
    def of(cls, game: Game) -> ChannelTable:
        """The table of a loaded game."""
        moves = [name for name in game.move_channels if name not in (PASS, SWAP)]
        return cls(
            game.name,
            tuple(Piece(c.name, c.owner, piece_tree(c.ludeme)) for c in game.components),
            tuple(game.state_channels),
            tuple(game.move_channels),
            placement=moves[len(moves) // 2],  # offsets run from most negative to most positive
        )

    @property
    def has_movement(self) -> bool:
        """Whether moves have an origin apart from their destination ("movement game")."""
        return any(name not in (PASS, SWAP, self.placement) for name in self.move_channels)


def map_channels(source_game: Game, target_game: Game, policy: str = "ludii") -> ChannelMapping:
    """For every channel of the target game, the source game's channel that means the same.

    Raises:
        CrossplayError: an unknown policy, or a stacking game.
    """
    if policy not in POLICIES:
        raise CrossplayError(f"unknown channel mapping policy {policy!r}; known: {', '.join(POLICIES)}")
    return POLICIES[policy](ChannelTable.of(source_game), ChannelTable.of(target_game))


def map_tables(
    source: ChannelTable, target: ChannelTable, distance: Distance = tree_distance
) -> ChannelMapping:
    """The policy "ludii" on plain data; ``distance`` compares the movement rules of two pieces."""
    for table in (source, target):
        if any(_STACKED.fullmatch(name) for name in table.state_channels):
            raise CrossplayError(f"{table.name} stacks pieces; channels of stacking games cannot be mapped")
    return ChannelMapping.between(
        source,
        target,
        policy="ludii",
        state=tuple(_state_match(name, source, target, distance) for name in target.state_channels),
        moves=tuple(_move_match(name, source, target) for name in target.move_channels),
    )


def _state_match(name: str, source: ChannelTable, target: ChannelTable, distance: Distance) -> ChannelMatch:
    if piece := _PIECE.fullmatch(name):
        return _piece_match(name, target.pieces[int(piece[1]) - 1], source, distance)
    if container := _CONTAINER.fullmatch(name):
        for candidate in source.state_channels:
            other = _CONTAINER.fullmatch(candidate)
            if other and other[1] == container[1]:
                return ChannelMatch(name, candidate, "container of the same index")
        return ChannelMatch(name, None, "no container of this index")
    return _same_name(name, source.state_channels)


def _piece_match(name: str, piece: Piece, source: ChannelTable, distance: Distance) -> ChannelMatch:
    channels = {int(m[1]): m[0] for m in map(_PIECE.fullmatch, source.state_channels) if m}
    own = [(channels[k], other) for k, other in enumerate(source.pieces, 1) if other.owner == piece.owner]
    for channel, other in own:
        if other.name == piece.name:
            return ChannelMatch(name, channel, "piece of the same owner and name")
    if not own:
        return ChannelMatch(name, None, "no piece of this owner")
    ranked = [(distance(piece.tree, other.tree), channel, other) for channel, other in own]
    ranked.sort(key=lambda candidate: candidate[0])  # stable: the first of several as near comes first
    return ChannelMatch(
        name,
        ranked[0][1],
        "piece of the same owner with the nearest rules",
        tuple((other.name, edits) for edits, _, other in ranked),
    )


def _move_match(name: str, source: ChannelTable, target: ChannelTable) -> ChannelMatch:
    if name in (PASS, SWAP) or (source.has_movement and target.has_movement):
        return _same_name(name, source.move_channels)
    if source.has_movement:
        return ChannelMatch(name, source.placement, "the one movement without an offset")
    if target.has_movement:
        return ChannelMatch(name, source.placement, "the source has placements only")
    return ChannelMatch(name, source.placement, "placement in both games")


def _same_name(name: str, channels: tuple[str, ...]) -> ChannelMatch:
    if name in channels:
        return ChannelMatch(name, name, "same name")
    return ChannelMatch(name, None, "no channel of this name")


POLICIES: dict[str, Callable[[ChannelTable, ChannelTable], ChannelMapping]] = {"ludii": map_tables}
