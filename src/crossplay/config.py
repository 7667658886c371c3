"""Every setting of every stage, with its meaning, default and valid range.

The models are the one description of the configuration: ``config/schema.yaml`` is generated from
them (``crossplay config schema``), the workflow validates its file against that schema, and each
stage parses the section it is given with :func:`parse_settings`.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import re
import typing
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from crossplay.errors import CrossplayError

Mode = Literal["zero-shot", "fine-tune", "fine-tune-reinit"]
Fraction = Annotated[float, Field(gt=0, le=1)]
# Keys name files and parts of "source--target", so they hold no slash and no double hyphen.
Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$")]


class Settings(BaseModel):
    """Base of all sections: unknown keys are refused and values never change after parsing."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class GameChoice(Settings):
    """A game and the options it is played with."""

    game: str = Field(min_length=1, description="Name in the library, or path of a .lud file.")
    options: tuple[str, ...] = Field(default=(), description='Chosen options, such as "Board Size/7x7".')


class GameTable(Settings):
    """Several games by key."""

    games: dict[Key, GameChoice] = Field(min_length=1, description="The games, each under a short key.")


class LayoutSettings(Settings):
    """Where the sites of a game lie in its tensors; all games of an experiment share it."""

    hex: Literal["dense", "sparse"] = Field(
        default="dense",
        description="Boards of hexagons: rows of cells side by side, or spread as in Ludii.",
    )
    hands: Literal["repaired", "faithful"] = Field(
        default="repaired",
        description="Hands: every site a cell of its own, or mostly on the board's corner as in Ludii.",
    )


class NetworkSettings(Settings):
    """The policy-value network; source and target need the same one to exchange parameters."""

    architecture: str = Field(default="ResConvConvLogitPoolModelV2", description="Name of the architecture.")
    width: int = Field(default=32, ge=1, le=4096, description="Channels of the trunk.")
    blocks: int = Field(default=3, ge=1, le=100, description="Residual blocks.")
    layers_per_block: int = Field(default=2, ge=1, le=10, description="Convolutions in a block.")
    kernel: int = Field(default=3, ge=1, le=15, description="Side of the convolutions; odd.")
    global_pooling: float = Field(
        default=0.0, ge=0, le=1, description="Share of trunk channels that are pooled over the board."
    )
    batch_norm: bool = Field(default=True, description="Normalise batches in the trunk.")
    batch_norm_momentum: float = Field(
        default=0.1, gt=0, le=1, description="Momentum of the running statistics."
    )
    activation: str = Field(default="relu", description="Activation function.")

    @model_validator(mode="after")
    def _odd_kernel(self) -> NetworkSettings:
        if self.kernel % 2 == 0:
            raise ValueError(f"kernel: must be odd, got {self.kernel}")
        return self


class SelfPlaySettings(Settings):
    """How games are played to make training data."""

    games: int = Field(default=128, ge=1, le=65536, description="Games played side by side.")
    simulations: int = Field(default=32, ge=1, le=100_000, description="Simulations per move.")
    exploration: float = Field(default=1.5, gt=0, description="Exploration constant of PUCT.")
    first_play: Literal["polygames", "reduction"] = Field(
        default="polygames",
        description="Value of an unvisited move: mean of its siblings, or the parent's minus a reduction.",
    )
    first_play_reduction: float = Field(default=0.2, ge=0, le=2, description="The reduction of 'reduction'.")
    noise_fraction: float = Field(
        default=0.25, ge=0, le=1, description="Share of Dirichlet noise at the root."
    )
    noise_alpha: float = Field(
        default=10.0, gt=0, description="Total concentration; alpha is this per legal move."
    )
    temperature_plies: int = Field(
        default=10, ge=0, description="Plies at which moves are drawn by their visits."
    )
    forced_playouts: float = Field(
        default=0.0,
        ge=0,
        description="Strength of forced playouts with target pruning; 2 is usual, 0 is off.",
    )


