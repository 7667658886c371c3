"""Sparse files of tables, networks' files, and memory."""

from __future__ import annotations

import contextlib
import errno
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crossplay.errors import CrossplayError
from crossplay.memory import available_memory, check_memory
from crossplay.ntuple import sparse
from crossplay.ntuple.files import (
    CHECKPOINT,
    MODEL,
    NetworkHeader,
    load_network,
    save_network,
)
from crossplay.ntuple.shapes import network_tuples
from crossplay.ntuple.tables import new_table

MIB = 1 << 20
TINY = NetworkHeader("mine", network_tuples("0,1,2;4,5,6"), 1, True, 3.5, 77, {"rate": 1.0}, 5)
SHARED = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def tiny_weights() -> np.ndarray:
    return np.random.default_rng(1).standard_normal(TINY.weights).astype(np.float32)


@SHARED
@given(
    length=st.integers(0, 3 * MIB),
    stretches=st.lists(
        st.tuples(st.integers(0, 3 * MIB), st.integers(0, MIB // 2), st.sampled_from([1.5, -0.0, 1e-45]))
    ),
    small=st.lists(st.integers(0, 2**64 - 1), max_size=5),
    mapped=st.booleans(),
)
def test_what_is_written_is_read(
    tmp_path: Path,
    length: int,
    stretches: list[tuple[int, int, float]],
    small: list[int],
    mapped: bool,
) -> None:
    """By us and by safetensors itself, to the last bit; with no more on the disk than what is not zero."""
    table = new_table(length) if mapped else np.zeros(length, np.float32)
    for first, count, value in stretches:
        table[first : first + count] = value
    words = np.array(small, np.uint64)
    path = tmp_path / "file.safetensors"
    sparse.write_arrays(path, {"table": table, "words": words}, {"key": "text"})

    places, texts = sparse.read_layout(path)
    assert texts == {"key": "text"}
    again = new_table(length)
    sparse.read_array(path, places["table"], again)
    assert again.tobytes() == table.tobytes()
    with safetensors.safe_open(path, "np") as file:
        assert file.get_tensor("table").tobytes() == table.tobytes()
        assert file.get_tensor("words").tolist() == small

    filled = {place // (MIB // 4) for place in np.flatnonzero(table.view(np.uint32)).tolist()}
    if os.stat(tmp_path).st_blksize <= MIB:
        assert os.stat(path).st_blocks * 512 <= (len(filled) + 1) * MIB


def own_memory() -> int:
    """Bytes of memory that this process has taken."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))


@pytest.mark.skipif(not Path("/proc/self/pagemap").exists(), reason="asks Linux for the pages in use")
def test_untouched_memory_stays_untouched(tmp_path: Path) -> None:
    header = NetworkHeader("42-33", network_tuples("42-33"), stage_bits=3)
    weights = new_table(header.weights)  # 2 GiB
    weights[[5, 300_000_000, header.weights - 1]] = 1.0
    before = own_memory()
    save_network(tmp_path / "large.safetensors", header, weights)
    copy = load_network(tmp_path / "large.safetensors").in_memory()
    assert own_memory() - before < 40 * MIB
    assert os.stat(tmp_path / "large.safetensors").st_blocks * 512 < 10 * MIB
    assert copy.weights[[5, 6, 300_000_000, header.weights - 1]].tolist() == [1.0, 0.0, 1.0, 1.0]


def test_a_network_is_read_as_it_was_written(tmp_path: Path) -> None:
    weights = tiny_weights()
    save_network(tmp_path / MODEL, TINY, weights)
    first = (tmp_path / MODEL).read_bytes()
    save_network(tmp_path / MODEL, TINY, weights)
    assert (tmp_path / MODEL).read_bytes() == first

    network = load_network(tmp_path)
    assert network.header == TINY
    assert np.array_equal(network.weights, weights)
    assert not network.weights.flags.writeable
    copy = network.in_memory()
    copy.weights[0] = 9.0
    assert np.array_equal(copy.weights[1:], weights[1:])
    # From memory as well, and while the file is replaced by another one.
    save_network(tmp_path / MODEL, TINY, np.zeros_like(weights))
    assert np.array_equal(network.weights, weights)
    assert copy.in_memory().weights[0] == 9.0


def change_header(path: Path, change: dict[str, Any]) -> None:
    fields = {**TINY.to_json(), **change}
    sparse.write_arrays(path, {"weights": tiny_weights()}, {"crossplay": json.dumps(fields)})


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (lambda path: path.unlink(), "no network at"),
        (lambda path: path.write_bytes(b""), "it is cut short or not a safetensors file"),
        (lambda path: path.write_bytes(b"hello, this is no model"), "cut short or not a safetensors file"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "it is cut short: 5,000 bytes, not 69,632"),
        (lambda path: path.write_bytes(path.read_bytes() + b"x"), "it has a wrong length"),
        (lambda path: sparse.write_arrays(path, {"weights": tiny_weights()}, {}), "no Crossplay header"),
        (
            lambda path: sparse.write_arrays(path, {}, {"crossplay": '{"kind": "x"}'}),
            "not a network for 2048",
        ),
        (lambda path: sparse.write_arrays(path, {}, {"crossplay": "["}), "its header is not JSON"),
        (lambda path: change_header(path, {"format": 99}), "newer version of Crossplay"),
        (lambda path: change_header(path, {"tuples": "0,1,99"}), "no valid 'tuples'"),
        (lambda path: change_header(path, {"stage_bits": -1}), "no valid 'stage_bits'"),
        (lambda path: change_header(path, {"stage_bits": 2}), "table 'weights' is missing or does not fit"),
        (lambda path: change_header(path, {"tuples": "0,1,2,3"}), "table 'weights' is missing or does not"),
    ],
)
def test_a_file_of_no_use_is_told_in_one_line(tmp_path: Path, harm: Any, reason: str) -> None:
    path = tmp_path / MODEL
    save_network(path, TINY, tiny_weights())
    harm(path)
    with pytest.raises(CrossplayError, match=reason) as caught:
        load_network(tmp_path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unfinished_learning_is_told(tmp_path: Path) -> None:
    save_network(tmp_path / CHECKPOINT, TINY, tiny_weights())
    with pytest.raises(CrossplayError, match="has not ended; run its command again"):
        load_network(tmp_path)
    assert load_network(tmp_path / CHECKPOINT).header == TINY


@SHARED
@given(place=st.integers(0, 700), byte=st.binary(min_size=1, max_size=3))
def test_damage_never_ends_in_another_error(tmp_path: Path, place: int, byte: bytes) -> None:
    path = tmp_path / MODEL
    save_network(path, TINY, tiny_weights())
    data = bytearray(path.read_bytes())
    data[place : place + len(byte)] = byte
    path.write_bytes(data)
    with contextlib.suppress(CrossplayError):
        load_network(path).in_memory()


def test_a_full_disk_leaves_the_file_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / MODEL
    save_network(path, TINY, tiny_weights())
    before = path.read_bytes()

    def fail(file: Any, data: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sparse, "write_all", fail)
    with pytest.raises(CrossplayError, match="No space left on device"):
        save_network(path, TINY, tiny_weights() + 1)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_memory_that_cannot_fit_is_refused() -> None:
    check_memory(1 << 20, "a test", "never")
    with pytest.raises(
        CrossplayError, match=r"^a test can need up to 1,000,000 GiB .* GiB free; choose less$"
    ):
        check_memory(10**6 << 30, "a test", "choose less")
    with pytest.raises(CrossplayError, match="the system refuses"):
        new_table(1 << 60)


@pytest.mark.parametrize(
    ("lines", "files", "free"),
    [
        (None, {}, 8192 * 1024),
        ("0::/a/b", {"a/memory.max": "3000", "a/memory.current": "1000"}, 2000),
        (
            "0::/a/b",
            {
                "a/memory.max": "3000",
                "a/memory.current": "2500",
                "a/memory.stat": "anon 7\ninactive_file 400\n",
                "a/b/memory.max": "max",
                "a/b/memory.current": "5",
            },
            900,
        ),
        ("0::/in/a/container", {"memory.max": "700", "memory.current": "900"}, 0),
        (
            "4:cpu:/x\n3:memory:/job\n0::/job",
            {"memory/job/memory.limit_in_bytes": "5000", "memory/job/memory.usage_in_bytes": "1000"},
            4000,
        ),
    ],
)
def test_limits_of_control_groups_hold(
    tmp_path: Path, lines: str | None, files: dict[str, str], free: int
) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/meminfo").write_text("MemTotal:   16384 kB\nMemAvailable:   8192 kB\n")
    if lines is not None:
        (tmp_path / "proc/self/cgroup").write_text(lines)
    for name, text in files.items():
        path = tmp_path / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert available_memory(tmp_path) == free
