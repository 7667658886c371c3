"""Generated kernels kept in the user's cache folder, as generating is the longest part of loading a game."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from crossplay.errors import CrossplayError
from crossplay.files import write_bytes
from crossplay.games.compiler.generate import Generated
from crossplay.kernel_cache import cache_folder


def _digest_modules() -> str:
    folder = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


# Taken as the modules are imported: an edit made later must not pass for what this process runs.
COMPILER_DIGEST = _digest_modules()


def keep_generated(made_from: str, generate: Callable[[], Generated]) -> Generated:
    """What ``generate`` returned when it was last called for the same text by the same compiler.

    It is called if nothing sound is kept. What it raises is raised again by every call.

    Args:
        made_from: everything that the result depends on, but for this package's modules.
    """
    name = hashlib.sha256(f"{COMPILER_DIGEST}\n{made_from}".encode()).hexdigest()[:32]
    path = cache_folder() / "generated" / name
    with suppress(OSError):
        check, _, content = path.read_bytes().partition(b"\n")
        if check == _check(content):
            return Generated(**json.loads(content))
    generated = generate()
    content = json.dumps(asdict(generated)).encode()
    with suppress(
        CrossplayError
    ):  # a folder that cannot be written matters, and is told of, with the kernels
        write_bytes(path, _check(content) + b"\n" + content)
    return generated


def _check(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
