"""Players of a match: how one is written down, and the object that chooses its moves in many games.

A player is written as a mapping, ``{"kind": "uct", "iterations": 800}``, or as text: ``random``,
``uct:iterations=800,playouts=10``, ``model:FILE,simulations=40``, or just ``FILE.safetensors``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import yaml
from numba import njit, types
from pydantic import Field

from crossplay.config import Settings, UctSettings, check_settings
from crossplay.errors import CrossplayError
from crossplay.games.random import below
from crossplay.games.state import LEGAL, MOVE_LIST, RANDOM_STATE
from crossplay.search.puct import BatchedSearch, Evaluate
from crossplay.search.tree import STATES, SearchParameters, search_parameters
from crossplay.search.uct import UctSearch

if TYPE_CHECKING:
    from crossplay.games import Game


class Player(Protocol):
    """Chooses moves in several games at once."""

    def choose(self, games: np.ndarray, states: np.ndarray, exponents: np.ndarray) -> np.ndarray:
        """The moves to play.

        Args:
            games: ``int64[n]`` distinct numbers of games; one game keeps its number.
            states: ``int16[n, L]`` their positions, none of them over.
            exponents: ``float64[n]``; 0 asks for the best move, otherwise a move is drawn with probability
                proportional to its visits to that power.

        Returns:
            ``int64[n]`` legal moves.
        """


class PlayerSpec(Protocol):
    """What is needed to make a player."""

    @property
    def label(self) -> str:
        """A short name for tables and messages."""

    def player(self, game: Game, streams: np.ndarray) -> Player:
        """Make a player of ``len(streams)`` games; ``streams uint64[n]`` are the games' random streams."""


class RandomSpec(Settings):
    """A player whose moves are uniformly random."""

    kind: Literal["random"] = "random"

    @property
    def label(self) -> str:
        """A short name for tables and messages."""
        return "random"

    def player(self, game: Game, streams: np.ndarray) -> Player:
        """See :class:`PlayerSpec`."""
        return RandomPlayer(game, streams)


class UctSpec(UctSettings):
    """The untrained opponent: tree search with random playouts."""

    kind: Literal["uct"] = "uct"
    playout_limit: int = Field(default=200, ge=1, description="Moves after which a playout is a draw.")

    @property
    def label(self) -> str:
        """A short name for tables and messages."""
        formula = "UCT" if self.selection == "puct" else self.selection.upper()
        return f"{formula}({self.iterations} x {self.playouts})"

    def player(self, game: Game, streams: np.ndarray) -> Player:
        """See :class:`PlayerSpec`."""
        return UctPlayer(game, self, streams)


@dataclass(frozen=True)
class NetworkSpec:
    """A network in memory, searching with PUCT; every thread of a match calls ``evaluate``."""

    label: str
    evaluate: Evaluate
    parameters: SearchParameters

    def player(self, game: Game, streams: np.ndarray) -> Player:
        """See :class:`PlayerSpec`."""
        return NetworkPlayer(game, self, streams)


class ModelSpec(Settings):
    """The network of a model file, searching with PUCT."""

    kind: Literal["model"] = "model"
    file: str = Field(min_length=1, description="Model file that training or transfer wrote.")
    simulations: int = Field(default=40, ge=1, le=1_000_000, description="Simulations per move.")
    exploration: float = Field(default=1.5, gt=0, description="Exploration constant of PUCT.")
    first_play: Literal["polygames", "reduction"] = Field(
        default="polygames", description="Value of an unvisited move."
    )
    first_play_reduction: float = Field(default=0.2, ge=0, le=2, description="The reduction of 'reduction'.")
    device: str = Field(default="auto", description="auto, cpu or cuda.")

    @property
    def label(self) -> str:
        """A short name for tables and messages."""
        return f"{self.file} ({self.simulations})"

    def player(self, game: Game, streams: np.ndarray) -> Player:
        """See :class:`PlayerSpec`.

        Raises:
            CrossplayError: the file cannot be loaded, or its network is for other tensors than the game's.
        """
        from crossplay.networks.files import load_model
        from crossplay.networks.inference import Evaluator

        network, header = load_model(Path(self.file))
        layout = game.layout._asdict()
        if header.layout != layout:
            raise CrossplayError(
                f"{self.file}: its network reads the tensor layout {dict(header.layout)}, but the game is"
                f" loaded with {layout}; load it with the model's layout, which both players must share"
            )
        for what, theirs, ours in (
            ("state", header.state_channels, game.state_channels),
            ("move", header.move_channels, game.move_channels),
        ):
            if list(theirs) != list(ours):
                raise CrossplayError(
                    f"{self.file}: its network, made for {header.game}, has other {what} channels than"
                    f" {game.name}; transfer the model to this game first"
                )
        parameters = search_parameters(
            self.simulations,
            exploration=self.exploration,
            first_play=self.first_play,
            first_play_reduction=self.first_play_reduction,
        )
        evaluate = Evaluator(network, game.state_shape, self.device)
        return NetworkSpec(self.label, evaluate, parameters).player(game, streams)


