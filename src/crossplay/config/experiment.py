"""Settings of learning board games, of carrying what was learned over, and of whole experiments."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

from pydantic import Field, model_validator

from crossplay.config.base import Fraction, Key, Settings
from crossplay.config.ntuple import NtupleStudy
from crossplay.config.parsing import close_matches

Mode = Literal["zero-shot", "fine-tune", "fine-tune-reinit"]


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
    blocks: int = Field(
        default=3, ge=1, le=100, description="Residual blocks, blocks of a U, or layers of a deep network."
    )
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
    value_head: Literal["tanh", "wdl"] = Field(
        default="tanh", description="One expected value, or odds of win, draw and loss."
    )
    masked: bool = Field(
        default=False, description="Leave cells that do not exist out of pooling and batch statistics."
    )

    @model_validator(mode="after")
    def _odd_kernel(self) -> NetworkSettings:
        if self.kernel % 2 == 0:
            raise ValueError(f"kernel: must be odd, got {self.kernel}")
        return self


class SelfPlaySettings(Settings):
    """How games are played to make training data."""

    games: Annotated[int, Field(ge=1, le=65536)] | Literal["auto"] = Field(
        default=128,
        description="Games played side by side; auto measures how many keep the network fast.",
    )
    simulations: int = Field(default=32, ge=2, le=65_535, description="Simulations per move.")
    full_search_share: Fraction = Field(
        default=1.0,
        description="Share of moves with a full search; others are fast, without noise, and not trained on.",
    )
    fast_simulations: int = Field(default=8, ge=2, le=65_535, description="Simulations of a fast search.")
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
    sampling: Literal["visits", "polygames"] = Field(
        default="visits",
        description="Weights of moves that are drawn: their visits, or exp(2 p^2) - 1 + 0.5 / moves.",
    )
    random_movers: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="Share of players that move at random with probability 4 / (ply + 10)^2.",
    )
    random_starts: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="Share of games that begin with random moves, up to the average length of a game.",
    )
    resign_share: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="Share of games in which players resign; the others tell how often that is wrong.",
    )
    resign_threshold: float = Field(
        default=0.95, gt=0, le=1, description="Value below whose negative a player may resign."
    )
    resign_plies: int = Field(
        default=7, ge=1, description="Searches of both players in a row that must agree on it."
    )
    forced_playouts: float = Field(
        default=0.0,
        ge=0,
        description="Strength of forced playouts with target pruning; 2 is usual, 0 is off.",
    )
    terminal_weight: float = Field(
        default=1.0, gt=0, le=100, description="How often the end of a game counts beside an evaluation."
    )
    tree_reuse: bool = Field(
        default=True, description="Begin a search with what the one before found out about the position."
    )
    cache_megabytes: float = Field(
        default=0.0, ge=0, le=1e6, description="Memory of each thread for evaluations that are met again."
    )
    considered: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="Moves considered by a Gumbel root with sequential halving; 0 is PUCT at the root.",
    )
    value_scale: float = Field(
        default=1.0, gt=0, description="Weight of values beside priors at a Gumbel root."
    )

    @model_validator(mode="after")
    def _gumbel_root(self) -> SelfPlaySettings:
        if self.considered == 1:
            raise ValueError("considered: must be at least 2, or 0 for no Gumbel root")
        for name in ("tree_reuse", "forced_playouts", "noise_fraction"):
            if self.considered and (value := getattr(self, name)):
                off = "false" if value is True else "0"
                raise ValueError(f"considered: a Gumbel root goes without {name}; set {name} to {off}")
        return self

    @model_validator(mode="after")
    def _fast_searches(self) -> SelfPlaySettings:
        if self.full_search_share < 1 and self.fast_simulations > self.simulations:
            raise ValueError(
                f"fast_simulations: must be at most simulations ({self.simulations}), "
                f"got {self.fast_simulations}"
            )
        return self


class TrainingSettings(Settings):
    """Self-play training; it ends at the first budget that is used up."""

    positions: int = Field(default=40_000, ge=1, description="Budget: positions from self-play.")
    games: int | None = Field(default=None, ge=1, description="Optional budget: finished self-play games.")
    steps: int | None = Field(default=None, ge=1, description="Optional budget: optimiser steps.")
    seconds: float | None = Field(default=None, gt=0, description="Optional budget: wall-clock seconds.")
    batch_size: int = Field(default=256, ge=2, description="Positions in a minibatch.")
    optimiser: Literal["adamw", "adam"] = Field(
        default="adamw", description="Adam with its weight decay apart from the gradients, or within them."
    )
    learning_rate: float = Field(default=0.003, gt=0, le=1, description="Peak learning rate.")
    weight_decay: float = Field(default=0.0001, ge=0, le=1, description="Weight decay.")
    epsilon: float = Field(default=1e-5, gt=0, le=1, description="Adam's term beside the second moment.")
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
    self_play_processes: int = Field(
        default=0,
        ge=0,
        le=1024,
        description="Processes that play, each with so many threads and games and, where there are several, a"
        " GPU of its own, while this one learns; 0 for threads that do both.",
    )
    seed: int = Field(default=0, ge=0, lt=2**32, description="Added to the experiment's seed.")
    device: str = Field(default="auto", pattern=r"^(auto|cpu|cuda(:\d+)?)$", description="auto, cpu or cuda.")
    precision: Literal["float32", "bfloat16"] = Field(
        default="float32",
        description="Arithmetic of evaluations in self-play; bfloat16 is for GPUs, slow on most processors.",
    )
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
    ladder_games: int = Field(
        default=40,
        ge=0,
        multiple_of=2,
        description="Games of each match of a training's models among each other; 0 leaves out the ladder.",
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


class TrainingName(NamedTuple):
    """A training: its game, its role or mode of transfer, and the game that its network comes from."""

    game: str
    mode: str
    source: str | None = None

    @property
    def player(self) -> str:
        """Its name in paths: ``source/hex5``, ``scratch/hex7``, ``transfer/hex5--hex7/fine-tune``."""
        return (
            f"{self.mode}/{self.game}"
            if self.source is None
            else (f"transfer/{self.source}--{self.game}/{self.mode}")
        )


class TrainingSections(Settings):
    """Training of source models, and of target models (from scratch and fine-tuned alike)."""

    source: TrainingSettings = Field(default=TrainingSettings(), description="Training on a source game.")
    target: TrainingSettings = Field(
        default=TrainingSettings(), description="Training on a target game, from scratch and fine-tuning."
    )


class Experiment(Settings):
    """One experiment: which games, what is transferred, and how everything is trained and measured.

    Transfer between board games (games, sources and targets), learnings of 2048 (ntuple), or both.
    """

    experiment: Key = Field(description="Name; results go to results/NAME.")
    seed: int = Field(default=0, ge=0, lt=2**32, description="Seed of everything random.")
    layout: LayoutSettings = Field(default=LayoutSettings(), description="The layout of tensors.")
    games: dict[Key, GameChoice] = Field(default={}, description="The games, each under a short key.")
    sources: tuple[Key, ...] = Field(default=(), description="Keys of the games learned first.")
    targets: tuple[Key, ...] = Field(default=(), description="Keys of the games transferred to.")
    modes: tuple[Mode, ...] = Field(
        default=("zero-shot", "fine-tune", "fine-tune-reinit"), min_length=1, description="Kinds of transfer."
    )
    network: NetworkSettings = Field(default=NetworkSettings(), description="The network of all games.")
    training: TrainingSections = Field(
        default=TrainingSections(), description="Training budgets and settings."
    )
    evaluation: EvaluationSettings = Field(default=EvaluationSettings(), description="Matches.")
    similarity: SimilaritySettings = Field(default=SimilaritySettings(), description="Comparing games.")
    ntuple: NtupleStudy = Field(default=NtupleStudy(), description="Learnings of 2048.")

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Source and target keys of every transfer."""
        return [(source, target) for source in self.sources for target in self.targets if source != target]

    @property
    def trainings(self) -> list[TrainingName]:
        """Every training of a network: sources, targets from scratch, and those after a transfer."""
        return [
            *(TrainingName(source, "source") for source in self.sources),
            *(TrainingName(target, "scratch") for target in self.targets),
            *(
                TrainingName(target, mode, source)
                for source, target in self.pairs
                for mode in self.modes
                if mode != "zero-shot"
            ),
        ]

    @model_validator(mode="after")
    def _known_games(self) -> Experiment:
        if not (self.games or self.sources or self.targets):
            if not self.ntuple.runs:
                raise ValueError("games: missing, with sources and targets, or else ntuple.runs")
            return self
        for name in ("games", "sources", "targets"):
            if not getattr(self, name):
                raise ValueError(f"{name}: missing")
        for name in ("sources", "targets", "modes"):
            values: tuple[str, ...] = getattr(self, name)
            if len(set(values)) != len(values):
                raise ValueError(f"{name}: lists the same entry twice")
        for name in ("sources", "targets"):
            for key in getattr(self, name):
                if key not in self.games:
                    raise ValueError(f"{name}: no game {key!r} in games{close_matches(key, self.games)}")
        if not self.pairs:
            raise ValueError("targets: no target differs from every source, so nothing is transferred")
        return self
