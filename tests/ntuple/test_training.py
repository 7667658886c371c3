"""Learnings are exact, and the same however often they are interrupted."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossplay.config import NtupleSettings
from crossplay.errors import CrossplayError
from crossplay.ntuple import session
from crossplay.ntuple.checkpoints import load_checkpoint
from crossplay.ntuple.evaluation import DivergenceError
from crossplay.ntuple.files import CHECKPOINT, MODEL, Network, load_network
from crossplay.ntuple.session import CURVE
from crossplay.ntuple.training import train

NETWORK = "0,1,2,3;4,5,6,7"
CALLS = ("evaluate", "on_metrics", "allow_divergence")  # what is no setting
RULES: dict[str, dict[str, Any]] = {
    "td": {"rule": "td", "decay": 0.0},
    "staged delayed tc with a carousel": {"rule": "tc", "stages": 2, "carousel_stages": 4, "optimistic": 900},
    "autostep": {"rule": "autostep"},
}


def learn(folder: Path, **options: Any) -> Any:
    """Learn with a tiny network, in silence; evaluations play no games unless ``evaluate`` is given."""
    callbacks = {name: options.pop(name) for name in CALLS if name in options}
    given = {"network": NETWORK, "actions": 30_000, "games": 0, **options}
    return train(NtupleSettings(**given), folder, show_progress=False, **callbacks)


def weights(folder: Path) -> bytes:
    return load_network(folder).weights.tobytes()


class Scores:
    """Stands for an evaluation; interrupts the calls it is told to, before they end."""

    def __init__(self, *interrupted: int) -> None:
        self.interrupted = interrupted
        self.calls: list[tuple[int, int, int]] = []

    def __call__(self, network: Network, games: int, plies: int, progress: Callable[[int], None]) -> Any:
        self.calls.append((network.header.actions, games, plies))
        if len(self.calls) in self.interrupted:
            raise KeyboardInterrupt
        mean = float(np.abs(network.weights).sum())
        return {"games": games, "mean": mean, "interval": None, "best": 1, "reach": {"2048": 0.5}}


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "PIECE", 999)


@pytest.mark.parametrize("name", RULES)
def test_interrupted_or_not_the_weights_are_the_same(name: str, tmp_path: Path) -> None:
    """Once stopped between two calls of the kernel, twice in the middle of evaluations."""
    options = {**RULES[name], "evaluate_every": 7001, "games": 10, "search_every": 14_002}
    whole = Scores()
    result = learn(tmp_path / "whole", evaluate=whole, **options)
    assert (result.actions, result.games) == (30_000, load_games(tmp_path / "whole"))
    assert [call[0] for call in whole.calls] == [7001, 14_002, 14_002, 21_003, 28_004, 28_004, 30_000, 30_000]
    assert {call[1:] for call in whole.calls} == {(10, 1), (300, 3)}

    def stop(metrics: dict[str, float], actions: int) -> None:
        if "recent_score" in metrics and actions > 5000:
            raise KeyboardInterrupt

    folder, parts = tmp_path / "parts", Scores(2, 6)
    for callback in (stop, None, None):
        with pytest.raises(KeyboardInterrupt):
            learn(folder, evaluate=parts, on_metrics=callback, **options)
        assert not (folder / MODEL).exists()
    learn(folder, evaluate=parts, **options)
    assert weights(folder) == weights(tmp_path / "whole")
    assert load_network(folder).header == load_network(tmp_path / "whole").header
    points = [json.loads((tmp_path / name / CURVE).read_text()) for name in ("whole", "parts")]
    for point in [*points[0], *points[1]]:
        assert point.pop("seconds")["cpu"] > 0
    assert points[0] == points[1]
    assert not (folder / CHECKPOINT).exists()


def load_games(folder: Path) -> int:
    return int(json.loads((folder / CURVE).read_text())[-1]["games"])


def test_threads_make_exactly_the_actions(tmp_path: Path) -> None:
    result = learn(tmp_path, threads=5, actions=123_457, rule="td", decay=0.0, keep_checkpoint=True)
    assert result.actions == load_network(tmp_path).header.actions == 123_457
    settings = NtupleSettings(network=NETWORK, threads=5, actions=123_457, rule="td", decay=0)
    learning = load_checkpoint(tmp_path, settings)
    assert learning.weights.tobytes() == weights(tmp_path)
    assert len({worker.games.tobytes() for worker in learning.workers}) == 5
    with pytest.raises(CrossplayError, match="began with threads = 5, now it is 2"):
        learn(tmp_path, threads=2, actions=123_457, rule="td", decay=0.0)


def test_a_finished_learning_is_left_alone_or_goes_on(tmp_path: Path) -> None:
    options = {"rule": "td", "decay": 0.0}
    learn(tmp_path / "once", actions=30 * 999, **options)
    before = (tmp_path / "once" / MODEL).stat().st_mtime_ns
    assert learn(tmp_path / "once", actions=30 * 999, **options) is None
    assert (tmp_path / "once" / MODEL).stat().st_mtime_ns == before
    with pytest.raises(CrossplayError, match=r"ended after 29,970 actions and its checkpoint was not kept"):
        learn(tmp_path / "once", actions=40_000, **options)
    with pytest.raises(CrossplayError, match=r"has made 29,970 actions, more than the 29,000 asked for"):
        learn(tmp_path / "once", actions=29_000, **options)
    with pytest.raises(CrossplayError, match=r"model.safetensors: it began with rule = \"td\", now it is"):
        learn(tmp_path / "once", actions=30 * 999, rule="autostep")

    learn(tmp_path / "kept", actions=15 * 999, keep_checkpoint=True, **options)
    assert learn(tmp_path / "kept", actions=15 * 999, **options) is None
    learn(tmp_path / "kept", actions=30 * 999, **options)
    assert weights(tmp_path / "kept") == weights(tmp_path / "once")


def test_starting_from_other_weights(tmp_path: Path) -> None:
    options = {"rule": "tc", "stages": 2, "carousel_stages": 4}
    learn(tmp_path / "first", rule="td", decay=0.0, optimistic=900.0)
    first = load_network(tmp_path / "first")
    seen = []

    def look(network: Network, *rest: Any) -> Any:
        seen.append((network.header.offset, network.weights.copy()))
        return Scores()(network, *rest)

    initial = {"initial": str(tmp_path / "first"), "actions": 3, "games": 1}
    learn(tmp_path / "second", **options, **initial, evaluate=look)
    [(offset, found)] = seen
    assert offset == load_network(tmp_path / "second").header.offset == 900.0
    size = len(first.weights)
    # Three moves later hardly a weight has changed, and the second stage is not reached.
    assert np.sum(found[:size] != first.weights) < 50
    assert not found[size:].any()

    for change, reason in (
        ({"network": "0,1,2,3"}, "its network is 0,1,2,3;4,5,6,7, not 0,1,2,3; make both equal"),
        ({"optimistic": 5.0}, "its optimistic value is 900, not 5"),
        ({"initial": str(tmp_path / "nothing")}, "no network at"),
        ({"initial": str(tmp_path / "second"), "stages": 4}, "it has 2 stages, not 4 or 1"),
    ):
        with pytest.raises(CrossplayError, match=reason):
            learn(tmp_path / "third", **{**options, **initial, **change})


def test_values_without_bounds_end_the_learning(tmp_path: Path) -> None:
    with pytest.raises(CrossplayError, match=r"grew beyond all bounds after .* --rate smaller than 10"):
        learn(tmp_path, rule="td", rate=10.0, decay=0.0, actions=10**7)
    assert not (tmp_path / MODEL).exists()


def test_values_without_bounds_can_be_the_result(tmp_path: Path) -> None:
    options = {"rule": "td", "rate": 10.0, "decay": 0.0, "actions": 10**7}
    result = learn(tmp_path / "first", allow_divergence=True, **options)
    header = load_network(tmp_path / "first").header
    assert header.diverged
    assert 0 < header.actions == result.actions < 10**7
    assert result.curve[-1] == json.loads((tmp_path / "first" / CURVE).read_text())[-1]
    assert (result.curve[-1]["diverged"], result.curve[-1]["plies"]) == (True, {})
    assert learn(tmp_path / "first", allow_divergence=True, **options) is None  # there is nothing left to do
    with pytest.raises(CrossplayError, match="grew beyond all bounds after"):
        learn(tmp_path / "first", **options)
    # What starts from such weights diverges as well.
    after = {"initial": str(tmp_path / "first"), "actions": 10**5, "rule": "td"}
    learn(tmp_path / "second", allow_divergence=True, **after)
    assert load_network(tmp_path / "second").header.diverged


def test_an_evaluation_may_be_the_first_to_notice(tmp_path: Path) -> None:
    def notice(network: Network, *rest: Any) -> Any:
        raise DivergenceError("no numbers")

    result = learn(tmp_path, allow_divergence=True, evaluate=notice, actions=1000, games=2)
    assert result.curve[-1]["diverged"]
    assert load_network(tmp_path).header.diverged


@pytest.mark.parametrize("harm", [b"", b"no checkpoint at all", None])
def test_a_damaged_checkpoint_is_told(harm: bytes | None, tmp_path: Path) -> None:
    options = {"rule": "td", "decay": 0.0}
    learn(tmp_path, keep_checkpoint=True, **options)
    path = tmp_path / CHECKPOINT
    path.write_bytes((tmp_path / MODEL).read_bytes() if harm is None else harm)
    with pytest.raises(CrossplayError, match=r"checkpoint.safetensors: .*delete that file to start afresh"):
        learn(tmp_path, actions=40_000, **options)


def test_two_processes_do_not_share_a_folder(tmp_path: Path) -> None:
    def begin_another(metrics: dict[str, float], actions: int) -> None:
        with pytest.raises(CrossplayError, match="another process is learning in"):
            learn(tmp_path, rule="td", decay=0.0)

    learn(tmp_path, rule="td", decay=0.0, on_metrics=begin_another)


# A learning that saves all the time, and is killed in the middle of a write, or by the test at any moment.
_CHILD = """
import os, signal, sys
from pathlib import Path
from crossplay.config import NtupleSettings, parse_settings
from crossplay.ntuple import session, sparse
from crossplay.ntuple.training import train

