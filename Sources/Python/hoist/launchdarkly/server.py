"""Mode server: all flags for a page's bootstrap, secure mode hash, observers of flags."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from .._native import lib
from .._text import encode, take
from ..context import pointer_of
from ..observer import Subscription
from .context import AnyContext, given
from .observers import ChangedFlag, Observers, Told
from .owner import held_weakly


class FlagsState:
    """All flags for one context, as the vendor's browser SDKs begin with them."""

    __slots__ = ("_members", "_text")

    def __init__(self, text: bytes) -> None:
        self._text = text.decode("utf-8", "replace")
        self._members: dict[str, Any] = json.loads(self._text)

    @property
    def is_valid(self) -> bool:
        """False before there are rules, after close, and for what is no context; there are no flags then."""
        return self._members.get("$valid") is True

    @property
    def values(self) -> dict[str, Any]:
        """Each flag's value; None where it has none."""
        return {key: value for key, value in self._members.items() if not key.startswith("$")}

    @property
    def metadata(self) -> dict[str, dict[str, Any]]:
        """What is said of each flag: "variation", "version", "reason", "trackEvents", …"""
        found: dict[str, dict[str, Any]] = self._members.get("$flagsState", {})
        return found

    def to_json(self) -> str:
        """The text that a page takes."""
        return self._text

    def to_dict(self) -> dict[str, Any]:
        """`to_json`, read."""
        return dict(self._members)


class Server(Observers):
    """What `launchdarkly.Client` can do in mode server alone; `context` is None for the current one."""

    __slots__ = ()

    _pointer: Any

    def all_flags_state(
        self,
        context: AnyContext | None = None,
        *,
        client_side_only: bool = False,
        with_reasons: bool = False,
        details_only_for_tracked_flags: bool = False,
    ) -> FlagsState:
        """Every flag's value for a context. Makes no events, and runs no hooks."""
        options = lib.HOIST_LAUNCHDARKLY_CLIENT_SIDE_ONLY if client_side_only else 0
        options |= lib.HOIST_LAUNCHDARKLY_WITH_REASONS if with_reasons else 0
        options |= lib.HOIST_LAUNCHDARKLY_DETAILS_IF_TRACKED if details_only_for_tracked_flags else 0
        subject = given(context)
        text = take(lib.hoist_launchdarkly_all_flags_state(self._pointer, pointer_of(subject), options))
        return FlagsState(text or b"{}")

    def secure_mode_hash(self, context: AnyContext | None = None) -> str:
        """Shows the vendor's browser SDKs that a context comes from a holder of the SDK key; "" for what is no context."""
        subject = given(context)
        return (take(lib.hoist_launchdarkly_secure_mode_hash(self._pointer, pointer_of(subject))) or b"").decode()

    def observe_flag_changes(self, handler: Callable[[list[str]], object], owner: object = None) -> Subscription:
        """One call for each update, with the keys of flags that may have other values than before, for any context."""
        call, told = lib.hoist_launchdarkly_observe_flag_changes, Told(rules_changed=held_weakly(handler, owner))
        return self._register("rules_changed", told, owner, partial(call, self._pointer))

    def observe_flag_value(
        self,
        key: str,
        context: AnyContext | None,
        handler: Callable[[ChangedFlag], object],
        owner: object = None,
    ) -> Subscription:
        """Each change of one flag's value for one context: None for the one that is current now. No value is None."""
        subject, told_to = given(context), held_weakly(handler, owner)
        told = Told(changed=lambda flags: [told_to(flag) for flag in flags])
        call = partial(lib.hoist_launchdarkly_observe_flag_value, self._pointer, encode(key), pointer_of(subject))
        return self._register("changed", told, owner, call)
