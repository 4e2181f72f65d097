"""Decisions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntFlag
from typing import TYPE_CHECKING, Any, Union

from .. import detail as _detail
from .._callback import log
from .._native import lib, native
from .._text import decode
from .._unread import Unread

if TYPE_CHECKING:
    from .user import User


class Option(IntFlag):
    """What a decide call may ask for; the property `decide_options` is added."""

    DISABLE_DECISION_EVENT = lib.HOIST_OPTIMIZELY_DISABLE_DECISION_EVENT
    ENABLED_FLAGS_ONLY = lib.HOIST_OPTIMIZELY_ENABLED_FLAGS_ONLY
    IGNORE_USER_PROFILE_SERVICE = lib.HOIST_OPTIMIZELY_IGNORE_USER_PROFILE_SERVICE
    INCLUDE_REASONS = lib.HOIST_OPTIMIZELY_INCLUDE_REASONS
    EXCLUDE_VARIABLES = lib.HOIST_OPTIMIZELY_EXCLUDE_VARIABLES
    IGNORE_CMAB_CACHE = lib.HOIST_OPTIMIZELY_IGNORE_CMAB_CACHE
    RESET_CMAB_CACHE = lib.HOIST_OPTIMIZELY_RESET_CMAB_CACHE
    INVALIDATE_USER_CMAB_CACHE = lib.HOIST_OPTIMIZELY_INVALIDATE_USER_CMAB_CACHE


Options = Union[Option, str, Iterable[Union[Option, str]]]
"""Options added up with |, the name of one, or a list of them or of their names."""


def bits(options: Options) -> int:
    """Options as the library takes them. One that does not exist is logged and left out, as the vendor's SDK does."""
    if isinstance(options, int):
        return int(options)
    total = 0
    for option in [options] if isinstance(options, str) else options:
        try:
            total |= int(Option[option] if isinstance(option, str) else option)
        except (KeyError, TypeError, ValueError):
            log.warning("there is no decide option %r; it is left out", option)
    return total


@dataclass(frozen=True, slots=True)
class Decision(Unread):
    """What became of one flag for one user."""

    flag_key: str
    variation_key: str | None = None
    """None where there is no variation."""
    rule_key: str | None = None
    """None where no rule decided."""
    enabled: bool = False
    variables: dict[str, Any] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    """Errors first, then, with INCLUDE_REASONS, the steps."""
    user: User | None = field(default=None, compare=False, repr=False)
    """The user as it was when the flag was decided."""

    def value(self, path: str = "", fallback: Any = None) -> Any:
        """The value that a path of names with dots between leads to: "theme.colour"."""
        found: Any = self.variables
        for name in path.split(".") if path else ():
            if not isinstance(found, dict) or name not in found:
                return fallback
            found = found[name]
        return found

    _later = ("user",)

    def _read(self, name: str) -> None:
        from .user import User

        pointer = native.calls.optimizely_user(self._unread)
        self._put(name, pointer and User(pointer))


def read(pointer: Any, as_user: Any) -> Decision:
    """A decision of the library's, which stays the caller's."""
    variation, rule = lib.hoist_optimizely_decision_variation_key(pointer), lib.hoist_optimizely_decision_rule_key(pointer)
    count = lib.hoist_optimizely_decision_reason_count(pointer)
    user = lib.hoist_optimizely_decision_user(pointer)
    return Decision(
        decode(lib.hoist_optimizely_decision_flag_key(pointer)),
        decode(variation) or None,
        decode(rule) or None,
        lib.hoist_optimizely_decision_enabled(pointer),
        _detail.load(decode(lib.hoist_optimizely_decision_variables(pointer))) or {},
        tuple(decode(lib.hoist_optimizely_decision_reason(pointer, index)) for index in range(count)),
        as_user(user) if user else None,
    )
