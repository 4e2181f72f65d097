"""LaunchDarkly's tables of the plug-in, called as the library calls them, but from a test."""

from __future__ import annotations

import ctypes
import json
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char, c_char_p, c_int32, c_int64, c_size_t, c_void_p
from pathlib import Path

from table import NOT_FOUND, OK, STATE, Failed, plugin, text

FLAG, SEGMENT = 0, 1
ADD_ITEM = CFUNCTYPE(c_int32, c_char_p, c_void_p, c_size_t)
ADD_MEMBERSHIP = CFUNCTYPE(c_int32, c_char_p, c_bool)


class CItem(Structure):
    _fields_ = [("struct_size", c_size_t), ("kind", c_int32), ("key", c_char_p), ("version", c_int64), ("is_deleted", c_bool),
                ("json", c_char_p), ("json_size", c_size_t)]


class CItems(Structure):
    _fields_ = [("add", ADD_ITEM)]


class CMemberships(Structure):
    _fields_ = [("add", ADD_MEMBERSHIP)]


class CStore(Structure):
    _fields_ = [("struct_size", c_size_t), ("user_data", c_void_p),
                ("init", CFUNCTYPE(c_int32, c_void_p, POINTER(CItem), c_size_t)),
                ("all", CFUNCTYPE(c_int32, c_void_p, c_int32, POINTER(CItems))),
                ("upsert", CFUNCTYPE(c_int32, c_void_p, POINTER(CItem), POINTER(CItems))),
                ("initialized", CFUNCTYPE(c_int32, c_void_p, POINTER(c_bool))),
                ("release", CFUNCTYPE(None, c_void_p)), ("room", c_char * 256)]


class CBigSegments(Structure):
    _fields_ = [("struct_size", c_size_t), ("user_data", c_void_p),
                ("metadata", CFUNCTYPE(c_int32, c_void_p, POINTER(c_int64))),
                ("memberships", CFUNCTYPE(c_int32, c_void_p, c_char_p, POINTER(CMemberships))),
                ("release", CFUNCTYPE(None, c_void_p)), ("room", c_char * 256)]


class CVendor(Structure):
    _fields_ = [("struct_size", c_size_t), ("create_hook", c_void_p),
                ("create_store", CFUNCTYPE(c_int32, c_char_p, POINTER(CStore), POINTER(c_char), c_size_t)),
                ("create_big_segments", CFUNCTYPE(c_int32, c_char_p, POINTER(CBigSegments), POINTER(c_char), c_size_t))]


def make_table(path: Path, member: str, table: Structure, options: dict[str, object]) -> None:
    vendor = ctypes.cast(plugin(path).launchdarkly, POINTER(CVendor)).contents
    message = ctypes.create_string_buffer(512)
    status = getattr(vendor, member)(text(json.dumps(options)), byref(table), message, len(message))
    if status != OK:
        raise Failed(status, message.value.decode())


def item(kind: int, key: str, version: int, told: str | None = None) -> CItem:
    """One that is deleted without `told`."""
    is_deleted = told is None
    told = told or json.dumps({"key": key, "version": version, "deleted": True}, separators=(",", ":"))
    return CItem(ctypes.sizeof(CItem), kind, text(key), version, is_deleted, text(told), len(text(told)))


class Store:
    def __init__(self, path: Path, **options: object) -> None:
        self.table = CStore(struct_size=CStore.room.offset)
        make_table(path, "create_store", self.table, {"launchdarkly_store": options})

    def init(self, *items: CItem) -> None:
        self._check(self.table.init(self.table.user_data, (CItem * len(items))(*items), len(items)))

    def all(self, kind: int) -> dict[str, str]:
        found, sink = self._sink()
        self._check(self.table.all(self.table.user_data, kind, byref(sink)))
        return found

    def upsert(self, one: CItem) -> dict[str, str]:
        """What is kept in its place; nothing when it was taken."""
        found, sink = self._sink()
        status = self.table.upsert(self.table.user_data, byref(one), byref(sink))
        assert (status == STATE) == bool(found)
        self._check(OK if status == STATE else status)
        return found

    def initialized(self) -> bool:
        is_so = c_bool()
        self._check(self.table.initialized(self.table.user_data, byref(is_so)))
        return is_so.value

    def end(self) -> None:
        self.table.release(self.table.user_data)

    @staticmethod
    def _sink() -> tuple[dict[str, str], CItems]:
        found: dict[str, str] = {}

        def add(key: bytes, told: int, size: int) -> int:
            found[key.decode()] = ctypes.string_at(told, size).decode()
            return OK

        return found, CItems(ADD_ITEM(add))

    @staticmethod
    def _check(status: int) -> None:
        if status != OK:
            raise Failed(status)


class BigSegments:
    def __init__(self, path: Path, **options: object) -> None:
        self.table = CBigSegments(struct_size=CBigSegments.room.offset)
        make_table(path, "create_big_segments", self.table, {"launchdarkly_big_segments": options})

    def metadata(self) -> int | None:
        found = c_int64()
        status = self.table.metadata(self.table.user_data, byref(found))
        if status not in (OK, NOT_FOUND):
            raise Failed(status)
        return found.value if status == OK else None

    def memberships(self, told_hash: str) -> dict[str, bool] | None:
        found: dict[str, bool] = {}

        def add(reference: bytes, is_included: bool) -> int:
            found[reference.decode()] = is_included
            return OK

        status = self.table.memberships(self.table.user_data, text(told_hash), byref(CMemberships(ADD_MEMBERSHIP(add))))
        if status not in (OK, NOT_FOUND):
            raise Failed(status)
        return found if status == OK else None

    def end(self) -> None:
        self.table.release(self.table.user_data)
