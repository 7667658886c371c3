"""A folded network has the values of the one it was made from, on every board and in every stage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_2048 import images, stage

from crossplay.cli import main
from crossplay.errors import CrossplayError
from crossplay.ntuple.files import Network, NetworkHeader, load_network, save_network
from crossplay.ntuple.folding import fold_network, plan_folds
from crossplay.ntuple.shapes import format_tuples, network_tuples, parse_tuples
from crossplay.ntuple.sparse import filled_blocks
from crossplay.ntuple.tables import new_table

IMAGES = images(list(range(16)))
SMALL = "0,1,4,5;0,4,9;2,3,6;3;6,7"  # the first takes all but the second


def value(network: Network, board: list[int]) -> float:
    """The value of a board as it is defined, promotion included."""
    header, total = network.header, network.header.offset
    size = header.weights >> header.stage_bits
    number = stage(board, header.stage_bits)
    first = number * size
    for cells in header.tuples:
        for image in IMAGES:
            place = first
            for power, cell in enumerate(reversed(cells)):
                place += board[image[cell]] * 16**power
            weight = float(network.weights[place])
            if weight == 0 and number > 0 and header.promotion:
                weight = float(network.weights[place - size])
            total += weight
        first += 16 ** len(cells)
    return total


def random_network(
    name: str, stage_bits: int, promotion: bool, seed: int = 0, filled: float = 0.4
) -> Network:
    header = NetworkHeader(name, network_tuples(name), stage_bits, promotion, 12.5, 99, {"rate": 1.0}, 3)
    random = np.random.default_rng(seed)
    weights = random.normal(0, 100, header.weights).astype(np.float32)
    weights *= random.random(header.weights) < filled
    return Network(header, weights)


def random_boards(number: int, seed: int) -> list[list[int]]:
    """Boards in all stages."""
    random = np.random.default_rng(seed)
    cells = random.integers(0, 12, (number, 16))
    large = random.random((number, 16)) < 0.2
    return np.where(large, random.integers(11, 16, (number, 16)), cells).tolist()


def check_values(before: Network, after: Network, boards: list[list[int]]) -> None:
    stages = {stage(board, before.header.stage_bits) for board in boards}
    assert len(stages) == 1 << before.header.stage_bits
    for board in boards:
        assert value(after, board) == pytest.approx(value(before, board), rel=1e-5, abs=1e-3)


@pytest.mark.parametrize("promotion", [True, False])
@pytest.mark.parametrize("stage_bits", [0, 1, 3])
def test_equal_values(stage_bits: int, promotion: bool) -> None:
    network = random_network(SMALL, stage_bits, promotion)
    kept = network.weights.copy()
    told: list[tuple[int, int]] = []
    folded = fold_network(network, lambda done, total: told.append((done, total)))
    assert format_tuples(folded.header.tuples) == "0,1,4,5;0,4,9"
    assert len(folded.weights) == (16**4 + 16**3) << stage_bits
    assert told[-1] == (len(folded.weights), len(folded.weights))
    if stage_bits:
        assert not folded.header.promotion
    check_values(network, folded, random_boards(500, 1))
    np.testing.assert_array_equal(network.weights, kept)


def test_promotion_reaches_back_one_stage_only() -> None:
    network = random_network("0,1,5;0,1", 2, True, filled=0)
    size = 16**3 + 16**2
    network.weights[:size] = 1
    folded = fold_network(network)
    empty = [0] * 15
    assert [value(folded, [*empty, tile]) for tile in (1, 14, 15)] == [12.5 + 16, 12.5 + 16, 12.5]
    check_values(network, folded, random_boards(300, 2))


@settings(max_examples=40, deadline=None)
@given(
    sets=st.lists(st.sets(st.integers(0, 15), min_size=1, max_size=4), min_size=2, max_size=6),
    stage_bits=st.integers(0, 2),
    promotion=st.booleans(),
    seed=st.integers(0, 99),
)
def test_any_tuples(sets: list[set[int]], stage_bits: int, promotion: bool, seed: int) -> None:
    redundant = [
        any(
            {image[cell] for cell in one} <= other and (len(one) < len(other) or j < i)
            for j, other in enumerate(sets)
            if i != j
            for image in IMAGES
        )
        for i, one in enumerate(sets)
    ]
    name = ";".join(",".join(map(str, sorted(cells))) for cells in sets)
    if not any(redundant) or ";" not in name:
        return
    network = random_network(name, stage_bits, promotion, seed)
    folded = fold_network(network)
    left = [cells for cells, gone in zip(network.header.tuples, redundant, strict=True) if not gone]
    assert list(folded.header.tuples) == left
    check_values(network, folded, random_boards(60, seed))


def test_long_tuples() -> None:
    # Pieces of a table, and small tuples that do and do not look at the cells that number the pieces.
    network = random_network("0,1,2,4,5,6;2,3,6,7;0,1;5;8,9,10,12,14", 0, True, filled=0.1)
    folded = fold_network(network)
    assert format_tuples(folded.header.tuples) == "0,1,2,4,5,6"
    check_values(network, folded, random_boards(500, 3))


@pytest.mark.parametrize("five", ["", "x5"])
@pytest.mark.parametrize("name", ["42-33{}-4", "42-33{}-4-22", "42-33{}-4-22-3", "42-33{}-3"])
def test_networks_of_the_paper(name: str, five: str) -> None:
    tuples = network_tuples(name.format(five))
    gone = {fold.small for fold in plan_folds(tuples)}
    left = tuple(cells for number, cells in enumerate(tuples) if number not in gone)
    assert left == network_tuples("42-33" + five)


def test_keeps_its_name_by_shapes() -> None:
    folded = fold_network(random_network("22-4-3", 0, False))
    assert folded.header.network == "22-4"
    assert folded.header.tuples == network_tuples("22-4")
    assert (folded.header.offset, folded.header.actions, folded.header.seed) == (12.5, 99, 3)


def test_what_was_never_used_stays_so() -> None:
    header = NetworkHeader("mine", parse_tuples("0,1,2,3,4,5;2,3"), 2, True)
    weights = new_table(header.weights)
    size = header.weights >> 2
    weights[7 * 16**4 : 7 * 16**4 + 100] = 1
    weights[size + 16**6 + 3] = 2  # 8 and 2 where the small tuple looks, in the second stage
    folded = fold_network(Network(header, weights))
    # One piece of 2**16 weights; every piece of the second stage, and of the third, which it is promoted to.
    used = sum(last - first for first, last in filled_blocks(folded.weights.view(np.uint8)))
    assert used <= 4 * (2 * 16**6 + 4 * 16**4)
    assert not folded.weights[3 * 16**6 :].any()


def test_nothing_to_fold() -> None:
    with pytest.raises(CrossplayError, match="network 22-4: no tuple lies in another one") as refused:
        fold_network(random_network("22-4", 1, True))
    assert "\n" not in str(refused.value)


def test_command(tmp_path: Path) -> None:
    network = random_network("0,1,5;0,1", 1, True)
    save_network(tmp_path / "first/model.safetensors", network.header, network.weights)
    command = ["ntuple", "fold", str(tmp_path / "first"), "--no-track"]
    done = CliRunner().invoke(main, [*command, "--output", str(tmp_path / "first/folded")])
    assert done.exit_code == 0, done.output
    assert "ntuple-fold 2048 first: 2 tuples of 0,1,5;0,1 folded into the 1 of 0,1,5" in done.output
    folded = load_network(tmp_path / "first/folded")
    assert folded.header.tuples == ((0, 1, 5),)
    check_values(network, folded, random_boards(100, 4))

    for output, complaint in (("first", "choose another --output"), ("folded/again", "nothing to fold")):
        source = tmp_path / "first" / ("folded" if output == "folded/again" else "")
        refused = CliRunner().invoke(
            main, ["ntuple", "fold", str(source), "--no-track", "--output", str(tmp_path / output)]
        )
        assert refused.exit_code == 2
        assert complaint in refused.output
        assert len(refused.output.splitlines()) == 1
    missing = CliRunner().invoke(main, ["ntuple", "fold", str(tmp_path / "no"), "--output", str(tmp_path)])
    assert missing.exit_code == 2
    assert len(missing.output.splitlines()) == 1
    assert load_network(tmp_path / "first").header == network.header
