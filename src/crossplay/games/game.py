"""A playable game: compiled rules, the meaning of its tensors, and slow, convenient methods."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crossplay.errors import UnknownGame
from crossplay.games import text
from crossplay.games.board import Board
from crossplay.games.compiler import (
    Component,
    Container,
    Flags,
    generate,
    keep_generated,
    load_kernels,
    read_model,
    rule_symmetries,
)
from crossplay.games.kernels import (
    call_action,
    call_apply,
    call_encode,
    call_legal,
    call_start,
    count_leaves,
)
from crossplay.games.language import ExpandedDescription, load_description, to_text
from crossplay.games.layout import Layout
from crossplay.games.state import (
    AGENT,
    DRAW,
    MOVER,
    OUTCOME,
    RUNNING,
    Kernels,
)
from crossplay.games.tensors import build_encoding, move_channel_names, state_channel_names

MOVES_PER_SITE = 4  # hardly any position of any game has more legal moves


class LegalMove(NamedTuple):
    """A legal move: the packed move, its action (several moves may share one), and readable text."""

    move: int
    action: int
    text: str


class Game:
    """One game with its options chosen; make it with :func:`load_game`.

    Attributes:
        name, options: the game's name and every option selected, defaults included.
        reference: what ``load_game`` was given: a library name or a path.
        layout: how sites are laid out in tensors.
        players: 2.
        components, containers, board, flags: the equipment.
        kernels: the rules as first-class numba functions.
        encoding: tables for the tensor kernels.
        state_size: length of a state row (``int16``); tensors depend on its first ``tensor_size`` cells.
        max_moves, max_plies: bounds on the legal moves of a position and on the moves of a game.
        usual_moves: how many legal moves positions have at most, but for rare ones.
        state_shape, move_shape: ``(channels, X, Y)`` of the state and action tensors.
        state_channels, move_channels: the channels' names.
        n_actions: size of the flat action space.
        description: the expanded game description.
        source: the generated source of the kernels.
    """

    players = 2

    def __init__(
        self, description: ExpandedDescription, layout: Layout, reference: str | None = None
    ) -> None:
        layout.check()
        model, heading = read_model(description.game), _heading(description)
        generated = keep_generated(
            f"{heading}\n{to_text(description.game)}", lambda: generate(model, heading)
        )
        self.description = description
        self.name = model.name
        self.reference = reference or model.name
        self.options: tuple[str, ...] = description.selections
        self.layout = layout
        self.board: Board = model.board
        self.components: tuple[Component, ...] = model.components
        self.containers: tuple[Container, ...] = model.containers
        self.flags: Flags = model.flags
        self.source, self.state_size = generated.text, generated.state_size
        self.max_moves, self.max_plies = generated.max_moves, generated.max_plies
        module = load_kernels(self.source, self.name)
        self.kernels = Kernels(module.start, module.legal, module.apply, module.playout)
        self.sections, self.tensor_size = generated.sections, generated.tensor_size
        self.usual_moves = min(self.max_moves, MOVES_PER_SITE * self.board.n_sites)
        self.encoding = build_encoding(
            self.board,
            self.components,
            self.containers,
            self.flags,
            layout,
            rule_symmetries(model),
            generated.sections,
            generated.max_height,
        )
        self.state_channels = state_channel_names(self.components, self.containers, self.flags)
        self.move_channels = move_channel_names(self.flags)
        width, height = self.encoding.width, self.encoding.height
        self.state_shape = (len(self.state_channels), width, height)
        self.move_shape = (len(self.move_channels), width, height)
        self.n_actions = len(self.move_channels) * width * height

    def __repr__(self) -> str:
        return f"Game({self.name!r}, options={list(self.options)!r}, {self.layout})"

    def new_state(self) -> np.ndarray:
        """Return the initial position, ``int16[state_size]``."""
        state = np.zeros(self.state_size, np.int16)
        call_start(self.kernels.start, state)
        return state

    def _moves(self, state: np.ndarray) -> list[int]:
        buffer = np.empty(self.max_moves, np.int64)
        return buffer[: call_legal(self.kernels.legal, state, buffer)].tolist()

    def action(self, move: int) -> int:
        """The flat action index of a move."""
        return int(call_action(self.encoding, move))

    def legal_moves(self, state: np.ndarray) -> list[LegalMove]:
        """Every legal move, in the kernels' order; empty once the game is over."""
        moves = self._moves(state)
        texts = text.move_texts(self, state, moves)
        return [LegalMove(*found) for found in zip(moves, map(self.action, moves), texts, strict=True)]

    def legal_actions(self, state: np.ndarray) -> list[int]:
        """The distinct legal action indices, sorted."""
        return sorted({self.action(move) for move in self._moves(state)})

    def apply(self, state: np.ndarray, move: int) -> None:
        """Make a legal move on ``state``, in place.

        Raises:
            ValueError: the move is not legal here.
        """
        if move not in self._moves(state):
            raise ValueError(f"{self.name}: {move} is not a legal move here")
        call_apply(self.kernels.apply, state, move)

    def apply_action(self, state: np.ndarray, action: int) -> None:
        """Make the first legal move with that action index, in place.

        Raises:
            ValueError: no legal move has that index.
        """
        for move in self._moves(state):
            if self.action(move) == action:
                call_apply(self.kernels.apply, state, move)
                return
        raise ValueError(f"{self.name}: no legal move has action {action}")

    def mover(self, state: np.ndarray) -> int:
        """The colour to move, 1 or 2."""
        return int(state[MOVER])

    def agent(self, state: np.ndarray) -> int:
        """The player behind the colour to move, 1 or 2; differs from the colour after a swap."""
        return int(state[AGENT])

    def is_terminal(self, state: np.ndarray) -> bool:
        """Whether the game is over."""
        return bool(state[OUTCOME] != RUNNING)

    def utilities(self, state: np.ndarray) -> tuple[float, float]:
        """Utilities in [-1, 1] of agents 1 and 2; zeros for a draw or a running game."""
        outcome = int(state[OUTCOME])
        if outcome in (RUNNING, DRAW):
            return 0.0, 0.0
        return (1.0, -1.0) if outcome == 1 else (-1.0, 1.0)

    def state_tensor(self, state: np.ndarray) -> np.ndarray:
        """The state's tensor, ``float32[channels, X, Y]``."""
        out = np.empty(int(np.prod(self.state_shape)), np.float32)
        call_encode(self.encoding, state, out)
        return out.reshape(self.state_shape)

    def move_text(self, state: np.ndarray, move: int) -> str:
        """A move in words, see :func:`crossplay.games.text.move_text`."""
        return text.move_text(self, state, move)

    def render(self, state: np.ndarray) -> str:
        """The position as text, see :func:`crossplay.games.text.render`."""
        return text.render(self, state)

    def perft(self, depth: int) -> list[int]:
        """Numbers of move sequences of exactly 1, 2, .. ``depth`` plies from the initial position."""
        counts = []
        for d in range(1, depth + 1):
            states = np.zeros((d, self.state_size), np.int16)
            states[0] = self.new_state()
            moves = np.empty((d, self.max_moves), np.int64)
            cursor = np.zeros(2 * d, np.int64)
            leaves = count_leaves(self.kernels.legal, self.kernels.apply, states, moves, cursor, d)
            counts.append(int(leaves))
        return counts


