"""Go on boards so small that positions come back, held against a plain implementation of its rules."""

from __future__ import annotations

import random
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import pytest

from crossplay.games import Game, load_game
from crossplay.games.state import MOVES, PASS, move_to

Position = tuple[int, ...]


@dataclass(frozen=True)
class Grid:
    """A square board of points."""

    side: int

    def beside(self, point: int) -> list[int]:
        x, y = point % self.side, point // self.side
        around = ((x, y + 1), (x + 1, y), (x, y - 1), (x - 1, y))
        return [b * self.side + a for a, b in around if 0 <= a < self.side and 0 <= b < self.side]

    def chain(self, position: Position, point: int) -> tuple[set[int], set[int]]:
        """The stones of a chain, and its liberties."""
        stones, liberties, open_ = {point}, set(), [point]
        while open_:
            for other in self.beside(open_.pop()):
                if position[other] == 0:
                    liberties.add(other)
                elif position[other] == position[point] and other not in stones:
                    stones.add(other)
                    open_.append(other)
        return stones, liberties

    def after(self, position: Position, point: int, colour: int) -> tuple[Position | None, int]:
        """The position after a stone, and the prisoners taken; None if the stone may not be put there."""
        stones = list(position)
        stones[point] = colour
        taken: set[int] = set()
        for other in self.beside(point):
            if stones[other] == 3 - colour:
                chain, liberties = self.chain(tuple(stones), other)
                taken |= set() if liberties else chain
        for prisoner in taken:
            stones[prisoner] = 0
        result = tuple(stones)
        return (result if self.chain(result, point)[1] else None), len(taken)

    def territory(self, position: Position, colour: int) -> int:
        """Ludii's ``size Territory``, step by step: a union of trees of points that are not owned.

        Each empty point is joined with earlier ones in a list of neighbours that only grows, and owns
        all points of that list.
        """
        parent: dict[int, int] = {}
        area: dict[int, set[int]] = {}

        def root(point: int) -> int:
            while parent.get(point, point) != point:
                point = parent[point]
            return point

        neighbours: list[int] = []
        for point in (p for p, stone in enumerate(position) if stone == 0):
            neighbours += self.beside(point)
            parent[point] = point
            area[point] = {point, *neighbours}
            empty = [p for p in neighbours if position[p] == 0]
            for i, other in enumerate(empty):
                if other < point and all(root(other) != root(later) for later in empty[i + 1 :]):
                    area[root(other)] |= area[root(point)]
                    parent[root(point)] = root(other)
        return sum(
            sum(position[p] == 0 for p in area[point])
            for point, up in parent.items()
            if up == point and all(position[p] in (0, colour) for p in area[point])
        )


def small_go(folder: Path, side: int) -> Game:
    library = (resources.files("crossplay.games.library") / "Go.lud").read_text()
    assert '"5x5" <5>' in library
    path = folder / "Small Go.lud"
    path.write_text(library.replace('"5x5" <5>', f'"tiny" <{side}>'))
    return load_game(str(path), ["Board Size/tiny"])


@pytest.mark.parametrize(("side", "games"), [(2, 30), (3, 30)])
def test_small_go_agrees_with_a_plain_implementation(tmp_path: Path, side: int, games: int) -> None:
    game, grid = small_go(tmp_path, side), Grid(side)
    choose = random.Random(side)
    recurrences = 0
    for _ in range(games):
        state = game.new_state()
        position: Position = (0,) * side**2
        seen = {position}
        prisoners = [0, 0, 0]
        colour, passes = 1, 0
        while passes < 2 and state[MOVES] < 300:
            allowed = {}
            for point in (p for p, stone in enumerate(position) if stone == 0):
                result, taken = grid.after(position, point, colour)
                recurrences += result in seen
                if result is not None and result not in seen:
                    allowed[point] = result, taken
            listed = {
                move_to(found.move): found.move for found in game.legal_moves(state) if found.move != PASS
            }
            assert listed.keys() == allowed.keys()
            if allowed and choose.random() < 0.97:
                point = choose.choice(sorted(allowed))
                position, taken = allowed[point]
                prisoners[colour] += taken
                passes = 0
                game.apply(state, listed[point])
            else:
                passes += 1
                game.apply(state, PASS)
            seen.add(position)
            colour = 3 - colour
        if passes == 2:
            first, second = (prisoners[c] + grid.territory(position, c) for c in (1, 2))
            assert game.is_terminal(state)
            assert game.utilities(state)[0] == (first > second) - (first < second)
    assert recurrences > 100
