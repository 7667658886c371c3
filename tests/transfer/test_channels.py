"""Matching channels, against Ludii's own choices for the pairs of games of the published experiments."""

import gzip
import json
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import pytest

from crossplay.errors import CrossplayError
from crossplay.games import load_game
from crossplay.games.compiler import read_model
from crossplay.games.language import load_description, parse
from crossplay.games.tensors import move_channel_names, state_channel_names
from crossplay.similarity import LudemeTree
from crossplay.similarity.ludemes import tree_distance, tree_size
from crossplay.transfer import ChannelMapping, map_channels
from crossplay.transfer.channels import ChannelTable, Piece, map_tables
from crossplay.transfer.pieces import piece_tree

REFERENCE = Path(__file__).parents[1] / "reference" / "ludii"
# Two variants whose tensors were not recorded, beside recorded ones with the same channels.
SAME_CHANNELS = {"hex-11-misere": "hex-11", "breakthrough-hexagon6": "breakthrough-hexagon4"}
PLACEMENT = ("Place", "Pass", "Swap")
MOVEMENT = (*(f"Move {offset}" for offset in range(49)), "Pass", "Swap")


def load(name):
    with gzip.open(REFERENCE / f"{name}.json.gz", "rt") as file:
        return json.load(file)


def reference_tables():
    tables = {}
    for game in load("reference"):
        if "components" in game:
            pieces = tuple(Piece(c["name"], c["owner"], LudemeTree(c["name"])) for c in game["components"])
            moves = MOVEMENT if game["usesFromPositions"] else PLACEMENT
            tables[game["id"]] = ChannelTable(
                game["id"], pieces, tuple(game["stateChannels"]), moves, moves[len(moves) // 2 - 1]
            )
    return tables


def test_every_reference_pair_is_mapped_as_ludii_does():
    tables = reference_tables()
    pairs = load("channelmaps")
    for pair in pairs:
        source, target = (tables[SAME_CHANNELS.get(pair[end], pair[end])] for end in ("source", "target"))
        distances = {piece["target"]: piece["distances"] for piece in pair["pieces"]}
        # Ludii's own tree distances; pieces matched by name have none, so asking for one would fail.
        mapping = map_tables(source, target, lambda new, old, d=distances: d[new.label][old.label])
        assert list(mapping.state_sources) == pair["stateSourceChannels"], (pair["source"], pair["target"])
        assert list(mapping.move_sources) == pair["moveSourceChannels"], (pair["source"], pair["target"])
    assert len(pairs) == 67


UNRECORDED = {
    "hex-11-misere": ("Hex", ["Board Size/11x11", "End Rules/Misere"]),
    "breakthrough-hexagon6": ("Breakthrough", ["Board Size/6x6", "Board/Hexagon"]),
}


@cache
def library_table(variant):
    """The table of a game of ours, made without compiling it."""
    recorded = {entry["id"]: entry for entry in load("reference")}
    if variant in UNRECORDED:
        name, options = UNRECORDED[variant]
    else:
        name, options = PurePosixPath(recorded[variant]["lud"]).stem, recorded[variant]["options"]
    path = resources.files("crossplay.games.library") / f"{name}.lud"
    model = read_model(load_description(str(path), options).game)
    channels = state_channel_names(model.components, model.containers, model.flags)
    moves = move_channel_names(model.flags)
    return ChannelTable.of(
        SimpleNamespace(name=name, components=model.components, state_channels=channels, move_channels=moves)
    )


def test_our_own_descriptions_lead_to_ludiis_choices():
    for pair in load("channelmaps"):
        source, target = library_table(pair["source"]), library_table(pair["target"])
        mapping = map_tables(source, target)
        assert list(mapping.move_sources) == pair["moveSourceChannels"], (pair["source"], pair["target"])
        assert list(mapping.state_sources) == pair["stateSourceChannels"], (pair["source"], pair["target"])


def test_trees_of_pieces_are_as_large_and_as_far_apart_as_ludiis():
    checked = 0
    for pair in load("channelmaps"):
        sources, targets = (
            {piece.name: piece.tree for piece in library_table(pair[end]).pieces}
            for end in ("source", "target")
        )
        for piece in pair["pieces"]:
            if piece["by"] == "tree":
                tree = targets[piece["target"]]
                assert tree_size(tree) == piece["targetTreeNodes"], (pair["target"], piece["target"])
                distances = {name: tree_distance(tree, sources[name]) for name in piece["distances"]}
                assert distances == piece["distances"], (pair["source"], pair["target"], piece["target"])
                checked += len(distances)
    assert checked > 500


def test_reasons_name_the_runners_up():
    tables = reference_tables()
    [pair] = [p for p in load("channelmaps") if (p["source"], p["target"]) == ("minishogi", "shogi")]
    distances = {piece["target"]: piece["distances"] for piece in pair["pieces"]}
    mapping = map_tables(
        tables["minishogi"], tables["shogi"], lambda new, old: distances[new.label][old.label]
    )
    keima = next(match for match in mapping.state if "(Keima1)" in match.target)
    assert keima.source == "Piece Type 7 (Hisha1)"
    assert keima.distances[:3] == (("Hisha1", 83), ("Kakugyo1", 83), ("Ginsho1", 105))
    assert keima.why.startswith("piece of the same owner with the nearest rules: Hisha1 83, Kakugyo1 83")


def test_stacking_games_are_refused():
    tables = reference_tables()
    with pytest.raises(CrossplayError, match="connectfour stacks pieces"):
        map_tables(tables["connectfour"], tables["hex-3"])


def table(name, pieces, moves=MOVEMENT):
    channels = [f"Piece Type {k} ({piece.name})" for k, piece in enumerate(pieces, 1)]
    return ChannelTable(name, tuple(pieces), tuple(channels), moves, moves[len(moves) // 2 - 1])


def piece(name, owner, text):
    return Piece(name, owner, piece_tree(parse(text) if text else None))


STEP = "(move Step {directions} (to if:(is Empty (to)) (apply (remove (to)))))"
SLIDE = "(move Slide {directions} (between if:(is Empty (to))) (to if:(is Enemy (to))))"


def test_trees_of_our_own_choose_the_piece_that_moves_alike():
    source = table(
        "source",
        [
            piece("Rook1", 1, SLIDE.format(directions="Orthogonal")),
            piece("King1", 1, STEP.format(directions="Adjacent")),
            piece("Gold1", 1, STEP.format(directions="(directions {Forward FL FR})")),
            piece("Gold2", 2, STEP.format(directions="(directions {Forward FL FR})")),
            piece("Stone0", 0, ""),
        ],
    )
    target = table(
        "target",
        [
            piece("Silver1", 1, STEP.format(directions="(directions {Forward BL BR})")),
            piece("Prince1", 1, STEP.format(directions="Diagonal")),
            piece("Bishop1", 1, SLIDE.format(directions="Diagonal")),
            piece("King2", 2, STEP.format(directions="Adjacent")),
            piece("Rock0", 0, ""),
            piece("Shared3", 3, ""),
        ],
    )
    mapping = map_tables(source, target)
    # Directions are enumerated values, which neither Ludii nor we compare.
    assert mapping.state_sources == (2, 1, 0, 3, 4, -1)
    silver = mapping.state[0]
    assert silver.distances[0] == ("Gold1", 0)
    assert silver.distances[1][1] > 0


def test_loaded_games_are_mapped_as_their_reference_tables():
    tables = reference_tables()
    games = {
        "hex-7": load_game("Hex", ["Board Size/7x7"]),
        "gomoku-9": load_game("Gomoku", ["Board Size/9x9"]),
        "tictactoe": load_game("Tic-Tac-Toe"),
    }
    for source in games:
        for target in games:
            mapping = map_channels(games[source], games[target])
            # No piece has moves of its own: the first one of the owner is as near as any.
            expected = map_tables(tables[source], tables[target], lambda new, old: 0)
            assert mapping.state_sources == expected.state_sources
            assert mapping.move_sources == expected.move_sources
            assert [m.target for m in mapping.state] == [m.target for m in expected.state]
    with pytest.raises(CrossplayError, match="unknown channel mapping policy 'Ludii'; known: ludii"):
        map_channels(games["hex-7"], games["hex-7"], "Ludii")


def small_mapping():
    tables = reference_tables()
    source, target = tables["squava"], tables["gomoku-9"]
    return source, target, map_tables(source, target)


def test_json_round_trip_and_hand_editing():
    source, target, mapping = small_mapping()
    text = mapping.to_json()
    again = ChannelMapping.from_json(text, source, target)
    assert again.to_json() == text
    assert (again.state_sources, again.move_sources) == (mapping.state_sources, mapping.move_sources)

    content = json.loads(text)
    content["state"].reverse()
    content["moves"][2] = {"target": "Swap", "source": None, "why": "never swap"}
    edited = ChannelMapping.from_json(json.dumps(content), source, target)
    assert edited.state_sources == mapping.state_sources
    assert edited.move_sources == (0, 1, -1)
    assert edited.moves[2].why == "never swap"


def _set(row, key, value):
    def change(content):
        content["state"][row][key] = value

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_set(0, "source", "Piece Type 1 (Bal1)"), r'no channel "Piece Type 1 \(Bal1\)"; did you mean'),
        (_set(0, "target", "Colour"), 'm.json: state: the target has no channel "Colour"'),
        (_set(0, "source", 0), "the source has no channel 0"),
        (_set(1, "target", "Piece Type 1 (Ball1)"), "listed twice"),
        (lambda content: content["moves"].pop(), "moves: Swap is missing"),
        (lambda content: content["moves"].append("Swap"), "must hold target, source and why"),
        (lambda content: content.pop("policy"), "must hold exactly"),
        (lambda content: content.update(moves="Place"), "must be a list"),
    ],
)
def test_wrong_files_are_refused_in_one_line(change, message):
    source, target, mapping = small_mapping()
    content = json.loads(mapping.to_json())
    change(content)
    with pytest.raises(CrossplayError, match=message) as caught:
        ChannelMapping.from_json(json.dumps(content), source, target, "m.json")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("m.json")


def test_text_that_is_no_json_is_refused():
    source, target, _ = small_mapping()
    with pytest.raises(CrossplayError, match="not valid JSON"):
        ChannelMapping.from_json("{", source, target, "m.json")


def test_table_lists_every_channel():
    _, target, mapping = small_mapping()
    lines = mapping.to_table().splitlines()
    assert len(lines) == 4 + len(target.state_channels) + len(target.move_channels)
    assert lines[0] == "squava -> gomoku-9 (ludii)"
