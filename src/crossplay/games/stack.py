"""Scratch arrays on the machine stack: kernels that need a list of their own allocate nothing."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array


def _stack_array(element: types.Type, bits: int, length: types.Type) -> Any:
    if not isinstance(length, types.IntegerLiteral):
        return None
    count = length.literal_value
    array = types.Array(element, 1, "C")

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        storage = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(bits), count))
        view = context.make_array(array)(context, builder)
        size = context.get_constant(types.intp, count)
        step = context.get_constant(types.intp, bits // 8)
        data = builder.bitcast(storage, ir.IntType(bits).as_pointer())
        populate_array(view, data, [size], [step], step, None)
        return view._getvalue()

    return array(length), codegen


@intrinsic(prefer_literal=True)
def stack_int64(typing_context: Any, length: Any) -> Any:
    """``int64[length]`` for as long as the calling function runs; ``length`` is a module constant."""
    return _stack_array(types.int64, 64, length)


@intrinsic(prefer_literal=True)
def stack_int16(typing_context: Any, length: Any) -> Any:
    """``int16[length]`` for as long as the calling function runs; ``length`` is a module constant."""
    return _stack_array(types.int16, 16, length)
