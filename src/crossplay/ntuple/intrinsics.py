"""What the kernels need of the machine itself: bit counts, prefetching, indices of eight boards at once.

Everything here is a few instructions of LLVM put into the calling kernel. Arguments named ``count``,
``network`` or ``stride`` are constants of the kernel (literals), so all loops are unrolled.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from crossplay.ntuple.shapes import parse_tuples, table_offsets

_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_BOARDS = ir.VectorType(_I64, 8)
_BYTES = ir.VectorType(_I8, 64)
_INDICES = ir.VectorType(_I32, 8)
# Bytes of a board, of two cells each, after the four symmetries that keep rows rows; with the
# transposed board, all eight.
_SYMMETRIES = (
    (0, 1, 2, 3, 4, 5, 6, 7),
    (6, 7, 4, 5, 2, 3, 0, 1),
    (7, 6, 5, 4, 3, 2, 1, 0),
    (1, 0, 3, 2, 5, 4, 7, 6),
)
# What kernels may assume of numbers: not that they are finite, as a table that diverges must be noticed.
FLOATS = {"reassoc", "contract", "nsz", "arcp"}
NONE = np.float32(-3.4e38)  # less than any value
_HAS_DEPOSIT = "NUMBA_CPU_NAME" not in os.environ and llvm.get_host_cpu_features().get("bmi2", False)


@intrinsic
def count_ones(typing_context: Any, word: types.Type) -> Any:
    """How many bits of a ``uint64`` are set."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def swap_bytes(typing_context: Any, word: types.Type) -> Any:
    """A ``uint64`` with its bytes in reverse order."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bswap(arguments[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def _deposit(typing_context: Any, bits: types.Type, mask: types.Type) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(_I64, [_I64, _I64])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pdep.64")
        return builder.call(function, arguments)

    return types.uint64(types.uint64, types.uint64), codegen


if _HAS_DEPOSIT:

    @njit(nogil=True)
    def nth_bit(word: int, n: int) -> int:
        """The ``n``-th lowest bit that is set in ``word``, alone."""
        return _deposit(types.uint64(1) << types.uint64(n), word)

else:

    @njit(nogil=True)
    def nth_bit(word: int, n: int) -> int:
        """The ``n``-th lowest bit that is set in ``word``, alone."""
        for _ in range(n):
            word &= word - types.uint64(1)
        return word & (~word + types.uint64(1))


def _data(context: Any, builder: Any, kind: types.Array, array: Any) -> Any:
    return cgutils.create_struct_proxy(kind)(context, builder, array).data


def _at(builder: Any, data: Any, index: Any, constant: int = 0) -> Any:
    if constant:
        index = builder.add(index, ir.Constant(_I64, constant))
    return builder.gep(data, [index])


def _eight(values: Sequence[int]) -> ir.Constant:
    return ir.Constant(_BOARDS, list(values))


def _all_symmetries(builder: Any, board: Any, turned: Any) -> Any:
    """The eight symmetric images of a board and its transpose, as one vector."""
    both = ir.Constant(_BOARDS, ir.Undefined)
    both = builder.insert_element(both, board, ir.Constant(_I32, 0))
    both = builder.insert_element(both, turned, ir.Constant(_I32, 4))
    spread = ir.Constant(_INDICES, [0, 0, 0, 0, 4, 4, 4, 4])
    both = builder.bitcast(builder.shuffle_vector(both, both, spread), _BYTES)
    places = [
        8 * (4 * half + which) + byte
        for half in range(2)
        for which, order in enumerate(_SYMMETRIES)
        for byte in order
    ]
    moved = builder.shuffle_vector(both, both, ir.Constant(ir.VectorType(_I32, 64), places))
    moved = builder.bitcast(moved, _BOARDS)
    # Within a byte the two cells change places when the rows are reversed: the third and fourth images.
    low, every, four = 0x0F0F0F0F0F0F0F0F, (1 << 64) - 1, _eight([4] * 8)
    swapped, kept = _eight([0, 0, low, low] * 2), _eight([every, every, 0, 0] * 2)
    up = builder.shl(builder.and_(moved, swapped), four)
    down = builder.and_(builder.lshr(moved, four), swapped)
    return builder.or_(builder.or_(builder.and_(moved, kept), up), down)


@intrinsic(prefer_literal=True)
def store_indices(
    typing_context: Any,
    board: types.Type,
    turned: types.Type,
    indices: types.Type,
    offset: types.Type,
    network: types.Type,
) -> Any:
    """Write the table indices of a board's active weights to ``indices[offset:]`` (``uint32``).

    Args:
        board: ``uint64``; ``turned`` is its transpose.
        indices: ``uint32[...]``, ``offset`` the ``uint64`` place of the first.
        network: the tuples, as text (:func:`crossplay.ntuple.shapes.format_tuples`).

    Eight indices follow each other for each tuple. Cells are taken from the board turned by 180 degrees,
    which is one of the eight images, so that a tuple's last cell is its index's lowest digit: neighbours
    in the changing middle of the board share a cache line.
    """
    if not isinstance(network, types.StringLiteral):
        return None
    tuples = parse_tuples(network.literal_value)
    offsets = table_offsets(tuples)

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        board, turned, array, offset, _ = arguments
        data = _data(context, builder, signature.args[2], array)
        images = _all_symmetries(builder, board, turned)
        for number, cells in enumerate(tuples):
            index = None
            for shift, mask in index_parts(cells):
                part = builder.lshr(images, _eight([shift] * 8)) if shift else images
                part = builder.and_(part, _eight([mask] * 8))
                index = part if index is None else builder.or_(index, part)
            narrow = builder.trunc(index, _INDICES)
            if offsets[number]:
                narrow = builder.add(narrow, ir.Constant(_INDICES, [offsets[number]] * 8))
            place = _at(builder, data, offset, 8 * number)
            builder.store(narrow, builder.bitcast(place, _INDICES.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64, indices, types.uint64, network), codegen


def index_parts(cells: Sequence[int]) -> list[tuple[int, int]]:
    """How to cut a tuple's index out of a board turned by 180 degrees: shifts in bits, masks after them."""
    parts: dict[int, int] = {}
    for place, cell in enumerate(sorted(15 - cell for cell in cells)):
        shift = 4 * (cell - place)
        parts[shift] = parts.get(shift, 0) | 15 << (4 * place)
    return sorted(parts.items())


