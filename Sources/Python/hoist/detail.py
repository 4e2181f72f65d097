"""How a value was chosen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ._native import lib, native, use
from ._text import decode, take
from ._unread import Unread

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Detail(Unread, Generic[Value]):
    """The outcome of one evaluation and why it came out so."""

    key: str
    value: Value
    """What was returned; for `evaluate` what the flag holds, None when nothing."""
    enabled: bool = False
    """Whether the flag is on; for typed calls, whether it has a value of its own."""
    variation: str = ""
    reason: str = "ERROR"
    """STATIC, DEFAULT, TARGETING_MATCH, SPLIT, CACHED, DISABLED, STALE, UNKNOWN or ERROR."""
    error_code: str = ""
    """Empty, or PROVIDER_NOT_READY, FLAG_NOT_FOUND, TYPE_MISMATCH, INVALID_CONTEXT, …"""
    error_message: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """What the service tells about the flag, in the vendor's words."""
    explanation: Any = None
    """The steps, for `explain`."""

    @property
    def failed(self) -> bool:
        """Whether the evaluation could not be made."""
        return self.error_code != ""

    _later = (
        "key", "value", "enabled", "variation", "reason", "error_code", "error_message", "metadata", "explanation",
    )  # fmt: skip

    def _read(self, name: str) -> None:
        if isinstance(self._unread, int):
            native.calls.read_detail(self)
        if name == "metadata":
            self._put(name, native.calls.read_json(self._unread) or {})


def read(pointer: Any, key: str, **replaced: Any) -> Detail[Any]:
    """Reads a detail of the library's and frees it. `key` is the flag key as it was asked for."""
    try:
        metadata = lib.hoist_detail_metadata(pointer)
        values: dict[str, Any] = {
            "value": load(decode(lib.hoist_detail_value(pointer))),
            "enabled": lib.hoist_detail_enabled(pointer),
            "variation": decode(lib.hoist_detail_variation(pointer)),
            "reason": decode(lib.hoist_detail_reason(pointer)),
            "error_code": decode(lib.hoist_detail_error_code(pointer)),
            "error_message": decode(lib.hoist_detail_error_message(pointer)),
            "metadata": load(decode(metadata)) or {},
            "explanation": load(decode(lib.hoist_detail_explanation(pointer))),
        }
    finally:
        lib.hoist_detail_free(pointer)
    return Detail(key, **{**values, **replaced})


def lent(pointer: Any) -> Detail[Any]:
    """Reads a detail that is valid during a callback only."""
    return from_json(load(take(lib.hoist_detail_to_json(pointer)) or b"{}") or {})


def from_json(values: Mapping[str, Any]) -> Detail[Any]:
    """A detail from the library's JSON form."""
    return Detail(
        values.get("key", ""),
        values.get("value"),
        values.get("enabled", False),
        values.get("variation", ""),
        values.get("reason", ""),
        values.get("errorCode", ""),
        values.get("errorMessage", ""),
        values.get("metadata", {}),
        values.get("explanation"),
    )


def refused(key: str, fallback: Value, message: str) -> Detail[Value]:
    """The detail of an evaluation whose context could not be made."""
    return Detail(key, fallback, error_code="INVALID_CONTEXT", error_message=message)


def unevaluated(key: str, status: int) -> Detail[Any]:
    """The detail of an evaluation that could not begin."""
    return Detail(key, None, error_code="GENERAL", error_message=decode(lib.hoist_status_name(status)))


def load(text: str | bytes) -> Any:
    """JSON of the library's; None for what Python's reader refuses."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_decoder: Any = json.JSONDecoder()
use(Detail=Detail, refused=refused, unevaluated=unevaluated, load=load, scan=_decoder.scan_once)
