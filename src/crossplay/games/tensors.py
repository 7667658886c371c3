"""State and action tensors: what each channel means and the kernels that fill and index them.

Everything is driven by tables, so one compiled kernel serves every game. A tensor is ``[channel][x][y]``
and its flat index ``(channel * width + x) * height + y``, for states and actions alike (source: Ludii's
tensor representation; Soemers et al., "Deep Learning for General Game Playing with Ludii and Polygames").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import njit

from crossplay.games.board import Board
from crossplay.games.compiler import Component, Container, Flags
from crossplay.games.layout import Layout, tensor_coordinates
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

DISTANCE_CLIP = 3  # offsets of 3 and more between a move's from and to share a channel
LEVELS = 3  # levels of a stack that moves are told apart by; 2 and more share a channel
STACK_DEPTH = 5  # levels of a stack that are seen from its bottom, and as many from its top
LOCAL_STATES = 6  # local states of 5 and more share a channel
NEUTRAL = 0  # owner of pieces that no tensor shows, unless they are in a stack

STACK_SIZES = "Stack sizes (non-binary channel!)"
COUNTS = "Counts (non-binary channel!)"
MOVER_IS_1 = "Is Player 1 the current mover?"
FIRST_LOCAL_STATE = "Local state == 0"
DID_SWAP = "Did Swap Occur?"
LAST_FROM_POSITION = "Last move's from-position"


class Encoding(NamedTuple):
    """Tables for :func:`encode_state` and :func:`action_index`; ``S`` symmetries, ``n`` sites.

    Row ``s`` of ``x``, ``y`` and ``cells`` says where each site lies after the board's ``s``-th symmetry;
    row 0 is the identity, and sites beside the board stay where they are. Planes and sections of the
    state that a game lacks are -1.
    """

    x: np.ndarray  # int32[S, n]
    y: np.ndarray  # int32[S, n]
    cells: np.ndarray  # int32[S, n]: x * height + y
    piece_planes: np.ndarray  # int32[components + 1]: plane of each component, -1 for none
    container_planes: np.ndarray  # int32[n]: plane of the container that holds the site
    width: int
    height: int
    state_channels: int
    size_plane: int
    count_plane: int
    mover_plane: int  # first of one plane per agent
    local_plane: int  # first of one plane per local state
    swap_plane: int
    last_plane: int  # first of the four last-move planes
    first_read: int  # first site whose stack, count and local state are read (Layout.hands)
    counts: int  # sections of the state, one cell per site
    local_states: int
    sizes: int
    levels: int  # section with ``max_height`` cells per site
    max_height: int
    distance_clip: int  # 0 when moves are told apart by their destination alone
    level_channels: int  # how many channels each offset has
    pass_channel: int


def state_channel_names(
    components: Sequence[Component], containers: Sequence[Container], flags: Flags
) -> list[str]:
    """Names of the state channels, in order, as Ludii writes them."""
    names = []
    for piece in (f"Piece Type {c.index} ({c.name})" for c in components):
        if flags.stacking:
            names += [f"{piece} at level {i} from stack bottom." for i in range(STACK_DEPTH)]
            names += [f"{piece} at level {i} from stack top." for i in range(STACK_DEPTH)]
        else:
            names.append(piece)
    if flags.stacking:
        names.append(STACK_SIZES)
    if flags.counts:
        names.append(COUNTS)
    names += [MOVER_IS_1, "Is Player 2 the current mover?"]
    if flags.local_state:
        names += [FIRST_LOCAL_STATE, *(f"Local state == {i}" for i in range(1, LOCAL_STATES - 1))]
        names.append(f"Local state >= {LOCAL_STATES - 1}")
    if flags.swap:
        names.append(DID_SWAP)
    names += [f"Does position exist in container {c.index} ({c.name})?" for c in containers]
    return [
        *names,
        LAST_FROM_POSITION,
        "Last move's to-position",
        "Second-to-last move's from-position",
        "Second-to-last move's to-position",
    ]


def move_channel_names(flags: Flags) -> list[str]:
    """Names of the action channels, in order.

    Placement or the 49 offsets, each with 9 ranges of levels if the game has stacks; then pass and swap.
    """
    if flags.moves_have_from:
        offsets = range(-DISTANCE_CLIP, DISTANCE_CLIP + 1)
        signs = {-DISTANCE_CLIP: f"<={-DISTANCE_CLIP}", DISTANCE_CLIP: f">={DISTANCE_CLIP}"}
        names = [f"Move dx={signs.get(dx, dx)} dy={signs.get(dy, dy)}" for dx in offsets for dy in offsets]
    else:
        names = ["Place"]
    if flags.stacking:
        bounds = [*map(str, range(LEVELS - 1)), f">={LEVELS - 1}"]
        names = [f"{name} level={low} more={more}" for name in names for low in bounds for more in bounds]
    return [*names, "Pass", "Swap"]


def build_encoding(
    board: Board,
    components: Sequence[Component],
    containers: Sequence[Container],
    flags: Flags,
    layout: Layout,
    symmetries: np.ndarray,
    sections: Mapping[str, int],
    max_height: int,
) -> Encoding:
    """Build the tables.

    Args:
        layout: where the sites lie.
        symmetries: ``int[S, sites of the board]`` permutations, identity first.
        sections: offsets in the state of ``"COUNT"``, ``"LOCAL"``, ``"SIZE"`` and ``"LEVELS"``, as far as
            the game has them.
        max_height: cells per site of ``"LEVELS"``.
    """
    place = tensor_coordinates(board, containers, layout)
    others = np.arange(board.n_sites, len(place.x))
    sites = np.array([[*symmetry, *others] for symmetry in symmetries])
    x, y = place.x[sites], place.y[sites]
    names = state_channel_names(components, containers, flags)
    first_container = names.index(LAST_FROM_POSITION) - len(containers)
    clip = DISTANCE_CLIP if flags.moves_have_from else 0
    level_channels = LEVELS**2 if flags.stacking else 1
    return Encoding(
        x=x,
        y=y,
        cells=np.ascontiguousarray(x * place.height + y),
        piece_planes=np.array(
            [-1, *(-1 if flags.stacking or c.owner == NEUTRAL else c.index - 1 for c in components)], np.int32
        ),
        container_planes=np.repeat(
            np.arange(first_container, first_container + len(containers), dtype=np.int32),
            [container.sites for container in containers],
        ),
        width=place.width,
        height=place.height,
        state_channels=len(names),
        size_plane=_index(names, STACK_SIZES),
        count_plane=_index(names, COUNTS),
        mover_plane=_index(names, MOVER_IS_1),
        local_plane=_index(names, FIRST_LOCAL_STATE),
        swap_plane=_index(names, DID_SWAP),
        last_plane=_index(names, LAST_FROM_POSITION),
        first_read=board.n_sites if layout.hands == "faithful" and board.site_type != "Cell" else 0,
        counts=sections["COUNT"] if flags.counts else -1,
        local_states=sections["LOCAL"] if flags.local_state else -1,
        sizes=sections["SIZE"] if flags.stacking else -1,
        levels=sections["LEVELS"] if flags.stacking else -1,
        max_height=max_height,
        distance_clip=clip,
        level_channels=level_channels,
        pass_channel=(2 * clip + 1) ** 2 * level_channels,
    )


def _index(names: list[str], name: str) -> int:
    return names.index(name) if name in names else -1


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
    if encoding.size_plane >= 0:
        encode_stacks(encoding, symmetry, state, out)
    if encoding.count_plane >= 0:
        encode_counts(encoding, symmetry, state, out)
    if encoding.local_plane >= 0:
        encode_local_states(encoding, symmetry, state, out)
    first = (encoding.mover_plane + state[AGENT] - 1) * plane
    out[first : first + plane] = 1.0
    if encoding.swap_plane >= 0 and state[SWAPPED] != 0:
        first = encoding.swap_plane * plane
        out[first : first + plane] = 1.0
    first = encoding.last_plane * plane
    for i, field in enumerate((LAST_FROM, LAST_TO, PREVIOUS_FROM, PREVIOUS_TO)):
        if state[field] >= 0:
            out[first + i * plane + encoding.cells[symmetry, state[field]]] = 1.0


# The parts of encode_state are written in line: handing the tables on costs as much as a small board.
@njit(nogil=True, inline="always")
def encode_stacks(encoding: Encoding, symmetry: int, state: np.ndarray, out: np.ndarray) -> None:
    """Write the pieces by their level from the bottom and from the top, and the stacks' sizes."""
    plane = encoding.width * encoding.height
    for site in range(encoding.first_read, encoding.cells.shape[1]):
        size = state[encoding.sizes + site]
        if size == 0:
            continue
        cell = encoding.cells[symmetry, site]
        bottom = encoding.levels + site * encoding.max_height
        for i in range(min(size, STACK_DEPTH)):
            low = (state[bottom + i] - 1) * 2 * STACK_DEPTH + i
            high = (state[bottom + size - 1 - i] - 1) * 2 * STACK_DEPTH + STACK_DEPTH + i
            out[low * plane + cell] = 1.0
            out[high * plane + cell] = 1.0
        out[encoding.size_plane * plane + cell] = size


