"""Collects the parts of a game's kernel module while the rule trees are compiled."""

from __future__ import annotations

import textwrap

import numpy as np

from crossplay.games.state import HEADER


class KernelSource:
    """Tables, state sections and functions of one generated module; equal parts are shared."""

    def __init__(self, sites: int) -> None:
        self.state_size = HEADER + sites
        self.sections: dict[str, int] = {}
        self._last_sections: dict[str, int] = {}
        self._constants: dict[str, str] = {}
        self._functions: dict[str, str] = {}
        self._names: dict[tuple[str, str], str] = {}

    def _name(self, prefix: str, content: str) -> str:
        known = self._names.get((prefix, content))
        if known is None:
            count = sum(other == prefix for other, _ in self._names)
            known = prefix if count == 0 else f"{prefix}_{count + 1}"
            self._names[prefix, content] = known
        return known

    def table(self, prefix: str, values: np.ndarray) -> str:
        """Add a constant ``int16`` array and return its name, ``prefix`` with a number if need be."""
        cells = values.astype(np.int16)
        name = self._name(prefix, f"{cells.shape} {cells.tobytes().hex()}")
        if name not in self._constants:  # writing a table out is slow, and most are asked for many times
            numbers = ", ".join(map(str, cells.ravel().tolist()))
            body = textwrap.fill(numbers, 106, initial_indent="    ", subsequent_indent="    ")
            shape = "" if cells.ndim == 1 else f".reshape({', '.join(map(str, cells.shape))})"
            self._constants[name] = f"{name} = np.array([\n{body},\n], dtype=np.int16){shape}"
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
            self._functions[name] = (
                f"@inner\ndef {name}({parameters}):\n{about}{textwrap.indent(body, '    ')}"
            )
        return name

    def kernel(self, text: str) -> None:
        """Add a decorated function's source text as it is."""
        self._functions[text] = textwrap.dedent(text).strip("\n")

    def body(self) -> str:
        """The constants and functions in the order in which they were added."""
        return "\n".join(self._constants.values()) + "\n\n\n" + "\n\n\n".join(self._functions.values())
