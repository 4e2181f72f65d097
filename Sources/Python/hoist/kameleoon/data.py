"""What can be told of a visitor."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Union

from .._attributes import to_json
from .._constant import Constant
from .._native import NULL, ffi, lib
from .._text import take
from ..status import Error, Status


class DeviceType(Constant):
    """What the visitor uses."""

    PHONE = lib.HOIST_KAMELEOON_DEVICE_PHONE
    TABLET = lib.HOIST_KAMELEOON_DEVICE_TABLET
    DESKTOP = lib.HOIST_KAMELEOON_DEVICE_DESKTOP


class BrowserType(Constant):
    """Browsers that conditions know."""

    CHROME = lib.HOIST_KAMELEOON_BROWSER_CHROME
    INTERNET_EXPLORER = lib.HOIST_KAMELEOON_BROWSER_INTERNET_EXPLORER
    FIREFOX = lib.HOIST_KAMELEOON_BROWSER_FIREFOX
    SAFARI = lib.HOIST_KAMELEOON_BROWSER_SAFARI
    OPERA = lib.HOIST_KAMELEOON_BROWSER_OPERA
    OTHER = lib.HOIST_KAMELEOON_BROWSER_OTHER


class SystemType(Constant):
    """Operating systems that conditions know."""

    WINDOWS = lib.HOIST_KAMELEOON_SYSTEM_WINDOWS
    MAC = lib.HOIST_KAMELEOON_SYSTEM_MAC
    IOS = lib.HOIST_KAMELEOON_SYSTEM_IOS
    LINUX = lib.HOIST_KAMELEOON_SYSTEM_LINUX
    ANDROID = lib.HOIST_KAMELEOON_SYSTEM_ANDROID
    WINDOWS_PHONE = lib.HOIST_KAMELEOON_SYSTEM_WINDOWS_PHONE


def _require(value: object, kind: type, what: str) -> None:
    """What cannot be meant is a mistake of the program: it is told where it is made."""
    if not isinstance(value, kind):
        raise TypeError(f"{what} is of {kind.__name__}, not {type(value).__name__}")


class CustomData:
    """Values of the custom data at an index of the site's configuration, from 0 on, or by its name there.

    `overwrite`: whether the service forgets what it had there. A name that the configuration does not have drops the
    datum when it is added.
    """

    __slots__ = ("index", "name", "overwrite", "values")

    def __init__(self, key: int | str, *values: str, overwrite: bool = True) -> None:
        if isinstance(key, bool) or not isinstance(key, (int, str)):
            raise TypeError(f"custom data has an index or a name, not {type(key).__name__}")
        if not all(isinstance(value, str) for value in values):
            raise TypeError("values of custom data are str")
        self.index = key if isinstance(key, int) else None
        self.name = key if isinstance(key, str) else None
        self.values = values
        self.overwrite = overwrite

    def _members(self) -> dict[str, Any]:
        key = {"index": self.index} if self.name is None else {"name": self.name}
        return {**key, "values": list(self.values), "overwrite": self.overwrite}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CustomData) and self._members() == other._members()

    def __hash__(self) -> int:
        return hash((self.index, self.name, self.values, self.overwrite))

    def __repr__(self) -> str:
        key = self.index if self.name is None else self.name
        return f"CustomData({', '.join(map(repr, (key, *self.values)))})"


@dataclass(frozen=True)
class Conversion:
    """A goal was reached; `negative` takes one back. Of metadata with one index the first counts."""

    goal_id: int
    revenue: float = 0.0
    negative: bool = False
    metadata: Sequence[CustomData] = ()

    def _members(self) -> dict[str, Any]:
        more = [_document(datum) for datum in self.metadata]
        return {"goalId": self.goal_id, "revenue": self.revenue, "negative": self.negative, "metadata": more}


@dataclass(frozen=True)
class Device:
    """What the visitor uses."""

    type: DeviceType

    def __post_init__(self) -> None:
        _require(self.type, DeviceType, "the type of a device")

    def _members(self) -> dict[str, Any]:
        return {"device": self.type.name}


@dataclass(frozen=True)
class Geolocation:
    """Where the visitor is; degrees are decimal."""

    country: str
    region: str | None = None
    city: str | None = None
    postal_code: str | None = None
    latitude: float | None = None
    longitude: float | None = None

    def __post_init__(self) -> None:
        _require(self.country, str, "the country of a geolocation")

    def _members(self) -> dict[str, Any]:
        return {"country": self.country, "region": self.region, "city": self.city, "postalCode": self.postal_code,
                "latitude": self.latitude, "longitude": self.longitude}  # fmt: skip


@dataclass(frozen=True)
class Browser:
    """The visitor's browser; 17.4 for version "17.4", None for none."""

    type: BrowserType
    version: float | None = None

    def __post_init__(self) -> None:
        _require(self.type, BrowserType, "the type of a browser")

    def _members(self) -> dict[str, Any]:
        return {"browser": self.type.name, "version": self.version}


