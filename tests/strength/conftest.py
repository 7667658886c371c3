"""Short trainings for tests of strength."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from crossplay.config import NetworkSettings, SelfPlaySettings, TrainingSettings
from crossplay.games import Game
from crossplay.networks import Evaluator, load_model
from crossplay.training import train

NETWORK = NetworkSettings(width=32, blocks=2)
TrainedEvaluator = Callable[[Game, int], Evaluator]


@pytest.fixture
def trained_evaluator(tmp_path: Path) -> TrainedEvaluator:
    """Train on so many positions and return the network."""

    def evaluator(game: Game, positions: int) -> Evaluator:
        settings = TrainingSettings(
            positions=positions,
            window=6_000,
            warmup_positions=1_000,
            snapshots=(),
            seed=3,
            self_play=SelfPlaySettings(games=64, simulations=32, temperature_plies=6),
        )
        result = train(game, settings, NETWORK, tmp_path, show_progress=False)
        network, _ = load_model(result.model)
        return Evaluator(network, game.state_shape)

    return evaluator
