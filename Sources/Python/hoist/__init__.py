"""Hoist: feature flags and experimentation.

    import hoist

    with hoist.Client("unleash", url="https://flags.example.com/api/frontend", key=key) as client:
        client.wait_ready(2)
        if client.bool("new-checkout", {"targetingKey": "user-42", "plan": "pro"}):
            ...

Evaluations return values and never raise but for arguments of a wrong type; what can be wrong with
a configuration is raised as `hoist.Error` when a client is made. Calls that may fail answer with a
`Status`, which is true when they succeeded.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

from ._exit import set_exit_limit
from ._forward import ForwardResult
from ._native import lib as _lib
from ._native import native as _native
from ._text import decode as _decode
from .client import Client, State, shared, unshare
from .config import Config, Property, describe, providers
from .context import Context
from .detail import Detail
from .observer import Notification, Subscription, Topic
from .plugins import (
    Batch,
    Cache,
    CacheNews,
    Dispatcher,
    EventRow,
    Exchange,
    HeaderProvider,
    Hook,
    HookCall,
    Lead,
    Logger,
    LoggingAdapter,
    LogLevel,
    PluginDescription,
    Receipt,
    Request,
    Transport,
    describe_plugin,
)
from .provider import (
    Answer,
    Evaluation,
    Flag,
    Pipeline,
    Provider,
    ProviderBatch,
    ProviderEvent,
    ProviderHost,
    ProviderProperty,
    Reason,
    Reply,
    Ticket,
    Variation,
    unregister_provider,
)
from .status import Error, Status
from .view import View

if TYPE_CHECKING:
    from . import aio, properties

__version__ = "0.1.0"
binding_mode: str = _native.name
"""How the library was reached: "compiled" or "plain"."""


def version() -> str:
    """Version of the library at run time."""
    return _decode(_lib.hoist_version())


def __getattr__(name: str) -> Any:
    # Not for every program: the one brings asyncio, the other is for those that annotate.
    if name in ("aio", "properties"):
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Answer",
    "Batch",
    "Cache",
    "CacheNews",
    "Client",
    "Config",
    "Context",
    "Detail",
    "Dispatcher",
    "Error",
    "Evaluation",
    "EventRow",
    "Exchange",
    "Flag",
    "ForwardResult",
    "HeaderProvider",
    "Hook",
    "HookCall",
    "Lead",
    "LogLevel",
    "Logger",
    "LoggingAdapter",
    "Notification",
    "Pipeline",
    "PluginDescription",
    "Property",
    "Provider",
    "ProviderBatch",
    "ProviderEvent",
    "ProviderHost",
    "ProviderProperty",
    "Reason",
    "Receipt",
    "Reply",
    "Request",
    "State",
    "Status",
    "Subscription",
    "Ticket",
    "Topic",
    "Transport",
    "Variation",
    "View",
    "aio",
    "binding_mode",
    "describe",
    "describe_plugin",
    "properties",
    "providers",
    "set_exit_limit",
    "shared",
    "unregister_provider",
    "unshare",
    "version",
]
