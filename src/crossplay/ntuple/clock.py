"""A clock for kernels."""

from __future__ import annotations

import time
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_I32, _I64 = ir.IntType(32), ir.IntType(64)


@intrinsic
def monotonic_ns(typing_context: Any) -> Any:
    """The same as :func:`time.monotonic_ns`, ``int64``."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        reading = cgutils.alloca_once(builder, ir.ArrayType(_I64, 2))  # seconds, nanoseconds
        kind = ir.FunctionType(_I32, [_I32, reading.type])
        read = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        builder.call(read, [ir.Constant(_I32, time.CLOCK_MONOTONIC), reading])
        seconds = builder.load(cgutils.gep_inbounds(builder, reading, 0, 0))
        rest = builder.load(cgutils.gep_inbounds(builder, reading, 0, 1))
        return builder.add(builder.mul(seconds, ir.Constant(_I64, 10**9)), rest)

    return types.int64(), codegen
