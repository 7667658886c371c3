"""Moving parameters: the published definition of a correct transfer, as properties."""

import dataclasses

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplay.errors import CrossplayError
from crossplay.networks import ModelHeader, build_network, load_model, save_model
from crossplay.similarity import LudemeTree
from crossplay.transfer import transfer_parameters
from crossplay.transfer.channels import ChannelTable, Piece, map_tables
from crossplay.transfer.mapping import ChannelMapping

SIZE = {"width": 8, "blocks": 1, "layers_per_block": 2}
STATE = (
    "Piece Type 1 (Ball1)",
    "Piece Type 2 (Ball2)",
    "Is Player 1 the current mover?",
    "Is Player 2 the current mover?",
    "Does position exist in container 0 (Board)?",
    "Last move's from-position",
    "Last move's to-position",
)
PLACEMENT = ("Place", "Pass", "Swap")
MOVEMENT = (*(f"Move {offset}" for offset in range(49)), "Pass", "Swap")
PIECES = (Piece("Ball1", 1, LudemeTree("")), Piece("Ball2", 2, LudemeTree("")))


def table(state=STATE, moves=PLACEMENT):
    placement = "Place" if "Place" in moves else "Move 24"
    return ChannelTable("Game", PIECES, tuple(state), tuple(moves), placement)


def header(channels, positions=0, **changes):
    return ModelHeader(
        architecture="ResConvConvLogitPoolModelV2",
        hyperparameters={**SIZE, **changes},
        game=channels.name,
        options=("Board Size/5x5",),
        layout={"hex": "dense", "hands": "repaired"},
        state_channels=channels.state_channels,
        move_channels=channels.move_channels,
        positions=positions,
    )


def trained(channels, seed=0, **changes):
    """A network whose batch norm statistics and biases are as far from their start as training takes them."""
    torch.manual_seed(seed)
    head = header(channels, positions=1234, **changes)
    network = build_network(
        head.architecture, len(head.state_channels), len(head.move_channels), None, head.hyperparameters
    )
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
        network.train()(torch.rand(16, len(head.state_channels), 6, 5))
    return network.eval(), head


def move(source, target, mode="zero-shot", mapping=None, seed=7, network=None, **changes):
    network, head = network or trained(source, **changes)
    mapping = mapping or map_tables(source, target)
    return transfer_parameters(network, head, header(target, **changes), mapping, mode, seed)


def outputs(network, planes):
    with torch.no_grad():
        return network.double()(planes.double())


@pytest.mark.parametrize("mode", ["zero-shot", "fine-tune"])
@pytest.mark.parametrize("moves", [PLACEMENT, MOVEMENT])
@pytest.mark.parametrize("changes", [{}, {"batch_norm": False}, {"global_pooling": 0.5}])
def test_transfer_to_the_same_game_is_the_identity(mode, moves, changes):
    game = table(moves=moves)
    network, head = trained(game, **changes)
    result, result_header = move(game, game, mode, network=(network, head), **changes)
    before, after = network.state_dict(), result.state_dict()
    assert list(before) == list(after)
    assert all(torch.equal(before[name], after[name]) for name in before)
    planes = torch.rand(3, len(STATE), 6, 5)
    assert all(torch.equal(a, b) for a, b in zip(network(planes), result(planes), strict=True))
    assert not result.training
    assert result_header.positions == 0
    assert result_header.source == {
        "game": "Game",
        "options": ["Board Size/5x5"],
        "positions": 1234,
        "mode": mode,
    }


@settings(max_examples=12, deadline=None)
@given(st.permutations(range(len(STATE))), st.permutations(range(len(MOVEMENT))), st.integers(0, 9))
def test_reencoding_a_game_changes_nothing(state_order, move_order, seed):
    source = table(moves=MOVEMENT)
    target = table([STATE[i] for i in state_order], [MOVEMENT[i] for i in move_order])
    network, head = trained(source, seed)
    result, _ = move(source, target, network=(network, head))
    planes = torch.rand(2, len(STATE), 5, 4)
    logits, values = outputs(network, planes)
    new_logits, new_values = outputs(result, planes[:, state_order])
    torch.testing.assert_close(new_logits, logits[:, move_order])
    torch.testing.assert_close(new_values, values)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, len(STATE)), st.floats(-100, 100))
