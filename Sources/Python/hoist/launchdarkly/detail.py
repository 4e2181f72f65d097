"""What evaluations say beside the value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from .._native import ffi, lib
from .._text import take

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class EvaluationDetail(Generic[Value]):
    """A value, and how it was determined."""

    value: Value
    variation_index: int | None = None
    """Which of the flag's variations it is; None where the fallback was returned for an error."""
    reason: Mapping[str, Any] | None = None
    """{"kind": "RULE_MATCH", …}; without `evaluation_reasons` those of errors only."""

    @property
    def error_kind(self) -> str | None:
        """FLAG_NOT_FOUND, WRONG_TYPE, CLIENT_NOT_READY, …; None when there was no error."""
        kind = (self.reason or {}).get("errorKind")
        return kind if isinstance(kind, str) else None


def of_core(value: Any, pointer: Any) -> EvaluationDetail[Any]:
    """What a detail of the library's says, which stays the caller's."""
    index = ffi.new("int64_t *")
    has_index = lib.hoist_launchdarkly_detail_variation_index(pointer, index)
    reason = json.loads(take(lib.hoist_launchdarkly_detail_reason(pointer)) or b"null")
    return EvaluationDetail(value, int(index[0]) if has_index else None, reason)
