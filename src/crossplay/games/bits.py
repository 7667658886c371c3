"""Bit counts as single machine instructions."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic


@intrinsic
def trailing_zeros(typing_context: Any, word: types.Type) -> Any:
    """How many zeros stand below the lowest bit that is set; ``word`` must not be 0."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.int64), codegen


@intrinsic
def highest_bit(typing_context: Any, word: types.Type) -> Any:
    """The place of the highest bit that is set; ``word`` must be positive."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        above = builder.ctlz(arguments[0], context.get_constant(types.boolean, True))
        return builder.sub(context.get_constant(types.int64, 63), above)

    return types.int64(types.int64), codegen
