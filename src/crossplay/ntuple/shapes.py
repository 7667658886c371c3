"""Which cells an n-tuple network looks at.

A network is named by the shapes of its tuples, as in the paper: ``42-33`` is the six-cell shapes "four in
a row, two below" and "three in a row, three below" in every place on the board that no symmetry makes
equal to an earlier one. Cells are numbered row-major, 0 to 15.

Source: W. Jaśkowski (2016), section III and figure 3; K.-H. Yeh et al. (2016) for the usual four 6-tuples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from crossplay.errors import CrossplayError

Tuples = tuple[tuple[int, ...], ...]

COLOURS = 16  # values of a cell: empty, 2, 4, ... 32768
LONGEST = 7
_LARGE = 5  # tables of tuples with so many cells or more do not fit a cache
# Indices are 32 bits wide, so the tables of one stage hold at most this many weights.
MOST_WEIGHTS = 1 << 32

# A shape by the lengths of its rows, which all begin in the first column.
_SHAPES = {"42": (4, 2), "33": (3, 3), "421": (4, 2, 1), "43": (4, 3), "4": (4,), "22": (2, 2), "3": (3,)}
# The paper's text counts four tuples in 42-33: the third place of the shape 42 is left out.
_LEFT_OUT = (8, 9, 10, 11, 12, 13)


def network_tuples(name: str) -> Tuples:
    """The tuples of a network.

    Args:
        name: shapes joined by hyphens, as ``42-33``, ``421-43`` or ``42-33-4-22-3``; ``42-33x5`` takes
            all five places of ``42-33`` instead of the four of the paper's text. Tuples of one's own
            are given as text, ``0,1,2,3;4,5,6,7``.

    Raises:
        CrossplayError: an unknown shape, a cell that is not on the board, or too many weights.
    """
    tuples = parse_tuples(name) if "," in name or ";" in name else _tuples_of_shapes(name)
    weights = stage_weights(tuples)
    if weights > MOST_WEIGHTS:
        raise CrossplayError(
            f"network {name!r}: {weights:,} weights, at most {MOST_WEIGHTS:,} are possible; take away tuples"
        )
    return tuples


def _tuples_of_shapes(name: str) -> Tuples:
    shapes = name.split("-")
    five = {"42", "33x5"} <= set(shapes)
    if five:
        shapes = ["33" if shape == "33x5" else shape for shape in shapes]
    for shape in shapes:
        if shape not in _SHAPES:
            raise CrossplayError(
                f"network {name!r}: unknown shape {shape!r}; shapes are {', '.join(_SHAPES)},"
                " joined by hyphens, as in 42-33"
            )
    if len(set(shapes)) < len(shapes):
        raise CrossplayError(f"network {name!r}: a shape is named twice; name each once")
    tuples = [cells for shape in shapes for cells in placements(_SHAPES[shape])]
    if {"42", "33"} <= set(shapes) and not five:
        tuples.remove(_LEFT_OUT)
    return tuple(tuples)


def placements(rows: Sequence[int]) -> Tuples:
    """Every place of a shape on the board, leaving out symmetric images of earlier ones."""
    seen: set[frozenset[int]] = set()
    found = []
    for top, first in product(range(5 - len(rows)), range(5 - max(rows))):
        cells = tuple(
            4 * (top + row) + first + column for row, length in enumerate(rows) for column in range(length)
        )
        if frozenset(cells) not in seen:
            found.append(cells)
            seen.update(frozenset(image) for image in symmetric_images(cells))
    return tuple(found)


def symmetric_images(cells: Sequence[int]) -> Tuples:
    """The images of a list of cells under the eight symmetries of the board, in the list's order."""
    images = []
    for turned, rows, columns in product((False, True), repeat=3):
        image = []
        for cell in cells:
            y, x = divmod(cell, 4)
            y, x = (3 - y if rows else y), (3 - x if columns else x)
            image.append(4 * x + y if turned else 4 * y + x)
        images.append(tuple(image))
    return tuple(images)


def format_tuples(tuples: Iterable[Sequence[int]]) -> str:
    """Tuples as text: ``0,1,2,3;4,5,6,7``."""
    return ";".join(",".join(map(str, cells)) for cells in tuples)


def parse_tuples(text: str) -> Tuples:
    """The inverse of :func:`format_tuples`.

    Raises:
        CrossplayError: not of that form, a cell not on the board or twice in a tuple, a tuple too long.
    """
    try:
        tuples = tuple(tuple(int(cell) for cell in part.split(",")) for part in text.split(";"))
    except ValueError as error:
        raise CrossplayError(f"tuples {text!r}: write cells and tuples as 0,1,2,3;4,5,6,7") from error
    for cells in tuples:
        if any(not 0 <= cell < 16 for cell in cells) or len(set(cells)) < len(cells):
            raise CrossplayError(f"tuple {cells}: cells are 0 to 15, each at most once")
        if len(cells) > LONGEST:
            raise CrossplayError(f"tuple {cells}: at most {LONGEST} cells")
        if list(cells) != sorted(cells):
            raise CrossplayError(f"tuple {cells}: name the cells in ascending order")
    return tuples


def table_offsets(tuples: Tuples) -> list[int]:
    """Where the table of each tuple begins in the weights of one stage."""
    offsets = [0]
    for cells in tuples:
        offsets.append(offsets[-1] + COLOURS ** len(cells))
    return offsets[:-1]


def large_tables(tuples: Tuples) -> int:
    """How many tables do not fit a cache, so that fetching ahead pays; named networks begin with them."""
    return sum(len(cells) >= _LARGE for cells in tuples)


def stage_weights(tuples: Tuples) -> int:
    """Weights of one stage: the length of all tables together."""
    return sum(COLOURS ** len(cells) for cells in tuples)
