"""AB Tasty Flagship, in its words: visitors, contexts, flags, hits, caches.

from hoist import flagship
from hoist.flagship import Category, Event

with flagship.Client(env_id=…, api_key=…, mode="bucketing") as client:
    client.wait_ready(5)
    visitor = client.visitor("user-42", context={"vip": True})
    visitor.fetch()
    colour = visitor.flag("btn-colour").value("red")
    visitor.send(Event(Category.ACTION_TRACKING, "basket", value=2))
"""

from .caches import HitCache, VisitorCache
from .client import Client, start
from .config import Config
from .context import ContextKey, key_name
from .exposure import ExposedFlag, ExposedVisitor
from .flag import Flag, FlagStatus
from .flags import Flags
from .hits import Category, Event, Hit, Item, Page, Screen, Transaction
from .life import SDKStatus, version
from .metadata import Metadata
from .visitor import FetchReason, FetchStatus, Visitor

__all__ = [
    "Category",
    "Client",
    "Config",
    "ContextKey",
    "Event",
    "ExposedFlag",
    "ExposedVisitor",
    "FetchReason",
    "FetchStatus",
    "Flag",
    "FlagStatus",
    "Flags",
    "Hit",
    "HitCache",
    "Item",
    "Metadata",
    "Page",
    "SDKStatus",
    "Screen",
    "Transaction",
    "Visitor",
    "VisitorCache",
    "key_name",
    "start",
    "version",
]
