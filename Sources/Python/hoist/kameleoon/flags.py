"""Flags: the variations of a visitor, and their variables."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .._native import ffi, lib, use
from .._text import KEYS, decode, encode, take
from ..status import ErrorSlot, Status, check


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a variation."""

    key: str
    type: str
    """ "BOOLEAN", "NUMBER", "STRING" or "JSON", as the site has it."""
    value: Any


@dataclass(frozen=True, slots=True)
class Variation:
    """The variation that a visitor got."""

    key: str
    name: str
    id: int
    """-1 for "everyone else", who are in no experiment."""
    experiment_id: int
    """Likewise."""
    variables: dict[str, Variable] = field(default_factory=dict)

    @property
    def is_active(self) -> bool:
        """Whether the key is another one than "off"."""
        return self.key != "off"


class Flags:
    """What `kameleoon.Visitor` can do about flags. Nothing waits.

    The calls raise `hoist.Error` where the vendor's do: KAMELEOON_SDK_NOT_READY before the first configuration,
    KAMELEOON_FEATURE_NOT_FOUND, KAMELEOON_FEATURE_ENVIRONMENT_DISABLED, KAMELEOON_FEATURE_EVALUATION_BLOCKED. With
    `track` the variation is reported with the next tracking request.
    """

    __slots__ = ()

    _pointer: Any

    def is_feature_active(self, key: str, track: bool = True) -> bool:
        """Whether the variation of a flag is another one than "off"; False for one that is disabled or blocked."""
        place = ffi.new("bool *")
        check(lib.hoist_kameleoon_visitor_is_feature_active(self._pointer, KEYS[key], track, place), f'flag "{key}"')
        return bool(place[0])

    def variation(self, key: str, track: bool = True) -> Variation:
        """The variation of a flag: what a rule gives, else that of "everyone else"."""
        return _get_variation(self._pointer, key, track)

    def variations(self, only_active: bool = False, track: bool = True) -> dict[str, Variation]:
        """The variations of all flags by key, in the configuration's order; not of those disabled or blocked."""
        place = ffi.new("hoist_kameleoon_variations **")
        check(lib.hoist_kameleoon_visitor_variations(self._pointer, only_active, track, place), "the flags")
        return _variations(place[0])

    def evaluate_audiences(self) -> Status:
        """Reports each audience that the site follows and the visitor belongs to."""
        return Status(lib.hoist_kameleoon_visitor_evaluate_audiences(self._pointer))

    def explain(self, key: str) -> dict[str, Any] | None:
        """How the visitor comes to a flag at this moment; None when not ready and for an unknown flag."""
        found: dict[str, Any] | None = json.loads(take(lib.hoist_kameleoon_visitor_explain(self._pointer, KEYS[key])) or b"null")
        return found

    # ---- Deprecated by the vendor ----------------------------------------------------------------

    def variation_key(self, key: str) -> str:
        """The key of the variation, which is reported; `variation` tells more."""
        call = lib.hoist_kameleoon_visitor_feature_variation_key
        place = ffi.new("hoist_text **")
        check(call(self._pointer, KEYS[key], place), f'flag "{key}"')
        return str(take(place[0]) or b"", "utf-8", "replace")

    def variable(self, key: str, variable_key: str) -> Any:
        """The value of one variable of the variation, which is reported. KAMELEOON_FEATURE_VARIABLE_NOT_FOUND, too."""
        place = ffi.new("hoist_kameleoon_variable **")
        call = lib.hoist_kameleoon_visitor_feature_variable
        check(call(self._pointer, KEYS[key], encode(variable_key), place), f'variable "{variable_key}"')
        try:
            return json.loads(decode(lib.hoist_kameleoon_variable_json(place[0])))
        finally:
            lib.hoist_kameleoon_variable_free(place[0])

    @property
    def active_feature_list(self) -> list[str]:
        """The keys of the flags that are active; nothing is kept and nothing reported."""
        call = lib.hoist_kameleoon_visitor_active_feature_list
        keys: list[str] = _json(lambda error: call(self._pointer, error), "the flags")
        return keys

    @property
    def active_features(self) -> dict[str, Variation]:
        """The same with their variations."""
        place = ffi.new("hoist_kameleoon_variations **")
        check(lib.hoist_kameleoon_visitor_active_features(self._pointer, place), "the flags")
        return _variations(place[0])


def feature_list(client: Any) -> list[str]:
    """The keys of all flags of a client of the library's."""
    keys: list[str] = _json(lambda error: lib.hoist_kameleoon_feature_list(client, error), "the flags")
    return keys


def datafile(client: Any) -> dict[str, Any]:
    """What the configuration of a client of the library's has."""
    found: dict[str, Any] = _json(lambda error: lib.hoist_kameleoon_datafile(client, error), "the datafile")
    return found


def variables_of(client: Any, key: str, variation_key: str) -> dict[str, Any]:
    """The variables of a variation."""
    call = lib.hoist_kameleoon_feature_variation_variables
    name = encode(variation_key)
    found: dict[str, Any] = _json(lambda error: call(client, KEYS[key], name, error), f'flag "{key}"')
    return found


def _json(call: Callable[[Any], Any], what: str) -> Any:
    """The JSON that a call gives. Raises `hoist.Error`."""
    slot = ErrorSlot()
    text = take(call(slot.pointer))
    if text is None:
        raise slot.failed(what)
    return json.loads(text)


def _variations(pointer: Any) -> dict[str, Variation]:
    """Reads variations of the library's and frees them."""
    try:
        count = lib.hoist_kameleoon_variations_count(pointer)
        return {
            decode(lib.hoist_kameleoon_variations_key_at(pointer, index)): _variation(
                lib.hoist_kameleoon_variations_at(pointer, index)
            )
            for index in range(count)
        }
    finally:
        lib.hoist_kameleoon_variations_free(pointer)


def _variation(pointer: Any) -> Variation:
    """A variation of the library's, which stays the library's."""
    count = lib.hoist_kameleoon_variation_variable_count(pointer)
    read = (_variable(lib.hoist_kameleoon_variation_variable_at(pointer, index)) for index in range(count))
    return Variation(
        decode(lib.hoist_kameleoon_variation_key(pointer)),
        decode(lib.hoist_kameleoon_variation_name(pointer)),
        lib.hoist_kameleoon_variation_id(pointer),
        lib.hoist_kameleoon_variation_experiment_id(pointer),
        {variable.key: variable for variable in read},
    )


def _plain_variation(visitor: Any, key: str, track: bool) -> Variation:
    place = ffi.new("hoist_kameleoon_variation **")
    _check_variation(lib.hoist_kameleoon_visitor_variation(visitor, KEYS[key], track, place), key)
    try:
        return _variation(place[0])
    finally:
        lib.hoist_kameleoon_variation_free(place[0])


def _check_variation(status: int, key: str) -> None:
    check(status, f'flag "{key}"')


_calls = use(Variation=Variation, Variable=Variable, variation_failed=_check_variation)
_get_variation: Callable[[Any, str, bool], Variation] = _calls.kameleoon_variation if _calls else _plain_variation


def _variable(pointer: Any) -> Variable:
    return Variable(
        decode(lib.hoist_kameleoon_variable_key(pointer)),
        decode(lib.hoist_kameleoon_variable_type(pointer)),
        json.loads(decode(lib.hoist_kameleoon_variable_json(pointer))),
    )