@dataclass(frozen=True)
class OperatingSystem:
    """The visitor's operating system."""

    type: SystemType

    def __post_init__(self) -> None:
        _require(self.type, SystemType, "the type of an operating system")

    def _members(self) -> dict[str, Any]:
        return {"os": self.type.name}


@dataclass(frozen=True)
class PageView:
    """A page was seen; `referrers` are indexes of where the visitor came from.

    Without a title no condition on titles holds; "" is a title.
    """

    url: str
    title: str | None = None
    referrers: Sequence[int] = ()

    def _members(self) -> dict[str, Any]:
        return {"url": self.url, "title": self.title, "referrers": list(self.referrers)}


@dataclass(frozen=True)
class UserAgent:
    """Goes with the visitor's lines in tracking requests."""

    value: str

    def _members(self) -> dict[str, Any]:
        return {"value": self.value}


@dataclass(frozen=True)
class Cookie:
    """The visitor's cookies, in place of those of before. For targeting alone."""

    cookies: Mapping[str, str] = field(default_factory=dict)

    def _members(self) -> dict[str, Any]:
        return {"cookies": dict(self.cookies)}


@dataclass(frozen=True)
class ApplicationVersion:
    """The version of the host's application, "1.2.3". For targeting alone."""

    version: str

    def _members(self) -> dict[str, Any]:
        return {"version": self.version}


@dataclass(frozen=True)
class UniqueIdentifier:
    """Whether the visitor's code is a unique identifier, which links it across devices."""

    value: bool

    def _members(self) -> dict[str, Any]:
        return {"value": self.value}


Data = Union[
    CustomData, Conversion, Device, Geolocation, Browser, OperatingSystem, PageView, UserAgent, Cookie,
    ApplicationVersion, UniqueIdentifier,
]  # fmt: skip
_KINDS: dict[str, type] = {kind.__name__: kind for kind in Data.__args__}  # type: ignore[attr-defined]


def _document(datum: Data) -> dict[str, Any]:
    """The JSON form that the library reads."""
    if type(datum).__name__ not in _KINDS:
        raise TypeError(f"data are of the kinds {', '.join(_KINDS)}, not {type(datum).__name__}")
    members = {name: value for name, value in datum._members().items() if value is not None}
    return {"type": type(datum).__name__, **members}


@contextmanager
def pointers(data: Iterable[Data]) -> Iterator[tuple[Any, int]]:
    """An array of data of the library's, and how many there are. Raises `hoist.Error`."""
    made: list[Any] = []
    try:
        for datum in data:
            text = to_json(_document(datum), "the data")
            pointer = lib.hoist_kameleoon_data_from_json(text, len(text), NULL)
            if not pointer:
                raise Error(Status.ARGUMENT, f"{datum!r} cannot be told of a visitor")
            made.append(pointer)
        yield ffi.new("hoist_kameleoon_data *[]", made or [NULL]), len(made)
    finally:
        for pointer in made:
            lib.hoist_kameleoon_data_free(pointer)


def read(pointer: Any) -> Data:
    """A datum of the library's, which stays the library's."""
    return _read(json.loads(take(lib.hoist_kameleoon_data_to_json(pointer)) or b"{}"))


def read_list(pointer: Any) -> list[Data]:
    """A list of the library's, which stays the library's."""
    count = lib.hoist_kameleoon_data_list_count(pointer)
    return [read(lib.hoist_kameleoon_data_list_at(pointer, index)) for index in range(count)]


def _read(document: Mapping[str, Any]) -> Data:
    datum: Data = _READERS[document["type"]](document)
    return datum


def _custom_data(document: Mapping[str, Any]) -> CustomData:
    key = document["name"] if "name" in document else document["index"]
    return CustomData(key, *document.get("values", ()), overwrite=document.get("overwrite", True))


def _conversion(document: Mapping[str, Any]) -> Conversion:
    metadata = tuple(_custom_data(entry) for entry in document.get("metadata", ()))
    return Conversion(document["goalId"], document.get("revenue", 0.0), document.get("negative", False), metadata)


def _geolocation(document: Mapping[str, Any]) -> Geolocation:
    names = ("region", "city", "postalCode", "latitude", "longitude")
    return Geolocation(document.get("country", ""), *(document.get(name) for name in names))


_READERS: dict[str, Any] = {
    "CustomData": _custom_data,
    "Conversion": _conversion,
    "Device": lambda document: Device(DeviceType[document["device"]]),
    "Geolocation": _geolocation,
    "Browser": lambda document: Browser(BrowserType[document["browser"]], document.get("version")),
    "OperatingSystem": lambda document: OperatingSystem(SystemType[document["os"]]),
    "PageView": lambda document: PageView(
        document.get("url", ""), document.get("title"), tuple(document.get("referrers", ()))
    ),
    "UserAgent": lambda document: UserAgent(document.get("value", "")),
    "Cookie": lambda document: Cookie(document.get("cookies", {})),
    "ApplicationVersion": lambda document: ApplicationVersion(document.get("version", "")),
    "UniqueIdentifier": lambda document: UniqueIdentifier(document.get("value", False)),
}
