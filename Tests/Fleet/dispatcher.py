"""An event dispatcher's table, called as the library calls it, but from a test."""

from __future__ import annotations

import ctypes
import itertools
import json
import threading
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from pathlib import Path

from table import Failed, text

OK, ARGUMENT, CONFIG, LIMIT, NETWORK, UNSUPPORTED = 0, 1, 4, 6, 8, 10
LIMIT_SECONDS = 60


class CHeader(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("value", c_char_p)]


class CBatch(Structure):
    _fields_ = [("struct_size", c_size_t), ("pipeline", c_char_p), ("method", c_char_p), ("url", c_char_p),
                ("headers", POINTER(CHeader)), ("header_count", c_size_t), ("body", c_char_p), ("body_size", c_size_t),
                ("event_ids", POINTER(c_char_p)), ("event_count", c_size_t), ("service", c_char_p), ("path", c_char_p),
                ("key_hash", c_char_p), ("subject", c_char_p), ("timeout_ms", c_int64), ("attempt", c_int32)]


ANSWER = CFUNCTYPE(None, c_int32, c_char_p)


class CReceipt(Structure):
    _fields_ = [("told", ANSWER)]


class CDispatcher(Structure):
    _fields_ = [("struct_size", c_size_t), ("user_data", c_void_p),
                ("dispatch", CFUNCTYPE(c_int32, c_void_p, POINTER(CBatch), POINTER(CReceipt))),
                ("release", CFUNCTYPE(None, c_void_p)), ("room", c_char * 256)]


class CPlugin(Structure):
    _fields_ = [("struct_size", c_size_t), ("abi_version", c_uint32), ("name", c_char_p), ("version", c_char_p), ("others", c_void_p * 4),
                ("create_dispatcher", CFUNCTYPE(c_int32, c_char_p, POINTER(CDispatcher), POINTER(c_char), c_size_t))]


class Receipt:
    """What became of a batch."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, str]] = []
        self._has_come = threading.Event()
        self.pointer = CReceipt(ANSWER(self._told))

    def _told(self, status: int, message: bytes | None) -> None:
        self.answers.append((status, (message or b"").decode()))
        self._has_come.set()

    def answer(self) -> tuple[int, str]:
        assert self._has_come.wait(LIMIT_SECONDS), "no answer came"
        assert len(self.answers) == 1
        return self.answers[0]

    @property
    def status(self) -> int:
        return self.answer()[0]


class Dispatcher:
    """`Dispatcher(path, options)` makes one; what fails raises `Failed` with its status."""

    numbers = itertools.count()

    def __init__(self, path: Path, options: dict[str, object] | str) -> None:
        entry = ctypes.CDLL(str(path)).hoist_plugin_entry
        entry.restype = POINTER(CPlugin)
        self.table = CDispatcher(struct_size=CDispatcher.room.offset)
        message = ctypes.create_string_buffer(512)
        given = options if isinstance(options, str) else json.dumps(options)
        status = entry(c_uint32(1)).contents.create_dispatcher(text(given), byref(self.table), message, c_size_t(512))
        if status != OK:
            raise Failed(status, message.value.decode())

    def end(self) -> None:
        if self.table.user_data:
            self.table.release(self.table.user_data)
        self.table.user_data = None

    def send(self, body: bytes = b"{}", ids: tuple[str, ...] = (), struct_size: int = 0, **members: object) -> Receipt:
        told = {"pipeline": b"metrics", "method": b"POST", "url": b"https://flags.example/api/client/metrics?key=secret-key", "service": b"unleash",
                "path": b"/api/client/metrics", "key_hash": b"5eed", "subject": b"", "timeout_ms": 40_000, "attempt": 1}
        told.update({name: value.encode() if isinstance(value, str) else value for name, value in members.items()})
        ids = ids or (f"id-{next(self.numbers)}",)
        headers = (CHeader * 2)(CHeader(ctypes.sizeof(CHeader), b"Authorization", b"secret-key"),
                                CHeader(ctypes.sizeof(CHeader), b"Content-Type", b"application/json; charset=utf-8"))
        batch = CBatch(struct_size=struct_size or ctypes.sizeof(CBatch), headers=headers, header_count=2, body=body, body_size=len(body),
                       event_ids=(c_char_p * len(ids))(*map(str.encode, ids)), event_count=len(ids), **told)
        receipt = Receipt()
        status = self.table.dispatch(self.table.user_data, byref(batch), byref(receipt.pointer))
        if status != OK:
            raise Failed(status)
        return receipt