class TrainingSettings(Settings):
    """Self-play training; it ends at the first budget that is used up."""

    positions: int = Field(default=40_000, ge=1, description="Budget: positions from self-play.")
    games: int | None = Field(default=None, ge=1, description="Optional budget: finished self-play games.")
    steps: int | None = Field(default=None, ge=1, description="Optional budget: optimiser steps.")
    seconds: float | None = Field(default=None, gt=0, description="Optional budget: wall-clock seconds.")
    batch_size: int = Field(default=256, ge=2, description="Positions in a minibatch.")
    learning_rate: float = Field(default=0.003, gt=0, le=1, description="Peak learning rate of AdamW.")
    weight_decay: float = Field(default=0.0001, ge=0, le=1, description="Weight decay of AdamW.")
    warmup_steps: int = Field(default=50, ge=0, description="Steps of linear learning-rate warm-up.")
    final_learning_rate_fraction: float = Field(
        default=0.05, ge=0, le=1, description="Learning rate at the end, as a share of the peak."
    )
    gradient_clip: float = Field(default=1.0, gt=0, description="Largest gradient norm.")
    value_weight: float = Field(
        default=1.5, ge=0, description="Weight of the value loss beside the policy loss."
    )
    samples_per_position: float = Field(default=8.0, gt=0, description="How often a position is trained on.")
    window: int = Field(default=12_000, ge=2, description="Positions kept for training.")
    warmup_positions: int = Field(default=2_000, ge=0, description="Positions played before the first step.")
    publish_every: int = Field(
        default=20, ge=1, description="Steps after which self-play gets the new network."
    )
    symmetries: bool = Field(default=True, description="Train on random board symmetries.")
    checkpoint_seconds: float = Field(default=30.0, gt=0, description="Seconds between checkpoints.")
    snapshots: tuple[Fraction, ...] = Field(
        default=(0.25, 0.5, 0.75),
        description="Shares of the budget at which a model is kept for learning curves.",
    )
    threads: int = Field(
        default=2, ge=1, le=256, description="Worker threads; 1 is reproducible to the last bit."
    )
    seed: int = Field(default=0, ge=0, lt=2**32, description="Added to the experiment's seed.")
    device: str = Field(default="auto", pattern=r"^(auto|cpu|cuda(:\d+)?)$", description="auto, cpu or cuda.")
    self_play: SelfPlaySettings = Field(
        default=SelfPlaySettings(), description="How training games are played."
    )

    @model_validator(mode="after")
    def _consistent(self) -> TrainingSettings:
        if self.warmup_positions > min(self.window, self.positions):
            raise ValueError(
                f"warmup_positions: must be at most window ({self.window}) and positions "
                f"({self.positions}), got {self.warmup_positions}"
            )
        if list(self.snapshots) != sorted(set(self.snapshots)):
            raise ValueError("snapshots: must increase")
        return self


class UctSettings(Settings):
    """The untrained opponent: tree search with random playouts."""

    iterations: int = Field(default=800, ge=1, le=10_000_000, description="Iterations per move.")
    playouts: int = Field(default=10, ge=1, le=10_000, description="Random playouts per iteration.")
    exploration: float = Field(default=1.1, gt=0, description="Exploration constant.")
    selection: Literal["puct", "ucb1"] = Field(default="puct", description="Selection formula.")


class EvaluationSettings(Settings):
    """Matches between players; both take each seat equally often."""

    games: int = Field(default=200, ge=2, multiple_of=2, description="Games between two models.")
    uct_games: int = Field(
        default=100, ge=2, multiple_of=2, description="Games of a final model against UCT."
    )
    curve_games: int = Field(
        default=40,
        ge=0,
        multiple_of=2,
        description="Games of each snapshot against UCT; 0 leaves out the curve.",
    )
    simulations: int = Field(default=40, ge=1, le=1_000_000, description="Simulations per move of a model.")
    exploration: float = Field(default=1.5, gt=0, description="Exploration constant of PUCT.")
    sampled_plies: int = Field(default=4, ge=0, description="Plies drawn at random, so that games differ.")
    threads: int = Field(default=2, ge=1, le=256, description="Threads, each with its share of the games.")
    seed: int = Field(default=0, ge=0, lt=2**32, description="Added to the experiment's seed.")
    uct: UctSettings = Field(default=UctSettings(), description="The untrained opponent.")


class SimilaritySettings(Settings):
    """How games are compared."""

    depth: int = Field(default=2, ge=1, le=6, description="Plies of the game trees that are compared.")


class TrainingSections(Settings):
    """Training of source models, and of target models (from scratch and fine-tuned alike)."""

    source: TrainingSettings = Field(default=TrainingSettings(), description="Training on a source game.")
    target: TrainingSettings = Field(
        default=TrainingSettings(), description="Training on a target game, from scratch and fine-tuning."
    )


