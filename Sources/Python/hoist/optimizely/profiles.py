"""User profiles kept by the host."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from .._attributes import to_json
from .._callback import implements, owner, table
from .._native import lib
from .._text import decode, decode_bytes
from ..config import Config
from ..status import ErrorSlot, Status

Profile = dict[str, Any]
"""{"user_id": …, "experiment_bucket_map": {experiment id: {"variation_id": …}}}."""


class ProfileService(ABC):
    """Keeps which variation of which experiment each user is in.

    Called on deciding threads, on several at once: `lookup` once before the decisions of a call,
    `save` once after them, where something is new. What they raise is logged and else ignored.
    """

    @abstractmethod
    def lookup(self, user_id: str) -> Mapping[str, Any] | None:
        """The profile as it was saved; None when there is none."""

    @abstractmethod
    def save(self, profile: Profile) -> None:
        """Keeps a whole profile; its user is the member "user_id"."""


def set_profiles(config: Config, service: ProfileService) -> None:
    """Keeps profiles in place of the client's own store."""
    if not isinstance(service, ProfileService):
        raise TypeError(f"profiles are a hoist.optimizely.ProfileService, not {type(service).__name__}")
    slot = ErrorSlot()
    filled = table("optimizely_profile_service", service)
    call = lib.hoist_optimizely_config_set_profile_service
    slot.check(call(config._pointer, filled, slot.pointer), "profiles")


@implements("optimizely_profile_service", "lookup", failure=Status)
def _lookup(user_data: Any, user_id: Any, sink: Any) -> int:
    profile = owner(user_data).lookup(decode(user_id))
    if profile is None:
        return Status.NOT_FOUND
    text = to_json(dict(profile), "the profile")
    return int(lib.hoist_optimizely_profile_sink_put(sink, text, len(text)))


@implements("optimizely_profile_service", "save", failure=Status)
def _save(user_data: Any, user_id: Any, text: Any, length: int) -> int:
    owner(user_data).save(json.loads(decode_bytes(text, length)))
    return Status.OK
