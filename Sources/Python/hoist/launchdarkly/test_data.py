"""Flags for tests, in the place of a service: mode server decides by them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Union

from .._native import ffi, lib
from ..config import Config
from ..status import ErrorSlot, check

Variation = Union[int, bool]
"""The index of a variation; of a boolean flag True or False."""

_USER = "user"


class TestData:
    """Flags and segments that a test sets, for as many clients as are opened with it.

        data = TestData()
        data.update(data.flag("banner").variation_for_all(False).variation_for_user("anna", True))
        with launchdarkly.Client(test_data=data, context=Context("anna")) as client:
            client.wait_ready(5)
            assert client.bool("banner", None, False)
            data.update(data.flag("banner").variation_for_all(True))

    A client serves what was set when `update` returns. Threads share it freely.
    """

    __test__ = False  # no test of pytest's
    __slots__ = ("_flags", "_pointer")

    def __init__(self) -> None:
        self._pointer: Any = ffi.gc(lib.hoist_launchdarkly_test_data_new(), lib.hoist_launchdarkly_test_data_free)
        self._flags: dict[str, FlagBuilder] = {}

    def flag(self, key: str) -> FlagBuilder:
        """A copy of what was set for the key, else a boolean flag that is on for everybody. `update` sets it."""
        known = self._flags.get(key)
        return deepcopy(known) if known else FlagBuilder(key).boolean_flag()

    def update(self, flag: FlagBuilder) -> TestData:
        """Sets a flag, new or in the place of the one of its key."""
        self.set_flag(flag.to_json())
        self._flags[flag.key] = deepcopy(flag)
        return self

    def set_flag(self, flag: Mapping[str, Any] | str) -> None:
        """A flag as the service sends it; its version is the data's affair. Raises `hoist.Error` for what is none."""
        self._set(lib.hoist_launchdarkly_test_data_set_flag, flag, "the flag")

    def set_segment(self, segment: Mapping[str, Any] | str) -> None:
        """The same for a segment."""
        self._set(lib.hoist_launchdarkly_test_data_set_segment, segment, "the segment")

    def _set(self, call: Any, item: Mapping[str, Any] | str, what: str) -> None:
        text = (item if isinstance(item, str) else json.dumps(item)).encode("utf-8", "surrogatepass")
        slot = ErrorSlot()
        slot.check(call(self._pointer, text, len(text), slot.pointer), what)

    def give(self, config: Config) -> None:
        """Clients opened from the configuration are of mode server, and decide by this data."""
        check(lib.hoist_launchdarkly_config_set_test_data(config._pointer, self._pointer), "test data")


