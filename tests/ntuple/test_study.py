"""Studies: names of runs, what they start from, what they need."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossplay.config import Experiment, NtupleStudy, check_settings, parse_settings
from crossplay.errors import CrossplayError
from crossplay.ntuple.study import runs_of


def study(runs: dict[str, dict[str, object]], repeats: int = 1) -> NtupleStudy:
    return check_settings(NtupleStudy, {"runs": runs, "repeats": repeats}, "here")


def test_repeats_are_numbered_and_start_from_their_like() -> None:
    runs = {"first": {"network": "4"}, "second": {"network": "4", "stages": 4, "initial": "first"}}
    once = runs_of(study(runs), "here")
    assert list(once) == ["first", "second"]
    assert (once["first"].initial, once["second"].initial) == (None, "first")
    twice = runs_of(study(runs, 2), "here")
    assert list(twice) == ["first-1", "first-2", "second-1", "second-2"]
    assert [run.repeat for run in twice.values()] == [0, 1, 0, 1]
    assert [run.initial for run in twice.values()] == [None, None, "first-1", "first-2"]


def test_memory_grows_with_stages_and_what_the_rule_keeps() -> None:
    runs = runs_of(
        study({"tc": {"stages": 16}, "td": {"rule": "td"}, "autostep": {"rule": "autostep"}}), "here"
    )
    table = 4 * 16**6 * 4 / 1e6
    assert runs["td"].learning_mb - table == pytest.approx(1000, abs=1)
    assert runs["autostep"].learning_mb - 5 * table == pytest.approx(1000, abs=1)
    assert runs["tc"].learning_mb - 16 * 3 * table == pytest.approx(1000, abs=1)
    assert runs["tc"].playing_mb - 16 * table == pytest.approx(1000, abs=1)


@pytest.mark.parametrize(("network", "expected"), [("42-33", False), ("42-33-4-22", True), ("4-22", False)])
def test_redundant_tuples_are_found(network: str, expected: bool) -> None:
    [run] = runs_of(study({"a": {"network": network}}), "here").values()
    assert run.redundant is expected


@pytest.mark.parametrize(("name", "repeats", "actions"), [("paper", 5, 10**10), ("study-small", 2, 10**8)])
def test_studies_of_the_paper(name: str, repeats: int, actions: int) -> None:
    path = Path(__file__).parents[2] / f"config/{name}.yaml"
    experiment = parse_settings(Experiment, path)
    runs = runs_of(experiment.ntuple, str(path))
    assert len(runs) == repeats * len(experiment.ntuple.runs)
    assert {run.settings.actions for run in runs.values()} <= {actions, 4 * actions}
    assert [title.split(":")[0] for title in experiment.ntuple.tables] == ["I", "II", "III", "IV"]
    shown = {key for keys in experiment.ntuple.tables.values() for key in keys}
    assert shown == set(experiment.ntuple.runs)


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ({"a": {"network": "42-44"}}, "here: ntuple.runs.a.network '42-44': unknown shape '44'; shapes are"),
        (
            {"a": {"network": "4"}, "b": {"network": "3", "initial": "a"}},
            "here: ntuple.runs.b.initial: a has",
        ),
        (
            {"a": {"network": "4", "stages": 2}, "b": {"network": "4", "stages": 4, "initial": "a"}},
            "here: ntuple.runs.b.initial: a has network 4 and 2 stages; take that network",
        ),
    ],
)
def test_networks_that_cannot_be_learned_are_named(runs: dict[str, dict[str, object]], message: str) -> None:
    with pytest.raises(CrossplayError) as caught:
        runs_of(study(runs), "here")
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
