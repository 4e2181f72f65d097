"""The evaluation context: who or what a flag is evaluated for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Union

from ._attributes import set_attribute
from ._native import NULL, ffi, lib, native, use
from ._text import decode, document, encode, optional, take
from .status import Error, ErrorSlot, Status, check

TARGETING_KEY = "targetingKey"


class Context:
    """A targeting key and typed attributes.

        Context("user-42", plan="pro", age=31, beta=True)
        Context("user-42", {"dotted.name": [1, 2], "since": datetime.now(timezone.utc)})

    Any number of threads may evaluate with one context. A context built once and used for many
    evaluations is faster than a dict, which is converted at each call.
    """

    __slots__ = ("_key", "_pointer", "__weakref__")

    def __init__(
        self,
        targeting_key: str | None = None,
        attributes: Mapping[str, object] | None = None,
        /,
        **more: object,
    ) -> None:
        pointer = lib.hoist_context_new(optional(targeting_key))
        if not pointer:
            raise Error(Status.ARGUMENT, "the targeting key is not valid UTF-8")
        self._pointer: Any = ffi.gc(pointer, lib.hoist_context_free)
        self._key = targeting_key
        for name, value in {**(attributes or {}), **more}.items():
            self.set(name, value)

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> Context:
        """A context from a mapping, whose member "targetingKey" is the targeting key."""
        pointer = native.calls and native.calls.context(values)
        if pointer:
            made = cls.__new__(cls)
            made._pointer, made._key = ffi.gc(pointer, lib.hoist_context_free), values[TARGETING_KEY]  # type: ignore[assignment]
            return made
        key, properties = values.get(TARGETING_KEY), values.get("properties")
        if key is None and isinstance(values.get("userId"), str) and isinstance(properties, Mapping):
            # As some services' own SDKs write it.
            rest = {name: value for name, value in values.items() if name not in ("userId", "properties")}
            return cls.from_dict({**rest, **properties, TARGETING_KEY: values["userId"]})
        if key is None or isinstance(key, str):
            return cls(key, {name: value for name, value in values.items() if name != TARGETING_KEY})
        raise TypeError(f"{TARGETING_KEY} is a str, not {type(key).__name__}")

    @classmethod
    def from_json(cls, text: str | bytes) -> Context:
        """A context from a JSON object, as `from_dict`. Raises `hoist.Error`."""
        data = document(text)
        slot = ErrorSlot()
        pointer = lib.hoist_context_from_json(data, len(data), slot.pointer)
        if not pointer:
            raise slot.failed("the context cannot be read")
        return cls._adopt(pointer)

    @classmethod
    def _adopt(cls, pointer: Any) -> Context:
        """Takes ownership of a context of the library's."""
        context = cls.__new__(cls)
        context._pointer = ffi.gc(pointer, lib.hoist_context_free)
        key = context.to_dict().get(TARGETING_KEY)
        context._key = key if isinstance(key, str) else None
        return context

    @classmethod
    def _lent(cls, pointer: Any) -> Context | None:
        """A copy of a context that is valid during a callback only."""
        return cls._adopt(lib.hoist_context_copy(pointer)) if pointer else None

    @property
    def targeting_key(self) -> str | None:
        """Identifies the subject."""
        return self._key

    @targeting_key.setter
    def targeting_key(self, key: str | None) -> None:
        check(lib.hoist_context_set_targeting_key(self._pointer, optional(key)), "the targeting key")
        self._key = key

    def set(self, name: str, value: object) -> None:
        """Sets an attribute: str, bool, int, float, date, list of str, or what JSON can say.

        Raises `hoist.Error` for values beyond the limits, TypeError for others.
        """
        check(set_attribute(self._pointer, name, value), f'attribute "{name}"')

    def remove(self, name: str) -> bool:
        """Removes an attribute; False when there is none of that name."""
        return bool(lib.hoist_context_remove(self._pointer, encode(name)) == Status.OK)

    @classmethod
    def owning(cls, pointer: Any) -> Context:
        """A context of the library's, which is this one's to free from now on."""
        made = cls.__new__(cls)
        made._pointer = ffi.gc(pointer, lib.hoist_context_free)
        made._key = decode(lib.hoist_context_get_targeting_key(pointer)) or None
        return made

    def copy(self) -> Context:
        """A context that is changed on its own."""
        twin = type(self).__new__(type(self))
        twin._pointer = ffi.gc(lib.hoist_context_copy(self._pointer), lib.hoist_context_free)
        twin._key = self._key
        return twin

    def to_dict(self) -> dict[str, Any]:
        """All attributes, dates as text, and the targeting key."""
        values: dict[str, Any] = json.loads(take(lib.hoist_context_to_json(self._pointer)) or b"{}")
        return values

    def __repr__(self) -> str:
        return f"Context({self._key!r})"  # attributes may be private

    def __reduce__(self) -> tuple[Any, ...]:
        return (Context.from_dict, (self.to_dict(),))


ContextLike = Union[Context, Mapping[str, object], None]
"""What calls take: a context, a mapping read by `Context.from_dict`, or None for the client's own."""


def as_context(context: ContextLike) -> Context | None:
    """The context a caller means. Raises TypeError for something else, `hoist.Error` for bad values."""
    if context is None or isinstance(context, Context):
        return context
    if isinstance(context, Mapping):
        return Context.from_dict(context)
    raise TypeError(f"a context is a Context, a mapping or None, not {type(context).__name__}")


use(Context=Context, as_context=as_context, context_type=ffi.typeof("hoist_context *"))


def pointer_of(context: Context | None) -> Any:
    """The library's pointer; NULL for None. The context must be held while it is used."""
    return NULL if context is None else context._pointer
