"""Which symmetries of the board the rules respect."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from crossplay.games.board.compass import NAMES
from crossplay.games.board.relations import RELATIONS
from crossplay.games.compiler.directions import (
    OF_LAST_MOVE,
    RELATIVE,
    compass_of,
    direction_words,
    is_direction,
)
from crossplay.games.compiler.ludemes.sites import static_sites
from crossplay.games.compiler.model import ROLES, GameModel, items
from crossplay.games.compiler.registry import Compiler
from crossplay.games.compiler.start import compile_start
from crossplay.games.language import Array, Ludeme, Node, Number, Symbol, Text, walk

_WORDS_WITHOUT_DIRECTION = frozenset(
    {
        "Add", "All", "Around", "Blocked", "Board", "Cell", "Centre", "Connected", "Corners", "Draw", "Each",
        "Empty", "Enemy", "Even", "Friend", "From", "Full", "Group", "Groups", "Hop", "In", "Inner",
        "Liberties", "Line", "Loop", "Loss", "Move", "Mover", "Moves", "Next", "Occupied", "Odd", "Off",
        "Outer", "Own", "Pass", "Passed", "Perimeter", "Piece", "Pieces", "Prev", "Remove", "Score",
        "Shoot", "Sides", "SidesNoCorners", "Site", "Sites", "Slide", "Stack", "State", "Step", "Territory",
        "To", "Triggered", "Vertex", "Win", "Within", *OF_LAST_MOVE, *RELATIONS, *ROLES,
    }
)  # fmt: skip
# Parts of the board that a symmetry has to map onto themselves; what tells a site's place is barred.
_PARTS = frozenset({"Bottom", "Column", "Left", "Phase", "Right", "Row", "Top"})
_PLACES = frozenset({"ahead", "column", "coord", "phase", "row"})
# Where a number means a site.
_SITES = frozenset({"between", "from", "last", "site", "to", "where"})
_SITE_LABELS = frozenset({"at", "from", "of", "origin", "to"})


def rule_symmetries(model: GameModel) -> np.ndarray:
    """int32[k, board sites]: the board's symmetries under which the whole game stays the same.

    The identity comes first. A symmetry must map every region of a player's, of a name or in the rules
    onto itself, and so the initial pieces and the directions of every move.
    """
    candidates = model.board.symmetries()
    nodes = [node for root in model.rules() for node in walk(root)]
    arguments = _direction_arguments(nodes)
    if not _rules_are_symmetric(model, nodes, arguments):
        return candidates[:1]
    c = Compiler(model)
    board = model.board
    facings = {"N", *model.facings.values(), *(part.facing or "N" for part in model.components)}
    ways = {
        compass_of(board, direction_words(argument, ""), facing)
        for argument in arguments
        for facing in facings
    }
    lines = [
        [frozenset(members) for members in (board.columns if line.name == "column" else board.rows)]
        for line in filter(None, map(_own_line, nodes))
    ]
    regions = [[static_sites(c, member) for member in found.members] for found in model.regions]
    regions += [[static_sites(c, part)] for root in model.rules() for part in walk(root) if _is_part(part)]
    compile_start(c)
    initial = {site: placed for site, *placed in c.initial}
    return np.array(
        [
            image
            for image in candidates
            if all(_keeps(image, sets) for sets in [*regions, *lines])
            and all(_keeps_ways(image, board.steps, names) for names in ways)
            and all(initial.get(int(there)) == initial.get(site) for site, there in enumerate(image))
        ]
    )


def _is_part(node: Node) -> bool:
    """Whether a ludeme is a part of the board such as ``(sites Phase 1)``."""
    return (
        isinstance(node, Ludeme)
        and node.name == "sites"
        and node.keyword in _PARTS
        and all(isinstance(part, Number) for part in node.positional[1:])
    )


def _keeps(image: np.ndarray, sets: list[frozenset[int]]) -> bool:
    moved = [sorted(int(image[site]) for site in members) for members in sets]
    return sorted(moved) == sorted(sorted(members) for members in sets)


def _keeps_ways(image: np.ndarray, steps: Mapping[str, np.ndarray], names: tuple[str, ...]) -> bool:
    """Whether the steps of each of these directions become those of another of them, all over the board.

    Then so do the lines that go on in it.
    """
    moved = []
    for name in names:
        there = np.where(steps[name] >= 0, image[steps[name]], -1)
        moved.append(next((other for other in names if np.array_equal(steps[other][image], there)), None))
    return set(moved) == set(names)


def _direction_arguments(nodes: list[Node]) -> list[Node]:
    """The arguments that name directions by the compass or by a player's facing, each of them whole."""
    found: list[Node] = []
    inner: set[int] = set()
    for node in nodes:  # from the outside inwards
        if id(node) in inner or not is_direction(node):
            continue
        inner |= {id(part) for part in walk(node)}
        if any(name in RELATIVE or name in NAMES for name, _ in direction_words(node, "")):
            found.append(node)
    return found


def _own_line(node: Node) -> Ludeme | None:
    """The ludeme within that tells a site's row or column, in ``(sites Column (column of:(last To)))``."""
    if not isinstance(node, Ludeme) or node.name != "sites" or node.keyword not in ("Column", "Row"):
        return None
    line = node.positional[1] if len(node.positional) == 2 else None
    return line if isinstance(line, Ludeme) and line.name == node.keyword.lower() else None


def _rules_are_symmetric(model: GameModel, nodes: list[Node], arguments: list[Node]) -> bool:
    """Whether the rules can stay the same when the board is turned or reflected.

    Only words known to name no direction count as such, and those of ``arguments``, of which each
    symmetry is asked, so that what is added later is never taken for symmetric unawares; coordinates and
    sites by number break a symmetry too.
    """
    parts = {id(node.positional[0]) for node in nodes if isinstance(node, Ludeme) and _is_part(node)}
    parts |= {id(part) for argument in arguments for part in walk(argument)}
    for node in nodes:
        if isinstance(node, Ludeme) and (line := _own_line(node)) is not None:
            parts |= {id(node.positional[0]), id(line)}
    return not any(
        (isinstance(node, Symbol) and node.name not in _WORDS_WITHOUT_DIRECTION and id(node) not in parts)
        or (isinstance(node, Ludeme) and node.name in _PLACES and id(node) not in parts)
        or (isinstance(node, Text) and node.value in model.board.labels)
        or (isinstance(node, Ludeme) and node.name == "sites" and isinstance(node.positional[0], Array))
        or (isinstance(node, Ludeme) and _numbers_a_site(node))
        for node in nodes
    )


def _numbers_a_site(node: Ludeme) -> bool:
    """Whether a ludeme has a site's number among its arguments: ``(to 5)``, ``(= (to) 5)``."""
    if any(isinstance(part.value, Number) for part in node.arguments if part.label in _SITE_LABELS):
        return True
    of_sites = any(isinstance(part, Ludeme) and part.name in _SITES for part in node.positional)
    return any(isinstance(part, Number) for value in node.positional for part in items(value)) and (
        node.name in _SITES or node.keyword == "In" or (node.name in ("=", "!=") and of_sites)
    )
