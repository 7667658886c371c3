"""Which symmetries of the board the rules respect."""

from __future__ import annotations

import numpy as np

from crossplay.games.compiler.directions import RELATIONS
from crossplay.games.compiler.ludemes.sites import static_sites
from crossplay.games.compiler.model import ROLES, GameModel
from crossplay.games.compiler.registry import Compiler
from crossplay.games.compiler.start import compile_start
from crossplay.games.language import Array, Ludeme, Symbol, Text, walk

_WORDS_WITHOUT_DIRECTION = frozenset(
    {
        "Add", "All", "Around", "Board", "Cell", "Centre", "Connected", "Corners", "Draw", "Each",
        "Empty", "Enemy", "Even", "Friend", "From", "Full", "Group", "Groups", "Hop", "In", "Inner",
        "Liberties", "Line", "Loop", "Loss", "Move", "Mover", "Moves", "Next", "Occupied", "Odd", "Off",
        "Outer", "Own", "Pass", "Passed", "Perimeter", "Piece", "Pieces", "Prev", "Remove", "Score",
        "Shoot", "Sides", "SidesNoCorners", "Site", "Sites", "Slide", "State", "Step", "Territory", "To",
        "Vertex", "Win", "Within", *RELATIONS,
        *ROLES,
    }
)  # fmt: skip


def rule_symmetries(model: GameModel) -> np.ndarray:
    """int32[k, board sites]: the board's symmetries under which the whole game stays the same.

    The identity comes first. A symmetry must map every region of a player's, or of a name, onto itself,
    and so the initial pieces.
    """
    candidates = model.board.symmetries()
    if not _rules_are_symmetric(model):
        return candidates[:1]
    c = Compiler(model)
    regions = [[static_sites(c, member) for member in found.members] for found in model.regions]
    compile_start(c)
    initial = {site: placed for site, *placed in c.initial}
    return np.array(
        [
            image
            for image in candidates
            if all(_keeps(image, sets) for sets in regions)
            and all(initial.get(int(there)) == initial.get(site) for site, there in enumerate(image))
        ]
    )


def _keeps(image: np.ndarray, sets: list[frozenset[int]]) -> bool:
    moved = [sorted(int(image[site]) for site in members) for members in sets]
    return sorted(moved) == sorted(sorted(members) for members in sets)


def _rules_are_symmetric(model: GameModel) -> bool:
    """Whether the rules stay the same when the board is turned or reflected.

    Only words known to name no direction count as such, so that what is added later (compass points,
    directions relative to a player's facing) is never taken for symmetric unawares; coordinates and
    sites by number break a symmetry too.
    """
    return not any(
        (isinstance(node, Symbol) and node.name not in _WORDS_WITHOUT_DIRECTION)
        or (isinstance(node, Text) and node.value in model.board.labels)
        or (isinstance(node, Ludeme) and node.name == "sites" and isinstance(node.positional[0], Array))
        for root in model.rules()
        for node in walk(root)
    )
