"""Collects the parts of a game's kernel module while the rule trees are compiled."""

from __future__ import annotations

import re
import textwrap
from collections import Counter

import numpy as np

from crossplay.games.state import HEADER

# How many lines a function that is written out wherever it is called may add to its callers.
_FOLDED_LINES = 160


class KernelSource:
    """Tables, state sections and functions of one generated module; equal parts are shared."""

    def __init__(self, sites: int) -> None:
        self.state_size = HEADER + sites
        self.sections: dict[str, int] = {}
        self._last_sections: dict[str, int] = {}
        self._constants: dict[str, str] = {}
        self._functions: dict[str, str] = {}
        self._kernels: list[str] = []
        self._names: dict[tuple[str, str], str] = {}
        self._counts: Counter[str] = Counter()  # of names by prefix

    def _name(self, prefix: str, content: str) -> str:
        known = self._names.get((prefix, content))
        if known is None:
            self._counts[prefix] += 1
            count = self._counts[prefix]
            known = self._names[prefix, content] = prefix if count == 1 else f"{prefix}_{count}"
        return known

    def table(self, prefix: str, values: np.ndarray) -> str:
        """Add a constant array and return its name, ``prefix`` with a number if need be.

        It is ``int16``, or ``uint16`` as ``values`` are: an index of that sort is not looked at for its sign.
        """
        cells = values if values.dtype == np.uint16 else values.astype(np.int16)
        name = self._name(prefix, f"{cells.shape} {cells.dtype} {cells.tobytes().hex()}")
        if name not in self._constants:  # writing a table out is slow, and most are asked for many times
            numbers = ", ".join(map(str, cells.ravel().tolist()))
            body = textwrap.fill(numbers, 106, initial_indent="    ", subsequent_indent="    ")
            shape = "" if cells.ndim == 1 else f".reshape({', '.join(map(str, cells.shape))})"
            self._constants[name] = f"{name} = np.array([\n{body},\n], dtype=np.{cells.dtype}){shape}"
        return name

    def constant(self, name: str, value: int) -> str:
        """Add an integer constant."""
        self._constants[name] = f"{name} = {value}"
        return name

    def section(self, name: str, size: int) -> str:
        """Reserve ``size`` cells at the end of the state row; ``name`` becomes their offset."""
        if name not in self.sections:
            self.sections[name] = self.state_size
            self.constant(name, self.state_size)
            self.state_size += size
        return name

    def last_section(self, name: str, size: int) -> str:
        """Reserve cells behind all others, for what hypothetical questions do not touch."""
        self._last_sections[name] = size
        return name

    def close_sections(self) -> None:
        """Fix the row's length; ``QUESTION_SIZE`` cells of it are all that a hypothetical question copies."""
        self.constant("QUESTION_SIZE", self.state_size)
        for name, size in self._last_sections.items():
            self.section(name, size)
        self.constant("STATE_SIZE", self.state_size)

    def function(self, prefix: str, parameters: str, body: str, doc: str = "") -> str:
        """Add a function and return its name, ``prefix`` with a number if need be."""
        body = textwrap.dedent(body).strip("\n")
        name = self._name(prefix, f"{parameters}\n{body}")
        if name not in self._functions:
            about = f'    """{doc}"""\n' if doc else ""
            self._functions[name] = f"def {name}({parameters}):\n{about}{textwrap.indent(body, '    ')}"
        return name

    def kernel(self, text: str) -> None:
        """Add a decorated function's source text as it is."""
        self._kernels.append(textwrap.dedent(text).strip("\n"))

    def body(self) -> str:
        """The constants, the functions and the kernels, each in the order in which they were added."""
        folded = self._folded()
        functions = [
            f"@{'folded' if name in folded else 'inner'}\n{text}" for name, text in self._functions.items()
        ]
        return "\n\n\n".join(["\n".join(self._constants.values()), *functions, *self._kernels])

    def _folded(self) -> set[str]:
        """Functions to write out wherever they are called, which is worth more than the call it saves.

        One after the other becomes part of its callers as long as all copies of it together are short.
        """
        calls = {name: _calls(text, name) for name, text in self._functions.items()}
        callers = sum(calls.values(), Counter[str]())
        for kernel in self._kernels:  # each is compiled on its own
            callers |= _calls(kernel)
        folded: set[str] = set()
        sizes: dict[str, int] = {}

        def size(name: str) -> int:
            if name not in sizes:
                inside = sum(count * size(other) for other, count in calls[name].items() if other in calls)
                sizes[name] = self._functions[name].count("\n") + inside
                if sizes[name] * callers[name] <= _FOLDED_LINES:
                    folded.add(name)
                else:
                    sizes[name] = 0  # what it contains stays there
            return sizes[name]

        for name in calls:
            size(name)
        return folded


def _calls(text: str, itself: str = "") -> Counter[str]:
    """How often a function's text calls which others."""
    called = Counter(re.findall(r"\b(\w+)\(", text))
    del called[itself]
    return called
