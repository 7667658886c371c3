"""State and action tensors: what each channel means and the kernels that fill and index them.

Everything is driven by tables, so one compiled kernel serves every game. A tensor is ``[channel][x][y]``
and its flat index ``(channel * width + x) * height + y``, for states and actions alike (source: Ludii's
tensor representation; Soemers et al., "Deep Learning for General Game Playing with Ludii and Polygames").
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numba import njit

from crossplay.games.board import Board
from crossplay.games.compiler import Component, Container, Flags
from crossplay.games.state import (
    AGENT,
    HEADER,
    LAST_FROM,
    LAST_TO,
    PASS,
    PREVIOUS_FROM,
    PREVIOUS_TO,
    SWAP,
    SWAPPED,
    move_from,
    move_to,
)

LAYOUTS = ("ludii", "dense")
DISTANCE_CLIP = 3  # offsets of 3 and more between a move's from and to share a channel
LAST_MOVE_CHANNELS = (
    "Last move's from-position",
    "Last move's to-position",
    "Second-to-last move's from-position",
    "Second-to-last move's to-position",
)


class Encoding(NamedTuple):
    """Tables for :func:`encode_state` and :func:`action_index`; ``S`` symmetries, ``n`` sites.

    Row ``s`` of ``x``, ``y`` and ``cells`` says where each site lies after the board's ``s``-th symmetry;
    row 0 is the identity. Planes that a game lacks are -1.
    """

    x: np.ndarray  # int32[S, n]
    y: np.ndarray  # int32[S, n]
    cells: np.ndarray  # int32[S, n]: x * height + y
    piece_planes: np.ndarray  # int32[components + 1]: plane of each component, -1 for none
    container_planes: np.ndarray  # int32[n]: plane of the container that holds the site
    width: int
    height: int
    state_channels: int
    mover_plane: int  # first of one plane per agent
    swap_plane: int
    last_plane: int  # first of the four last-move planes
    distance_clip: int  # 0 when moves are told apart by their destination alone
    pass_channel: int


def state_channel_names(
    components: tuple[Component, ...], containers: tuple[Container, ...], flags: Flags
) -> list[str]:
    """Names of the state channels, in order, as Ludii writes them."""
    names = [f"Piece Type {c.index} ({c.name})" for c in components]
    names += [f"Is Player {player} the current mover?" for player in (1, 2)]
    if flags.swap:
        names.append("Did Swap Occur?")
    names += [f"Does position exist in container {c.index} ({c.name})?" for c in containers]
    return names + list(LAST_MOVE_CHANNELS)


def move_channel_names(flags: Flags) -> list[str]:
    """Names of the action channels, in order: placement or the 49 offsets, then pass and swap."""
    if flags.moves_have_from:
        offsets = range(-DISTANCE_CLIP, DISTANCE_CLIP + 1)
        signs = {-DISTANCE_CLIP: f"<={-DISTANCE_CLIP}", DISTANCE_CLIP: f">={DISTANCE_CLIP}"}
        names = [f"Move dx={signs.get(dx, dx)} dy={signs.get(dy, dy)}" for dx in offsets for dy in offsets]
    else:
        names = ["Place"]
    return [*names, "Pass", "Swap"]


def build_encoding(
    board: Board,
    components: tuple[Component, ...],
    containers: tuple[Container, ...],
    flags: Flags,
    layout: str,
    symmetries: np.ndarray,
) -> Encoding:
    """Build the tables.

    Args:
        layout: ``"ludii"`` ranks the sites' coordinates, which leaves every other cell of a hex board's
            plane empty; ``"dense"`` puts hex boards on axial coordinates, so that a rhombus of N x N
            cells is an N x N plane with every neighbour inside a 3 x 3 kernel. Square boards are the
            same in both.
        symmetries: ``int[S, n]`` site permutations, identity first.
    """
    if layout == "dense" and board.axial is not None:
        x, y = (board.axial - board.axial.min(axis=0)).T
    else:
        x, y = board.rank_coordinates()
    x, y = x.astype(np.int32)[symmetries], y.astype(np.int32)[symmetries]
    height = int(y.max()) + 1
    names = state_channel_names(components, containers, flags)
    mover = len(components)
    after_swap = mover + 2 + int(flags.swap)
    clip = DISTANCE_CLIP if flags.moves_have_from else 0
    return Encoding(
        x=x,
        y=y,
        cells=np.ascontiguousarray(x * height + y),
        piece_planes=np.array([-1, *range(len(components))], np.int32),
        container_planes=np.repeat(
            np.arange(after_swap, after_swap + len(containers), dtype=np.int32),
            [container.sites for container in containers],
        ),
        width=int(x.max()) + 1,
        height=height,
        state_channels=len(names),
        mover_plane=mover,
        swap_plane=mover + 2 if flags.swap else -1,
        last_plane=after_swap + len(containers),
        distance_clip=clip,
        pass_channel=(2 * clip + 1) ** 2,
    )


@njit(nogil=True)
def encode_state(encoding: Encoding, symmetry: int, state: np.ndarray, out: np.ndarray) -> None:
    """Write a state's tensor to ``out``, ``float32[channels * width * height]``, overwriting all of it."""
    plane = encoding.width * encoding.height
    out[:] = 0.0
    for site in range(encoding.cells.shape[1]):
        cell = encoding.cells[symmetry, site]
        out[encoding.container_planes[site] * plane + cell] = 1.0
        channel = encoding.piece_planes[state[HEADER + site]]
        if channel >= 0:
            out[channel * plane + cell] = 1.0
    first = (encoding.mover_plane + state[AGENT] - 1) * plane
    out[first : first + plane] = 1.0
    if encoding.swap_plane >= 0 and state[SWAPPED] != 0:
        first = encoding.swap_plane * plane
        out[first : first + plane] = 1.0
    first = encoding.last_plane * plane
    for i, field in enumerate((LAST_FROM, LAST_TO, PREVIOUS_FROM, PREVIOUS_TO)):
        if state[field] >= 0:
            out[first + i * plane + encoding.cells[symmetry, state[field]]] = 1.0


@njit(nogil=True)
def action_index(encoding: Encoding, symmetry: int, move: int) -> int:
    """The flat index of a move in the action tensor, after a board symmetry.

    The cell is the move's destination and the channel its clipped offset from the origin; pass and swap
    have channels of their own, at cell 0.
    """
    plane = encoding.width * encoding.height
    if move == PASS:
        return encoding.pass_channel * plane
    if move == SWAP:
        return (encoding.pass_channel + 1) * plane
    clip = encoding.distance_clip
    to = move_to(move)
    channel = 0
    if clip > 0:
        origin = move_from(move)
        dx = encoding.x[symmetry, to] - encoding.x[symmetry, origin]
        dy = encoding.y[symmetry, to] - encoding.y[symmetry, origin]
        channel = (min(max(dx, -clip), clip) + clip) * (2 * clip + 1) + min(max(dy, -clip), clip) + clip
    return channel * plane + encoding.cells[symmetry, to]


_TABLE, _ROW = np.zeros((1, 1), np.int32), np.zeros(1, np.int32)
ENCODING = numba.typeof(Encoding(_TABLE, _TABLE, _TABLE, _ROW, _ROW, 0, 0, 0, 0, 0, 0, 0, 0))
