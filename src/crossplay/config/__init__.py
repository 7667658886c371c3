"""Every setting of every stage, with its meaning, default and valid range.

The models are the one description of the configuration: ``config/schema.yaml`` is generated from
them (``crossplay config schema``), the workflow validates its file against that schema, and each
stage parses the section it is given with :func:`parse_settings`.
"""

from crossplay.config.base import Key, Settings
from crossplay.config.experiment import (
    EvaluationSettings,
    Experiment,
    GameChoice,
    GameTable,
    LayoutSettings,
    Mode,
    NetworkSettings,
    SelfPlaySettings,
    SimilaritySettings,
    TrainingSections,
    TrainingSettings,
    UctSettings,
)
from crossplay.config.ntuple import NtupleEvaluation, NtupleSettings, NtupleStudy
from crossplay.config.parsing import check_settings, parse_settings
from crossplay.config.schema import experiment_schema, schema_text

__all__ = [
    "EvaluationSettings",
    "Experiment",
    "GameChoice",
    "GameTable",
    "Key",
    "LayoutSettings",
    "Mode",
    "NetworkSettings",
    "NtupleEvaluation",
    "NtupleSettings",
    "NtupleStudy",
    "SelfPlaySettings",
    "Settings",
    "SimilaritySettings",
    "TrainingSections",
    "TrainingSettings",
    "UctSettings",
    "check_settings",
    "experiment_schema",
    "parse_settings",
    "schema_text",
]
