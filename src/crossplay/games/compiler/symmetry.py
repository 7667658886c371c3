"""Which symmetries of the board the rules respect."""

from __future__ import annotations

import numpy as np

from crossplay.games.compiler.directions import RELATIONS
from crossplay.games.compiler.ludemes.sites import static_sites
from crossplay.games.compiler.model import ROLES, GameModel
from crossplay.games.compiler.registry import Compiler
from crossplay.games.language import Symbol, Text, walk

_WORDS_WITHOUT_DIRECTION = frozenset(
    {
        "Add", "Board", "Cell", "Centre", "Connected", "Corners", "Draw", "Empty", "Even", "Inner", "Line",
        "Loop", "Loss", "Mover", "Moves", "Next", "Odd", "Outer", "Perimeter", "Sides", "SidesNoCorners",
        "To", "Vertex", "Win", *RELATIONS, *ROLES,
    }
)  # fmt: skip


def rule_symmetries(model: GameModel) -> np.ndarray:
    """int32[k, board sites]: the board's symmetries under which the whole game stays the same.

    The identity comes first. A symmetry must map every region of a player's, or of a name, onto itself.
    """
    candidates = model.board.symmetries()
    if not _rules_are_symmetric(model):
        return candidates[:1]
    c = Compiler(model)
    regions = [[static_sites(c, member) for member in found.members] for found in model.regions]
    return np.array([image for image in candidates if all(_keeps(image, sets) for sets in regions)])


def _keeps(image: np.ndarray, sets: list[frozenset[int]]) -> bool:
    moved = [sorted(int(image[site]) for site in members) for members in sets]
    return sorted(moved) == sorted(sorted(members) for members in sets)


def _rules_are_symmetric(model: GameModel) -> bool:
    """Whether the rules stay the same when the board is turned or reflected.

    Only words known to name no direction count as such, so that what is added later (compass points,
    directions relative to a player's facing) is never taken for symmetric unawares; coordinates and
    initial pieces break a symmetry too.
    """
    if model.start:
        return False
    return not any(
        (isinstance(node, Symbol) and node.name not in _WORDS_WITHOUT_DIRECTION)
        or (isinstance(node, Text) and node.value in model.board.labels)
        for root in model.rules()
        for node in walk(root)
    )