def test_a_state_channel_without_source_cannot_influence_zero_shot_play(position, value):
    source = table()
    target = table([*STATE[:position], "Local state == 1", *STATE[position:]])
    result, _ = move(source, target)
    planes = torch.rand(2, len(STATE) + 1, 5, 5)
    changed = planes.clone()
    changed[:, position] = value
    with torch.no_grad():
        assert all(torch.equal(a, b) for a, b in zip(result(planes), result(changed), strict=True))


def test_one_piece_may_serve_several_channels():
    source, target = table(), table([*STATE, "Piece Type 3 (Queen1)"])
    target = dataclasses.replace(target, pieces=(*PIECES, Piece("Queen1", 1, LudemeTree("move Slide"))))
    network, head = trained(source)
    result, _ = move(source, target, network=(network, head))
    planes = torch.rand(2, len(STATE) + 1, 5, 5)
    planes[:, -1] = 0
    merged = planes[:, :-1].clone()
    # Where only one of the two kinds stands on a cell, both are seen as the one kind the source knew.
    planes[:, -1, 2:], planes[:, 0, 2:] = planes[:, 0, 2:].clone(), 0
    for new, old in zip(outputs(result, planes), outputs(network, merged), strict=True):
        torch.testing.assert_close(new, old)


def test_placements_give_every_movement_the_same_logit():
    network, head = trained(table())
    result, _ = move(table(), table(moves=MOVEMENT), network=(network, head))
    planes = torch.rand(2, len(STATE), 5, 5)
    logits, _ = outputs(network, planes)
    new, _ = outputs(result, planes)
    assert new.shape[1] == 51
    for channel in range(49):
        torch.testing.assert_close(new[:, channel], logits[:, 0])
    torch.testing.assert_close(new[:, 49:], logits[:, 1:])


def test_a_placement_comes_only_from_the_movement_without_offset():
    source = table(moves=MOVEMENT)
    network, head = trained(source)
    result, _ = move(source, table(), network=(network, head))
    for name in ("pi_logit.weight", "pi_logit.bias"):
        assert torch.equal(result.state_dict()[name], network.state_dict()[name][[24, 49, 50]])


def test_without_source_zero_shot_is_zero_and_fine_tuning_fresh():
    source, target = table(), table([*STATE, "Local state == 1"])
    mapping = map_tables(source, target)
    moves = (mapping.moves[0], dataclasses.replace(mapping.moves[1], source=None), mapping.moves[2])
    mapping = ChannelMapping.between(source, target, "ludii", mapping.state, moves)
    zero = move(source, target, "zero-shot", mapping)[0].state_dict()
    tuned = move(source, target, "fine-tune", mapping)[0].state_dict()
    again = move(source, target, "fine-tune", mapping)[0].state_dict()
    other = move(source, target, "fine-tune", mapping, seed=8)[0].state_dict()
    unmatched = {
        "mono.0.weight": (slice(None), -1),
        "pi_logit.weight": (1,),
        "pi_logit.bias": (1,),
    }
    for name in zero:
        assert torch.equal(tuned[name], again[name])
        if name in unmatched:
            place = unmatched[name]
            assert not zero[name][place].any()
            assert tuned[name][place].all()
            assert not torch.equal(tuned[name][place], other[name][place])
            for state in (zero, tuned, other):
                state[name][place] = 0
        assert torch.equal(zero[name], tuned[name])
        assert torch.equal(zero[name], other[name])


def test_reinitialising_starts_both_heads_anew_and_nothing_else():
    game = table()
    network, head = trained(game)
    random_state = torch.get_rng_state()
    result, _ = move(game, game, "fine-tune-reinit", network=(network, head))
    assert torch.equal(random_state, torch.get_rng_state())
    before, after = network.state_dict(), result.state_dict()
    fresh = {name for name in before if not torch.equal(before[name], after[name])}
    assert fresh == {f"{layer}.{kind}" for layer in ("v", "v2", "pi_logit") for kind in ("weight", "bias")}


