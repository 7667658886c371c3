"""Where numba keeps this package's compiled kernels.

numba decides whether a cached kernel is current by the age of the file that defines it, and misses
changes in functions that the kernel calls from other modules. So the cache folder carries a digest of
every module with kernels in it: after an edit, or an upgrade, nothing stale can be found. It also lies
in the user's cache folder, so that the package may be installed read-only.
"""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from pathlib import Path

import platformdirs


@cache
def kernel_digest() -> str:
    """Return a short digest of the package's modules that define numba kernels."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        text = path.read_bytes()
        if b"numba" in text:
            digest.update(path.relative_to(package).as_posix().encode())
            digest.update(text)
    return digest.hexdigest()[:12]


def cache_folder() -> Path:
    """The folder for generated kernels and compiled code (``CROSSPLAY_CACHE_DIR`` overrides it)."""
    chosen = os.environ.get("CROSSPLAY_CACHE_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("crossplay"))


def use_kernel_cache() -> None:
    """Point numba's cache into :func:`cache_folder`, unless ``NUMBA_CACHE_DIR`` is set by the user."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    folder = str(cache_folder() / "numba" / kernel_digest())
    os.environ["NUMBA_CACHE_DIR"] = folder
    if "numba" in sys.modules:
        sys.modules["numba"].config.CACHE_DIR = folder
