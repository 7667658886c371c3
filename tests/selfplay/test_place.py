"""Where launchers put processes."""

from __future__ import annotations

import pytest

from crossplay.errors import CrossplayError
from crossplay.selfplay.place import Place, first_node, place_from_environment

TORCHRUN = {
    "TORCHELASTIC_RUN_ID": "none", "RANK": "9", "WORLD_SIZE": "16", "LOCAL_RANK": "1", "MASTER_ADDR": "gpu3",
    "MASTER_PORT": "29500", "TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_RESTART_COUNT": "2",
}  # fmt: skip
SRUN = {
    "SLURM_JOB_ID": "4711", "SLURM_STEP_ID": "3", "SLURM_PROCID": "2", "SLURM_LOCALID": "2",
    "SLURM_STEP_NUM_TASKS": "8", "SLURM_STEP_NODELIST": "gpu[07-09,12]",
}  # fmt: skip


def test_places_by_launcher() -> None:
    assert place_from_environment({}) is None
    assert place_from_environment(TORCHRUN) == Place(9, 16, 1, "gpu3", 29500, hosted=True, attempt=2)
    place = place_from_environment(SRUN)
    assert place is not None
    assert place[:4] == (2, 8, 2, "gpu07")
    assert place == place_from_environment(SRUN)
    other = place_from_environment({**SRUN, "SLURM_STEP_ID": "4"})
    assert other is not None
    assert other.port != place.port  # of another step of the job on the same node
    chosen = place_from_environment({**SRUN, "MASTER_ADDR": "login", "MASTER_PORT": "1234"})
    assert chosen is not None
    assert (chosen.host, chosen.port) == ("login", 1234)


@pytest.mark.parametrize("alone", [{**TORCHRUN, "WORLD_SIZE": "1"}, {**SRUN, "SLURM_STEP_NUM_TASKS": "1"}])
def test_a_single_process_is_alone(alone: dict[str, str]) -> None:
    assert place_from_environment(alone) is None


@pytest.mark.parametrize(
    ("nodes", "first"),
    [
        ("gpu7", "gpu7"),
        ("gpu7,gpu9", "gpu7"),
        ("gpu[07-09,12],login1", "gpu07"),
        ("rack1-gpu[3]", "rack1-gpu3"),
        ("n[1,2]-ib,m3", "n1-ib"),
        ("a-b-1,a-b-2", "a-b-1"),
    ],
)
def test_first_node(nodes: str, first: str) -> None:
    assert first_node(nodes) == first


@pytest.mark.parametrize("nodes", ["", "gpu[", "[1-2]", "gpu[x]"])
def test_nodes_of_no_use(nodes: str) -> None:
    with pytest.raises(CrossplayError, match=r"SLURM_STEP_NODELIST.*set MASTER_ADDR"):
        first_node(nodes)


def test_a_variable_of_no_use() -> None:
    with pytest.raises(CrossplayError, match="WORLD_SIZE: must be a number"):
        place_from_environment({**TORCHRUN, "WORLD_SIZE": "many"})
