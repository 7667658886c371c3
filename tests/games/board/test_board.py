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
RELATIONS = {"Orthogonal": "orthogonal", "Diagonal": "diagonal", "Adjacent": "adjacent", "OffDiagonal": "off"}
LIBRARY = Path(__file__).parents[3] / "src" / "crossplay" / "games" / "library"


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


@pytest.mark.parametrize("name", sorted(TOPOLOGY))
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
    for relation, key in RELATIONS.items():
        assert list(built.directions[relation]) == expected["directions"][key]
        assert lists(built.neighbours(relation)) == [near[key] for near in expected["relations"]]
    assert list(built.directions["All"]) == expected["directions"]["all"]
    for site, radials in enumerate(expected["radials"]):
        ways = {compass: built.radial(site, compass) for compass in built.steps}
        named = {key: value for key, value in radials.items() if key in built.steps}
        assert {compass: [list(way)] for compass, way in ways.items() if way} == named
        for relation in RELATIONS:
            ways = {way: _follow(table, site) for way, table in built.ways(relation).items()}
            assert sorted(way for way in ways.values() if way) == sorted(radials.get(relation, []))
    named = {key: list(sites) for key, sites in built.sets.items() if key in sets}
    assert named == {key: value for key, value in sets.items() if key not in ("phases", "rows", "columns")}
    assert lists(built.phases) == [phase for phase in sets["phases"] if phase]
    assert lists(built.rows) == sets["rows"]
    assert lists(built.columns) == sets["columns"]
    if built.tiling == "hex":
        assert {side: list(sites) for side, sites in built.sides.items()} == expected["sides"]


def _follow(table: np.ndarray, site: int) -> list[int]:
    found = []
    while (site := int(table[site])) >= 0:
        found.append(site)
    return found


@pytest.mark.parametrize(
    "text", ["(square 4)", "(square 5) use:Vertex", "(rectangle 3 5)", "(morris 3) use:Vertex"]
)
def test_sides_of_squares_have_their_natural_names(text: str) -> None:
    # Ludii 1.0.8 calls the left one NW and the bottom one SE.
    built = board(text)
    assert {
        side: built.sets[edge] for side, edge in zip("NSEW", ("top", "bottom", "right", "left"), strict=True)
    } == (built.sides)


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
    if built.n_sites == len(entry["siteX"]):  # no hands beside the board
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
        ("(rotate 90 (hex 4))", 12),
        ("(hex Triangle 5)", 6),
        ("(hex Limping 4)", 6),
        ("(hex Rectangle 3 4)", 4),
        ("(intersect { (hex 4) (shift -1.73 0 (hex Rectangle 4 6)) })", 2),
        ("(tri 4)", 6),
        ("(tri Hexagon 3) use:Vertex", 12),
        ("(tri Star 2)", 12),
        ("(morris 3) use:Vertex", 8),
        ("(concentric sides:5 rings:2) use:Vertex", 10),
        ("(square Diamond 3)", 8),
        ("(rotate 45 (square 4))", 8),
        ("(remove (square 4) cells:{0})", 2),
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


@pytest.mark.parametrize(
    ("text", "width", "height"),
    [
        ("(hex Diamond 4)", 4, 4),
        ("(hex 3)", 5, 5),
        ("(rotate 90 (hex 3))", 5, 5),
        ("(hex Triangle 5)", 5, 5),
        ("(hex Rectangle 3 4)", 5, 3),
        ("(tri Hexagon 3) use:Vertex", 5, 5),
        ("(brick Diamond 3)", 3, 5),
    ],
)
def test_axial_coordinates_put_neighbours_in_a_three_by_three_window(
    text: str, width: int, height: int
) -> None:
    built = board(text)
    assert built.axial is not None
    steps = {(1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1)}
    at = {tuple(place): site for site, place in enumerate(built.axial.tolist())}
    for site, near in enumerate(built.neighbours("Orthogonal")):
        column, row = built.axial[site].tolist()
        assert {at[c, r] for dc, dr in steps if ((c := column + dc), (r := row + dr)) in at} == set(near)
    x, y = built.dense_coordinates()
    assert (x.min(), y.min(), x.max() + 1, y.max() + 1) == (0, 0, width, height)


def test_triangles_lie_in_strips_of_the_dense_layout() -> None:
    built = board("(tri 5)")
    x, y = built.dense_coordinates()
    assert (x.max() + 1, y.max() + 1) == (9, 5)
    assert len(set(zip(x.tolist(), y.tolist(), strict=True))) == built.n_sites
    for site, near in enumerate(built.neighbours("Orthogonal")):
        assert all(abs(x[site] - x[other]) + abs(y[site] - y[other]) == 1 for other in near)


