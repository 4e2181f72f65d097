"""Plug-ins as Python classes.

Subclass, and hand an instance to a `Config` or `Client`. Members run on threads of the library's,
hooks on the evaluating thread; they may call everything but `close` and the calls that wait. What
a member raises is logged under "hoist" and answered as a failure; a `hoist.Error` chooses the
status. A member that does not return in time is set aside. An instance is kept until the library
has let go of it.
"""

from .cache import Cache, CacheNews, EventRow, Lead
from .dispatcher import Batch, Dispatcher, Receipt
from .headers import HeaderProvider
from .hook import Hook, HookCall
from .logger import Logger, LoggingAdapter, LogLevel
from .shared_object import PluginDescription, describe_plugin
from .transport import Exchange, Request, Transport

__all__ = [
    "Batch",
    "Cache",
    "CacheNews",
    "Dispatcher",
    "EventRow",
    "Exchange",
    "HeaderProvider",
    "Hook",
    "HookCall",
    "Lead",
    "LogLevel",
    "Logger",
    "LoggingAdapter",
    "PluginDescription",
    "Receipt",
    "Request",
    "Transport",
    "describe_plugin",
]