def test_larger_boards_have_the_same_logits_away_from_the_edge():
    game = table()
    network, head = trained(game)
    result, _ = move(game, game, network=(network, head))
    reach = network.receptive_field() // 2
    small = torch.rand(1, len(STATE), 11, 12)
    large = torch.rand(1, len(STATE), 16, 15)
    large[:, :, 3:14, 2:14] = small
    inside = slice(reach, -reach)
    logits = outputs(network, small)[0][:, :, inside, inside]
    assert logits.numel() > 0
    embedded = outputs(result, large)[0][:, :, 3:14, 2:14][:, :, inside, inside]
    torch.testing.assert_close(embedded, logits)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"architecture": "Other"}, "is a ResConvConvLogitPoolModelV2 but network.architecture is Other"),
        ({"hyperparameters": {**SIZE, "width": 16}}, "width 8 but network.width is 16; set it to 8"),
        ({"layout": {"hex": "sparse", "hands": "repaired"}}, "use one layout"),
        ({"move_channels": MOVEMENT}, "does not fit the move channels"),
        ({"state_channels": STATE[::-1]}, "does not fit the state channels"),
    ],
)
def test_networks_that_do_not_match_are_refused(changes, message):
    game = table()
    network, head = trained(game)
    with pytest.raises(CrossplayError, match=message):
        transfer_parameters(
            network,
            head,
            dataclasses.replace(header(game), **changes),
            map_tables(game, game),
            "zero-shot",
            0,
        )


DENSE = "ResConvFCLogitModel"


def dense(channels, board, width=4):
    head = ModelHeader(
        architecture=DENSE,
        hyperparameters={**SIZE, "width": width},
        game=channels.name,
        options=(),
        layout={"hex": "dense", "hands": "repaired"},
        state_channels=channels.state_channels,
        move_channels=channels.move_channels,
        board=board,
    )
    sizes = len(head.state_channels), len(head.move_channels)
    return build_network(DENSE, *sizes, board, head.hyperparameters).eval(), head


def test_dense_heads_move_by_channel_on_a_board_of_the_same_size():
    source, target = table(moves=MOVEMENT), table(moves=MOVEMENT[::-1])
    (network, head), (_, wanted) = dense(source, (4, 3)), dense(target, (4, 3))
    result, _ = transfer_parameters(network, head, wanted, map_tables(source, target), "zero-shot", 0)
    planes = torch.rand(2, len(STATE), 4, 3)
    (logits, values), (new_logits, new_values) = outputs(network, planes), outputs(result, planes)
    torch.testing.assert_close(new_logits, logits.flip(1))
    torch.testing.assert_close(new_values, values)


def test_dense_heads_change_to_another_board_only_if_they_start_anew():
    game = table()
    (network, head), (_, wanted) = dense(game, (4, 3)), dense(game, (5, 3))
    mapping = map_tables(game, game)
    for mode in ("zero-shot", "fine-tune"):
        with pytest.raises(CrossplayError, match="for each of 4 x 3 cells and cannot change to 5 x 3"):
            transfer_parameters(network, head, wanted, mapping, mode, 0)
    result, _ = transfer_parameters(network, head, wanted, mapping, "fine-tune-reinit", 0)
    assert torch.equal(result.mono[0].weight, network.mono[0].weight)
    assert result(torch.zeros(1, len(STATE), 5, 3))[0].shape == (1, 3, 5, 3)


def test_masks_of_two_games_may_lie_in_different_channels():
    source = table()
    target = table(["Local state == 1", *STATE])
    network, head = trained(source, mask_channels=[4])
    wanted = header(target, mask_channels=[5])
    result, _ = transfer_parameters(network, head, wanted, map_tables(source, target), "zero-shot", 0)
    planes = torch.rand(2, len(STATE), 5, 5)
    planes[:, 4] = (planes[:, 4] < 0.6).float()
    planes[:, 4, 0, 0] = 1
    more = torch.cat((torch.rand(2, 1, 5, 5), planes), 1)
    for new, old in zip(outputs(result, more), outputs(network, planes), strict=True):
        torch.testing.assert_close(new, old)
    with pytest.raises(CrossplayError, match=r"masked True but network\.masked is False"):
        transfer_parameters(network, head, header(target), map_tables(source, target), "zero-shot", 0)


def test_model_files_keep_where_a_network_came_from(tmp_path):
    network, head = move(table(), table(moves=MOVEMENT), "fine-tune")
    save_model(tmp_path / "model.safetensors", network, head)
    assert head.source["positions"] == 1234
    assert load_model(tmp_path / "model.safetensors")[1] == head


def test_unknown_modes_are_refused():
    with pytest.raises(CrossplayError, match="unknown transfer mode"):
        move(table(), table(), "zero")