@pytest.mark.parametrize(
    ("text", "facing", "expected"),
    [
        ("(square 3)", "N", {"Forward": "N", "FL": "NW", "FR": "NE", "Backward": "S", "BL": "SE", "BR": "SW",
                             "Leftward": "W", "Rightward": "E", "FLL": "NW", "Forwards": "NW N NE",
                             "Leftwards": "NW W SW"}),
        ("(square 3)", "S", {"Forward": "S", "FL": "SE", "FR": "SW", "Leftward": "E"}),
        ("(hex 3)", "N", {"Forward": "", "FL": "NNW", "FR": "NNE", "Backward": "", "Rightward": "E",
                          "BL": "SSE", "BR": "SSW", "Backwards": "SSE SSW"}),
        ("(rotate 90 (hex 3))", "N", {"Forward": "N", "FL": "WNW", "FR": "ENE", "Leftward": ""}),
    ],
)  # fmt: skip
def test_relative_directions(text: str, facing: str, expected: dict[str, str]) -> None:
    built = board(text)
    assert {name: " ".join(built.relative(facing, name)) for name in expected} == expected


def test_relative_directions_of_a_relation() -> None:
    built = board("(square 3)")
    assert built.relative("N", "FL", "Orthogonal") == ("W",)
    assert built.relative("N", "Forward", "Diagonal") == ()
    assert board("(square 1)").relative("N", "FL") == ()


def test_headings_and_distances() -> None:
    built = board("(square 4)")
    names, headings = built.directions["Adjacent"], built.headings()
    start, end = built.site_of_label("A1"), built.site_of_label("C3")
    assert start is not None
    assert end is not None
    assert names[headings[start, end]] == "NE"
    assert names[headings[end, start]] == "SW"
    assert headings[0, 0] == headings[0, 6] == -1
    assert built.distances()[start, end] == 2
    assert built.distances("Orthogonal")[start, end] == 4
    apart = board("(union { (square 2) (shift 5 0 (square 2)) })")
    assert apart.distances()[0, 4] == -1
    assert apart.site_of_label("Z9") is None


@pytest.mark.parametrize(
    ("text", "sites"),
    [
        ("(hex 4) use:Vertex", 96),
        ("(hex Star 2)", 37),
        ("(hex Prism 3 2)", 14),
        ("(hex Limping 4)", 48),
        ("(hex {3 3 3 3 3})", 19),
        ("(hex (+ 2 1))", 19),
        ("(tri Hexagon 3)", 54),
        ("(tri Star 2) use:Vertex", 37),
        ("(tri Square 4) use:Vertex", 14),
        ("(tri Prism 3 2) use:Vertex", 14),
        ("(tri Diamond 4)", 32),
        ("(brick 4)", 18),
        ("(square Limping 4)", 20),
        ("(square 5 diagonals:Solid) use:Vertex", 41),
        ("(concentric Hexagon rings:3) use:Vertex", 36),
        ("(morris 2 joinCorners:True) use:Vertex", 16),
        ("(graph vertices:{{0 0} {1 0} {1 1} {0 1}} edges:{{0 1} {1 2} {2 3} {3 0} {0 2}})", 2),
        ("(remove (square 4) vertices:{{0.0 4.0}})", 15),
        ("(remove (square 4) cells:{5} edges:{{0 1}})", 14),
        ("(remove (square 4) (poly {{-0.5 -0.5} {-0.5 0.5} {0.5 0.5} {0.5 -0.5}}))", 15),
        ("(merge (rectangle 6 2) (rectangle 3 5))", 21),
        ("(scale 2 (square 3))", 9),
        ("(wedge 3) use:Vertex", 7),
        ("(merge (rotate 180 (wedge 4)) (shift 0 3 (wedge 4))) use:Vertex", 17),
        ("(regular 6) use:Vertex", 6),
        ("(regular Star 5) use:Vertex", 5),
        ("(repeat 2 3 step:{{1 0} {0 1}} (poly {{0 0} {0 1} {1 1} {1 0}}))", 6),
        ("(keep (square 6) (poly {{1 1} {1 4} {4 4} {4 1}}))", 9),
        ("(clip (square 6) (poly {{-1 -1} {-1 4} {4 4} {4 -1}}))", 11),
        ("(hole (square 6) (poly {{2 2} {2 4} {4 4} {4 2}}))", 32),
        ("(add (square 3) vertices:{{4 4}} edges:{{{3 3} {4 4}}}) use:Vertex", 11),
        ("(add (square 2) cells:{{{2 0} {3 0} {3 1} {2 1}}})", 5),
        ("(subdivide (square 3)) use:Vertex", 13),
        ("(subdivide (square 2))", 16),
        ("(trim (add (square 2) edges:{{{2 2} {3 3}}})) use:Vertex", 4),
        ("(makeFaces (remove (square 3) cells:{4} trimEdges:False))", 9),
        ("(square (poly {{0 0} {0 4} {2 4} {2 2} {4 2} {4 0}}))", 12),
        ("(hex (poly {{0 0} {0 6} {6 6} {6 0}}))", 20),
        ("(tri (poly {{0 0} {0 4} {4 4} {4 0}}))", 28),
        ("(skew 0.5 (square 3))", 9),
    ],
)
def test_number_of_sites(text: str, sites: int) -> None:
    assert board(text).n_sites == sites


