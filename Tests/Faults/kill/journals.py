"""What journals beside a cache file hold, read by a reader of its own (the form: Sources/HoistSQLite/JournalFormat.swift)."""

from __future__ import annotations

import struct
import uuid
import zlib
from collections.abc import Iterator
from pathlib import Path

MAGIC = b"hoistJ1\n"
RECORD, ERASED = 1, 2


def events(folder: Path) -> Iterator[tuple[str, str, bytes]]:
    """The id, pipeline and payload of every record in the folder's journals."""
    for file in sorted(folder.glob("*.journal")):
        yield from events_of(file.read_bytes())


def events_of(content: bytes) -> Iterator[tuple[str, str, bytes]]:
    """The same of one file; a process may have died while it wrote anything of it."""
    if len(content) < 16 or content[:8] != MAGIC:
        return
    length, checksum = struct.unpack_from("<II", content, 8)
    header = content[16:16 + length]
    if len(header) < length or zlib.crc32(header) != checksum:
        return
    high, low = struct.unpack_from("<QQ", header)
    pipeline = header[16:].decode()
    offset = 16 + length
    while len(content) - offset >= 32:
        size, checksum, kind, subject, number, _ = struct.unpack_from("<IIIIQq", content, offset)
        body = content[offset + 32:offset + 32 + size]
        if len(body) < size or kind not in (RECORD, ERASED):
            return
        if kind == RECORD:
            if zlib.crc32(body + content[offset + 12:offset + 32]) != checksum:
                return
            yield identifier(high, (low + number) % (1 << 64)), pipeline, body[subject:]
        offset += 32 + size


def identifier(high: int, low: int) -> str:
    """A UUID of version 4."""
    return str(uuid.UUID(int=((high & ~0xF000 | 0x4000) << 64) | (low & ~(3 << 62) | 2 << 62)))