session.PIECE, session.POLL_SECONDS, session._SAVING_SHARE = 20_000, 0.001, 0.5
writes, write_all = int(sys.argv[3]), sparse.write_all

def write(file, data):
    global writes
    writes -= 1
    if writes == 0:
        write_all(file, data[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
    write_all(file, data)

sparse.write_all = write
print("ready", flush=True)
train(parse_settings(NtupleSettings, sys.argv[1]), Path(sys.argv[2]), show_progress=False)
"""


def test_killed_at_any_moment_nothing_is_lost(tmp_path: Path) -> None:
    settings = {
        "network": NETWORK,
        "actions": 3_000_000,
        "games": 0,
        "checkpoint_seconds": 0.001,
        "stages": 2,
    }
    command = [sys.executable, "-c", _CHILD, json.dumps({**settings, "carousel_stages": 4})]
    subprocess.run([*command, str(tmp_path / "whole"), "0"], check=True)

    folder, made, generator = tmp_path / "killed", [0], np.random.default_rng()
    for writes in (1, 40, 0):
        child = subprocess.Popen([*command, str(folder), str(writes)], stdout=subprocess.PIPE)
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        if writes == 0:
            with pytest.raises(subprocess.TimeoutExpired):
                child.wait(0.3 + 0.5 * generator.random())
            child.kill()
        assert child.wait() == -signal.SIGKILL
        if writes:
            assert any(re.match(rf"\.{CHECKPOINT}\.", name) for name in os.listdir(folder))
        if (folder / CHECKPOINT).exists():
            made.append(load_network(folder / CHECKPOINT).header.actions)
    assert len(made) > 2
    assert made == sorted(made)
    subprocess.run([*command, str(folder), "0"], check=True)
    assert sorted(os.listdir(folder)) == [CURVE, MODEL]
    assert load_network(folder).header.actions == 3_000_000
    assert weights(folder) == weights(tmp_path / "whole")
