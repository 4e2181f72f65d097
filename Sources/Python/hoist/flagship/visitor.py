"""Visitors: who flags are fetched for."""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .._callback import implements, owner, start, table
from .._constant import Constant
from .._native import NULL, ffi, lib
from .._text import decode, document, encode, milliseconds, optional, take
from .._wait import interruptible
from ..status import ErrorSlot, Status
from . import hits
from .context import Key, Pairs, Scalar, pairs_json, set_pair
from .hits import Hit
from .reading import Reading

if TYPE_CHECKING:
    from .client import Client


class FetchStatus(Constant):
    """Where a visitor's flags stand."""

    FETCHED = lib.HOIST_FLAGSHIP_FETCH_FETCHED
    FETCHING = lib.HOIST_FLAGSHIP_FETCH_FETCHING
    FETCH_REQUIRED = lib.HOIST_FLAGSHIP_FETCH_REQUIRED
    """The reason says why; flags of before are still served."""
    PANIC = lib.HOIST_FLAGSHIP_FETCH_PANIC
    """The service has switched everything off: no flags."""


class FetchReason(Constant):
    """Why flags have to be fetched."""

    NONE = lib.HOIST_FLAGSHIP_REASON_NONE
    VISITOR_CREATE = lib.HOIST_FLAGSHIP_REASON_VISITOR_CREATE
    UPDATE_CONTEXT = lib.HOIST_FLAGSHIP_REASON_UPDATE_CONTEXT
    AUTHENTICATE = lib.HOIST_FLAGSHIP_REASON_AUTHENTICATE
    UNAUTHENTICATE = lib.HOIST_FLAGSHIP_REASON_UNAUTHENTICATE
    FETCH_ERROR = lib.HOIST_FLAGSHIP_REASON_FETCH_ERROR
    FETCHED_FROM_CACHE = lib.HOIST_FLAGSHIP_REASON_FETCHED_FROM_CACHE

    @property
    def newer_name(self) -> str:
        """What newer SDKs of the vendor call it: "FLAGS_NEVER_FETCHED"."""
        return decode(lib.hoist_flagship_fetch_reason_newer_name(int(self)))


class Visitor(Reading):
    """Ids, context, consent, flags. Thread-safe; made by `Client.visitor`.

    It holds its client weakly. Once that is closed or gone, it is a visitor of an SDK that is not
    initialized.
    """

    __slots__ = ("__weakref__", "_client", "_pointer")

    def __init__(self, pointer: Any, client: Client) -> None:
        self._pointer = ffi.gc(pointer, lib.hoist_flagship_visitor_free)
        self._client = weakref.ref(client)

    # ---- Ids -------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The visitor id."""
        return _text(lib.hoist_flagship_visitor_id(self._pointer)) or ""

    @property
    def anonymous_id(self) -> str | None:
        """The id the visitor had while it was anonymous; None for one that is."""
        return _text(lib.hoist_flagship_visitor_anonymous_id(self._pointer)) or None

    def authenticate(self, id: str) -> Status:
        """The visitor is known by another id from now on; its flags have to be fetched.

        ARGUMENT for the id it has while it is anonymous, UNSUPPORTED in bucketing mode.
        """
        return Status(lib.hoist_flagship_visitor_authenticate(self._pointer, encode(id)))

    def unauthenticate(self) -> Status:
        """The visitor is anonymous again; its flags have to be fetched. UNSUPPORTED in bucketing mode."""
        return Status(lib.hoist_flagship_visitor_unauthenticate(self._pointer))

    # ---- Consent ---------------------------------------------------------------------------------

    @property
    def has_consented(self) -> bool:
        """What the visitor has answered last."""
        return bool(lib.hoist_flagship_visitor_has_consented(self._pointer))

    def set_consent(self, has_consented: bool = True) -> Status:
        """What the visitor has answered; reported at each call.

        A refusal erases what is cached of the visitor and what waits to be sent.
        """
        call = lib.hoist_flagship_visitor_set_consent
        return Status(interruptible(lambda: call(self._pointer, has_consented)))

    # ---- Context ---------------------------------------------------------------------------------

    @property
    def context(self) -> dict[str, Any]:
        """All pairs, those that Hoist sets included."""
        pairs: dict[str, Any] = json.loads(take(lib.hoist_flagship_visitor_context(self._pointer)) or b"{}")
        return pairs

    def set(self, key: Key, value: Scalar) -> Status:
        """Sets one pair; flags have to be fetched then. FLAGSHIP_CONTEXT_REFUSED leaves the former value."""
        return set_pair(self._pointer, key, value)

    def update_context(self, pairs: Pairs) -> Status:
        """Sets several pairs in one step; those that cannot be set are left out, and told in the log."""
        text = pairs_json(pairs)
        return Status(lib.hoist_flagship_visitor_update_context_json(self._pointer, text, len(text)))

    def clear_context(self) -> Status:
        """Removes all pairs but those that Hoist sets, which get their first values back."""
        return Status(lib.hoist_flagship_visitor_clear_context(self._pointer))

    # ---- Fetching --------------------------------------------------------------------------------

    @property
    def fetch_status(self) -> FetchStatus:
        """Where the flags stand."""
        return FetchStatus(lib.hoist_flagship_visitor_fetch_status(self._pointer))

    @property
    def fetch_reason(self) -> FetchReason:
        """Why they have to be fetched."""
        return FetchReason(lib.hoist_flagship_visitor_fetch_reason(self._pointer))

    def fetch(self, timeout: float | None = None) -> Status:
        """Fetches flags and waits, not at all in bucketing mode. When it fails, the flags of before stay.

        None: no limit but the client's own, property `timeout_ms`. TIMEOUT: it goes on.
        """
        call, limit = lib.hoist_flagship_visitor_fetch_wait, milliseconds(timeout)
        return Status(interruptible(lambda: call(self._pointer, limit)))

    def fetch_soon(self, done: Callable[[Status], object] | None = None) -> Status:
        """`fetch` that does not wait; `done` is called once if this answers OK, after all callbacks."""
        call = lib.hoist_flagship_visitor_fetch
        return start(lambda told, data: call(self._pointer, told, data), done)

    async def fetch_async(self, timeout: float | None = None) -> Status:
        """`fetch` for asyncio."""
        from .. import _awaited

        client = self._client()
        return Status.STATE if client is None else await _awaited.status_of(client, self.fetch_soon, timeout)

    def export(self) -> str | None:
        """Flags, assignments and ids as JSON, for another visitor of the same id to begin with."""
        return _text(lib.hoist_flagship_visitor_export(self._pointer))

    # ---- Hits --------------------------------------------------------------------------------------

    def send(self, hit: Hit) -> Status:
        """Records something that the visitor did; answers why not."""
        return hits.send(self._pointer, hit)

    def __repr__(self) -> str:
        return f"<Visitor {self.id!r} {self.fetch_status.name}>"  # a context may be private


