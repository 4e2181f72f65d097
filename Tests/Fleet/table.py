"""A cache manager's table, called as the library calls it, but from a test."""

from __future__ import annotations

import ctypes
import json
import threading
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_void_p, cast
from dataclasses import dataclass
from pathlib import Path

OK, STATE, TIMEOUT, CONFIG, LIMIT, IO, NETWORK, NOT_FOUND, UNSUPPORTED = 0, 2, 3, 4, 6, 7, 8, 9, 10


class CRow(Structure):
    _fields_ = [("struct_size", c_size_t), ("id", c_char_p), ("pipeline", c_char_p), ("subject", c_char_p),
                ("created", c_int64), ("payload", c_void_p), ("payload_size", c_size_t)]


class CBytes(Structure):
    _fields_ = [("bytes", c_void_p), ("size", c_size_t)]


ADD = CFUNCTYPE(c_int32, POINTER(CRow))


class CEvents(Structure):
    _fields_ = [("add", ADD)]


TOLD = CFUNCTYPE(None, c_char_p)


class CNews(Structure):
    _fields_ = [("told", TOLD)]


class CCache(Structure):
    _fields_ = [
        ("struct_size", c_size_t), ("user_data", c_void_p),
        ("load", CFUNCTYPE(c_int32, c_void_p, c_char_p, POINTER(CBytes))),
        ("save", CFUNCTYPE(c_int32, c_void_p, c_char_p, c_void_p, c_size_t)),
        ("remove", CFUNCTYPE(c_int32, c_void_p, c_char_p)),
        ("put_events", CFUNCTYPE(c_int32, c_void_p, POINTER(CRow), c_size_t, c_char_p, c_int64)),
        ("claim_events", CFUNCTYPE(c_int32, c_void_p, c_char_p, c_size_t, c_size_t, c_char_p, c_int64, POINTER(CEvents))),
        ("remove_events", CFUNCTYPE(c_int32, c_void_p, POINTER(c_char_p), c_size_t, c_char_p)),
        ("purge_events", CFUNCTYPE(c_int32, c_void_p, c_char_p, c_char_p)),
        ("renew_lease", CFUNCTYPE(c_int32, c_void_p, c_char_p, c_int64)),
        ("release", CFUNCTYPE(None, c_void_p)),
        ("replace", CFUNCTYPE(c_int32, c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_size_t, POINTER(CBytes))),
        ("append", CFUNCTYPE(c_int32, c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_size_t)),
        ("lead", CFUNCTYPE(c_int32, c_void_p, c_char_p, c_char_p, c_int64, POINTER(c_int64), POINTER(c_int64))),
        ("save_led", CFUNCTYPE(c_int32, c_void_p, c_char_p, c_void_p, c_size_t, c_int64, POINTER(c_int64))),
        ("give_back_events", CFUNCTYPE(c_int32, c_void_p, POINTER(c_char_p), c_size_t, c_char_p)),
        ("replace_for", CFUNCTYPE(c_int32, c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_size_t, c_int64, POINTER(CBytes))),
        ("announce", CFUNCTYPE(c_int32, c_void_p, c_char_p)),
        ("listen", CFUNCTYPE(c_int32, c_void_p, POINTER(CNews))),
        ("room", c_char * 256)]


class CPlugin(Structure):
    _fields_ = [("struct_size", c_size_t), ("abi_version", c_uint32), ("name", c_char_p), ("version", c_char_p),
                ("create_logger", c_void_p),
                ("create_cache", CFUNCTYPE(c_int32, c_char_p, POINTER(CCache), POINTER(c_char), c_size_t)),
                ("others", c_void_p * 4), ("unleash", c_void_p), ("optimizely", c_void_p), ("launchdarkly", c_void_p)]


class Failed(Exception):
    def __init__(self, status: int, what: str = "") -> None:
        super().__init__(f"status {status} {what}")
        self.status = status


@dataclass(frozen=True)
class Row:
    id: str
    at: int = 0
    payload: bytes = b"{}"
    pipeline: str = "events"
    subject: str = ""


def text(value: str) -> bytes:
    return value.encode("utf-8", "surrogateescape")


def plugin(path: Path) -> CPlugin:
    entry = ctypes.CDLL(str(path)).hoist_plugin_entry
    entry.restype = POINTER(CPlugin)
    return entry(c_uint32(1)).contents


class News:
    """What a cache has told since it began to listen, in order; None where something may have been missed."""

    def __init__(self) -> None:
        self.told: list[str | None] = []
        self.changed = threading.Condition()
        self.given = CNews(TOLD(self._tell))

    def _tell(self, key: bytes | None) -> None:
        with self.changed:
            self.told.append(None if key is None else key.decode("utf-8", "surrogateescape"))
            self.changed.notify_all()

    def comes(self, *keys: str | None) -> bool:
        """Whether these come, in this order and nothing else; and takes them."""
        with self.changed:
            found = self.changed.wait_for(lambda: len(self.told) >= len(keys), 60)
            taken, self.told = self.told, []
        return found and taken == list(keys)


