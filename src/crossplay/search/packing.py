"""Searched positions in few bits: what tensors show of a state, and its legal moves.

A packed position is a row of ``uint64`` words. The cells of the state that tensors depend on follow each
other from its lowest bit on, each in as many bits as its values need; then come the number of moves (16 bits)
and the moves. A move keeps its origin and destination, which is all that its action depends on under any
symmetry of the board.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np
from numba import njit

from crossplay.games.state import (
    AGENT,
    HEADER,
    LAST_FROM,
    LAST_TO,
    MOVES,
    PREVIOUS_FROM,
    PREVIOUS_TO,
    SWAPPED,
    move_from,
    move_to,
)
from crossplay.games.tensors import LOCAL_STATES

if TYPE_CHECKING:
    from crossplay.games import Game

WORD = 64
COUNT_BITS = 16
AGENT_BITS = 2  # of the agent to move, who comes first

# A cell of the state: the packed value is its own plus ``added``, at most ``most``, which takes ``bits``.
FIELD = np.dtype([("cell", np.int32), ("bits", np.int32), ("added", np.int32), ("most", np.int32)])


class Packing(NamedTuple):
    """How a game's positions are packed; made by :func:`make_packing`."""

    fields: np.ndarray  # FIELD[n] in the order of their bits
    moves_at: int  # the bit at which the number of moves stands
    move_bits: int
    sites: int  # moves have an origin and one of so many destinations; 0 if destinations tell them apart
    words: int  # of a row
    max_moves: int  # that a row has room for


def make_packing(game: Game, max_moves: int) -> Packing:
    """Find out how to pack positions of ``game`` with up to ``max_moves`` legal moves."""
    encoding = game.encoding
    n_sites = encoding.cells.shape[1]
    cells = [(AGENT, 0, 2), (SWAPPED, 0, 1), (MOVES, 0, np.iinfo(np.int16).max)]
    cells += [(cell, 1, n_sites) for cell in (LAST_FROM, LAST_TO, PREVIOUS_FROM, PREVIOUS_TO)]
    pieces = len(encoding.piece_planes) - 1
    cells += [(HEADER + site, 0, pieces) for site in range(n_sites)]
    if encoding.counts >= 0:
        cells += [(encoding.counts + site, 0, np.iinfo(np.int16).max) for site in range(n_sites)]
    if encoding.local_states >= 0:  # tensors tell no higher ones apart
        cells += [(encoding.local_states + site, 0, LOCAL_STATES - 1) for site in range(n_sites)]
    if encoding.sizes >= 0:
        cells += [(encoding.sizes + site, 0, encoding.max_height) for site in range(n_sites)]
        levels = range(encoding.levels, encoding.levels + n_sites * encoding.max_height)
        cells += [(cell, 0, pieces) for cell in levels]
    fields = np.array([(cell, most.bit_length(), added, most) for cell, added, most in cells], FIELD)
    sites = n_sites if encoding.distance_clip > 0 else 0
    moves_at = int(fields["bits"].sum())
    move_bits = (2 + n_sites * max(sites, 1) - 1).bit_length()
    n_bits = moves_at + COUNT_BITS + max_moves * move_bits
    return Packing(fields, moves_at, move_bits, sites, -(-n_bits // WORD), max_moves)


PACKING: Any = numba.typeof(Packing(np.zeros(1, FIELD), 0, 0, 0, 0, 0))


@njit(nogil=True)
def put_bits(words: np.ndarray, at: int, bits: int, value: int) -> None:
    """Write ``value`` to bits ``at .. at + bits - 1``, which are zero so far."""
    word, shift = at >> 6, at & 63
    words[word] |= np.uint64(value) << np.uint64(shift)
    if shift + bits > WORD:
        words[word + 1] |= np.uint64(value) >> np.uint64(WORD - shift)


@njit(nogil=True)
def get_bits(words: np.ndarray, at: int, bits: int) -> np.int64:
    """Read the number in bits ``at .. at + bits - 1``, up to 63 of them."""
    word, shift = at >> 6, at & 63
    found = words[word] >> np.uint64(shift)
    if shift + bits > WORD:
        found |= words[word + 1] << np.uint64(WORD - shift)
    return np.int64(found & ((np.uint64(1) << np.uint64(bits)) - np.uint64(1)))


@njit(nogil=True)
def pack_position(
    packing: Packing, state: np.ndarray, moves: np.ndarray, n_moves: int, words: np.ndarray
) -> None:
    """Overwrite ``words`` with a state and its first ``n_moves`` moves, up to ``max_moves``."""
    words[:] = 0
    at = 0
    for i in range(packing.fields.shape[0]):
        field = packing.fields[i]
        put_bits(words, at, field.bits, min(state[field.cell] + field.added, field.most))
        at += field.bits
    n_moves = min(n_moves, packing.max_moves)
    put_bits(words, packing.moves_at, COUNT_BITS, n_moves)
    at = packing.moves_at + COUNT_BITS
    for i in range(n_moves):
        move = moves[i]
        number = -1 - move  # PASS and SWAP
        if move >= 0:
            number = 2 + move_from(move) * packing.sites + move_to(move)
        put_bits(words, at, packing.move_bits, number)
        at += packing.move_bits


@njit(nogil=True)
def unpack_state(packing: Packing, words: np.ndarray, state: np.ndarray) -> None:
    """Write the packed cells to ``state``, ``int16[tensor_size]``; other cells stay as they are."""
    at = 0
    for i in range(packing.fields.shape[0]):
        field = packing.fields[i]
        state[field.cell] = get_bits(words, at, field.bits) - field.added
        at += field.bits


@njit(nogil=True)
def count_moves(packing: Packing, words: np.ndarray) -> np.int64:
    """How many moves are packed."""
    return get_bits(words, packing.moves_at, COUNT_BITS)


@njit(nogil=True)
def unpack_move(packing: Packing, words: np.ndarray, i: int) -> np.int64:
    """The origin and destination of move ``i``; a placement's origin is its destination."""
    at = packing.moves_at + COUNT_BITS + i * packing.move_bits
    number = get_bits(words, at, packing.move_bits)
    if number < 2:
        return -1 - number
    number -= 2
    if packing.sites == 0:
        return number << 16 | number
    return number // packing.sites << 16 | number % packing.sites