class _Told:
    """The functions behind a visitor's callbacks, by member."""

    def __init__(self, functions: Mapping[str, Callable[..., object]]) -> None:
        self.functions = functions


def make(
    client: Client,
    id: str | None,
    *,
    has_consented: bool,
    is_authenticated: bool,
    shared: bool,
    context: Pairs | None,
    exported: str | bytes | None,
    told: Mapping[str, Callable[..., object]],
) -> Visitor:
    """Makes a visitor of a client."""
    texts = [optional(id), pairs_json(context) if context else b"", _encoded(exported)]
    # What C reads during the call.
    name, pairs, state = (text if text == NULL else ffi.new("char[]", text) for text in texts)
    options = table("flagship_visitor_options", _Told(told), list(told))
    options.id, options.has_consented, options.is_authenticated = name, has_consented, is_authenticated
    options.instance = lib.HOIST_FLAGSHIP_SHARED_INSTANCE if shared else lib.HOIST_FLAGSHIP_NEW_INSTANCE
    if context:
        options.context_json, options.context_json_length = pairs, len(texts[1])
    if exported is not None:
        options.exported, options.exported_length = state, len(texts[2])
    place, slot = ffi.new("hoist_flagship_visitor **"), ErrorSlot()
    call = lib.hoist_flagship_visitor_new
    slot.check(interruptible(lambda: call(client._pointer, options, place, slot.pointer)), "the visitor")
    return Visitor(place[0], client)


@implements("flagship_fetch_changed")
@implements("flagship_visitor_options", "fetch_changed")
def _fetch_changed(user_data: Any, _visitor: Any, status: int, reason: int) -> None:
    owner(user_data).functions["fetch_changed"](FetchStatus(status), FetchReason(reason))


@implements("flagship_fetch_required")
@implements("flagship_visitor_options", "fetch_required")
def _fetch_required(user_data: Any, _visitor: Any, reason: int) -> None:
    owner(user_data).functions["fetch_required"](FetchReason(reason))


@implements("flagship_fetched")
@implements("flagship_visitor_options", "fetched")
def _fetched(user_data: Any, _visitor: Any) -> None:
    owner(user_data).functions["fetched"]()


def _encoded(text: str | bytes | None) -> bytes:
    return b"" if text is None else document(text)


def _text(pointer: Any) -> str | None:
    data = take(pointer)
    return None if data is None else str(data, "utf-8", "replace")
