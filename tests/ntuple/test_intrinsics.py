"""What kernels need of the machine, against plain indexing."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from typing import Any

import numpy as np
import pytest
from numba import njit
from slow_2048 import from_word, images

from crossplay.ntuple.board import transpose
from crossplay.ntuple.intrinsics import (
    count_ones,
    index_parts,
    nth_bit,
    prefetch_weights,
    store_indices,
    sum_weights,
    swap_bytes,
)
from crossplay.ntuple.shapes import format_tuples, network_tuples, stage_weights, table_offsets

BEFORE = 5  # places before the first index, which must stay as they are


@cache
def kernel(network: str) -> Any:
    """Indices and values of boards, as kernels of one network get them."""
    M = 8 * len(network.split(";"))

    @njit("void(uint64[::1], uint32[:, ::1], float32[::1], uint64, float32[::1])", cache=True)
    def look(
        boards: np.ndarray, indices: np.ndarray, weights: np.ndarray, base: int, values: np.ndarray
    ) -> None:
        for i in range(boards.size):
            row = indices[i]
            at = np.uint64(BEFORE)
            store_indices(boards[i], transpose(boards[i]), row, at, network)
            if weights.size > 0:
                prefetch_weights(weights, base, row, at, M, 1)
                values[i] = sum_weights(weights, base, row, at, M)

    return look


def random_words(number: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**64, number, np.uint64)


def plain_indices(tuples: tuple[tuple[int, ...], ...], board: list[int]) -> list[list[int]]:
    """Of every tuple the eight indices, each begun by the tuple's first cell, in ascending order."""
    return [
        sorted(
            offset + sum(image[cell] * 16**power for power, cell in enumerate(reversed(cells)))
            for image in images(board)
        )
        for cells, offset in zip(tuples, table_offsets(tuples), strict=True)
    ]


def random_tuples(seed: int, longest: int) -> str:
    """Three tuples of any cells."""
    random = np.random.default_rng(seed)
    lengths = [1, *random.integers(2, longest + 1, 2)]
    return format_tuples(sorted(random.choice(16, length, replace=False).tolist()) for length in lengths)


@pytest.mark.parametrize(
    "name",
    [
        "42-33x5",
        "421-43-4-22-3",
        "0,1,2,3,4,5,6;" * 15 + "9,10,11,12,13,14,15",  # as many weights as 32 bits can number
        *(random_tuples(seed, 7) for seed in range(3)),
    ],
)
def test_indices(name: str) -> None:
    tuples = network_tuples(name)
    boards = random_words(300, 1)
    indices = np.full((len(boards), BEFORE + 8 * len(tuples) + 3), 77, np.uint32)
    nothing = np.zeros(0, np.float32)
    kernel(format_tuples(tuples))(boards, indices, nothing, 0, nothing)
    assert (indices[:, :BEFORE] == 77).all()
    assert (indices[:, -3:] == 77).all()
    for board, row in zip(boards, indices[:, BEFORE:-3], strict=True):
        found = [sorted(eight) for eight in row.reshape(-1, 8).tolist()]
        assert found == plain_indices(tuples, from_word(board))


@pytest.mark.parametrize("name", ["4-22-3", "0,5;1,2,3,9", *(random_tuples(seed, 4) for seed in range(3, 6))])
def test_sums(name: str) -> None:
    tuples = network_tuples(name)
    size = stage_weights(tuples)
    # Whole numbers, so that the order of adding does not matter.
    weights = np.random.default_rng(2).integers(-(2**17), 2**17, 3 * size).astype(np.float32)
    boards = random_words(300, 3)
    indices = np.zeros((len(boards), BEFORE + 8 * len(tuples)), np.uint32)
    values = np.zeros(len(boards), np.float32)
    for base in (0, size, 2 * size):
        kernel(format_tuples(tuples))(boards, indices, weights, base, values)
        for board, value in zip(boards, values, strict=True):
            eights = plain_indices(tuples, from_word(board))
            assert value == sum(weights[base + place] for eight in eights for place in eight)


def test_index_parts() -> None:
    # Neighbouring cells in one cut; the last cell is the lowest digit.
    assert index_parts((12, 13, 14, 15)) == [(0, 0xFFFF)]
    assert index_parts((0, 1, 14, 15)) == [(0, 0xFF), (48, 0xFF00)]
    turned = 0x0123456789ABCDEF
    board = [turned >> 4 * (15 - cell) & 15 for cell in range(16)]
    for cells in network_tuples("421-43-4-22-3"):
        index = sum(turned >> shift & mask for shift, mask in index_parts(cells))
        assert index == sum(board[cell] * 16**power for power, cell in enumerate(reversed(cells)))


@njit("void(uint64[::1], uint64[::1], uint64[:, ::1])", cache=True)
def bits(words: np.ndarray, numbers: np.ndarray, seen: np.ndarray) -> None:
    for i in range(words.size):
        seen[i, 0] = count_ones(words[i])
        seen[i, 1] = swap_bytes(words[i])
        seen[i, 2] = nth_bit(words[i], numbers[i])


def check_bits() -> None:
    random = np.random.default_rng(4)
    words = random_words(3000, 5) & random_words(3000, 6)
    words[:3] = 1, 1 << 63, 2**64 - 1
    counts = [bin(word).count("1") for word in words.tolist()]
    numbers = random.integers(0, np.maximum(counts, 1)).astype(np.uint64)
    numbers[2] = 63
    seen = np.zeros((len(words), 3), np.uint64)
    bits(words, numbers, seen)
    for word, count, number, found in zip(words.tolist(), counts, numbers.tolist(), seen, strict=True):
        ones = [1 << place for place in range(64) if word >> place & 1]
        swapped = int.from_bytes(word.to_bytes(8, "little"), "big")
        assert found.tolist() == [count, swapped, ones[number]]


def test_bits() -> None:
    check_bits()


def test_bits_on_any_processor() -> None:
    """Without instructions that not every processor has."""
    program = (
        "import test_intrinsics as test\n"
        "assert '_deposit' not in test.nth_bit.py_func.__code__.co_names\n"
        "test.check_bits()"
    )
    environment = {
        **os.environ, "NUMBA_CPU_NAME": "generic", "PYTHONPATH": os.path.dirname(__file__)
    }  # fmt: skip
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
