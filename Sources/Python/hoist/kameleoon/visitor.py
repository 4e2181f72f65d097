"""Visitors: what the vendor calls a client."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from .._constant import Constant
from .._native import ffi, lib
from .._text import encode, optional, take, take_text
from ..status import ErrorSlot, Status
from .data import Data, pointers
from .flags import Flags
from .remote import Remote
from .tracking import Tracking

if TYPE_CHECKING:
    from .client import Client


class Consent(Constant):
    """What a visitor has answered."""

    UNKNOWN = lib.HOIST_KAMELEOON_CONSENT_UNKNOWN
    GIVEN = lib.HOIST_KAMELEOON_CONSENT_GIVEN
    REFUSED = lib.HOIST_KAMELEOON_CONSENT_REFUSED


class Visitor(Flags, Tracking, Remote):
    """Data, consent, flags, tracking. Thread-safe; made by `Client.visitor` or `kameleoon.create`.

    All objects of one code are one visitor. It holds its client weakly; once that is closed or gone, nothing is ready.
    """

    __slots__ = ("__weakref__", "_client", "_pointer")

    def __init__(self, pointer: Any, client: Client) -> None:
        self._pointer = ffi.gc(pointer, lib.hoist_kameleoon_visitor_free)
        self._client = weakref.ref(client)

    @property
    def client(self) -> Client | None:
        """The visitor's client; None when that is gone."""
        return self._client()

    @property
    def code(self) -> str:
        """The visitor code."""
        return str(take(lib.hoist_kameleoon_visitor_code(self._pointer)) or b"", "utf-8", "replace")

    # ---- Data ------------------------------------------------------------------------------------

    def add_data(self, *data: Data, track: bool = True) -> Status:
        """Tells something of the visitor, for targeting and, with `track`, to be sent with the next tracking request.

        Of every kind there is one, and of custom data one of each index; page views are counted, conversions all kept.
        Of pages told one after the other the last is the current one, of several in one call the first.
        Raises `hoist.Error` for what no datum can say.
        """
        with pointers(data) as (array, count):
            return Status(lib.hoist_kameleoon_visitor_add_data(self._pointer, array, count, track))

    # ---- Consent ---------------------------------------------------------------------------------

    @property
    def legal_consent(self) -> Consent:
        """What the visitor has answered last."""
        return Consent(lib.hoist_kameleoon_visitor_legal_consent(self._pointer))

    def set_legal_consent(self, is_given: bool = True) -> Status:
        """What the visitor has answered; it counts where the site requires consent."""
        return Status(lib.hoist_kameleoon_visitor_set_legal_consent(self._pointer, is_given))

    # ---- Forced variations -----------------------------------------------------------------------

    def set_forced_variation(
        self, experiment_id: int, variation_key: str | None, force_targeting: bool = True
    ) -> Status:
        """Gives the visitor a variation of an experiment as long as the process lives; None takes that back."""
        call = lib.hoist_kameleoon_visitor_set_forced_variation
        return Status(call(self._pointer, experiment_id, optional(variation_key), force_targeting))

    def set_simulated_variations(self, cookie_value: str | None) -> Status:
        """Takes over what a tester has chosen in the site's web pages; None or "" ends it."""
        call = lib.hoist_kameleoon_visitor_set_simulated_variations
        return Status(call(self._pointer, optional(cookie_value)))

    def __repr__(self) -> str:
        return f"<Visitor {self.code!r}>"  # data may be private


def make(client: Client, code: str | None) -> Visitor:
    """Makes a visitor of a client."""
    place, slot = ffi.new("hoist_kameleoon_visitor **"), ErrorSlot()
    slot.check(lib.hoist_kameleoon_visitor_new(client._pointer, optional(code), place, slot.pointer), "the visitor")
    return Visitor(place[0], client)


def visitor_code_in_cookies(cookies: str) -> str | None:
    """The visitor code that a web page has left in a header `Cookie`; None where there is none that is valid."""
    return take_text(lib.hoist_kameleoon_visitor_code_in_cookies(encode(cookies)))


def new_visitor_code() -> str:
    """16 random characters of 0-9 and a-z."""
    return (take(lib.hoist_kameleoon_visitor_code_generate()) or b"").decode()
