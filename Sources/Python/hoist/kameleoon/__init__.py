"""Kameleoon, in its words: visitors, data, variations, tracking, remote data.

from hoist import kameleoon
from hoist.kameleoon import CustomData

with kameleoon.Client(site_code=…) as client:
    visitor = client.visitor("user-42")
    visitor.add_data(CustomData("plan", "gold"))
    client.wait_ready(5)
    if visitor.is_feature_active("new-checkout"):
        visitor.track_conversion(17, 19.9)
"""

from .client import Client, create, forget, forget_async
from .data import (
    ApplicationVersion,
    Browser,
    BrowserType,
    Conversion,
    Cookie,
    CustomData,
    Data,
    Device,
    DeviceType,
    Geolocation,
    OperatingSystem,
    PageView,
    SystemType,
    UniqueIdentifier,
    UserAgent,
)
from .flags import Variable, Variation
from .life import Request, RequestEnd, RequestKind, UpdateSource, version
from .remote import Filter
from .visitor import Consent, Visitor, new_visitor_code, visitor_code_in_cookies

__all__ = [
    "ApplicationVersion",
    "Browser",
    "BrowserType",
    "Client",
    "Consent",
    "Conversion",
    "Cookie",
    "CustomData",
    "Data",
    "Device",
    "DeviceType",
    "Filter",
    "Geolocation",
    "OperatingSystem",
    "PageView",
    "Request",
    "RequestEnd",
    "RequestKind",
    "SystemType",
    "UniqueIdentifier",
    "UpdateSource",
    "UserAgent",
    "Variable",
    "Variation",
    "Visitor",
    "create",
    "forget",
    "forget_async",
    "new_visitor_code",
    "version",
    "visitor_code_in_cookies",
]
