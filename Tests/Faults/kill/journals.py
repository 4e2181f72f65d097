"""What journals beside a cache file hold, read by a reader of its own (the form: Sources/HoistSQLite/JournalFormat.swift)."""

from __future__ import annotations

import struct
import uuid
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

MAGIC = b"hoistJ1\n"
RECORD, ERASED = 1, 2


@dataclass
class Journal:
    """What one file holds; a process may have died while it wrote anything of it."""

    has_header: bool = False
    events: list[tuple[str, str, bytes]] = field(default_factory=list)
    """The id, pipeline and payload of every record."""
    is_torn: bool = False
    """Whether the last entry was cut."""


@dataclass
class Seen:
    """What stores that were looked at held in journals: records, and entries that were cut."""

    records: int = 0
    torn: int = 0

    def add(self, journals: Iterable[Journal]) -> None:
        for journal in journals:
            self.records += len(journal.events)
            self.torn += journal.is_torn

    def __iadd__(self, other: Seen) -> Seen:
        self.records += other.records
        self.torn += other.torn
        return self


def in_folder(folder: Path) -> list[Journal]:
    return [read(file.read_bytes()) for file in sorted(folder.glob("*.journal"))]


def read(content: bytes) -> Journal:
    journal = Journal()
    if len(content) < 16 or content[:8] != MAGIC:
        return journal
    length, checksum = struct.unpack_from("<II", content, 8)
    header = content[16:16 + length]
    if len(header) < length or zlib.crc32(header) != checksum:
        return journal
    journal.has_header = True
    high, low = struct.unpack_from("<QQ", header)
    pipeline = header[16:].decode()
    offset = 16 + length
    while offset < len(content):
        size, kind, subject, number, is_whole = entry(content, offset)
        if not is_whole:
            journal.is_torn = True
            break
        if kind == RECORD:
            payload = content[offset + 32 + subject:offset + 32 + size]
            journal.events.append((identifier(high, (low + number) % (1 << 64)), pipeline, payload))
        offset += 32 + size
    return journal


def entry(content: bytes, offset: int) -> tuple[int, int, int, int, bool]:
    """Size, kind, length of the subject and number of the entry there, and whether it is all there."""
    if len(content) - offset < 32:
        return 0, 0, 0, 0, False
    size, checksum, kind, subject, number, _ = struct.unpack_from("<IIIIQq", content, offset)
    body = content[offset + 32:offset + 32 + size]
    is_whole = len(body) == size and (kind == ERASED or kind == RECORD and
                                      zlib.crc32(body + content[offset + 12:offset + 32]) == checksum)
    return size, kind, subject, number, is_whole


def identifier(high: int, low: int) -> str:
    """A UUID of version 4."""
    return str(uuid.UUID(int=((high & ~0xF000 | 0x4000) << 64) | (low & ~(3 << 62) | 2 << 62)))
