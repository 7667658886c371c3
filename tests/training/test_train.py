"""Whole trainings: reproducible, learning, and continued after every kind of stop."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
import torch
from tqdm import TMonitor

from crossplay.config import NetworkSettings, SelfPlaySettings, TrainingSettings
from crossplay.errors import CrossplayError
from crossplay.games import load_game
from crossplay.networks import load_model, read_header
from crossplay.selfplay import players
from crossplay.training import can_resume, model_header, new_network, train
from crossplay.training.checkpoint import load_checkpoint

NETWORK = NetworkSettings(width=8, blocks=1)
SETTINGS = TrainingSettings(
    positions=600,
    batch_size=64,
    samples_per_position=2,
    warmup_positions=100,
    warmup_steps=5,
    window=400,
    publish_every=4,
    snapshots=(0.5, 1.0),
    threads=1,
    seed=7,
    device="cpu",
    self_play=SelfPlaySettings(games=8, simulations=8),
)


def changed(settings=SETTINGS, **updates):
    return settings.model_copy(update=updates)


@pytest.fixture(scope="module")
def game():
    return load_game("Tic-Tac-Toe", [], "dense")


@pytest.fixture
def go(game, tmp_path):
    """Train in a folder of this test: ``go(folder, settings, **more)``."""

    def run(folder="out", settings=SETTINGS, network=NETWORK, **more):
        return train(game, settings, network, tmp_path / folder, show_progress=False, **more)

    return run


def test_one_thread_is_reproducible_to_the_last_bit(go, tmp_path):
    rows = []
    first, second = go("a", on_metrics=rows.append), go("b", changed(checkpoint_seconds=0.05))
    other = go("c", changed(seed=8))
    for name in ("model.safetensors", "snapshots/000300.safetensors", "snapshots/000600.safetensors"):
        data = (tmp_path / "a" / name).read_bytes()
        assert data == (tmp_path / "b" / name).read_bytes(), name
        assert data != (tmp_path / "c" / name).read_bytes(), name
    assert first.amount.steps == second.amount.steps == other.amount.steps == (600 - 100) * 2 // 64
    # What is left is the result alone.
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == [
        "model.safetensors",
        "snapshots",
        "training.json",
    ]
    header = read_header(first.model)
    assert header == first.header
    assert header.positions == first.amount.positions >= 600
    assert 300 <= read_header(first.snapshots[0]).positions < 400
    summary = json.loads((tmp_path / "a" / "training.json").read_text())
    assert rows == first.history == summary["history"]
    assert all(a["positions"] < b["positions"] for a, b in itertools.pairwise(rows))
    assert rows[-1]["positions"] == header.positions
    shares = [rows[-1][f"{part}_share"] for part in ("network", "tree", "learning")]
    assert sum(shares) == pytest.approx(1)
    names = {"policy_loss", "value_loss", "learning_rate", "first_seat_win_rate", "mean_game_length"}
    assert any(names <= row.keys() for row in rows)


def test_learns_tic_tac_toe(go, game):
    settings = changed(
        TrainingSettings(positions=4000, warmup_positions=500, threads=1, device="cpu", seed=1),
        self_play=SelfPlaySettings(games=64, simulations=24),
    )
    result = go("learn", settings, NetworkSettings(width=16, blocks=2))
    first, *_, last = [row for row in result.history if "policy_loss" in row]
    # Equal chances for all moves cost 1.73 in games of 7 plies, a value of 0 costs 1 less the draws.
    assert last["policy_loss"] < min(1.7, first["policy_loss"] - 0.2)
    assert last["value_loss"] < min(0.75, first["value_loss"] - 0.2)
    network, _ = load_model(result.model)

    state = game.new_state()
    for action in (4, 1):  # the centre, and a reply at an edge, which loses by force
        game.apply_action(state, action)
    with torch.no_grad():
        _, value = network(torch.from_numpy(game.state_tensor(state))[None])
    assert value.item() > 0.3


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_self_play_computes_in_the_chosen_precision(go, monkeypatch, precision):
    chosen = set()

    class Watched(players.Evaluator):
        def __init__(self, network, shape, device, bfloat16):
            chosen.add(bfloat16)
            super().__init__(network, shape, device, bfloat16)

    monkeypatch.setattr(players, "Evaluator", Watched)
    go(precision, changed(precision=precision, positions=200))
    assert chosen == {precision == "bfloat16"}


def test_threads_share_the_work(go):
    result = go("two", changed(threads=2, positions=1500))
    assert result.amount.steps == (1500 - 100) * 2 // 64  # the ratio holds, whoever plays
    assert result.history[-1]["positions"] >= 1500


@pytest.mark.parametrize(("budget", "limit"), [("games", 30), ("steps", 6), ("seconds", 0.5)])
def test_other_budgets_end_it_earlier(go, budget, limit):
    result = go(budget, changed(positions=100_000, **{budget: limit}))
    assert limit <= getattr(result.amount, budget) < 3 * limit + 2
    assert result.amount.positions < 50_000


def run_elsewhere(folder, settings):
    """Start the same training in another process and wait until it has learned a little."""
    code = (
        "import sys; from pathlib import Path\n"
        "from crossplay.config import NetworkSettings, TrainingSettings\n"
        "from crossplay.games import load_game\n"
        "from crossplay.training import train\n"
        "train(load_game('Tic-Tac-Toe', [], 'dense'), TrainingSettings.model_validate_json(sys.argv[1]),\n"
        "      NetworkSettings.model_validate_json(sys.argv[2]), Path(sys.argv[3]))\n"
    )
    arguments = [settings.model_dump_json(), NETWORK.model_dump_json(), str(folder)]
    process = subprocess.Popen([sys.executable, "-c", code, *arguments], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        if can_resume(folder) and load_checkpoint(folder / "checkpoint").values["steps"] >= 5:
            return process
        time.sleep(0.05)
    process.kill()
    raise AssertionError(process.communicate()[1])


def test_killed_training_continues(go, tmp_path):
    folder = tmp_path / "out"
    settings = changed(positions=12_000, checkpoint_seconds=0.2, threads=2)
    process = run_elsewhere(folder, settings)
    process.kill()
    process.communicate()
    assert not (folder / "model.safetensors").exists()
    values = load_checkpoint(folder / "checkpoint").values

    rows = []
    result = go("out", settings, on_metrics=rows.append)
    assert not can_resume(folder)
    assert result.history[: len(values["history"])] == values["history"]
    assert result.history[len(values["history"]) :] == rows
    for name in ("positions", "games", "steps", "seconds"):
        column = [row[name] for row in result.history]
        assert column == sorted(column), name
    assert rows[0]["steps"] >= values["steps"] >= 5
    assert rows[0]["seconds"] > values["seconds"]
    assert result.amount.steps == (12_000 - 100) * 2 // 64
    assert [path.name for path in result.snapshots] == ["006000.safetensors", "012000.safetensors"]


class Stop(Exception):  # noqa: N818
    """Raised by tests in the middle of a training."""


def interrupted(go, error, settings=SETTINGS, **more):
    """Leave a training in folder "out" at its tenth row of metrics; return the rows."""
    rows = []

    def on_metrics(row):
        rows.append(row)
        if len(rows) == 10:
            error()

    with pytest.raises((KeyboardInterrupt, SystemExit, Stop)):
        go("out", settings, on_metrics=on_metrics, **more)
    return rows


def stop():
    raise Stop


def ctrl_c():
    raise KeyboardInterrupt


def test_sigterm_saves_and_exits(go, tmp_path):
    settings = changed(positions=5000)
    rows = []

    def on_metrics(row):
        rows.append(row)
        if len(rows) == 10:
            os.kill(os.getpid(), signal.SIGTERM)

    handler = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as caught:
        go("out", settings, on_metrics=on_metrics)
    assert caught.value.code == 143
    assert signal.getsignal(signal.SIGTERM) is handler
    # Whatever was reported is in the checkpoint, so the next session reports the rest.
    assert load_checkpoint(tmp_path / "out" / "checkpoint").values["history"] == rows
    result = go("out", settings, on_metrics=rows.append)
    assert result.history == rows


def test_interrupt_saves_and_other_settings_are_refused(go, tmp_path):
    interrupted(go, ctrl_c, changed(positions=5000))
    assert load_checkpoint(tmp_path / "out" / "checkpoint").values["steps"] > 0
    with pytest.raises(CrossplayError, match=r"began with training.learning_rate = 0.003, now it is 0.01"):
        go("out", changed(positions=5000, learning_rate=0.01))
    with pytest.raises(CrossplayError, match=r"began with network.width = 8, now it is 16"):
        go("out", changed(positions=5000), NETWORK.model_copy(update={"width": 16}))
    with pytest.raises(CrossplayError, match="budget of positions was 5000, 4000 is less"):
        go("out", changed(positions=4000))
    assert go("out", changed(positions=5500, checkpoint_seconds=9.0)).amount.positions >= 5500


def test_a_fault_before_anyone_plays_is_told(go, monkeypatch):
    def fail(*_):
        raise CrossplayError("the disk is full")

    monkeypatch.setattr("crossplay.training.session.save_checkpoint", fail)
    with pytest.raises(CrossplayError, match="the disk is full"):
        go("out", changed(self_play_processes=1))


def test_failing_worker_stops_the_training(go, tmp_path, monkeypatch):
    class FailingActor(players.Actor):
        calls = 0

        def play(self, evaluator):
            FailingActor.calls += 1
            if FailingActor.calls == 200:
                raise Stop
            super().play(evaluator)

    monkeypatch.setattr(players, "Actor", FailingActor)
    with pytest.raises(Stop):
        go("out", changed(threads=2))
    assert not (tmp_path / "out" / "model.safetensors").exists()
    assert can_resume(tmp_path / "out")  # from the checkpoint before
    # A progress bar of another test's may have left its own thread behind.
    left = [thread for thread in threading.enumerate() if not isinstance(thread, TMonitor)]
    assert left == [threading.main_thread()]


def test_damaged_checkpoint_is_refused(go, tmp_path):
    interrupted(go, stop)
    next((tmp_path / "out" / "checkpoint").glob("*.safetensors")).write_bytes(b"garbage")
    with pytest.raises(CrossplayError, match="damaged; delete that folder to start afresh"):
        go("out")


def test_starts_from_a_given_network(go, game, tmp_path):
    header = replace(model_header(game, NETWORK), source={"game": "Other", "mode": "fine-tune"})
    network = new_network(header, 99)
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    idle = changed(positions=100, warmup_positions=100, snapshots=())  # no step is due
    result = go("out", idle, initial=(network, header))
    trained, written = load_model(result.model)
    assert written.source == header.source
    for name, tensor in trained.state_dict().items():
        assert torch.equal(tensor, before[name])
    go("learned", initial=(network, header))
    assert all(torch.equal(tensor, before[name]) for name, tensor in network.state_dict().items())

    interrupted(go, ctrl_c, changed(positions=5000), initial=(network, header))
    with pytest.raises(CrossplayError, match="began with initial weights = "):
        go("out", changed(positions=5000), initial=(new_network(header, 98), header))
    with pytest.raises(CrossplayError, match=r"initial model \(Tic-Tac-Toe\) has width 8, wanted is 16"):
        go("other", SETTINGS, NETWORK.model_copy(update={"width": 16}), initial=(network, header))
    foreign = replace(header, state_channels=header.state_channels[:-1])
    with pytest.raises(CrossplayError, match=r"has state_channels \[.*transfer the model to this game"):
        go("other", SETTINGS, initial=(network, foreign))


def test_settings_of_torch_are_as_before(go):
    torch.set_num_threads(2)
    threads, state = torch.get_num_threads(), torch.get_rng_state()
    go("out", changed(positions=150))
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.get_rng_state(), state)
