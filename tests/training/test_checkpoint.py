"""Checkpoints are whole or refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from crossplay.errors import CrossplayError
from crossplay.training import checkpoint as module
from crossplay.training.checkpoint import (
    check_budget,
    check_identity,
    has_checkpoint,
    load_checkpoint,
    remove_checkpoint,
    save_checkpoint,
)

ARRAYS = {"a": np.arange(6, dtype=np.uint64).reshape(2, 3), "b": np.array(2.5, np.float32)}
VALUES = {"steps": 3, "state": {"big": 2**120}, "rows": [1.5]}


def test_round_trip_replaces_what_was_there(tmp_path):
    folder = tmp_path / "checkpoint"
    assert not has_checkpoint(folder)
    save_checkpoint(folder, ARRAYS, {"steps": 1})
    (folder / ".abc.safetensors.x1y2").write_bytes(b"left by a kill")
    save_checkpoint(folder, {**ARRAYS, "a": ARRAYS["a"] + 1}, VALUES)
    assert has_checkpoint(folder)
    arrays, values = load_checkpoint(folder)
    assert values == VALUES
    np.testing.assert_array_equal(arrays["a"], ARRAYS["a"] + 1)
    assert arrays["b"] == 2.5
    assert len(list(folder.iterdir())) == 2
    remove_checkpoint(folder)
    assert not folder.exists()


@pytest.mark.parametrize("target", ["write_bytes", "write_text"])
def test_failed_write_leaves_the_old_one(tmp_path, monkeypatch, target):
    save_checkpoint(tmp_path, ARRAYS, VALUES)

    def full_disk(path, content):
        raise CrossplayError(f"cannot write {path}: disk full")

    monkeypatch.setattr(module, target, full_disk)
    with pytest.raises(CrossplayError, match="disk full"):
        save_checkpoint(tmp_path, {"a": ARRAYS["a"] * 2}, {"steps": 4})
    np.testing.assert_array_equal(load_checkpoint(tmp_path).arrays["a"], ARRAYS["a"])


def _flip_byte(folder, name):
    path = next(p for p in folder.iterdir() if p.name.endswith(name))
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda f: _flip_byte(f, ".safetensors"), r"[0-9a-f]+\.safetensors is missing or damaged"),
        (lambda f: next(f.glob("*.safetensors")).unlink(), r"\.safetensors is missing"),
        (lambda f: (f / "index.json").write_text("{"), r"index\.json is missing or damaged"),
        (lambda f: (f / "index.json").write_text("[1]"), r"index\.json is missing or damaged"),
        (
            lambda f: (f / "index.json").write_text(json.dumps({"format": 99, "values": {}})),
            r"index\.json was written by a newer version",
        ),
    ],
)
def test_damage_gives_one_line_with_the_remedy(tmp_path, damage, message):
    save_checkpoint(tmp_path, ARRAYS, VALUES)
    damage(tmp_path)
    with pytest.raises(CrossplayError, match=message) as caught:
        load_checkpoint(tmp_path)
    assert f"cannot continue the training in {tmp_path}" in str(caught.value)
    assert "delete that folder to start afresh" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_changed_settings_are_named(tmp_path):
    check_identity(tmp_path, {"a": 1, "b": [1]}, {"a": 1, "b": [1]})
    with pytest.raises(CrossplayError, match=r"began with b = \[1\], now it is \[2\]; delete"):
        check_identity(tmp_path, {"a": 1, "b": [1]}, {"a": 1, "b": [2]})
    old = {"positions": 100, "seconds": None}
    check_budget(tmp_path, old, {"positions": 200, "seconds": None})
    with pytest.raises(CrossplayError, match="budget of positions was 100, 50 is less"):
        check_budget(tmp_path, old, {"positions": 50, "seconds": None})
    with pytest.raises(CrossplayError, match="budget of seconds was unlimited, 5 is less"):
        check_budget(tmp_path, old, {"positions": 100, "seconds": 5})