@intrinsic(prefer_literal=True)
def sum_weights(
    typing_context: Any,
    weights: types.Type,
    base: types.Type,
    indices: types.Type,
    offset: types.Type,
    count: types.Type,
) -> Any:
    """The sum of ``weights[base + indices[offset + i]]`` over ``i < count``, ``float32``."""
    if not isinstance(count, types.IntegerLiteral):
        return None

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        weights, base, array, offset, _ = arguments
        table = _at(builder, _data(context, builder, signature.args[0], weights), base)
        data = _data(context, builder, signature.args[2], array)
        sums: list[Any] = []
        for i in range(count.literal_value):
            index = builder.zext(builder.load(_at(builder, data, offset, i)), _I64)
            weight = builder.load(_at(builder, table, index))
            if i < 8:
                sums.append(weight)
            else:
                sums[i % 8] = builder.fadd(sums[i % 8], weight)
        while len(sums) > 1:
            half = len(sums) // 2
            sums = [builder.fadd(sums[i], sums[i + half]) for i in range(half)]
        return sums[0]

    return types.float32(weights, types.uint64, indices, types.uint64, count), codegen


@intrinsic(prefer_literal=True)
def prefetch_weights(
    typing_context: Any,
    weights: types.Type,
    base: types.Type,
    indices: types.Type,
    offset: types.Type,
    count: types.Type,
    stride: types.Type,
) -> Any:
    """Fetch the cache lines of ``weights[(base + indices[offset + i]) * stride]`` for ``i < count``."""
    if not (isinstance(count, types.IntegerLiteral) and isinstance(stride, types.IntegerLiteral)):
        return None

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        weights, base, array, offset, _, _ = arguments
        wide = ir.Constant(_I64, stride.literal_value)
        table = _data(context, builder, signature.args[0], weights)
        table = _at(builder, table, builder.mul(base, wide))
        data = _data(context, builder, signature.args[2], array)
        kind = ir.FunctionType(ir.VoidType(), [_I8.as_pointer(), _I32, _I32, _I32])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        read, keep, as_data = (ir.Constant(_I32, value) for value in (0, 3, 1))
        for i in range(count.literal_value):
            index = builder.zext(builder.load(_at(builder, data, offset, i)), _I64)
            index = builder.mul(index, wide)
            line = builder.bitcast(_at(builder, table, index), _I8.as_pointer())
            builder.call(fetch, [line, read, keep, as_data])
        return context.get_dummy_value()

    signature = types.void(weights, types.uint64, indices, types.uint64, count, stride)
    return signature, codegen
