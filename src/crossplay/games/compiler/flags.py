"""What a game uses, as far as it decides the shape of its tensors (source: Ludii's game flags)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from crossplay.games.language import Boolean, Ludeme, Node, Number, walk

# Ludemes, with their keywords, by which Ludii takes a game for one whose moves have an origin.
# That the capturing effects are among them is Ludii's.
_FROM_MOVES = {"Step", "Slide", "Hop", "Leap", "Shoot", "Select", "Swap"}
_FROM_NAMES = {"step", "slide", "hop", "leap", "fromTo", "custodial", "intervene", "attract", "sow"}

_PASSING = {("move", "Pass"), ("all", "Passed")}


@dataclass(frozen=True)
class Flags:
    """What a game uses.

    Attributes:
        swap: the pie rule.
        stacking: several pieces on one site.
        counts: several like pieces on one site, as in a hand.
        local_state: pieces with a state of their own.
        moves_have_from: moves are told apart by their origin too, not by their destination alone.
        passes: the rules speak of passing, so that a round of forced passes ends nothing.
    """

    swap: bool
    stacking: bool
    counts: bool
    local_state: bool
    moves_have_from: bool
    passes: bool = False


def read_flags(game: Ludeme, metas: Iterable[Node], has_hands: bool) -> Flags:
    """Read the flags off a game's whole tree."""
    found = [node for node in walk(game) if isinstance(node, Ludeme)]
    return Flags(
        swap=any(isinstance(meta, Ludeme) and meta.name == "swap" for meta in metas),
        stacking=any(_stacks(node) for node in found),
        counts=has_hands or any(_counts(node) for node in found),
        local_state=any(_uses_state(node) for node in found),
        moves_have_from=any(_has_from(node) for node in found),
        passes=any((node.name, node.keyword) in _PASSING for node in found),
    )


def _stacks(node: Ludeme) -> bool:
    stack = node.named("stack")
    return (isinstance(stack, Boolean) and stack.value) or (
        node.keyword == "Stack" and node.name in ("place", "size")
    )


def _counts(node: Ludeme) -> bool:
    """``(count at:)`` and ``(count in:)``, and places that get several pieces at once."""
    number = node.named("count")
    several = isinstance(number, Number) and number.value > 1
    return (node.name == "count" and node.keyword is None) or (node.name == "place" and several)


def _uses_state(node: Ludeme) -> bool:
    return (
        node.name in ("state", "flip", "flips")
        or node.named("state") is not None
        or (node.name in ("set", "sites") and node.keyword == "State")
    )


def _has_from(node: Ludeme) -> bool:
    if node.name != "move":
        return node.name in _FROM_NAMES
    return node.keyword in _FROM_MOVES or node.keyword is None
