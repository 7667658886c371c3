"""Where sites lie in tensors, and what no game of the library shows; the rest is in test_library."""

from __future__ import annotations

import numpy as np
import pytest

from crossplay.errors import CrossplayError
from crossplay.games import load_game
from crossplay.games.board import Board, build_board
from crossplay.games.compiler import Container
from crossplay.games.kernels import call_encode
from crossplay.games.language import parse
from crossplay.games.layout import Coordinates, Layout, tensor_coordinates
from crossplay.games.state import HEADER


def coordinates(graph: str, hands: list[int], layout: Layout) -> tuple[Board, Coordinates]:
    board = build_board(parse(f"(board {graph})"))
    containers = [Container(0, "Board", board.n_sites, 0)]
    for index, sites in enumerate(hands, 1):
        first = containers[-1].first_site + containers[-1].sites
        containers.append(Container(index, f"Hand{index}", sites, first))
    return board, tensor_coordinates(board, containers, layout)


def cells_behind(board: Board, place: Coordinates) -> list[tuple[int, int]]:
    """The cells of the sites that are not the board's."""
    return list(zip(place.x[board.n_sites :].tolist(), place.y[board.n_sites :].tolist(), strict=True))


@pytest.mark.parametrize(
    ("graph", "hands", "size", "faithful", "repaired"),
    [
        # Columns beside a square board; of two hands Ludii places only the first, in the second's column.
        ("(square 3)", [2, 2], (6, 3), [(5, 0), (5, 1), (0, 0), (0, 0)], [(4, 0), (4, 1), (5, 0), (5, 1)]),
        # A longer second hand reaches into its own sites, which start where the first one's end.
        ("(square 3)", [1, 3], (6, 3), [(5, 0), (5, 1), (5, 2), (0, 0)], [(4, 0), (5, 0), (5, 1), (5, 2)]),
        ("(rectangle 2 3)", [3], (5, 3), [(4, 0), (4, 1), (4, 2)], [(4, 0), (4, 1), (4, 2)]),
        # Rows, where the board is narrow and the hand fits, or wide and it does not.
        ("(rectangle 4 2)", [2, 1], (2, 7), [(0, 5), (1, 5), (0, 6)], [(0, 5), (1, 5), (0, 6)]),
        ("(rectangle 1 2)", [3], (3, 3), [(0, 2), (1, 2), (2, 2)], [(0, 2), (1, 2), (2, 2)]),
    ],
)
def test_hands_follow_the_board(graph, hands, size, faithful, repaired) -> None:
    for choice, expected in (("faithful", faithful), ("repaired", repaired)):
        board, place = coordinates(graph, hands, Layout(hands=choice))
        assert (place.width, place.height) == size
        assert cells_behind(board, place) == expected
        x, y = board.rank_coordinates()
        assert place.x[: board.n_sites].tolist() == x.tolist()
        assert place.y[: board.n_sites].tolist() == y.tolist()


def test_hands_beside_a_dense_board() -> None:
    board, place = coordinates("(hex Diamond 3)", [2], Layout("dense", "repaired"))
    assert (place.width, place.height) == (5, 3)
    assert cells_behind(board, place) == [(4, 0), (4, 1)]
    assert len(set(zip(place.x.tolist(), place.y.tolist(), strict=True))) == 11


@pytest.mark.parametrize("name", ["Shogi", "Minishogi", "Nine Men's Morris"])
def test_repaired_hands_tell_every_site_apart(name: str) -> None:
    faithful, repaired = load_game(name), load_game(name, hands="repaired")
    assert repaired.state_shape == faithful.state_shape
    sites = len(repaired.encoding.container_planes)
    assert len(set(repaired.encoding.cells[0].tolist())) == sites
    assert len(set(faithful.encoding.cells[0].tolist())) == sites - repaired.containers[2].sites


def test_large_local_states_share_a_plane() -> None:
    game = load_game("Reversi")
    state = game.new_state()
    first = game.state_channels.index("Local state == 0")
    for value in (4, 5, 9):
        state[game.encoding.local_states + 3] = value
        x, y = game.encoding.x[0, 3], game.encoding.y[0, 3]
        assert game.state_tensor(state)[first : first + 6, x, y].tolist() == [
            i == min(value, 5) for i in range(6)
        ]


def test_the_last_site_of_a_cell_gives_its_count() -> None:
    game = load_game("Minishogi")
    state = game.new_state()
    plane = game.state_channels.index("Counts (non-binary channel!)")
    hand = game.containers[2]
    state[HEADER + hand.first_site] = 4
    state[game.encoding.counts + hand.first_site] = 2
    tensor = game.state_tensor(state)
    assert tensor[plane, 0, 0] == 0  # of the empty last site of the hand, not of the hand's first or of A1
    state[game.encoding.counts + hand.first_site + hand.sites - 1] = 1
    assert game.state_tensor(state)[plane, 0, 0] == 1
    assert tensor[3, 0, 0] == 1  # the piece itself is seen


def test_stale_values_are_overwritten() -> None:
    game = load_game("Connect Four")
    state, size = game.new_state(), int(np.prod(game.state_shape))
    out = np.full(size, 7, np.float32)
    call_encode(game.encoding, state, out)
    assert (out.reshape(game.state_shape) == game.state_tensor(state)).all()


def test_unknown_layouts_are_refused() -> None:
    for arguments in ({"hex": "ludii"}, {"hands": "dense"}):
        with pytest.raises(CrossplayError, match=next(iter(arguments))):
            load_game("Tic-Tac-Toe", **arguments)
