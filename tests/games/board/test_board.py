"""Boards against the topology that Ludii 1.0.8 reports, and the sites of its games."""

from __future__ import annotations

import gzip
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossplay.errors import CrossplayError, LudSyntaxError, UnsupportedLudeme
from crossplay.games.board import Board, build_board
from crossplay.games.language import Ludeme, load_description, parse, walk

REFERENCE = Path(__file__).parents[2] / "reference" / "ludii"
LIBRARY = Path(__file__).parents[3] / "src" / "crossplay" / "games" / "library"

SUPPORTED = ("square-4-cells", "square-4-vertices", "square-5-cells", "rectangle-3x5", "hexhex-3",
             "hex-diamond-3", "hex-diamond-4")  # fmt: skip


def read(name: str) -> Any:
    with gzip.open(REFERENCE / f"{name}.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)


TOPOLOGY = {entry["name"]: entry for entry in read("topology")}


def board(text: str) -> Board:
    node = parse(f"(board {text})", "game.lud")
    assert isinstance(node, Ludeme)
    return build_board(node)


def lists(groups: tuple[tuple[int, ...], ...]) -> list[list[int]]:
    return [list(group) for group in groups]


@pytest.mark.parametrize("name", SUPPORTED)
def test_topology_is_that_of_ludii(name: str) -> None:
    expected = TOPOLOGY[name]
    built = board(expected["board"])
    elements, sets = expected["element"], expected["sets"]
    assert built.site_type == expected["siteType"]
    assert built.n_sites == expected["sites"]
    assert list(built.labels) == [element["label"] for element in elements]
    np.testing.assert_allclose(built.centroids, [element["c"] for element in elements], atol=1e-3)
    x, y = built.rank_coordinates()
    np.testing.assert_array_equal(np.stack([x, y], axis=1), [element["xy"] for element in elements])
    for relation in ("Orthogonal", "Diagonal", "Adjacent"):
        assert list(built.directions[relation]) == expected["directions"][relation.lower()]
        assert lists(built.neighbours(relation)) == [near[relation.lower()] for near in expected["relations"]]
    assert list(built.directions["All"]) == expected["directions"]["all"]
    for site, radials in enumerate(expected["radials"]):
        ways = {compass: built.radial(site, compass) for compass in built.steps}
        named = {key: value for key, value in radials.items() if key in built.steps}
        assert {compass: [list(way)] for compass, way in ways.items() if way} == named
    assert {key: list(sites) for key, sites in built.sets.items()}.items() <= sets.items()
    assert lists(built.phases) == [phase for phase in sets["phases"] if phase]
    assert lists(built.rows) == sets["rows"]
    assert lists(built.columns) == sets["columns"]
    if built.tiling == "hex":
        assert {side: list(sites) for side, sites in built.sides.items()} == expected["sides"]
    else:  # Ludii's names of the sides of a square board are odd; ours are the natural ones
        assert [built.sides[side] for side in "NSEW"] == [
            built.sets[edge] for edge in ("top", "bottom", "right", "left")
        ]


@pytest.mark.parametrize("name", sorted(set(TOPOLOGY) - set(SUPPORTED)))
def test_other_boards_are_refused_by_name(name: str) -> None:
    with pytest.raises(UnsupportedLudeme, match=r"UnsupportedLudeme: \(\S.* \.\.\.\) at game\.lud:1"):
        board(TOPOLOGY[name]["board"])


def _library_file(entry: dict[str, Any]) -> Path:
    return LIBRARY / Path(entry.get("lud", "none")).name


VARIANTS = [
    pytest.param(entry, id=entry["id"]) for entry in read("reference") if _library_file(entry).is_file()
]


@pytest.mark.parametrize("entry", VARIANTS)
def test_sites_of_library_games_are_those_of_ludii(entry: dict[str, Any]) -> None:
    game = load_description(_library_file(entry), entry["options"]).game
    node = next(node for node in walk(game) if isinstance(node, Ludeme) and node.name == "board")
    start = time.perf_counter()
    built = build_board(node)
    built.symmetries()
    assert time.perf_counter() - start < 2  # 0.06 s for the largest on an idle machine
    x, y = built.rank_coordinates()
    assert built.site_type == entry["boardSiteType"]
    assert list(built.labels) == entry["siteLabels"]
    assert x.tolist() == entry["siteX"][: built.n_sites]
    assert y.tolist() == entry["siteY"][: built.n_sites]
    assert (x.max() + 1, y.max() + 1) == (entry["tensorDimX"], entry["tensorDimY"])


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("(square 5)", 8),
        ("(square 6) use:Vertex", 8),
        ("(rectangle 3 5)", 4),
        ("(rectangle 1 7)", 2),
        ("(hex Diamond 5)", 4),
        ("(hex 4)", 12),
        ("(square 1)", 1),
    ],
)
def test_symmetries_form_a_group_that_keeps_neighbours(text: str, count: int) -> None:
    built = board(text)
    symmetries = built.symmetries()
    assert symmetries.shape == (count, built.n_sites)
    assert symmetries.dtype == np.int32
    np.testing.assert_array_equal(symmetries[0], np.arange(built.n_sites))
    group = {tuple(row) for row in symmetries.tolist()}
    assert len(group) == count
    assert {tuple(a[b].tolist()) for a in symmetries for b in symmetries} == group
    for relation in ("Orthogonal", "Diagonal"):
        near = [set(sites) for sites in built.neighbours(relation)]
        for image in symmetries:
            assert all({int(image[other]) for other in near[s]} == near[image[s]] for s in range(len(near)))


