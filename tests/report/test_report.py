"""The report of made-up results: its tables, figures and page."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from crossplay.config import Experiment, check_settings
from crossplay.errors import CrossplayError
from crossplay.report import write_report
from crossplay.report.strength import strength_part

SOURCES = ["small", "other"]
EXPERIMENT: dict[str, Any] = {
    "experiment": "made-up",
    "games": {"small": {"game": "Hex"}, "other": {"game": "Y & Z"}, "big": {"game": "Hex"}},
    "sources": SOURCES,
    "targets": ["big"],
    "modes": ["zero-shot", "fine-tune"],
}


def match(wins: int, losses: int) -> dict[str, Any]:
    games = wins + losses
    score = wins / games
    limits = {"low": max(0.0, score - 0.1), "high": min(1.0, score + 0.1)}
    return {"games": games, "wins": wins, "draws": 0, "losses": losses, "score": score, **limits}


def evaluation(positions: int, uct: dict[str, Any], scratch: dict[str, Any] | None = None) -> dict[str, Any]:
    matches = {"uct": uct} if scratch is None else {"uct": uct, "scratch": scratch}
    curve = [{"positions": p, **uct} for p in range(0, positions + 1, 500)]
    return {"format": 1, "positions": positions, "matches": matches, "curve": curve}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    files = {
        "evaluate/source/small.json": evaluation(1000, match(9, 1)),
        "evaluate/source/other.json": evaluation(1000, match(8, 2)),
        "evaluate/scratch/big.json": evaluation(2000, match(3, 7)),
        "evaluate/transfer/small--big/zero-shot.json": evaluation(0, match(7, 3), match(90, 10)),
        "evaluate/transfer/small--big/fine-tune.json": evaluation(2000, match(9, 1), match(97, 3)),
        "evaluate/transfer/other--big/zero-shot.json": evaluation(0, match(0, 10), match(10, 90)),
        "evaluate/transfer/other--big/fine-tune.json": evaluation(2000, match(4, 6), match(52, 48)),
        "similarity/similarity.json": {
            "names": ["small", "other", "big"],
            "depth": 2,
            "sizes": [3, 4, 3],
            "distances": [[0, 4, 1], [4, 0, 5], [1, 5, 0]],
            "ludemes": [[1, 0.8, 0.95], [0.8, 1, 0.75], [0.95, 0.75, 1]],
            "continuations": [[1, 1, 0.5], [1, 1, 0.5], [0.5, 0.5, 1]],
        },
    }
    trained = (
        "source/small",
        "source/other",
        "scratch/big",
        *(f"transfer/{s}--big/fine-tune" for s in SOURCES),
    )
    for number, player in enumerate(trained):
        ratings = [
            {"positions": p, "elo": p / 10 - 100 * number, "low": p / 10 - 500, "high": p / 10 + 50}
            for p in (500, 1000)
        ]
        files[f"ladder/{player}.json"] = {"format": 1, "anchor": "UCT(800 x 10)", "ratings": ratings}
    rows = {"state": [{"target": "Piece <1>", "source": None, "why": "none & nothing"}], "moves": []}
    for source in ("small", "other"):
        files[f"mapping/{source}--big.json"] = {"source": source, "target": "big", "policy": "ludii", **rows}
    for name, content in files.items():
        path = tmp_path / "results" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    return tmp_path / "results"


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


class Words(HTMLParser):
    """Collects a page's text and fails on tags that are not closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self.open: list[str] = []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in ("meta", "img"):
            self.open.append(tag)
        assert not any(name in ("src", "href") and "//" in value for name, value in attrs), (
            "not self-contained"
        )

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_report(results: Path, tmp_path: Path) -> None:
    experiment = check_settings(Experiment, EXPERIMENT, "made-up")
    written = write_report(experiment, results, tmp_path / "report", "v1.2")
    assert all(path.stat().st_size > 0 for path in written)
    assert {path.suffix for path in written} == {".csv", ".png", ".svg", ".html"}

    rows = read_csv(tmp_path / "report/transfer.csv")
    assert [(row["source"], row["mode"]) for row in rows] == [
        (source, mode) for source in ("small", "other") for mode in ("zero-shot", "fine-tune")
    ]
    row = rows[1]
    assert (row["scratch_wins"], row["scratch_score"], row["scratch_difference"]) == ("97", "0.97", "0.47")
    assert (row["uct_score"], row["uct_difference"]) == ("0.9", "0.6")  # 9 of 10 against 3 of 10
    assert 0 < float(row["uct_difference_low"]) < 0.6 < float(row["uct_difference_high"]) < 1

    curve = [row for row in read_csv(tmp_path / "report/learning_curves.csv") if row["source"] == "small"]
    assert [row["positions"] for row in curve] == ["0", "0", "500", "1000", "1500", "2000"]
    assert len(read_csv(tmp_path / "report/similarity.csv")) == 3

    ladder = read_csv(tmp_path / "report/ladder.csv")
    assert [(row["game"], row["source"], row["mode"]) for row in ladder[::2]] == [
        ("small", "", "source"),
        ("other", "", "source"),
        ("big", "", "scratch"),
        ("big", "small", "fine-tune"),
        ("big", "other", "fine-tune"),
    ]
    assert [(row["positions"], row["elo"], row["low"]) for row in ladder[4:6]] == [
        ("500", "-150.0", "-450.0"), ("1000", "-100.0", "-400.0"),
    ]  # fmt: skip

    page = Words((tmp_path / "report/index.html").read_text())
    assert "fine-tuned it is better than the model from scratch, 97.0% [87, 100]" in page.text
    assert "without a single game of training on the target it is worse than the model" in page.text
    assert "fine-tuned it is about level with the model from scratch, 52.0%" in page.text
    assert "other (Y & Z)" in page.text
    assert "v1.2" in page.text
    for figure in (tmp_path / "report").glob("*.svg"):
        assert ElementTree.parse(figure).getroot().tag.endswith("svg")


