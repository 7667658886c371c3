"""Safetensors files of large, mostly empty tables: stretches of zeros take no room on the disk.

A file is what any safetensors reader expects. It is written in blocks, and a block of zeros is skipped, so
that the file system keeps a hole there; memory that was never touched is not even looked at.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from crossplay.files import write_atomically

_BLOCK = 1 << 20
_PAGE = os.sysconf("SC_PAGE_SIZE")
_ALIGNMENT = 4096  # of the first table, so that it can be mapped and holes begin where blocks do
_LONGEST_HEADER = 100_000_000
_METADATA = "__metadata__"
_KINDS = {"F32": np.float32, "U32": np.uint32, "U64": np.uint64, "I64": np.int64, "U8": np.uint8}


class Place(NamedTuple):
    """Where an array lies in a file.

    Attributes:
        dtype: its type.
        shape: its shape.
        offset: bytes from the beginning of the file.
    """

    dtype: np.dtype
    shape: tuple[int, ...]
    offset: int

    @property
    def size(self) -> int:
        """Bytes."""
        size = self.dtype.itemsize
        for length in self.shape:
            size *= length
        return size


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> None:
    """Write arrays, large ones first, atomically.

    Args:
        path: the file.
        arrays: contiguous arrays by name.
        metadata: texts kept in the file's header.

    Raises:
        CrossplayError: the file cannot be written.
    """
    names = {np.dtype(kind): name for name, kind in _KINDS.items()}
    entries: dict[str, Any] = {_METADATA: dict(metadata)}
    end = 0
    for name, array in arrays.items():
        begin, end = end, end + array.nbytes
        entries[name] = {
            "dtype": names[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
    header = json.dumps(entries).encode()
    header += b" " * (-(8 + len(header)) % _ALIGNMENT)

    def write(temporary: Path) -> None:
        # Unbuffered: a block of a table goes straight from the table.
        with temporary.open("wb", buffering=0) as file:
            write_all(file, memoryview(len(header).to_bytes(8, "little") + header))
            start = 8 + len(header)
            for array in arrays.values():
                data = array.reshape(-1).view(np.uint8)
                for first, last in filled_blocks(data):
                    file.seek(start + first)
                    write_all(file, data[first:last].data)
                start += array.nbytes
            file.truncate(start)

    write_atomically(path, write)


def write_all(file: Any, data: memoryview) -> None:
    """Write all of it; a disk that fills up ends with an error, not with a part."""
    while data:
        data = data[file.write(data) :]


def filled_blocks(data: np.ndarray) -> Iterator[tuple[int, int]]:
    """First and last byte (exclusive) of the blocks of ``uint8[n]`` that hold more than zeros."""
    for first in range(0, len(data), _BLOCK << 10):
        piece = data[first : first + (_BLOCK << 10)]
        for block in np.flatnonzero(_touched_blocks(piece)).tolist():
            part = piece[block * _BLOCK : (block + 1) * _BLOCK]
            words = len(part) & ~7
            if part[:words].view(np.uint64).any() or part[words:].any():
                yield first + block * _BLOCK, first + block * _BLOCK + len(part)


def _touched_blocks(data: np.ndarray) -> np.ndarray:
    """Which blocks of ``data`` lie on pages that were ever used, as ``bool[blocks]``.

    Reading a page that was not may allocate it. All blocks count as used where the system does not tell
    pages of memory of one's own, which are zeros before their first use, from those of a file.
    """
    blocks = -(-len(data) // _BLOCK)
    address = data.ctypes.data
    if len(data) < _BLOCK or not _is_own_memory(address, address + len(data)):
        return np.ones(blocks, bool)
    first = address // _PAGE
    pages = -(-(address + len(data)) // _PAGE) - first
    try:
        with open("/proc/self/pagemap", "rb", buffering=0) as file:
            file.seek(first * 8)
            entries = np.frombuffer(file.read(pages * 8), np.uint64)
    except OSError:
        entries = np.empty(0, np.uint64)
    if len(entries) < pages:
        return np.ones(blocks, bool)
    # The two highest bits: in memory, in swap space.
    used = np.concatenate([[0], np.cumsum(entries >> np.uint64(62) != 0)])
    starts = (address + np.arange(blocks) * _BLOCK) // _PAGE - first
    ends = np.append((address + np.arange(1, blocks) * _BLOCK - 1) // _PAGE - first + 1, pages)
    return used[ends] > used[starts]


def _is_own_memory(first: int, last: int) -> bool:
    """Whether all addresses from ``first`` up to ``last`` are private memory without a file behind it."""
    if sys.platform != "linux":
        return False
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            span, access, _, device, inode = line.split()[:5]
            begin, end = (int(address, 16) for address in span.split("-"))
            if begin <= first < end:
                if access[3] != "p" or device != "00:00" or inode != "0":
                    return False
                first = end
                if first >= last:
                    return True
    return False


def read_layout(path: Path) -> tuple[dict[str, Place], dict[str, str]]:
    """The arrays that a file holds, and its texts.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no whole file of this kind; the message says in what respect.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or not 2 <= length <= min(_LONGEST_HEADER, size - 8):
            raise ValueError("it is cut short or not a safetensors file")
        header = file.read(length)
    places, end = {}, 0
    try:
        entries = json.loads(header)
        metadata = {str(key): str(text) for key, text in entries.pop(_METADATA, {}).items()}
        for name, entry in sorted(entries.items(), key=lambda item: item[1]["data_offsets"]):
            begin, last = map(int, entry["data_offsets"])
            shape = tuple(map(int, entry["shape"]))
            places[name] = place = Place(np.dtype(_KINDS[entry["dtype"]]), shape, 8 + length + begin)
            if begin != end or last - begin != place.size or min(shape, default=0) < 0:
                raise ValueError("tables overlap or leave gaps")
            end = last
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError("it is damaged or not a safetensors file") from error
    if size != 8 + length + end:
        fault = "is cut short" if size < 8 + length + end else "has a wrong length"
        raise ValueError(f"it {fault}: {size:,} bytes, not {8 + length + end:,}")
    return places, metadata


def map_array(path: Path, place: Place) -> np.ndarray:
    """An array of a file as read-only memory, read as it is used."""
    mapped = np.memmap(path, place.dtype, mode="r", offset=place.offset, shape=place.shape)
    return mapped.view(np.ndarray)


def read_array(path: Path, place: Place, into: np.ndarray) -> None:
    """Read an array into the beginning of another of the same type that holds zeros; holes are left out.

    Raises:
        OSError: it cannot be read.
    """
    data = into.reshape(-1).view(np.uint8)
    with path.open("rb", buffering=0) as file:
        for first, last in _data_of(file, place.offset, place.offset + place.size):
            file.seek(first)
            rest = data[first - place.offset : last - place.offset].data
            while rest:
                count = file.readinto(rest)
                if not count:
                    raise OSError(None, "the file ends too early", str(path))
                rest = rest[count:]


def _data_of(file: BinaryIO, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The stretches of a file between two offsets that are no holes."""
    if not hasattr(os, "SEEK_DATA"):
        yield first, last
        return
    while first < last:
        try:
            first = os.lseek(file.fileno(), first, os.SEEK_DATA)
        except OSError:
            return  # nothing but a hole follows
        if first < last:
            end = min(last, os.lseek(file.fileno(), first, os.SEEK_HOLE))
            yield first, end
            first = end
