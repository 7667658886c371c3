"""The compiler: a tree of ludemes and a board -> a few numba kernels, cached on disk."""

from crossplay.games.compiler.flags import Flags
from crossplay.games.compiler.generate import Generated, generate
from crossplay.games.compiler.kept import keep_generated
from crossplay.games.compiler.load import load_kernels
from crossplay.games.compiler.model import Component, Container, GameModel, read_model
from crossplay.games.compiler.registry import known_ludemes
from crossplay.games.compiler.symmetry import rule_symmetries

__all__ = [
    "Component",
    "Container",
    "Flags",
    "GameModel",
    "Generated",
    "generate",
    "keep_generated",
    "known_ludemes",
    "load_kernels",
    "read_model",
    "rule_symmetries",
]