def list_games() -> list[str]:
    """Names of the games in the library, sorted."""
    files = resources.files("crossplay.games.library").iterdir()
    return sorted(file.name.removesuffix(".lud") for file in files if file.name.endswith(".lud"))


def _heading(description: ExpandedDescription) -> str:
    options = ", ".join(description.selections) or "no options"
    return f"Kernels of {description.name} ({options}), generated: do not edit."


def _find_description(name: str) -> Path:
    if name.endswith(".lud"):
        path = Path(name)
        if not path.is_file():
            raise UnknownGame(f"no game description at {name}; give the path of a .lud file")
        return path
    library = list_games()
    if name not in library:
        near = get_close_matches(name, library, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UnknownGame(f"unknown game {name!r}; {hint}the library has: {', '.join(library)}")
    return Path(str(resources.files("crossplay.games.library") / f"{name}.lud"))


def translate(name: str, options: Sequence[str] = ()) -> str:
    """The source of a game's kernels, not compiled yet; arguments and errors as for :func:`load_game`."""
    description = load_description(_find_description(name), options)
    return generate(read_model(description.game), _heading(description)).text


def load_game(name: str, options: Sequence[str] = (), hex: str = "sparse", hands: str = "faithful") -> Game:
    """Load a game of the library by name, or a description file by its path.

    Args:
        name: ``"Hex"``, or a path that ends in ``.lud``.
        options: selections such as ``"Board Size/7x7"``; what is not selected takes its default.
        hex, hands: how sites are laid out in tensors, see :class:`crossplay.games.layout.Layout`; by default
            as Ludii does.

    Raises:
        UnknownGame: neither a library game nor a file.
        UnknownOption: the game has no such option.
        LudSyntaxError, UnsupportedLudeme: the description cannot be read or compiled.
    """
    return Game(load_description(_find_description(name), options), Layout(hex, hands), name)
