"""Writing files so that a kill or a full disk never leaves half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from crossplay.errors import CrossplayError


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` fill a temporary file beside ``path`` and rename it into place.

    Raises:
        CrossplayError: the folder cannot be written or the disk is full; ``path`` is as it was before.
    """
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        write(temporary)
        # mkstemp makes files private; give the result the permissions an ordinary open() would have.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise CrossplayError(
            f"cannot write {path}: {error.strerror or error}; make the folder writable or free some space"
        ) from error
    except BaseException:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise


def write_bytes(path: Path, data: bytes) -> None:
    """Write ``data``, atomically."""

    def write(temporary: Path) -> None:
        temporary.write_bytes(data)

    write_atomically(path, write)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8, atomically."""
    write_bytes(path, text.encode())
