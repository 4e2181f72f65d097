"""The SDK's status, and who is told of what concerns a client as a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .._callback import implements, owner, table
from .._constant import Constant
from .._native import NULL, lib
from .._text import decode
from ..config import Config
from ..status import ErrorSlot


def version() -> str:
    """Name and version as requests carry them."""
    return decode(lib.hoist_flagship_version())


class SDKStatus(Constant):
    """Where the SDK stands."""

    NOT_INITIALIZED = lib.HOIST_FLAGSHIP_NOT_INITIALIZED
    """Not started, or closed."""
    INITIALIZING = lib.HOIST_FLAGSHIP_INITIALIZING
    """The first bucketing file is being downloaded."""
    INITIALIZED = lib.HOIST_FLAGSHIP_INITIALIZED
    PANIC = lib.HOIST_FLAGSHIP_PANIC
    """Switched off by the service, but for fetching, which finds out when that is over."""

    @property
    def vendor_name(self) -> str:
        """As the vendor's SDKs say it: "SDK_INITIALIZED"."""
        return decode(lib.hoist_flagship_status_name(int(self)))


def sdk_status() -> SDKStatus:
    """The status of the process's client."""
    return SDKStatus(lib.hoist_flagship_sdk_status(NULL))


@dataclass(frozen=True)
class _Told:
    """The functions behind a listener."""

    status_changed: Callable[[SDKStatus], object] | None
    bucketing_changed: Callable[[], object] | None


def set_listener(
    config: Config,
    status_changed: Callable[[SDKStatus], object] | None,
    bucketing_changed: Callable[[], object] | None,
) -> None:
    """Tells functions of what concerns clients of a configuration as a whole; in place of the former ones."""
    members = {"sdk_status_changed": status_changed, "bucketing_changed": bucketing_changed}
    wanted = [name for name, function in members.items() if function is not None]
    if not wanted:
        return
    slot = ErrorSlot()
    filled = table("flagship_listener", _Told(status_changed, bucketing_changed), wanted)
    slot.check(lib.hoist_flagship_config_set_listener(config._pointer, filled, slot.pointer), "the listener")


@implements("flagship_listener", "sdk_status_changed")
def _status_changed(user_data: Any, status: int) -> None:
    owner(user_data).status_changed(SDKStatus(status))


@implements("flagship_listener", "bucketing_changed")
def _bucketing_changed(user_data: Any) -> None:
    owner(user_data).bucketing_changed()