class Cache:
    """`Cache(path, options)` makes one; what fails raises `Failed` with its status."""

    def __init__(self, path: Path, options: str | dict[str, object]) -> None:
        self.table = CCache(struct_size=CCache.room.offset)
        message = ctypes.create_string_buffer(512)
        told = options if isinstance(options, str) else json.dumps(options)
        status = plugin(path).create_cache(text(told), byref(self.table), message, len(message))
        if status != OK:
            raise Failed(status, message.value.decode())

    def _call(self, member: str, *arguments: object) -> int:
        return int(getattr(self.table, member)(self.table.user_data, *arguments))

    def _do(self, member: str, *arguments: object) -> None:
        status = self._call(member, *arguments)
        if status != OK:
            raise Failed(status, member)

    @staticmethod
    def _taken(sink: CBytes) -> bytes:
        return ctypes.string_at(sink.bytes, sink.size) if sink.bytes else b""

    def load(self, key: str) -> bytes | None:
        sink = CBytes()
        status = self._call("load", text(key), byref(sink))
        if status == NOT_FOUND:
            return None
        if status != OK:
            raise Failed(status, "load")
        return self._taken(sink)

    def save(self, key: str, value: bytes) -> None:
        self._do("save", text(key), value, len(value))

    def remove(self, key: str) -> None:
        self._do("remove", text(key))

    def replace(self, key: str, expected: bytes | None, value: bytes | None) -> object:
        """True when it is done; else what is kept, None for nothing."""
        sink = CBytes()
        status = self._call("replace", text(key), expected, len(expected or b""), value, len(value or b""), byref(sink))
        if status not in (OK, STATE, NOT_FOUND):
            raise Failed(status, "replace")
        return True if status == OK else self._taken(sink) if status == STATE else None

    def replace_for(self, key: str, expected: bytes | None, value: bytes | None, lifetime_ms: int) -> object:
        """Likewise."""
        sink = CBytes()
        status = self._call("replace_for", text(key), expected, len(expected or b""), value, len(value or b""), lifetime_ms, byref(sink))
        if status not in (OK, STATE, NOT_FOUND):
            raise Failed(status, "replace_for")
        return True if status == OK else self._taken(sink) if status == STATE else None

    def append(self, key: str, head: bytes, more: bytes) -> bool:
        status = self._call("append", text(key), head, len(head), more, len(more))
        if status not in (OK, STATE, NOT_FOUND):
            raise Failed(status, "append")
        return status == OK

    def lead(self, holder: str | None, lease: int = 3_600_000, key: str = "flags") -> tuple[int, int]:
        """The number of the holder's lead, 0 for none, and the version of the value."""
        number, version = c_int64(), c_int64()
        self._do("lead", text(key), None if holder is None else text(holder), lease, byref(number), byref(version))
        return number.value, version.value

    def save_led(self, value: bytes, number: int, key: str = "flags") -> int | None:
        """Its version; None where another has led since."""
        version = c_int64()
        status = self._call("save_led", text(key), value, len(value), number, byref(version))
        if status not in (OK, STATE):
            raise Failed(status, "save_led")
        return version.value if status == OK else None

    def put(self, owner: str, *rows: Row, lease: int = 3_600_000) -> None:
        told = (CRow * len(rows))(*(
            CRow(ctypes.sizeof(CRow), text(row.id), text(row.pipeline), text(row.subject), row.at,
                 cast(row.payload, c_void_p), len(row.payload)) for row in rows))
        self._do("put_events", told, len(rows), text(owner), lease)

    def claim_rows(self, owner: str, rows: int = 1000, size: int = 1 << 20, pipeline: str = "events",
                   lease: int = 3_600_000) -> list[Row]:
        taken: list[Row] = []

        def add(row: object) -> int:
            told = row.contents  # type: ignore[attr-defined]
            taken.append(Row(told.id.decode("utf-8", "surrogateescape"), told.created,
                             ctypes.string_at(told.payload, told.payload_size), told.pipeline.decode(),
                             told.subject.decode("utf-8", "surrogateescape")))
            return OK

        self._do("claim_events", text(pipeline), rows, size, text(owner), lease, byref(CEvents(ADD(add))))
        return taken

    def claim(self, owner: str, **limits: object) -> list[str]:
        return [row.id for row in self.claim_rows(owner, **limits)]  # type: ignore[arg-type]

    def remove_events(self, owner: str, *ids: str) -> None:
        told = (c_char_p * len(ids))(*(text(one) for one in ids))
        self._do("remove_events", told, len(ids), text(owner))

    def purge(self, subject: str, pipeline: str = "events") -> None:
        self._do("purge_events", text(subject), text(pipeline))

    def renew(self, owner: str, lease: int = 3_600_000) -> None:
        self._do("renew_lease", text(owner), lease)

    def give_back(self, owner: str) -> None:
        self.renew(owner, 0)

    def give_back_rows(self, owner: str, *ids: str) -> None:
        self._do("give_back_events", (c_char_p * len(ids))(*map(text, ids)), len(ids), text(owner))

    def announce(self, key: str) -> None:
        self._do("announce", text(key))

    def listen(self) -> News:
        """It tells from the return on what others announce; once it has a connection."""
        news = News()
        self._do("listen", byref(news.given))
        self.news = news
        return news

    def end_listening(self) -> None:
        self._do("listen", None)

    def end(self) -> None:
        self.table.release(self.table.user_data)
