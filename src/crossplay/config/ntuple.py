"""Settings of learning 2048 with n-tuple networks, and of studies that compare several learnings."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from crossplay.config.base import Key, Settings
from crossplay.config.parsing import close_matches

Stages = Literal[1, 2, 4, 8, 16, 32]


class NtupleSettings(Settings):
    """One learning of 2048: the network, the rule that corrects it, and the budget."""

    network: str = Field(
        default="42-33",
        min_length=1,
        description="Its tuples: shapes, as 42-33, 421-43 or 42-33-4-22-3, or cells, as 0,1,2,3;4,5,6,7.",
    )
    rule: Literal["td", "tc", "autostep"] = Field(default="tc", description="The learning rule.")
    rate: float | None = Field(
        default=None,
        gt=0,
        le=10,
        description="Learning rate: alpha of td (default 0.1), beta of tc (1) or first step of autostep (1).",
    )
    meta_rate: float = Field(default=0.01, gt=0, le=10, description="Meta rate mu of autostep.")
    decay: float | None = Field(
        default=None,
        ge=0,
        lt=1,
        description="Lambda, how far errors reach back; 0.5 if not given, but 0 for autostep.",
    )
    horizon: int | None = Field(
        default=None,
        ge=1,
        le=64,
        description="Afterstates that an error reaches; by default those it reaches with a tenth or more.",
    )
    delayed: bool = Field(
        default=True, description="Correct each afterstate once, when all errors that reach it are known."
    )
    stages: Stages = Field(default=1, description="Stages of the game, each with tables of its own.")
    promotion: bool = Field(
        default=True, description="Weights of a stage that are still 0 take the values of the stage before."
    )
    carousel_stages: Stages = Field(
        default=1, description="Stages between which the beginnings of games go round; 1 is off."
    )
    optimistic: float = Field(
        default=0.0, ge=0, le=1e7, description="Value of a board that was never seen; 0 to 400000 are usual."
    )
    actions: int = Field(
        default=10_000_000, ge=1, le=10**14, description="Budget: moves made while learning."
    )
    threads: int = Field(
        default=1, ge=1, le=256, description="Threads that learn; 1 is reproducible to the last bit."
    )
    seed: int = Field(default=0, ge=0, lt=2**32, description="Added to the experiment's seed.")
    evaluate_every: int = Field(
        default=0, ge=0, description="Actions between evaluations; 0 evaluates at the end only."
    )
    games: int = Field(
        default=1000, ge=0, le=10**7, description="Games of an evaluation without search; 0 leaves it out."
    )
    search_every: int = Field(
        default=0, ge=0, description="Actions between evaluations with search; 0 leaves them out."
    )
    search_games: int = Field(default=300, ge=1, le=10**7, description="Games of an evaluation with search.")
    search_plies: int = Field(default=3, ge=2, le=8, description="Plies of an evaluation with search.")
    initial: str | None = Field(
        default=None, description="Another run's folder or model, whose weights the learning starts from."
    )
    checkpoint_seconds: float = Field(default=120.0, gt=0, description="Seconds between checkpoints.")
    keep_checkpoint: bool = Field(
        default=False, description="Keep the last checkpoint, so that a larger budget can continue from it."
    )

    @property
    def chosen_decay(self) -> float:
        """Lambda, or the rule's default."""
        if self.decay is not None:
            return self.decay
        return 0.0 if self.rule == "autostep" else 0.5

    def resolved(self) -> NtupleSettings:
        """The settings with the rule's defaults filled in."""
        rate = self.rate if self.rate is not None else {"td": 0.1, "tc": 1.0, "autostep": 1.0}[self.rule]
        return self.model_copy(update={"rate": rate, "decay": self.chosen_decay})

    @model_validator(mode="after")
    def _consistent(self) -> NtupleSettings:
        if self.rule == "autostep" and self.chosen_decay > 0:
            raise ValueError(f"decay: must be 0 for autostep, got {self.decay:g}")
        if self.horizon is not None and self.horizon > 1 and self.chosen_decay == 0:
            raise ValueError(f"horizon: must be 1 when decay is 0, got {self.horizon}")
        return self


class NtupleEvaluation(Settings):
    """Games of finished networks, with and without search."""

    games: int = Field(default=1000, ge=2, le=10**8, description="Games of each network without search.")
    search_games: int = Field(default=300, ge=0, le=10**7, description="Games with search; 0 leaves it out.")
    search_plies: int = Field(default=3, ge=2, le=8, description="Plies of the search.")
    downgrade: bool = Field(
        default=False, description="Judge boards with a tile of 32768 as if their large tiles were halved."
    )
    threads: int = Field(default=1, ge=1, le=256, description="Threads, each with its share of the games.")
    seed: int = Field(default=0, ge=0, lt=2**32, description="Added to the experiment's seed.")


class NtupleStudy(Settings):
    """Learnings of 2048 that are compared with each other."""

    runs: dict[Key, NtupleSettings] = Field(
        default={}, description="Learnings, each under a short key; 'initial' is the key of another one."
    )
    repeats: int = Field(
        default=1, ge=1, le=1000, description="Times that each is done; results are then KEY-1, KEY-2, ..."
    )
    tables: dict[str, tuple[Key, ...]] = Field(
        default={}, description="Tables of the report: a title and the runs in it; by default all in one."
    )
    evaluation: NtupleEvaluation = Field(default=NtupleEvaluation(), description="Games at the end.")

    @model_validator(mode="after")
    def _known_runs(self) -> NtupleStudy:
        for title, keys in self.tables.items():
            for key in keys:
                if key not in self.runs:
                    raise ValueError(f"tables.{title}: no run {key!r}{close_matches(key, self.runs)}")
            if not keys or len(set(keys)) < len(keys):
                raise ValueError(f"tables.{title}: must name at least one run, and each run once")
        for key, run in self.runs.items():
            if run.initial is not None and run.initial not in self.runs:
                raise ValueError(
                    f"runs.{key}.initial: no run {run.initial!r}{close_matches(run.initial, self.runs)}"
                )
        for key in self.runs:
            met = [key]
            while (initial := self.runs[met[-1]].initial) is not None:
                if initial in met:
                    raise ValueError(f"runs.{key}.initial: a circle, {' from '.join([*met, initial])}")
                met.append(initial)
        return self