@njit(nogil=True, inline="always")
def encode_counts(encoding: Encoding, symmetry: int, state: np.ndarray, out: np.ndarray) -> None:
    """Write how many pieces are on each site; of sites that share a cell the last counts, even if empty."""
    first = encoding.count_plane * encoding.width * encoding.height
    for site in range(encoding.first_read, encoding.cells.shape[1]):
        out[first + encoding.cells[symmetry, site]] = state[encoding.counts + site]


@njit(nogil=True, inline="always")
def encode_local_states(encoding: Encoding, symmetry: int, state: np.ndarray, out: np.ndarray) -> None:
    """Set one of the local state planes for each site; a site that is not read has state 0."""
    plane = encoding.width * encoding.height
    for site in range(encoding.cells.shape[1]):
        value = 0
        if site >= encoding.first_read:
            value = min(state[encoding.local_states + site], LOCAL_STATES - 1)
        out[(encoding.local_plane + value) * plane + encoding.cells[symmetry, site]] = 1.0


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
    return channel * encoding.level_channels * plane + encoding.cells[symmetry, to]


_TABLE, _ROW = np.zeros((1, 1), np.int32), np.zeros(1, np.int32)
_NUMBERS: Any = [0] * (len(Encoding._fields) - 5)
ENCODING = numba.typeof(Encoding(_TABLE, _TABLE, _TABLE, _ROW, _ROW, *_NUMBERS))
