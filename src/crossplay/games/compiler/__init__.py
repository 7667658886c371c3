"""From a tree of ludemes and a board to compiled kernels."""

from crossplay.games.compiler.generate import generate, uses_symmetric_rules
from crossplay.games.compiler.load import load_kernels
from crossplay.games.compiler.model import Component, Container, Flags, GameModel, read_model

__all__ = [
    "Component",
    "Container",
    "Flags",
    "GameModel",
    "generate",
    "load_kernels",
    "read_model",
    "uses_symmetric_rules",
]
