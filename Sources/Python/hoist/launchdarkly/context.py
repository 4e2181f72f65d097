"""LaunchDarkly's contexts: whom flags are evaluated for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Union

from .._attributes import to_json
from .._native import NULL, ffi, lib
from .._text import decode, document, encode, optional, take
from ..context import Context as HoistContext
from ..status import Error, ErrorSlot, Status, check


class Context:
    """One of a kind, or several of different kinds in one. Immutable; any thread.

        Context("user-42", name="Ann", attributes={"plan": "pro"}, private=["name"])
        Context.multi(Context("user-42"), Context("acme", kind="organisation"))

    Without a key the context is anonymous, and the client that takes it gives it a key, which is
    made once for each kind and kept in the client's store. `private` holds references: "email",
    "/address/street". Raises `hoist.Error` for what is no context.
    """

    __slots__ = ("_pointer", "__weakref__")
    _pointer: Any

    def __init__(
        self,
        key: str | None = None,
        *,
        kind: str = "user",
        name: str | None = None,
        anonymous: bool | None = None,
        attributes: Mapping[str, object] | None = None,
        private: Iterable[str] = (),
    ) -> None:
        pointer = lib.hoist_launchdarkly_builder_new(encode(kind), optional(key))
        if not pointer:
            raise Error(Status.ARGUMENT, "kind or key is not valid UTF-8")
        builder = ffi.gc(pointer, lib.hoist_launchdarkly_builder_free)
        check(lib.hoist_launchdarkly_builder_set_name(builder, optional(name)), "the name")
        if anonymous is not None:
            check(lib.hoist_launchdarkly_builder_set_anonymous(builder, anonymous), "anonymous")
        for attribute, value in (attributes or {}).items():
            text, slot = to_json(value, attribute), ErrorSlot()
            call = lib.hoist_launchdarkly_builder_set_json
            slot.check(call(builder, encode(attribute), text, len(text), slot.pointer), f'attribute "{attribute}"')
        for reference in [private] if isinstance(private, str) else private:
            check(lib.hoist_launchdarkly_builder_add_private(builder, encode(reference)), "a private attribute")
        self._build(lib.hoist_launchdarkly_builder_build, builder)

    def _build(self, build: Any, builder: Any) -> None:
        place, slot = ffi.new("hoist_launchdarkly_context **"), ErrorSlot()
        slot.check(build(builder, place, slot.pointer), "the context")
        self._pointer = ffi.gc(place[0], lib.hoist_launchdarkly_context_free)

    @classmethod
    def multi(cls, *parts: Context) -> Context:
        """Several contexts of different kinds in one; of one alone the result is that one."""
        multi = ffi.gc(lib.hoist_launchdarkly_multi_new(), lib.hoist_launchdarkly_multi_free)
        for part in parts:
            check(lib.hoist_launchdarkly_multi_add(multi, part._pointer), "a part of the context")
        made = cls.__new__(cls)
        made._build(lib.hoist_launchdarkly_multi_build, multi)
        return made

    @classmethod
    def from_json(cls, text: str | bytes) -> Context:
        """A context as the service writes it, or a user of old; a client generates a key that is left out. Raises `hoist.Error`."""
        data = document(text)
        slot = ErrorSlot()
        return cls._made(lib.hoist_launchdarkly_context_from_json(data, len(data), slot.pointer), slot)

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> Context:
        """A context from a mapping in the form of `from_json`."""
        return cls.from_json(to_json(dict(values), "the context"))

    @classmethod
    def from_hoist(cls, context: HoistContext) -> Context:
        """What a LaunchDarkly client takes a `hoist.Context` for. Raises `hoist.Error`."""
        slot = ErrorSlot()
        return cls._made(lib.hoist_launchdarkly_context_from_hoist(context._pointer, slot.pointer), slot)

    @classmethod
    def _made(cls, pointer: Any, slot: ErrorSlot) -> Context:
        if not pointer:
            raise slot.failed("the context cannot be read")
        made = cls.__new__(cls)
        made._pointer = ffi.gc(pointer, lib.hoist_launchdarkly_context_free)
        return made

    # ---- Reading ---------------------------------------------------------------------------------

    @property
    def is_multi(self) -> bool:
        """Whether there are several kinds in it."""
        return bool(lib.hoist_launchdarkly_context_is_multi(self._pointer))

    @property
    def kind(self) -> str:
        """The kind; "multi" for several."""
        return decode(lib.hoist_launchdarkly_context_kind(self._pointer))

    @property
    def key(self) -> str | None:
        """None for several kinds, and for a key that is still to be generated."""
        return decode(lib.hoist_launchdarkly_context_key(self._pointer)) or self.keys.get(self.kind)

    @property
    def keys(self) -> dict[str, str | None]:
        """Keys by kind; None for one that is still to be generated."""
        return taken(lib.hoist_launchdarkly_context_keys(self._pointer)) or {}

    @property
    def fully_qualified_key(self) -> str:
        """What identifies the context in events: "k" of user k, "org:k", "org:k1:user:k2"."""
        return decode(lib.hoist_launchdarkly_context_fully_qualified_key(self._pointer))

    def part(self, kind: str) -> Context | None:
        """The context of one kind in it."""
        pointer = lib.hoist_launchdarkly_context_part(self._pointer, encode(kind))
        return self._made(pointer, ErrorSlot()) if pointer else None

    def get(self, reference: str, fallback: Any = None) -> Any:
        """The value that a reference leads to, built-in attributes too; null is as good as none."""
        value = taken(lib.hoist_launchdarkly_context_get(self._pointer, encode(reference)))
        return fallback if value is None else value

    def redacted(self, private: Iterable[str] = (), *, all_private: bool = False, anonymous: bool = False) -> Any:
        """The context as events hold it; `anonymous` keeps attributes of anonymous contexts out, as feature events do."""
        texts = [ffi.new("char[]", encode(reference)) for reference in private]
        options = lib.HOIST_LAUNCHDARKLY_REDACT_ALL if all_private else 0
        options |= lib.HOIST_LAUNCHDARKLY_REDACT_ANONYMOUS if anonymous else 0
        call = lib.hoist_launchdarkly_context_redacted
        return json.loads(take(call(self._pointer, ffi.new("char *[]", texts or [NULL]), len(texts), options)) or b"null")

    def to_json(self) -> str:
        """The context as flag services get it, members in the order of their names."""
        return (take(lib.hoist_launchdarkly_context_to_json(self._pointer)) or b"{}").decode()

    def to_dict(self) -> dict[str, Any]:
        """`to_json`, read."""
        values: dict[str, Any] = json.loads(self.to_json())
        return values

    def to_hoist(self) -> HoistContext:
        """The same as a `hoist.Context`, for calls that every service has."""
        return HoistContext._adopt(lib.hoist_launchdarkly_context_to_hoist(self._pointer))

    # ---- Being a value ---------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Context):
            return NotImplemented
        return bool(lib.hoist_launchdarkly_context_equals(self._pointer, other._pointer))

    def __hash__(self) -> int:
        return hash(self.fully_qualified_key)

    def __repr__(self) -> str:
        return f"Context({self.fully_qualified_key!r})"  # attributes may be private

    def __reduce__(self) -> tuple[Any, ...]:
        # Not as the service has it: a key may still have to be generated.
        return (_restored, (self.to_hoist().to_dict(),))


def _restored(values: Mapping[str, object]) -> Context:
    return Context.from_hoist(HoistContext.from_dict(values))


AnyContext = Union[Context, HoistContext, Mapping[str, object]]
"""A context, a `hoist.Context`, or a mapping: LaunchDarkly's form with its "key", or the core's, whose keys may be missing."""


def as_launchdarkly(context: AnyContext) -> Context:
    """The context a caller means. Raises TypeError for something else, `hoist.Error` for bad values."""
    if isinstance(context, Context):
        return context
    if isinstance(context, HoistContext):
        return Context.from_hoist(context)
    if isinstance(context, Mapping):
        return Context.from_dict(context) if "key" in context else Context.from_hoist(HoistContext.from_dict(context))
    raise TypeError(f"a context is a Context or a mapping, not {type(context).__name__}")


def given(context: AnyContext | None) -> HoistContext | None:
    """A context as the library takes it; what cannot be one becomes one that the library refuses with a line in its log."""
    if context is None or isinstance(context, HoistContext):
        return context
    try:
        return as_launchdarkly(context).to_hoist()
    except Error:
        return HoistContext("")


def literal(name: str) -> str:
    """The reference to an attribute of this very name, which may begin with a slash."""
    text = take(lib.hoist_launchdarkly_reference_literal(encode(name)))
    if text is None:
        raise Error(Status.ARGUMENT, "an attribute has a name that is not empty")
    return text.decode()


def reference_names(reference: str) -> list[str]:
    """The names that a reference leads through. Raises `hoist.Error` for one that is not valid."""
    slot = ErrorSlot()
    pointer = lib.hoist_launchdarkly_reference_names(encode(reference), slot.pointer)
    if not pointer:
        raise slot.failed("the reference is not valid")
    names: list[str] = taken(pointer)
    return names


def taken(value: Any) -> Any:
    """A value of the library's as Python has it, freed; None for NULL too."""
    if not value:
        return None
    try:
        return json.loads(take(lib.hoist_launchdarkly_value_to_json(value)) or b"null")
    finally:
        lib.hoist_launchdarkly_value_free(value)