class Experiment(GameTable):
    """One experiment: which games, what is transferred, and how everything is trained and measured."""

    experiment: Key = Field(description="Name; results go to results/NAME.")
    seed: int = Field(default=0, ge=0, lt=2**32, description="Seed of everything random.")
    layout: LayoutSettings = Field(default=LayoutSettings(), description="The layout of tensors.")
    sources: tuple[Key, ...] = Field(min_length=1, description="Keys of the games learned first.")
    targets: tuple[Key, ...] = Field(min_length=1, description="Keys of the games transferred to.")
    modes: tuple[Mode, ...] = Field(
        default=("zero-shot", "fine-tune", "fine-tune-reinit"), min_length=1, description="Kinds of transfer."
    )
    network: NetworkSettings = Field(default=NetworkSettings(), description="The network of all games.")
    training: TrainingSections = Field(
        default=TrainingSections(), description="Training budgets and settings."
    )
    evaluation: EvaluationSettings = Field(default=EvaluationSettings(), description="Matches.")
    similarity: SimilaritySettings = Field(default=SimilaritySettings(), description="Comparing games.")

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Source and target keys of every transfer."""
        return [(source, target) for source in self.sources for target in self.targets if source != target]

    @model_validator(mode="after")
    def _known_games(self) -> Experiment:
        for name in ("sources", "targets", "modes"):
            values: tuple[str, ...] = getattr(self, name)
            if len(set(values)) != len(values):
                raise ValueError(f"{name}: lists the same entry twice")
        for name in ("sources", "targets"):
            for key in getattr(self, name):
                if key not in self.games:
                    raise ValueError(f"{name}: no game {key!r} in games{_close(key, self.games)}")
        if not self.pairs:
            raise ValueError("targets: no target differs from every source, so nothing is transferred")
        return self


SettingsType = TypeVar("SettingsType", bound=Settings)


def parse_settings(model: type[SettingsType], text_or_path: str | Path) -> SettingsType:
    """Read settings from a YAML or JSON file, or from JSON text that begins with ``{``.

    Raises:
        CrossplayError: one line with the file (or "settings"), the key, and what is valid there.
    """
    text = str(text_or_path)
    if text.lstrip().startswith("{"):
        return check_settings(model, _load_yaml(text, "settings"), "settings")
    try:
        content = Path(text).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        raise CrossplayError(f"{text}: cannot read settings: {reason}") from error
    return check_settings(model, _load_yaml(content, text), text)


def check_settings(model: type[SettingsType], data: Any, origin: str) -> SettingsType:
    """Validate plain data (as from YAML) strictly; ``origin`` names it in errors."""
    if not isinstance(data, dict):
        raise CrossplayError(f"{origin}: must hold keys and values, not {_type_name(data)}")
    try:
        # Through JSON, so that text is never taken for a number and lists become tuples.
        return model.model_validate_json(json.dumps(data), strict=True)
    except (TypeError, ValueError) as error:
        if isinstance(error, ValidationError):
            raise CrossplayError(_first_fault(model, error, origin)) from error
        raise CrossplayError(f"{origin}: holds a value that is no text, number, list or mapping") from error


def experiment_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of :class:`Experiment`, references replaced by what they name."""
    schema = Experiment.model_json_schema()
    definitions = schema.pop("$defs")

    def inline(node: Any) -> Any:
        if isinstance(node, list):
            return [inline(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            target = definitions[node["$ref"].rsplit("/", 1)[1]]
            node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
        # Titles only repeat the key.
        return {
            key: inline(value) for key, value in node.items() if key != "title" or isinstance(value, dict)
        }

    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **inline(schema)}


def schema_text() -> str:
    """The text of ``config/schema.yaml``."""
    header = "# Made from src/crossplay/config.py by 'crossplay config schema'; change it there.\n"
    return header + yaml.safe_dump(experiment_schema(), sort_keys=False, width=110, allow_unicode=True)


def _load_yaml(text: str, origin: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{origin}:{mark.line + 1}:{mark.column + 1}" if mark else origin
        raise CrossplayError(
            f"{place}: not valid YAML: {getattr(error, 'problem', None) or 'unreadable'}"
        ) from error


def _first_fault(model: type[Settings], error: ValidationError, origin: str) -> str:
    faults = error.errors(include_url=False)
    fault = faults[0]
    where = ".".join(str(part) for part in fault["loc"] if part != "[key]")
    # Our own checks name the key within their section themselves.
    joint = "" if not where else "." if fault["type"] == "value_error" else ": "
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{origin}: {where}{joint}{_explain(model, fault)}{more}"


def _explain(model: type[Settings], fault: ErrorDetails) -> str:
    """What is wrong with one value, in words of the configuration rather than of pydantic."""
    kind, value = fault["type"], fault["input"]
    if kind == "extra_forbidden":
        section = _section(model, fault["loc"][:-1])
        keys = list(section.model_fields) if section else []
        return f"unknown key{_close(str(fault['loc'][-1]), keys)}"
    if kind == "missing":
        return "missing"
    if kind == "value_error":
        return fault["msg"].removeprefix("Value error, ")
    message = re.sub(r"^(Input|String|Tuple|Dictionary) should", "must", fault["msg"])
    if isinstance(value, dict):
        return message
    if isinstance(value, str) and kind in ("float_type", "int_type"):
        with contextlib.suppress(ValueError):  # YAML reads 3e-3, with no dot, as text
            return f"{message}, got the text {value!r} (write {float(value):g})"
    return f"{message}, got {json.dumps(value, default=str)}"


def _section(model: type[Settings], path: tuple[int | str, ...]) -> type[Settings] | None:
    """The model that describes the section at ``path``."""
    current: Any = model
    for part in path:
        if isinstance(current, type) and issubclass(current, BaseModel):
            if part not in current.model_fields:
                return None
            current = current.model_fields[str(part)].annotation
        else:  # a mapping of sections, such as games
            arguments = typing.get_args(current)
            current = arguments[-1] if arguments else None
    return current if isinstance(current, type) and issubclass(current, Settings) else None


def _close(word: str, known: typing.Iterable[str]) -> str:
    """How to go on after a wrong word: close matches, or all that is valid."""
    known = list(known)
    if matches := difflib.get_close_matches(word, known, n=3):
        return f"; did you mean {' or '.join(matches)}?"
    return f"; known: {', '.join(known)}" if known else ""


def _type_name(value: Any) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"
