"""Folding small tuples into the larger ones that they lie in: the same values from fewer table entries.

A network learns better with redundant tuples, such as the cells ``0,1,2`` beside ``0,1,2,3,4,5``. When it
has learned, the table of the small tuple can be added to that of the large one, whose index says all that
the small one's does. This needs one image of the small tuple under the eight symmetries to lie in the large
one: then the eight images of the one lie in the eight images of the other.

With weight promotion, an entry that is 0 stands for that of the stage before. In a sum of tables this
would be lost, so all entries are filled in first, each from what the stage before held by itself.

Source: W. Jaśkowski (2016), on redundant encoding.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from crossplay.errors import CrossplayError
from crossplay.memory import check_memory
from crossplay.ntuple.files import Network, NetworkHeader
from crossplay.ntuple.shapes import (
    COLOURS,
    Tuples,
    format_tuples,
    network_tuples,
    stage_weights,
    symmetric_images,
    table_offsets,
)
from crossplay.ntuple.tables import new_table

Progress = Callable[[int, int], None]

# Cells that a piece of work runs over: tables are folded 65,536 entries at a time, and what stays 0 is
# never touched.
_CELLS = 4


class Fold(NamedTuple):
    """Where a small tuple goes; tuples are named by their numbers in the network.

    Attributes:
        small: the tuple that goes.
        large: the one that takes it.
        axes: for each cell of the small one the place in the large one of the cell that it is mapped to.
    """

    small: int
    large: int
    axes: tuple[int, ...]


def plan_folds(tuples: Tuples) -> list[Fold]:
    """Which tuples go and where, each into one that stays."""
    kept: list[int] = []
    folds = []
    # Longer ones first, so that what takes a tuple is never taken itself.
    for number in sorted(range(len(tuples)), key=lambda number: (-len(tuples[number]), number)):
        for large in kept:
            axes = _axes(tuples[number], tuples[large])
            if axes is not None:
                folds.append(Fold(number, large, axes))
                break
        else:
            kept.append(number)
    return sorted(folds)


def _axes(small: tuple[int, ...], large: tuple[int, ...]) -> tuple[int, ...] | None:
    for image in symmetric_images(small):
        if set(image) <= set(large):
            return tuple(large.index(cell) for cell in image)
    return None


def fold_network(network: Network, progress: Progress = lambda done, total: None) -> Network:
    """An equal network without redundant tuples.

    Args:
        network: of any sort; that of a file stays there.
        progress: is told now and then how many weights of the result are done, and how many there are.

    Returns:
        The network, in memory. Every board has the value that it had before, but for rounding; promotion
        is off, as nothing is left to promote.

    Raises:
        CrossplayError: no tuple lies in another one, or there is not enough memory.
    """
    header = network.header
    folds = plan_folds(header.tuples)
    if not folds:
        raise CrossplayError(
            f"network {header.network}: no tuple lies in another one, so there is nothing to fold;"
            " use it as it is"
        )
    gone = {fold.small for fold in folds}
    left = [number for number in range(len(header.tuples)) if number not in gone]
    tuples = tuple(header.tuples[number] for number in left)
    size = stage_weights(tuples)
    total = size << header.stage_bits
    check_memory(4 * total, "the folded network", "fold it on a machine with more memory")
    table = new_table(total)
    done = 0
    for stage in range(1 << header.stage_bits):
        for number, offset in zip(left, table_offsets(tuples), strict=True):
            begin = stage * size + offset
            target = table[begin : begin + COLOURS ** len(header.tuples[number])]
            smalls = [_spread(network, stage, fold) for fold in folds if fold.large == number]
            for piece, values in _fold_pieces(network, stage, number, smalls):
                target[piece] = values
            done += len(target)
            progress(done, total)
    folded = dataclasses.replace(
        header,
        network=_name(header, tuples),
        tuples=tuples,
        promotion=header.promotion and not header.stage_bits,
    )
    return Network(folded, table)


def _fold_pieces(
    network: Network, stage: int, large: int, smalls: list[np.ndarray]
) -> Iterator[tuple[slice, np.ndarray]]:
    """The pieces of a large tuple's table with anything in them, after ``smalls`` are added."""
    cells = len(network.header.tuples[large])
    inner = min(_CELLS, cells)
    length = COLOURS**inner
    for number, colours in enumerate(np.ndindex((COLOURS,) * (cells - inner))):
        piece = slice(number * length, (number + 1) * length)
        values = _values(network, stage, large, piece)
        sums = values.reshape((COLOURS,) * inner)
        for small in smalls:
            # An axis of length 1 is a cell that the small tuple does not look at.
            sums += small[tuple(np.minimum(colours, np.array(small.shape[: cells - inner], int) - 1))]
        if values.any():
            yield piece, values


def _spread(network: Network, stage: int, fold: Fold) -> np.ndarray:
    """A small tuple's table, with an axis for every cell of the large one."""
    values = _values(network, stage, fold.small, slice(None))
    sides = values.reshape((COLOURS,) * len(fold.axes)).transpose(np.argsort(fold.axes))
    places = range(len(network.header.tuples[fold.large]))
    return sides.reshape([COLOURS if place in fold.axes else 1 for place in places])


def _values(network: Network, stage: int, number: int, piece: slice) -> np.ndarray:
    """A copy of a piece of a tuple's table in one stage, what is 0 filled in from the stage before."""
    header = network.header
    size = stage_weights(header.tuples)
    begin = stage * size + table_offsets(header.tuples)[number]
    length = COLOURS ** len(header.tuples[number])
    values = network.weights[begin : begin + length][piece].copy()
    if stage > 0 and header.promotion:
        before = network.weights[begin - size : begin - size + length][piece]
        np.copyto(values, before, where=values == 0)
    return values


def _name(header: NetworkHeader, tuples: Tuples) -> str:
    """The name of the tuples that are left: the shapes that come first in the old name, or their cells."""
    shapes = header.network.split("-")
    for count in range(1, len(shapes)):
        name = "-".join(shapes[:count])
        try:
            if network_tuples(name) == tuples:
                return name
        except CrossplayError:
            break
    return format_tuples(tuples)