def test_the_same_results_give_the_same_bytes(results: Path, tmp_path: Path) -> None:
    experiment = check_settings(Experiment, EXPERIMENT, "made-up")
    first, second = (write_report(experiment, results, tmp_path / name, "v1") for name in ("a", "b"))
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name


def test_missing_and_damaged_results_are_named(results: Path, tmp_path: Path) -> None:
    experiment = check_settings(Experiment, EXPERIMENT, "made-up")
    path = results / "evaluate/scratch/big.json"
    for content, fault in (("{", "is not valid JSON"), ("{}", "is no evaluation"), (None, "is missing")):
        path.write_text(content) if content else path.unlink()
        with pytest.raises(CrossplayError, match=f"big.json {fault}.*snakemake"):
            write_report(experiment, results, tmp_path / "report", "v1")


def test_ladders_are_left_out_or_must_be_there(results: Path, tmp_path: Path) -> None:
    path = results / "ladder/transfer/other--big/fine-tune.json"
    path.write_text(json.dumps({"anchor": "UCT", "ratings": []}))
    with pytest.raises(CrossplayError, match=r"fine-tune.json has no ratings.*snakemake"):
        write_report(check_settings(Experiment, EXPERIMENT, "made-up"), results, tmp_path / "a", "v1")
    path.unlink()
    without = check_settings(Experiment, {**EXPERIMENT, "evaluation": {"ladder_games": 0}}, "made-up")
    write_report(without, results, tmp_path / "b", "v1")
    assert not (tmp_path / "b/ladder.csv").exists()
    assert "Strength while learning" not in (tmp_path / "b/index.html").read_text()


def test_ladders_are_shown_whole_above_and_below_search(results: Path) -> None:
    experiment = check_settings(Experiment, EXPERIMENT, "made-up")
    panels = strength_part(experiment, results).figures["ladder"].axes
    big = ["from scratch", "small, fine-tune", "other, fine-tune"]
    assert [ax.get_title(loc="left") for ax in panels] == ["small", "other", "big"]
    for ax, trainings in zip(panels, (["as a source"], ["as a source"], big), strict=True):
        *lines, zero = ax.lines
        assert [line.get_label() for line in lines] == trainings
        assert (zero.get_label(), set(zero.get_ydata())) == ("UCT(800 x 10)", {0.0})
        bottom, top = ax.get_ylim()
        assert bottom < -450  # the lowest bound of an interval
        assert top > 150  # the highest
        assert len(ax.collections) == len(trainings)
    assert list(panels[2].lines[1].get_ydata()) == [-250, -200]


def test_the_page_tells_how_to_read_ladders(results: Path, tmp_path: Path) -> None:
    experiment = check_settings(Experiment, EXPERIMENT, "made-up")
    write_report(experiment, results, tmp_path / "report", "v1")
    words = " ".join(Words((tmp_path / "report/index.html").read_text()).text.split())
    for part in (
        "each other and UCT(800 x 10)",
        "Bradley and Terry",
        "95% intervals",
        "won or lost every game",
    ):
        assert part in words
    assert "ladder.csv" in words
