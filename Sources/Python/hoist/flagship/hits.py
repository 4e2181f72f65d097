"""Hits: what visitors do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from .._constant import Constant
from .._native import NULL, ffi, lib
from .._text import encode
from ..status import Status


class Category(Constant):
    """What an event is about."""

    ACTION_TRACKING = lib.HOIST_FLAGSHIP_ACTION_TRACKING
    USER_ENGAGEMENT = lib.HOIST_FLAGSHIP_USER_ENGAGEMENT


@dataclass(kw_only=True)
class Hit:
    """What every hit can say. One of its kinds is sent by `Visitor.send`, any number of times."""

    _new: ClassVar[Callable[..., Any] | None] = None
    _required: ClassVar[tuple[str, ...]] = ()

    location: str | None = None
    user_ip: str | None = None
    screen_resolution: str | None = None
    """ "1334x750"."""
    screen_color_depth: str | None = None
    """ "24-bit"."""
    user_language: str | None = None
    session_number: int | None = None
    current_session_timestamp: int | None = None
    """Taken, and not sent, as in the vendor's SDKs."""
    session_event_number: int | None = None
    """Taken, and not sent, as in the vendor's SDKs."""


@dataclass
class Screen(Hit):
    """A screen was seen."""

    _new = lib.hoist_flagship_hit_new_screen
    _required = ("location",)

    location: str


@dataclass
class Page(Hit):
    """A page was seen; its location is a URL with scheme and host, or of a file."""

    _new = lib.hoist_flagship_hit_new_page
    _required = ("location",)

    location: str


@dataclass
class Transaction(Hit):
    """Something was bought; `affiliation` is the name of the goal in the report."""

    _new = lib.hoist_flagship_hit_new_transaction
    _required = ("transaction_id", "affiliation")

    transaction_id: str
    affiliation: str
    revenue: float | None = None
    """Shipping and tax included."""
    shipping: float | None = None
    tax: float | None = None
    currency: str | None = None
    """Three capital letters of ISO 4217."""
    payment_method: str | None = None
    shipping_method: str | None = None
    item_count: int | None = None
    coupon_code: str | None = None


@dataclass
class Item(Hit):
    """One item of a transaction, to be sent after that."""

    _new = lib.hoist_flagship_hit_new_item
    _required = ("transaction_id", "name", "code")

    transaction_id: str
    name: str
    code: str
    price: float | None = None
    quantity: int | None = None
    category: str | None = None


@dataclass
class Event(Hit):
    """Anything else that happened; `action` is the name of the goal in the report."""

    _new = lib.hoist_flagship_hit_new_event
    _required = ("category", "action")

    category: Category
    action: str
    label: str | None = None
    value: int | None = None


def send(visitor: Any, hit: Hit) -> Status:
    """Sends a hit for a visitor of the library's."""
    made = _made(hit)
    if made == NULL:
        return Status.ARGUMENT
    for name, call in _setters(type(hit)):
        value = getattr(hit, name)
        if value is None:
            continue
        status = call(made, _passed(value))
        if status:
            return Status(status)
    return Status(lib.hoist_flagship_visitor_send_hit(visitor, made, NULL))


_Setters = tuple[tuple[str, Callable[..., int]], ...]
_known: dict[type[Hit], _Setters] = {}


def _setters(kind: type[Hit]) -> _Setters:
    """The optional fields of a kind of hits, with the calls that set them; looked up once."""
    if kind not in _known:
        names = [field.name for field in fields(kind) if field.name not in kind._required]
        _known[kind] = tuple((name, getattr(lib, f"hoist_flagship_hit_set_{name}")) for name in names)
    return _known[kind]


def _made(hit: Hit) -> Any:
    new = hit._new if isinstance(hit, Hit) else None
    if new is None:
        raise TypeError(f"a hit is a Screen, Page, Transaction, Item or Event, not {type(hit).__name__}")
    pointer = new(*(_passed(getattr(hit, name)) for name in hit._required))
    return ffi.gc(pointer, lib.hoist_flagship_hit_free) if pointer else NULL


def _passed(value: str | int | float) -> Any:
    return encode(value) if isinstance(value, str) else value
