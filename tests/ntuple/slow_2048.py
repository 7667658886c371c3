"""The game 2048 as a person would describe it, for the tests to compare with.

A board is a list of 16 exponents, row by row: 0 is empty, v is the tile 2**v. Nothing here is shared with
the package.
"""

from __future__ import annotations

MASK = (1 << 64) - 1
# The four lines of cells of each move, from the wall that tiles slide to: up, right, down, left.
LINES = (
    [[4 * y + x for y in range(4)] for x in range(4)],
    [[4 * y + x for x in reversed(range(4))] for y in range(4)],
    [[4 * y + x for y in reversed(range(4))] for x in range(4)],
    [[4 * y + x for x in range(4)] for y in range(4)],
)


def slide_line(line: list[int]) -> tuple[list[int], int]:
    """Move one line of tiles towards its first cell; return it and the reward. 15 and 15 do not merge."""
    tiles, moved, reward = [tile for tile in line if tile], [], 0
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile and tile < 15:
            tiles.pop(0)
            tile += 1
            reward += 2**tile
        moved.append(tile)
    return moved + [0] * (4 - len(moved)), reward


def slide(board: list[int], move: int) -> tuple[list[int], int]:
    """The board after a move, before the new tile, and the reward."""
    after, total = list(board), 0
    for cells in LINES[move]:
        line, reward = slide_line([board[cell] for cell in cells])
        for cell, tile in zip(cells, line, strict=True):
            after[cell] = tile
        total += reward
    return after, total


def stage(board: list[int], bits: int) -> int:
    """The stage of a board among ``2**bits``: which of the tiles 2**15, 2**14, ... it has."""
    counts = [board.count(tile) for tile in range(16)]
    for tile in range(15, 0, -1):
        if counts[tile] > 1:
            counts[tile - 1] += counts[tile] - 1
            counts[tile] = 1
    return int("0" + "".join(str(counts[15 - bit]) for bit in range(bits)), 2)


def to_word(board: list[int]) -> int:
    """The board as 64 bits, cell ``c`` at bit ``4 c``."""
    return sum(tile << (4 * cell) for cell, tile in enumerate(board))


def from_word(word: int) -> list[int]:
    """The inverse of :func:`to_word`."""
    return [int(word) >> (4 * cell) & 15 for cell in range(16)]


def images(board: list[int]) -> list[list[int]]:
    """The board under the eight symmetries: turned 0 to 3 times, each also in the mirror."""
    found = []
    for _ in range(4):
        found += [board, [board[4 * y + 3 - x] for y in range(4) for x in range(4)]]
        board = [board[4 * (3 - x) + y] for y in range(4) for x in range(4)]
    return found


def splitmix(state: int) -> int:
    """The output function of the generator splitmix64."""
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK
    state = (state ^ state >> 27) * 0x94D049BB133111EB & MASK
    return state ^ state >> 31


def add_tile(board: list[int], bits: int) -> list[int]:
    """Put a tile on an empty cell: 32 random bits say which, 32 whether it is a 4."""
    empty = [cell for cell in range(16) if board[cell] == 0]
    after = list(board)
    after[empty[(bits & 0xFFFFFFFF) * len(empty) >> 32]] = 2 if bits >> 32 < 2**32 / 10 else 1
    return after
