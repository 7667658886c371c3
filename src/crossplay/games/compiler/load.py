"""Kernel source -> an imported module, kept readable in the user's cache folder."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
from pathlib import Path
from types import ModuleType

from numba.core.errors import NumbaError

from crossplay.errors import CrossplayError
from crossplay.files import write_atomically
from crossplay.kernel_cache import cache_folder, kernel_digest

# numba takes its cache for stale when the source's time changes. Two processes that write the same source
# at once must not make it look as if it had.
_WRITTEN = 1_000_000_000


def load_kernels(source: str, name: str) -> ModuleType:
    """Import a generated module, writing it to the cache folder first if it is not there yet.

    The file's name carries a digest of the source and of this package's kernels, so that numba's cache
    beside it is found again by the next process and never holds anything stale.

    Raises:
        CrossplayError: the cache folder cannot be written, or the source does not compile.
    """
    digest = hashlib.sha256((kernel_digest() + source).encode()).hexdigest()[:16]
    stem = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "game"
    module_name = f"crossplay_kernels_{stem}_{digest}"
    if module_name in sys.modules:
        return sys.modules[module_name]
    path = cache_folder() / "kernels" / f"{stem}_{digest}.py"
    if not path.exists():
        _write(path, source)
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        spec.loader.exec_module(module)
    except NumbaError as error:
        del sys.modules[module_name]
        reason = next((line for line in str(error).splitlines() if "Failed in" not in line), "")
        raise CrossplayError(
            f"{name}: the kernels made from its rules, {path}, do not compile, a fault of the compiler's:"
            f" {type(error).__name__}: {reason}"
        ) from error
    except BaseException:
        del sys.modules[module_name]
        raise
    return module


def _write(path: Path, source: str) -> None:
    def write(temporary: Path) -> None:
        temporary.write_text(source, encoding="utf-8")
        os.utime(temporary, (_WRITTEN, _WRITTEN))

    try:
        write_atomically(path, write)
    except CrossplayError as error:
        raise CrossplayError(
            f"{error}, or set CROSSPLAY_CACHE_DIR to a folder that can be written"
        ) from error
