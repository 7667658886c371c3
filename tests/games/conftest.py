"""A second process compiles games while the tests run, from the end of the list, to meet them half way."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import PurePosixPath

import pytest

COMPILE = """
import json, sys
from crossplay.games import load_game
for name, options in json.loads(sys.argv[1]):
    try:
        load_game(name, options)
    except Exception as error:
        print(f"{name} {options}: {error}", file=sys.stderr)
"""


@pytest.fixture(scope="session", autouse=True)
def _compiling(request: pytest.FixtureRequest) -> Iterator[None]:
    games: dict[str, tuple[str, list[str]]] = {}
    for item in request.session.items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        if "entry" in parameters:  # of test_reference
            entry = parameters["entry"]
            games[entry["id"]] = (PurePosixPath(entry["lud"]).stem, entry["options"])
        elif item.path.name == "test_library.py":
            games[parameters["name"]] = (parameters["name"], [])
    if len(games) < 2:
        yield
        return
    wanted = json.dumps(list(games.values())[::-1])
    process = subprocess.Popen(
        [sys.executable, "-c", COMPILE, wanted], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    yield
    process.kill()
    process.wait()
