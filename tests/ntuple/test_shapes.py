"""Networks by name: the tuples of the paper, and what is refused."""

from __future__ import annotations

import pytest
from slow_2048 import images

from crossplay.errors import CrossplayError
from crossplay.ntuple.shapes import (
    format_tuples,
    network_tuples,
    parse_tuples,
    stage_weights,
    symmetric_images,
    table_offsets,
)

FOUR = {"0,1,2,3,4,5", "4,5,6,7,8,9", "0,1,2,4,5,6", "4,5,6,8,9,10"}
FIFTH = {"8,9,10,11,12,13"}
SEVENS = {"0,1,2,3,4,5,6", "4,5,6,7,8,9,10", "8,9,10,11,12,13,14", "0,1,2,3,4,5,8", "4,5,6,7,8,9,12"}
LINES, SQUARES = {"0,1,2,3", "4,5,6,7"}, {"0,1,4,5", "1,2,5,6", "5,6,9,10"}
SHORT_LINES = {"0,1,2", "4,5,6"}


@pytest.mark.parametrize(
    ("name", "tuples", "active"),
    [
        ("42-33", FOUR, 32),
        ("33-42", FOUR, 32),
        ("42-33x5", FOUR | FIFTH, 40),
        ("421-43", SEVENS, 40),
        ("42-33-4-22", FOUR | LINES | SQUARES, 72),
        ("42-33x5-4-22", FOUR | FIFTH | LINES | SQUARES, 80),
        ("42-33-4-22-3", FOUR | LINES | SQUARES | SHORT_LINES, 88),
        ("42-33x5-4-22-3", FOUR | FIFTH | LINES | SQUARES | SHORT_LINES, 96),
        ("421-43-4-22-3", SEVENS | LINES | SQUARES | SHORT_LINES, 96),
        ("42", {"0,1,2,3,4,5", "4,5,6,7,8,9"} | FIFTH, 24),
        ("0,5;1,2,3", {"0,5", "1,2,3"}, 16),
    ],
)
def test_networks_of_the_paper(name: str, tuples: set[str], active: int) -> None:
    found = network_tuples(name)
    assert sorted(format_tuples(found).split(";")) == sorted(tuples)
    assert 8 * len(found) == active
    assert parse_tuples(format_tuples(found)) == found
    assert stage_weights(found) == sum(16 ** len(cells) for cells in found)


def test_sizes() -> None:
    assert stage_weights(network_tuples("42-33")) == 67_108_864
    assert stage_weights(network_tuples("421-43")) == 5 * 2**28
    assert table_offsets(network_tuples("42-3")) == [0, 2**24, 2**25, 3 * 2**24, 3 * 2**24 + 4096]


def test_eight_symmetric_images() -> None:
    cells = (0, 1, 2, 3, 4, 5, 8)
    expected = {tuple(image[cell] for cell in cells) for image in images(list(range(16)))}
    assert len(expected) == 8
    assert set(symmetric_images(cells)) == expected


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("", "unknown shape ''"),
        ("42-", "unknown shape ''"),
        ("42-99", "unknown shape '99'"),
        ("42-33 ", "unknown shape '33 '"),
        ("42\n33", r"unknown shape '42\n33'"),
        ("5", "unknown shape '5'"),
        ("33x5", "unknown shape '33x5'"),
        ("42-33x55", "unknown shape '33x55'"),
        ("42-33x5-33x5", "a shape is named twice"),
        ("42-33-42", "a shape is named twice"),
        ("42-33x5-33", "a shape is named twice"),
        ("0,1,", "write cells and tuples as"),
        (";", "write cells and tuples as"),
        ("0,1;a,2", "write cells and tuples as"),
        ("0,1\n;", "write cells and tuples as"),
        ("0,16", "cells are 0 to 15"),
        ("-1,2", "cells are 0 to 15"),
        ("0,0", "each at most once"),
        ("1,0", "ascending order"),
        ("0,1,2,3,4,5,6,7", "at most 7 cells"),
        (";".join(["0,1,2,3,4,5,6"] * 17), "weights, at most 4,294,967,296"),
    ],
)
def test_refuses_in_one_line(name: str, complaint: str) -> None:
    with pytest.raises(CrossplayError) as refused:
        network_tuples(name)
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)
