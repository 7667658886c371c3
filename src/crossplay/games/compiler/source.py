"""Collects the parts of a game's kernel module while the rule trees are compiled."""

from __future__ import annotations

import textwrap

import numpy as np

from crossplay.games.compiler.model import GameModel
from crossplay.games.state import HEADER


class KernelSource:
    """Tables, state sections, functions and hooks of one generated module.

    ``place_hooks`` are functions ``f(state, site)`` to be called after a piece was placed on a site.
    """

    def __init__(self, model: GameModel) -> None:
        self.model = model
        self.state_size = HEADER + model.board.n_sites
        self.place_hooks: list[str] = []
        self._constants: dict[str, str] = {}
        self._functions: dict[str, str] = {}

    def table(self, name: str, values: np.ndarray) -> str:
        """Add a constant ``int16`` array; every use of one name must mean the same values."""
        numbers = ", ".join(str(int(value)) for value in values.ravel())
        body = textwrap.fill(numbers, 106, initial_indent="    ", subsequent_indent="    ")
        shape = "" if values.ndim == 1 else f".reshape({', '.join(map(str, values.shape))})"
        self._constants[name] = f"{name} = np.array([\n{body},\n], dtype=np.int16){shape}"
        return name

    def constant(self, name: str, value: int) -> str:
        """Add an integer constant."""
        self._constants[name] = f"{name} = {value}"
        return name

    def section(self, name: str, size: int) -> str:
        """Reserve ``size`` cells at the end of the state row; ``name`` becomes their offset."""
        if name not in self._constants:
            self.constant(name, self.state_size)
            self.state_size += size
        return name

    def has_function(self, name: str) -> bool:
        """Whether a function of that name was added already."""
        return name in self._functions

    def function(self, name: str, text: str) -> None:
        """Add a function's source text, decorator included."""
        self._functions[name] = textwrap.dedent(text).strip("\n")

    def neighbours(self, relation: str, missing: int) -> str:
        """Add the table of a site's neighbours by relation, padded with ``missing``, and return its name."""
        lists = self.model.board.neighbours(relation)
        table = np.full((len(lists), max(1, *map(len, lists))), missing)
        for site, others in enumerate(lists):
            table[site, : len(others)] = others
        return self.table(f"NEIGHBOURS_{relation.upper()}", table)

    def owner_of(self, cell: str) -> str:
        """An expression for the owner of the component in the state cell ``cell``, 0 if empty."""
        owners = [component.owner for component in self.model.components]
        if owners == list(range(1, len(owners) + 1)):
            return f"state[{cell}]"  # component indices and owners coincide
        self.table("OWNER", np.array([0, *owners]))
        return f"OWNER[state[{cell}]]"

    def body(self) -> str:
        """The constants and functions in the order in which they were added."""
        return "\n".join(self._constants.values()) + "\n\n\n" + "\n\n\n".join(self._functions.values())
