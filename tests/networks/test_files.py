"""Model files: round trip, equal bytes, and every kind of damage."""

from __future__ import annotations

import dataclasses
import pickle

import pytest
import safetensors.torch
import torch

from crossplay.errors import CrossplayError
from crossplay.networks import ModelHeader, build_network, load_model, read_header, save_model

HYPERPARAMETERS = {"width": 6, "blocks": 1, "layers_per_block": 2}
HEADER = ModelHeader(
    architecture="ResConvConvLogitPoolModelV2",
    hyperparameters=HYPERPARAMETERS,
    game="Hex",
    options=("Board Size/5x5",),
    layout={"hex": "dense", "hands": "repaired"},
    state_channels=("a", "b", "c"),
    move_channels=("Place", "Pass", "Swap"),
    board=(5, 5),
    positions=1234,
    source={"game": "Y", "options": ["Board Size/5x5"], "mode": "fine-tune"},
)


@pytest.fixture
def network():
    torch.manual_seed(0)
    return build_network(HEADER.architecture, 3, 3, None, HYPERPARAMETERS)


def test_round_trip_and_equal_bytes(tmp_path, network):
    save_model(tmp_path / "a.safetensors", network, HEADER)
    loaded, header = load_model(tmp_path / "a.safetensors")
    assert header == HEADER == read_header(tmp_path / "a.safetensors")
    planes = torch.randn(2, 3, 5, 5)
    for got, expected in zip(loaded(planes), network.eval()(planes), strict=True):
        assert torch.equal(got, expected)
    assert all(p.requires_grad for p in loaded.parameters())
    save_model(tmp_path / "b.safetensors", loaded.to(memory_format=torch.channels_last), header)
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


def corrupt(path, network, how):
    """Leave a faulty file at ``path``."""
    save_model(path, network, HEADER)
    data = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "cut short":
        path.write_bytes(data[:-100])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "pickle":
        path.write_bytes(pickle.dumps({"weights": [1, 2]}))
    elif how == "no header":
        safetensors.torch.save_file(dict(network.state_dict()), path)
    elif how == "architecture":
        save_model(path, network, dataclasses.replace(HEADER, architecture="Other"))
    elif how == "shapes":
        save_model(
            path, network, dataclasses.replace(HEADER, hyperparameters={**HYPERPARAMETERS, "width": 7})
        )
    elif how == "dtype":
        save_model(path, network.double(), HEADER)
    elif how == "missing tensor":
        more = {**HYPERPARAMETERS, "blocks": 2}
        save_model(path, network, dataclasses.replace(HEADER, hyperparameters=more))
    elif how == "huge":
        more = {**HYPERPARAMETERS, "blocks": 10**9}
        save_model(path, network, dataclasses.replace(HEADER, hyperparameters=more))
    elif how == "format":
        header = HEADER.to_json().replace('"format": 3', '"format": 99')
        safetensors.torch.save_file(dict(network.state_dict()), path, {"crossplay": header})
    elif how == "field":
        header = HEADER.to_json().replace('"game": "Hex"', '"game": 5')
        safetensors.torch.save_file(dict(network.state_dict()), path, {"crossplay": header})


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("missing", "no model file"),
        ("cut short", "damaged, cut short"),
        ("empty", "damaged, cut short"),
        ("pickle", "damaged, cut short or not a safetensors file"),
        ("no header", "no Crossplay header"),
        ("architecture", "unknown network architecture 'Other'"),
        ("shapes", r"is float32\[6, 3, 3, 3\], its header says float32\[7, 3, 3, 3\]"),
        ("dtype", "is float64"),
        ("missing tensor", "'resnets.1.0.0.weight' is missing"),
        ("huge", "blocks must be a whole number from 0 to 1000"),
        ("format", "newer version"),
        ("field", "no valid 'game'"),
    ],
)
def test_faulty_files_give_one_line(tmp_path, network, how, message):
    path = tmp_path / "model.safetensors"
    corrupt(path, network, how)
    with pytest.raises(CrossplayError, match=message) as caught:
        load_model(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