def test_a_renumbered_board_counts_by_rows() -> None:
    turned, renumbered = board("(rotate 90 (hex 3))"), board("(renumber (rotate 90 (hex 3)))")
    assert renumbered.labels == board("(rotate 0 (renumber (rotate 90 (hex 3))))").labels
    assert sorted(turned.labels) == sorted(renumbered.labels)
    assert turned.labels[7] == renumbered.labels[0] == "A1"


def test_edges_of_solid_diagonals_meet_in_the_middle() -> None:
    built = board("(square 2 diagonals:Solid) use:Vertex")
    assert built.labels[2] == "B2"
    assert len(built.neighbours("Orthogonal")[2]) == 4


def test_labels_beyond_z() -> None:
    assert board("(rectangle 1 30)").labels[24:28] == ("Y1", "Z1", "AA1", "AB1")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", LudSyntaxError, "game.lud:1:1: (board ...) needs a graph"),
        ("(square)", LudSyntaxError, "game.lud:1:8: (square ...) needs a size"),
        ("(hex Diamond)", LudSyntaxError, "game.lud:1:8: (hex Diamond ...) needs a size"),
        ("(square 0)", LudSyntaxError, "game.lud:1:16: a board's size"),
        ("(hex Diamond 2.5)", LudSyntaxError, "not 2.5"),
        ("(square 100000)", LudSyntaxError, "not 100000"),
        ('(square "A1")', LudSyntaxError, 'not "A1"'),
        ("(square 4) use:Edge", UnsupportedLudeme, "(board use:Edge ...)"),
        ("(square 4) use:5", UnsupportedLudeme, "use:5"),
        ("(square 4) (track 1)", UnsupportedLudeme, "(track ...)"),
        ("(square 4) largeStack:True", UnsupportedLudeme, "largeStack:"),
        ("(square 4 diagonals:Wavy)", UnsupportedLudeme, "(square diagonals:Wavy ...)"),
        ("(square 4 pyramidal:True)", UnsupportedLudeme, "(square pyramidal: ...)"),
        ("(hex Spiral 4)", UnsupportedLudeme, "(hex Spiral ...)"),
        ("(tiling T488 3)", UnsupportedLudeme, "(tiling T488 ...)"),
        ("(morris 3)", UnsupportedLudeme, "(morris on cells ...)"),
        ("(rotate (square 4) 90)", LudSyntaxError, "game.lud:1:16: expected a number, not square"),
        ("(shift 1 1 1 (square 4))", UnsupportedLudeme, "(shift ...)"),
        ("(merge (square 4))", UnsupportedLudeme, "(merge ...)"),
        ("(graph vertices:{{0 0 1}})", UnsupportedLudeme, "({...} with a height ...)"),
        ("(graph vertices:{{0 0}} edges:{{0 1}})", LudSyntaxError, "from 0 to 0, not 1"),
        ("(graph vertices:{{0 0}})", LudSyntaxError, "the board has no sites"),
        ("(regular 2)", LudSyntaxError, "from 3 to 60, not 2"),
        ("(repeat 2 2 (poly {{0 0} {0 1} {1 0}}))", UnsupportedLudeme, "(repeat ...)"),
        ("5", UnsupportedLudeme, "(5 ...)"),
    ],
)
def test_wrong_boards_are_refused(text: str, error: type[CrossplayError], message: str) -> None:
    with pytest.raises(error) as caught:
        board(text)
    assert message in str(caught.value)