KINDS: dict[str, type[RandomSpec | UctSpec | ModelSpec]] = {
    "model": ModelSpec,
    "uct": UctSpec,
    "random": RandomSpec,
}


def parse_player(written: str | Mapping[str, Any], origin: str = "player") -> PlayerSpec:
    """Read a player as described in the module's docstring; ``origin`` names it in errors.

    Raises:
        CrossplayError: unknown kind, unknown key, or a value out of range.
    """
    fields = _fields(written, origin) if isinstance(written, str) else dict(written)
    kind = fields.get("kind")
    if kind not in KINDS:
        raise CrossplayError(f"{origin}: kind must be one of {', '.join(KINDS)}, got {kind!r}")
    return check_settings(KINDS[kind], fields, origin)


def _fields(text: str, origin: str) -> dict[str, Any]:
    if text.endswith(".safetensors") and not text.startswith("model:"):
        return {"kind": "model", "file": text}
    kind, _, rest = text.partition(":")
    fields: dict[str, Any] = {"kind": kind}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if equals:
            fields[key] = yaml.safe_load(value)
        elif kind == "model" and "file" not in fields:
            fields["file"] = part
        else:
            raise CrossplayError(f"{origin}: {part!r} in {text!r} is not of the form key=value")
    return fields


@njit(
    types.void(LEGAL, STATES, RANDOM_STATE, RANDOM_STATE, MOVE_LIST, MOVE_LIST),
    cache=True,
    nogil=True,
)
def random_moves(
    legal: Any,
    states: np.ndarray,
    streams: np.ndarray,
    rng: np.ndarray,
    moves: np.ndarray,
    chosen: np.ndarray,
) -> None:
    """Draw a move for each state from its own stream; ``rng uint64[1]`` and ``moves`` are scratch space."""
    for i in range(states.shape[0]):
        rng[0] = streams[i]
        chosen[i] = moves[below(rng, legal(states[i], moves))]
        streams[i] = rng[0]


class RandomPlayer:
    """Plays uniformly random moves."""

    def __init__(self, game: Game, streams: np.ndarray) -> None:
        self._legal = game.kernels.legal
        self._streams = streams.copy()
        self._rng = np.zeros(1, np.uint64)
        self._moves = np.zeros(game.max_moves, np.int64)

    def choose(self, games: np.ndarray, states: np.ndarray, exponents: np.ndarray) -> np.ndarray:
        """See :class:`Player`."""
        chosen = np.empty(len(games), np.int64)
        streams = self._streams[games]
        random_moves(self._legal, states, streams, self._rng, self._moves, chosen)
        self._streams[games] = streams
        return chosen


class UctPlayer:
    """Searches with random playouts."""

    def __init__(self, game: Game, spec: UctSpec, streams: np.ndarray) -> None:
        self._streams = streams.copy()
        self._search = UctSearch(
            game,
            spec.iterations,
            playouts=spec.playouts,
            exploration=spec.exploration,
            selection=spec.selection,
            playout_limit=spec.playout_limit,
        )

    def choose(self, games: np.ndarray, states: np.ndarray, exponents: np.ndarray) -> np.ndarray:
        """See :class:`Player`."""
        streams = self._streams[games]
        chosen = self._search.choose(states, streams, exponents)
        self._streams[games] = streams
        return chosen


class NetworkPlayer:
    """Searches with a network."""

    def __init__(self, game: Game, spec: NetworkSpec, streams: np.ndarray) -> None:
        self._evaluate = spec.evaluate
        self._search = BatchedSearch(game, spec.parameters, len(streams), streams)

    def choose(self, games: np.ndarray, states: np.ndarray, exponents: np.ndarray) -> np.ndarray:
        """See :class:`Player`."""
        self._search.search(games, states, self._evaluate)
        return self._search.choose(games, exponents)
