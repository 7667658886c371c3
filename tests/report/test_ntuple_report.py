"""The report of made-up learnings of 2048."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest

from crossplay.config import Experiment, check_settings
from crossplay.errors import CrossplayError
from crossplay.report import write_report

RUNS = {
    "td": {"rule": "td", "actions": 3000},
    "tc": {"actions": 40_000_000, "stages": 16, "carousel_stages": 16, "network": "42-33-4-22"},
    "after": {"actions": 3000, "stages": 2, "promotion": False, "initial": "td", "optimistic": 200000.0},
    "autostep": {"rule": "autostep", "actions": 3000},
}


def experiment(repeats: int = 3, tables: dict[str, list[str]] | None = None) -> Experiment:
    study = {"runs": RUNS, "repeats": repeats, "tables": tables or {}}
    return check_settings(Experiment, {"experiment": "made-up", "ntuple": study}, "made-up")


def scores(mean: float, games: int = 100) -> dict[str, Any]:
    mean = float(mean)
    return {
        "games": games,
        "mean": mean,
        "interval": [mean - 500, mean + 500],
        "best": int(3 * mean),
        "reach": {"2048": min(1.0, mean / 20000), "16384": 0.0},
        "moves": 50000,
        "cpu_seconds": 2.0,
    }


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    for number, key in enumerate(RUNS):
        for name, shift in ((key, 0), (f"{key}-1", -1000), (f"{key}-2", 0), (f"{key}-3", 1000)):
            strength = 10000 + 1000 * number + shift
            curve = [
                {
                    "actions": actions,
                    "games": actions // 100,
                    "seconds": {"wall": actions / 500, "cpu": actions / 10},
                    "training_score": strength - 2000,
                    "plies": {"1": scores(strength * actions / 3000)}
                    | ({"3": scores(strength * actions / 1500)} if actions > 1000 else {}),
                }
                for actions in (1000, 2000, 3000)
            ]
            evaluation = {"format": 1, "plies": {"1": scores(strength), "3": scores(2 * strength, 20)}}
            path = folder / "ntuple" / name
            path.mkdir(parents=True)
            (path / "curve.json").write_text(json.dumps(curve))
            (path / "evaluation.json").write_text(json.dumps(evaluation))
    return folder


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_repeats_become_one_row_with_the_interval_of_their_mean(results: Path, tmp_path: Path) -> None:
    written = write_report(experiment(), results, tmp_path / "report", "v1")
    assert [path.name for path in written] == [
        "ntuple.csv", "ntuple_curves.csv", "ntuple_curves.png", "ntuple_curves.svg", "index.html",
    ]  # fmt: skip
    rows = read_csv(tmp_path / "report/ntuple.csv")
    assert [(row["run"], row["plies"]) for row in rows] == [(key, p) for key in RUNS for p in ("1", "3")]
    row = rows[0]
    assert (row["repeats"], row["games"], row["mean"], row["best"]) == ("3", "300", "10000.0", "33000")
    half = 4.3027 * 1000 / math.sqrt(3)  # Student's t with 2 degrees of freedom
    assert float(row["low"]) == pytest.approx(10000 - half, abs=1)
    assert float(row["high"]) == pytest.approx(10000 + half, abs=1)
    assert (row["rule"], row["rate"], row["decay"], row["learning_seconds"]) == ("td", "0.1", "0.5", "300.0")
    assert (row["reach_2048"], row["moves_per_second"]) == ("0.5", "25000")
    assert len(read_csv(tmp_path / "report/ntuple_curves.csv")) == 4 * 3 * (3 + 2)


def test_a_single_run_has_the_interval_of_its_games(results: Path, tmp_path: Path) -> None:
    write_report(experiment(repeats=1), results, tmp_path / "report", "v1")
    row = read_csv(tmp_path / "report/ntuple.csv")[3]
    assert (row["run"], row["mean"], row["low"], row["high"]) == ("tc", "22000.0", "21500.0", "22500.0")


def test_the_page_names_the_best_of_each_table(results: Path, tmp_path: Path) -> None:
    tables = {"I: <rules>": ["td", "tc"], "II": ["after", "autostep"]}
    write_report(experiment(1, tables), results, tmp_path / "report", "v1")
    page = (tmp_path / "report/index.html").read_text()
    assert "<b>I: &lt;rules&gt;:</b> tc plays best without search: 11,000 [10,500, 11,500]" in page
    assert "autostep plays best with 3-ply search: 26,000 [25,500, 26,500]" in page
    for words in (
        "42-33-4-22, delayed TC(0.5), rate 1, 16 stages, carousel",
        "42-33, delayed TD(0.5), rate 0.1",
        "42-33, Autostep, meta rate 0.01",
        "<td>40 million</td>",
        "42-33, delayed TC(0.5), rate 1, 2 stages without promotion, from values of 200,000, after td",
    ):
        assert words in page
    assert "Networks learned to play" not in page  # nothing about board games
    assert "$" not in page.split("<pre>")[0]


def diverge(results: Path, name: str, points: int) -> None:
    """Let a learning diverge after so many points of its curve."""
    folder = results / "ntuple" / name
    curve = json.loads((folder / "curve.json").read_text())[:points]
    end = {"actions": 2500, "games": 25, "seconds": {"wall": 5.0, "cpu": 250.0}}
    curve.append({**end, "diverged": True, "training_score": None, "plies": {}})
    (folder / "curve.json").write_text(json.dumps(curve))
    (folder / "evaluation.json").write_text(json.dumps({"format": 1, "diverged": True, "plies": {}}))


def test_divergence_is_a_result(results: Path, tmp_path: Path) -> None:
    for name in ("td-1", "td-2", "td-3", "tc-2"):
        diverge(results, name, points=2)
    write_report(experiment(), results, tmp_path / "report", "v1")
    rows = read_csv(tmp_path / "report/ntuple.csv")
    lost, *kept = [row for row in rows if row["run"] in ("td", "tc")]
    assert (lost["run"], lost["diverged"], lost["plies"], lost["mean"]) == ("td", "3", "", "")
    assert [(row["diverged"], row["repeats"], row["mean"]) for row in kept] == [
        ("1", "2", "11000.0"), ("1", "2", "22000.0"),
    ]  # fmt: skip
    page = (tmp_path / "report/index.html").read_text()
    assert "<td>diverged after 2,500 moves</td>" in page
    assert "<td>1 of 3 diverged after 2,500 moves</td>" in page
    curves = read_csv(tmp_path / "report/ntuple_curves.csv")
    assert {row["actions"] for row in curves if row["run"] == "td-1"} == {"1000", "2000"}


def test_a_study_of_which_all_diverged_has_a_report(results: Path, tmp_path: Path) -> None:
    for key in RUNS:
        diverge(results, key, points=0)
    write_report(experiment(repeats=1), results, tmp_path / "report", "v1")
    assert "all diverged" in (tmp_path / "report/index.html").read_text()


def test_missing_and_damaged_results_are_named(results: Path, tmp_path: Path) -> None:
    path = results / "ntuple/tc-2/evaluation.json"
    for content, fault in (
        ("{", "is not valid JSON"),
        ("[]", "is not a JSON object"),
        ('{"plies": {"1": {}}}', "is no evaluation"),
        ('{"plies": {}}', "has no games"),
        (None, "is missing"),
    ):
        path.write_text(content) if content else path.unlink()
        with pytest.raises(CrossplayError, match=f"tc-2/evaluation.json {fault}.*snakemake"):
            write_report(experiment(), results, tmp_path / "report", "v1")
    (results / "ntuple/td-1/curve.json").write_text("[]")
    with pytest.raises(CrossplayError, match=r"td-1/curve.json has no points.*snakemake"):
        write_report(experiment(), results, tmp_path / "report", "v1")