@pytest.mark.parametrize("text", ["(hex Diamond 4)", "(hex 3)"])
def test_axial_coordinates_put_neighbours_in_a_three_by_three_window(text: str) -> None:
    built = board(text)
    assert built.axial is not None
    steps = {(1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1)}
    at = {tuple(place): site for site, place in enumerate(built.axial.tolist())}
    for site, near in enumerate(built.neighbours("Orthogonal")):
        column, row = built.axial[site].tolist()
        assert {at[c, r] for dc, dr in steps if ((c := column + dc), (r := row + dr)) in at} == set(near)
    assert built.axial.min() == 0


def test_labels_beyond_z() -> None:
    assert board("(rectangle 1 30)").labels[24:28] == ("Y1", "Z1", "AA1", "AB1")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", LudSyntaxError, "game.lud:1:1: (board ...) needs a graph"),
        ("(square)", LudSyntaxError, "game.lud:1:8: (square ...) needs a size"),
        ("(hex Diamond)", LudSyntaxError, "game.lud:1:8: (hex Diamond ...) needs a size"),
        ("(square 0)", LudSyntaxError, "game.lud:1:16: a board's size"),
        ("(square 1) use:Vertex", LudSyntaxError, "from 2 to 60, not 1"),
        ("(hex Diamond 2.5)", LudSyntaxError, "not 2.5"),
        ("(square 100000)", LudSyntaxError, "not 100000"),
        ('(square "A1")', LudSyntaxError, 'not "A1"'),
        ("(square 4) use:Edge", UnsupportedLudeme, "(board use:Edge ...)"),
        ("(square 4) use:5", UnsupportedLudeme, "use:5"),
        ("(square 4) (track 1)", UnsupportedLudeme, "(track ...)"),
        ("(square 4) largeStack:True", UnsupportedLudeme, "largeStack:"),
        ("(hex 4) use:Vertex", UnsupportedLudeme, "(hex use:Vertex ...)"),
        ("(square 4 diagonals:Alternating)", UnsupportedLudeme, "(square diagonals: ...)"),
        ("5", UnsupportedLudeme, "(5 ...)"),
    ],
)
def test_wrong_boards_are_refused(text: str, error: type[CrossplayError], message: str) -> None:
    with pytest.raises(error) as caught:
        board(text)
    assert message in str(caught.value)
