"""The SDK's status, and observers of what concerns a client as a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from .._callback import implements, owner
from .._constant import Constant
from .._native import lib
from .._text import decode
from ..observer import Subscription, subscribe
from .exposure import VisitorExposed, read_flag, read_visitor

if TYPE_CHECKING:
    from ..client import Client


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


@dataclass(frozen=True)
class _Told:
    """The functions behind an observer."""

    sdk_status_changed: Callable[[SDKStatus], object] | None
    bucketing_changed: Callable[[], object] | None
    exposed: VisitorExposed | None


def observe(
    client: Client,
    status_changed: Callable[[SDKStatus], object] | None,
    bucketing_changed: Callable[[], object] | None,
    exposed: VisitorExposed | None,
) -> Subscription:
    """Registers an observer."""
    told = _Told(status_changed, bucketing_changed, exposed)
    wanted = [name for name in _Told.__dataclass_fields__ if getattr(told, name) is not None]
    for name in wanted:
        if not callable(getattr(told, name)):
            raise TypeError(f"{name} is a function, not {type(getattr(told, name)).__name__}")
    return subscribe(client, "flagship_observer", told, wanted, partial(lib.hoist_flagship_observe, client._pointer))


@implements("flagship_observer", "sdk_status_changed")
def _status_changed(user_data: Any, status: int) -> None:
    owner(user_data).sdk_status_changed(SDKStatus(status))


@implements("flagship_observer", "bucketing_changed")
def _bucketing_changed(user_data: Any) -> None:
    owner(user_data).bucketing_changed()


@implements("flagship_observer", "exposed")
def _exposed(user_data: Any, visitor: Any, flag: Any) -> None:
    owner(user_data).exposed(read_visitor(decode(visitor)), read_flag(decode(flag)))