class FlagBuilder:
    """A flag that is being described; each call returns the builder. Its methods are those of LaunchDarkly's own test data."""

    __slots__ = ("_fallthrough", "_off", "_on", "_rules", "_targets", "_variations", "key")

    def __init__(self, key: str) -> None:
        self.key = key
        self._on = True
        self._variations: list[Any] = []
        self._fallthrough: int | None = None
        self._off: int | None = None
        self._targets: dict[str, dict[int, list[str]]] = {}
        self._rules: list[RuleBuilder] = []

    @property
    def _is_boolean(self) -> bool:
        return len(self._variations) == 2 and self._variations[0] is True and self._variations[1] is False

    def boolean_flag(self) -> FlagBuilder:
        """True and false, in this order; true for everybody while it is on, false while it is off."""
        if self._is_boolean:
            return self
        return self.variations(True, False).fallthrough_variation(True).off_variation(False)

    def _index(self, variation: Variation) -> int:
        if not isinstance(variation, bool):
            return variation
        self.boolean_flag()
        return 0 if variation else 1

    def on(self, is_on: bool) -> FlagBuilder:
        """Whether the flag is on."""
        self._on = is_on
        return self

    def variations(self, *values: Any) -> FlagBuilder:
        """The values that the flag chooses from."""
        self._variations = list(values)
        return self

    def fallthrough_variation(self, variation: Variation) -> FlagBuilder:
        """What contexts get that no target and no rule is about."""
        self._fallthrough = self._index(variation)
        return self

    def off_variation(self, variation: Variation) -> FlagBuilder:
        """What all contexts get while the flag is off."""
        self._off = self._index(variation)
        return self

    def variation_for_all(self, variation: Variation) -> FlagBuilder:
        """On, and one variation for everybody; targets and rules are forgotten."""
        return self.clear_rules().clear_targets().on(True).fallthrough_variation(variation)

    def value_for_all(self, value: Any) -> FlagBuilder:
        """A single variation, for everybody."""
        return self.variations(value).variation_for_all(0)

    def variation_for_user(self, key: str, variation: Variation) -> FlagBuilder:
        """A target: the context of kind user with this key."""
        return self.variation_for_key(_USER, key, variation)

    def variation_for_key(self, kind: str, key: str, variation: Variation) -> FlagBuilder:
        """A target: the context of this kind and key."""
        index = self._index(variation)
        keys = self._targets.setdefault(kind, {})
        for others in keys.values():
            if key in others:
                others.remove(key)
        keys.setdefault(index, []).append(key)
        return self

    def if_match(self, attribute: str, *values: Any) -> RuleBuilder:
        """Begins a rule for users whose attribute has one of these values."""
        return RuleBuilder(self).and_match(attribute, *values)

    def if_match_context(self, kind: str, attribute: str, *values: Any) -> RuleBuilder:
        """Begins a rule for contexts of a kind whose attribute has one of these values."""
        return RuleBuilder(self).and_match_context(kind, attribute, *values)

    def if_not_match(self, attribute: str, *values: Any) -> RuleBuilder:
        """Begins a rule for users whose attribute has none of these values."""
        return RuleBuilder(self).and_not_match(attribute, *values)

    def if_not_match_context(self, kind: str, attribute: str, *values: Any) -> RuleBuilder:
        """Begins a rule for contexts of a kind whose attribute has none of these values."""
        return RuleBuilder(self).and_not_match_context(kind, attribute, *values)

    def clear_rules(self) -> FlagBuilder:
        """Without rules."""
        self._rules = []
        return self

    def clear_targets(self) -> FlagBuilder:
        """Without targets."""
        self._targets = {}
        return self

    def to_json(self) -> dict[str, Any]:
        """The flag as the service would send it, without a version."""
        targets, others = [], []
        for kind, keys in self._targets.items():
            for variation, values in keys.items():
                if kind == _USER:
                    targets.append({"variation": variation, "values": values})
                own = [] if kind == _USER else values
                others.append({"contextKind": kind, "variation": variation, "values": own})
        flag = {
            "key": self.key, "version": 1, "on": self._on, "variations": self._variations, "targets": targets,
            "contextTargets": others, "rules": [rule.to_json(f"rule{place}") for place, rule in enumerate(self._rules)],
        }  # fmt: skip
        if self._off is not None:
            flag["offVariation"] = self._off
        if self._fallthrough is not None:
            flag["fallthrough"] = {"variation": self._fallthrough}
        return flag


class RuleBuilder:
    """A rule of a flag, which `then_return` ends; all of its conditions must hold."""

    __slots__ = ("_clauses", "_flag", "_variation")

    def __init__(self, flag: FlagBuilder) -> None:
        self._flag = flag
        self._clauses: list[dict[str, Any]] = []
        self._variation = 0

    def and_match(self, attribute: str, *values: Any) -> RuleBuilder:
        """The user's attribute has one of these values."""
        return self._and(_USER, attribute, values, negate=False)

    def and_match_context(self, kind: str, attribute: str, *values: Any) -> RuleBuilder:
        """The attribute of the context of a kind has one of these values."""
        return self._and(kind, attribute, values, negate=False)

    def and_not_match(self, attribute: str, *values: Any) -> RuleBuilder:
        """The user's attribute has none of these values."""
        return self._and(_USER, attribute, values, negate=True)

    def and_not_match_context(self, kind: str, attribute: str, *values: Any) -> RuleBuilder:
        """The attribute of the context of a kind has none of these values."""
        return self._and(kind, attribute, values, negate=True)

    def _and(self, kind: str, attribute: str, values: tuple[Any, ...], negate: bool) -> RuleBuilder:
        self._clauses.append(
            {"contextKind": kind, "attribute": attribute, "op": "in", "values": list(values), "negate": negate})
        return self

    def then_return(self, variation: Variation) -> FlagBuilder:
        """What contexts get that the rule is about; ends the rule."""
        self._variation = self._flag._index(variation)
        self._flag._rules.append(self)
        return self._flag

    def to_json(self, identity: str) -> dict[str, Any]:
        return {"id": identity, "variation": self._variation, "clauses": self._clauses}
