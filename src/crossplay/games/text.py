"""Positions and moves as text for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from crossplay.games.kernels import call_apply
from crossplay.games.state import HEADER, PASS, SWAP, move_from, move_to

if TYPE_CHECKING:
    from crossplay.games.compiler import Component
    from crossplay.games.game import Game

_UNOWNED = "*+#%&"


def piece_symbols(components: Sequence[Component]) -> dict[int, str]:
    """A character for each component.

    ``X`` and ``O`` where each player has one sort of piece and nobody else has any; else a letter of the
    piece's name, a capital for player 1, and a sign for pieces of nobody's.
    """
    if [component.owner for component in components] == [1, 2]:
        return dict(zip((component.index for component in components), "XO", strict=True))
    letters: dict[str, str] = {}
    symbols: dict[int, str] = {}
    signs = 0
    for component in components:
        if component.owner not in (1, 2):
            symbols[component.index] = _UNOWNED[signs % len(_UNOWNED)]
            signs += 1
            continue
        name = component.base.upper()
        if name not in letters:
            wanted = [letter for letter in name if letter.isalpha()] + list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
            letters[name] = next((x for x in wanted if x not in letters.values()), "?")
        letter = letters[name]
        symbols[component.index] = letter if component.owner == 1 else letter.lower()
    return symbols


def render(game: Game, state: np.ndarray) -> str:
    """The board, top row first, ``.`` for an empty site; then stacks, hands and what the letters mean.

    A piece's local state, if it is not 0, and the height of a stack stand behind its symbol.
    """
    symbols = {0: ".", **piece_symbols(game.components)}
    x, y = game.board.rank_coordinates()
    cells = [
        symbols[int(state[HEADER + site])] + _mark(game, state, site) for site in range(game.board.n_sites)
    ]
    width = max(map(len, cells))
    grid = [[" " * width] * (int(x.max()) + 1) for _ in range(int(y.max()) + 1)]
    for site, cell in enumerate(cells):
        grid[y[site]][x[site]] = cell.ljust(width)
    lines = [" ".join(row).rstrip() for row in reversed(grid)]
    if game.flags.stacking:
        lines += _stacks(game, state, symbols)
    for hand in game.containers[1:]:
        lines.append(
            f"{hand.name}: {_held(game, state, range(hand.first_site, hand.first_site + hand.sites))}"
        )
    if len(symbols) > 3:
        names = dict.fromkeys(f"{symbols[c.index].upper()} {c.base}" for c in game.components)
        lines.append(f"({', '.join(names)}; small letters: player 2)")
    return "\n".join(lines)


def _mark(game: Game, state: np.ndarray, site: int) -> str:
    number = 0
    if game.flags.local_state:
        number = int(state[game.encoding.local_states + site])
    if game.flags.stacking and number == 0:
        size = int(state[game.encoding.sizes + site])
        number = size if size > 1 else 0
    return str(number) if number else ""


def _stacks(game: Game, state: np.ndarray, symbols: dict[int, str]) -> list[str]:
    lines = []
    for site, label in enumerate(game.board.labels):
        size = int(state[game.encoding.sizes + site])
        first = game.encoding.levels + site * game.encoding.max_height
        if size > 1:
            pieces = "".join(symbols[int(piece)] for piece in state[first : first + size])
            lines.append(f"{label} from the bottom: {pieces}")
    return lines


def _held(game: Game, state: np.ndarray, sites: Iterable[int]) -> str:
    held = []
    for site in sites:
        piece = int(state[HEADER + site])
        if piece:
            count = int(state[game.encoding.counts + site]) if game.flags.counts else 1
            held.append(f"{count} {game.components[piece - 1].base}")
    return ", ".join(held) or "nothing"


def move_text(game: Game, state: np.ndarray, move: int) -> str:
    """A move in words: a site's label, two for a move from one to another, pass or swap.

    A piece that comes from a hand is named: ``Fuhyo*E5``.
    """
    if move == PASS:
        return "pass"
    if move == SWAP:
        return "swap"
    labels = game.board.labels
    origin, to = move_from(move), move_to(move)
    target = labels[to] if to < len(labels) else f"hand {to - len(labels)}"
    if origin == to:
        return target
    if origin < len(labels):
        return f"{labels[origin]}-{target}"
    piece = int(state[HEADER + origin])
    return f"{game.components[piece - 1].base if piece else f'hand {origin - len(labels)}'}*{target}"


def move_texts(game: Game, state: np.ndarray, moves: Sequence[int]) -> list[str]:
    """The moves in words; those that would read alike are told apart by the piece that they leave there."""
    texts = [move_text(game, state, move) for move in moves]
    for tell in (_left_behind, _numbered):
        alike = Counter(texts)
        if len(alike) == len(texts):
            break
        texts = [
            tell(game, state, move, text, texts[:i]) if alike[text] > 1 else text
            for i, (move, text) in enumerate(zip(moves, texts, strict=True))
        ]
    return texts


def _left_behind(game: Game, state: np.ndarray, move: int, text: str, before: Sequence[str]) -> str:
    after = state.copy()
    call_apply(game.kernels.apply, after, move)
    piece = int(after[HEADER + move_to(move)])
    return f"{text}={game.components[piece - 1].base}" if piece else text


def _numbered(game: Game, state: np.ndarray, move: int, text: str, before: Sequence[str]) -> str:
    return f"{text} ({1 + before.count(text)})"
