"""The settings' ranges, their error messages, and the schema made from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake.utils import validate

from crossplay.config import (
    EvaluationSettings,
    Experiment,
    NetworkSettings,
    NtupleSettings,
    TrainingSettings,
    check_settings,
    parse_settings,
    schema_text,
)
from crossplay.errors import CrossplayError

CONFIG = Path(__file__).parents[1] / "config"
EXPERIMENTS = [path for path in CONFIG.glob("*.yaml") if path.name != "schema.yaml"]
SMALL: dict[str, Any] = {
    "experiment": "x",
    "games": {"a": {"game": "Hex"}, "b": {"game": "Hex", "options": ["Board Size/7x7"]}},
    "sources": ["a"],
    "targets": ["b"],
}


def test_committed_schema_is_current() -> None:
    assert (CONFIG / "schema.yaml").read_text() == schema_text(), "run: crossplay config schema --output ..."


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.stem)
def test_schema_and_models_agree_on_experiments_and_defaults(path: Path) -> None:
    """The workflow validates by the schema, the stages by the models: both give the same settings."""
    config = yaml.safe_load(path.read_text())
    experiment = parse_settings(Experiment, path)
    validate(config, str(CONFIG / "schema.yaml"))
    assert config == experiment.model_dump(mode="json")


def test_schema_gives_all_defaults() -> None:
    config = json.loads(json.dumps(SMALL))
    validate(config, str(CONFIG / "schema.yaml"))
    assert config == check_settings(Experiment, SMALL, "here").model_dump(mode="json")


@pytest.mark.parametrize(
    ("model", "text", "message"),
    [
        (TrainingSettings, '{"positions": 0}', "settings: positions: must be greater than or equal to 1"),
        (TrainingSettings, '{"postions": 9}', "settings: postions: unknown key; did you mean positions"),
        (TrainingSettings, "{learning_rate: 3e-3}", "got the text '3e-3' (write 0.003)"),
        (TrainingSettings, "{epsilon: 1e-5}", "got the text '1e-5' (write 1.0e-05)"),
        (TrainingSettings, '{"symmetries": "yes"}', "settings: symmetries: must be a valid boolean"),
        (TrainingSettings, '{"positions": 9}', "settings: warmup_positions: must be at most"),
        (TrainingSettings, '{"snapshots": [0.5, 1.5]}', "snapshots.1: must be less than or equal to 1"),
        (TrainingSettings, '{"snapshots": [0.5, 0.5]}', "snapshots: must increase"),
        (TrainingSettings, '{"self_play": {"gmes": 1}}', "self_play.gmes: unknown key; did you mean games"),
        (TrainingSettings, '{"self_play": [}', "settings:1:16: not valid YAML"),
        (EvaluationSettings, '{"games": 7}', "settings: games: must be a multiple of 2, got 7"),
        (EvaluationSettings, '{"uct": {"selection": "ucb"}}', "uct.selection: must be 'puct' or 'ucb1'"),
        (NtupleSettings, '{"rule": "tdl"}', "settings: rule: must be 'td', 'tc' or 'autostep'"),
        (NtupleSettings, '{"stages": 3}', "settings: stages: must be 1, 2, 4, 8, 16 or 32, got 3"),
        (NtupleSettings, '{"rule": "autostep", "decay": 0.5}', "settings: decay: must be 0 for autostep"),
        (NetworkSettings, '{"kernel": 4}', "settings: kernel: must be odd, got 4"),
        (NetworkSettings, "no/such.yaml", "no/such.yaml: cannot read settings: No such file or directory"),
    ],
)
def test_a_mistake_is_one_line_that_names_the_key(model: Any, text: str, message: str) -> None:
    with pytest.raises(CrossplayError) as caught:
        parse_settings(model, text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sources": ["c"]}, "here: sources: no game 'c' in games; known: a, b"),
        ({"sources": ["b"]}, "here: targets: no target differs from every source"),
        ({"targets": ["b", "b"]}, "here: targets: lists the same entry twice"),
        ({"modes": ["zeroshot"]}, "here: modes.0: must be 'zero-shot'"),
        ({"games": {"a--b": {"game": "Hex"}}}, "here: games.a--b: must match pattern"),
        ({"games": {"a": {"gam": "Hex"}}}, "here: games.a.game: missing (and 1 more)"),
        ({"training": {"source": {"positions": -1}}}, "here: training.source.positions: must be greater"),
        ({"training": {"target": {"window": 10}}}, "here: training.target.warmup_positions: must be at most"),
        ({"training": {"sorce": {}}}, "here: training.sorce: unknown key; did you mean source?"),
    ],
)
def test_mistakes_in_experiments(change: dict[str, Any], message: str) -> None:
    with pytest.raises(CrossplayError) as caught:
        check_settings(Experiment, {**SMALL, **change}, "here")
    assert str(caught.value).startswith(message)


STUDY: dict[str, Any] = {"experiment": "x", "ntuple": {"runs": {"a": {}, "b": {"initial": "a"}}}}


def test_an_experiment_may_hold_2048_alone() -> None:
    config = json.loads(json.dumps(STUDY))
    validate(config, str(CONFIG / "schema.yaml"))
    experiment = check_settings(Experiment, STUDY, "here")
    assert config == experiment.model_dump(mode="json")
    assert not experiment.pairs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ntuple": {}}, "here: games: missing, with sources and targets, or else ntuple.runs"),
        ({"sources": ["a"]}, "here: games: missing"),
        ({"games": {"a": {"game": "Hex"}}}, "here: sources: missing"),
        ({"ntuple": {"runs": {"a": {"rat": 1}}}}, "here: ntuple.runs.a.rat: unknown key; did you mean rate"),
        ({"ntuple": {"runs": {"a": {"initial": "b"}}}}, "here: ntuple.runs.a.initial: no run 'b'; known: a"),
        (
            {"ntuple": {"runs": {"a": {"initial": "b"}, "b": {"initial": "a"}}}},
            "here: ntuple.runs.a.initial: a circle, a from b from a",
        ),
        (
            {"ntuple": {"runs": {"td": {}}, "tables": {"I": ["tb"]}}},
            "here: ntuple.tables.I: no run 'tb'; known: td",
        ),
        ({"ntuple": {"runs": {"td": {}}, "tables": {"I": []}}}, "here: ntuple.tables.I: must name at least"),
    ],
)
def test_mistakes_in_studies_of_2048(change: dict[str, Any], message: str) -> None:
    with pytest.raises(CrossplayError) as caught:
        check_settings(Experiment, {**STUDY, **change}, "here")
    assert str(caught.value).startswith(message)


def test_a_file_is_named_in_errors(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("positions: 10\nwindow: [1\n")
    with pytest.raises(CrossplayError, match=r"mine.yaml:3:1: not valid YAML"):
        parse_settings(TrainingSettings, path)
    path.write_text("- 1\n")
    with pytest.raises(CrossplayError, match=r"mine.yaml: must hold keys and values, not a list"):
        parse_settings(TrainingSettings, path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CrossplayError, match=r"mine.yaml: cannot read settings: not a text file"):
        parse_settings(TrainingSettings, path)


def test_settings_as_json_keep_small_numbers() -> None:
    settings = TrainingSettings(epsilon=1e-7)
    assert parse_settings(TrainingSettings, json.dumps(settings.model_dump(mode="json"))) == settings
    assert parse_settings(TrainingSettings, "{epsilon: 1.0e-07}") == settings
