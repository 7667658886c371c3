"""Ludii's own 200 random games of a variant, replayed move for move.

They were drawn with ``java.util.Random(0)``, ``Random(1)``, .. as indices into Ludii's lists of legal moves.
With the moves in Ludii's order every game comes out the same, and so do all the totals, to the last digit.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reference_data import read_reference

from crossplay.games import Game, load_game
from crossplay.games.kernels import call_apply, call_legal
from crossplay.games.language import to_text
from crossplay.games.state import (
    DRAW,
    HEADER,
    LAST_TO,
    MOVER,
    OUTCOME,
    PASS,
    PHASE,
    PREV,
    RUNNING,
    move_from,
    move_to,
)

GAMES = 200
ENTRIES = {entry["id"]: entry for entry in read_reference()}

Order = Callable[["Table", int], tuple[float, ...]]


class JavaRandom:
    """``java.util.Random``: a linear congruential generator of 48 bits."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def _bits(self) -> int:
        self._state = (self._state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        return self._state >> 17

    def below(self, n: int) -> int:
        """``nextInt(n)``."""
        if n & -n == n:
            return (n * self._bits()) >> 31
        while True:
            bits = self._bits()
            if bits - bits % n + (n - 1) < 1 << 31:
                return bits % n


class Table:
    """A position, and for each component the list of its sites as Ludii keeps it.

    A piece that moves goes to the end of its list. On cells the last of the list takes the place of one
    that leaves; on vertices the others close up.
    """

    def __init__(self, game: Game, order: Order, first: dict[int, str]) -> None:
        self.game = game
        self.state = game.new_state()
        self._order = order
        self._bearings = bearings(game)
        self._moves = np.empty(game.max_moves, np.int64)
        self._closes_up = game.board.site_type == "Vertex"
        end = HEADER + sum(container.sites for container in game.containers)
        self._sites = slice(HEADER, end)
        found: dict[int, list[int]] = {part.index: [] for part in game.components}
        for site, component in enumerate(self.state[self._sites].tolist()):
            if component:
                found[component].append(site)
        for component, labels in first.items():
            named = [game.board.labels.index(label) for label in labels.split()]
            assert sorted(named) == found[component]
            found[component] = named
        self.lists = found

    def legal(self) -> list[int]:
        """The legal moves in Ludii's order; a swap comes last."""
        n = call_legal(self.game.kernels.legal, self.state, self._moves)
        moves = self._moves[:n].tolist()
        return [
            *sorted((m for m in moves if m >= 0), key=lambda m: self._order(self, m)),
            *(m for m in moves if m < 0),
        ]

    def apply(self, move: int) -> None:
        """Make a move and keep the lists."""
        before = self.state[self._sites].tolist()
        call_apply(self.game.kernels.apply, self.state, move)
        if move < 0:
            return
        after = self.state[self._sites].tolist()
        origin, to = move_from(move), move_to(move)
        taken = [site for site, old in enumerate(before) if old and not after[site] and site != origin]
        piece = before[origin]
        if origin == to:
            if after[to]:
                self.lists[after[to]].append(to)
            elif piece:
                self._remove(piece, to)
        else:
            if before[to]:
                self._remove(before[to], to)
            if not after[origin]:  # otherwise it was one of several in a hand
                self._remove(piece, origin)
            self.lists[piece].append(to)
            if after[to] != piece:  # it became another on its way
                self._remove(piece, to)
                self.lists[after[to]].append(to)
        for site in sorted(taken, key=lambda site: self.bearing(to, site)):
            self._remove(before[site], site)
        # What else moved, such as the rook in castling.
        changed = [site for site, old in enumerate(before) if old != after[site]]
        for site in changed:
            if before[site] and site in self.lists[before[site]]:
                self._remove(before[site], site)
        for site in changed:
            if after[site] and site not in self.lists[after[site]]:
                self.lists[after[site]].append(site)

    def _remove(self, component: int, site: int) -> None:
        sites = self.lists[component]
        if self._closes_up:
            sites.remove(site)
        else:
            sites[sites.index(site)] = sites[-1]
            sites.pop()

    def place(self, site: int) -> tuple[int, int]:
        """A piece's component and place in its list."""
        component = int(self.state[HEADER + site])
        return component, self.lists[component].index(site)

    def bearing(self, origin: int, to: int) -> tuple[float, float]:
        """Directions come clockwise from north, and of one direction the near site first."""
        return self._bearings[origin][to]


class WithoutRepetition(Table):
    """A game in which no position may come back: Ludii strikes such moves off the list of all.

    The last move of the list takes the place of one that is struck off.
    """

    def __init__(self, game: Game, order: Order, first: dict[int, str]) -> None:
        super().__init__(game, order, first)
        self._free = freed(game)
        self._other = self._free.new_state()

    def legal(self) -> list[int]:
        n = call_legal(self._free.kernels.legal, self._other, self._moves)
        everything = self._moves[:n].tolist()
        listed = [*sorted((m for m in everything if m >= 0), key=lambda m: self._order(self, m)), PASS]
        legal = set(super().legal())
        i = 0
        while i < len(listed):
            if listed[i] in legal:
                i += 1
            else:
                listed[i] = listed[-1]
                listed.pop()
        return listed

    def apply(self, move: int) -> None:
        super().apply(move)
        call_apply(self._free.kernels.apply, self._other, move)


@cache
def freed(game: Game) -> Game:
    """The game without its rule against repetition."""
    text = (resources.files("crossplay.games.library") / f"{game.name}.lud").read_text(encoding="utf-8")
    path = Path(tempfile.mkdtemp()) / "Free.lud"
    path.write_text(text.replace("(meta (noRepeat))", ""), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != text
    return load_game(str(path), game.description.given)


@cache
def bearings(game: Game) -> list[list[tuple[float, float]]]:
    """Angle and distance from every site of the board to every other."""
    x, y = np.moveaxis(game.board.centroids - game.board.centroids[:, None], 2, 0)
    angles = np.round((np.arctan2(x, y) + 1e-4) % (2 * np.pi), 3)
    rows = zip(angles.tolist(), np.round(np.hypot(x, y), 3).tolist(), strict=True)
    return [list(zip(*row, strict=True)) for row in rows]


def by_site(table: Table, move: int) -> tuple[float, ...]:
    return move_from(move), move_to(move)


def by_piece(table: Table, move: int) -> tuple[float, ...]:
    """Piece by piece; shots from where the last move went."""
    origin, to = move_from(move), move_to(move)
    if origin == to:
        return table.bearing(int(table.state[LAST_TO]), to)
    return *table.place(origin), *table.bearing(origin, to)


def by_piece_mirrored(table: Table, move: int) -> tuple[float, ...]:
    """Forward right comes before forward left, also for the men who come from the other side."""
    origin, to = move_from(move), move_to(move)
    angle, distance = table.bearing(origin, to)
    component, place = table.place(origin)
    return component, place, -angle if component == 2 else angle, distance


def straight_first(table: Table, move: int) -> tuple[float, ...]:
    """Each man's step straight ahead before its captures."""
    component, place, *bearing = by_piece_mirrored(table, move)
    x = table.game.board.centroids[:, 0]
    return component, place, x[move_from(move)] != x[move_to(move)], *bearing


def morris(table: Table, move: int) -> tuple[float, ...]:
    """By site, but for the steps of the second phase."""
    mover = int(table.state[MOVER])
    men = [site for site in table.lists[mover] if site < table.game.board.n_sites]
    steps = table.state[PREV] != mover and table.state[PHASE - 1 + mover] == 1 and len(men) > 3
    return by_piece(table, move) if steps else by_site(table, move)


def chess(table: Table, move: int) -> tuple[float, ...]:
    """Castling comes last, a knight's leaps in the order of the sites, a promotion's choices as written."""
    origin, to = move_from(move), move_to(move)
    if origin == to:
        return (0,)
    component, place = table.place(origin)
    angle, distance = table.bearing(origin, to)
    match table.game.components[component - 1].base:
        case "King" if distance == 2:
            return 99, to
        case "Knight":
            return component, place, move >> 48, to
        case "Pawn" if component == 2:
            angle = -angle
    return component, place, move >> 48, angle, distance


TABLUT = {
    1: "D1 E1 F1 E2 A4 A5 A6 B5 I4 I5 I6 H5 E8 D9 E9 F9",
    2: "E3 E4 E6 E7 C5 D5 F5 G5",
}
# The initial lists where they are not in the order of the sites.
VARIANTS: dict[str, tuple[Order, dict[int, str]]] = {
    **dict.fromkeys(
        [
            "tictactoe", "gomoku-9", "hex-3", "hex-5", "hex-7", "squava", "yavalath-3", "yavalath-5",
            "havannah-4", "brokenline-linesize3hex", "brokenline-linesize5square", "diagonalhex-7",
            "pentalath-hexhex", "pentalath-halfhexhex", "reversi-6", "reversi-8", "connectfour",
            "connectfour-2d",
        ],
        (by_site, {}),
    ),
    "amazons": (by_piece, {1: "A4 D1 G1 J4", 2: "A7 D10 G10 J7"}),
    **dict.fromkeys(
        ["breakthrough-square6", "breakthrough-square8", "breakthrough-hexagon4", "breakthrough-hexagon8"],
        (straight_first, {}),
    ),
    "englishdraughts": (by_piece_mirrored, {}),
    "tablut": (by_piece, TABLUT),
    "ninemensmorris": (morris, {}),
    "go-9": (by_site, {}),
    "chess": (chess, {}),
}  # fmt: skip


@pytest.mark.parametrize("variant", VARIANTS)
def test_ludii_s_random_games_come_out_the_same(variant: str) -> None:
    entry: dict[str, Any] = ENTRIES[variant]
    game = load_game(Path(entry["lud"]).stem, entry["options"])
    order, first = VARIANTS[variant]
    kind = WithoutRepetition if "(noRepeat)" in to_text(game.description.game) else Table
    lengths, outcomes, choices, passes, most = [], [], 0, 0, 0
    for seed in range(GAMES):
        table, random, length = kind(game, order, first), JavaRandom(seed), 0
        while table.state[OUTCOME] == RUNNING:
            moves = table.legal()
            move = moves[random.below(len(moves))]
            table.apply(move)
            length += 1
            choices += len(moves)
            most = max(most, len(moves))
            passes += move == PASS
        lengths.append(length)
        outcomes.append(int(table.state[OUTCOME]))
    expected = entry["randomPlayouts"]
    assert expected["n"] == GAMES
    ours = {
        "meanMoves": np.mean(lengths),
        "sdMoves": np.std(lengths, ddof=1),
        "minMoves": min(lengths),
        "maxMoves": max(lengths),
        "meanBranchingOverStates": choices / sum(lengths),
        "maxBranching": most,
        "passMoves": passes,
        "winsAgent1": outcomes.count(1) / GAMES,
        "winsAgent2": outcomes.count(2) / GAMES,
        "draws": outcomes.count(DRAW) / GAMES,
    }
    assert ours == pytest.approx({name: expected[name] for name in ours}, rel=1e-12)
