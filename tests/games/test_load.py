"""The cache of compiled kernels: processes that compile one game at once do not disturb each other."""

from __future__ import annotations

import os
import subprocess
import sys

from crossplay.kernel_cache import use_kernel_cache

CODE = """
from crossplay.games import load_game
game = load_game("Tic-Tac-Toe")
print(game.perft(3), game.kernels.apply.cache_hits)
"""


def test_processes_may_compile_a_game_at_once(tmp_path) -> None:
    environment = {**os.environ, "CROSSPLAY_CACHE_DIR": str(tmp_path)}
    # The package's own kernels need not be compiled again.
    use_kernel_cache()
    environment["NUMBA_CACHE_DIR"] = os.environ["NUMBA_CACHE_DIR"]

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", CODE],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    together = [start() for _ in range(3)]
    for process in together:
        output, errors = process.communicate(timeout=300)
        assert (process.returncode, output.split("] ")[0]) == (0, "[9, 72, 504"), errors
    output, errors = start().communicate(timeout=300)
    assert output.strip() == "[9, 72, 504] 1", errors  # read from the cache, not compiled
    assert len(list((tmp_path / "kernels").glob("*.py"))) == 1
