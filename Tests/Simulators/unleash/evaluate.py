"""Evaluating flags as the service does (protocol C). Small and literal rather than fast."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import Any, Callable

from .constraints import CompileFailure, Test, compile_constraint, in_ranges, refuse_artefacts
from .context import Context
from .hashing import VARIANT_SEED, normalized

BUILT_IN = ("default", "userWithId", "flexibleRollout", "gradualRolloutUserId", "gradualRolloutSessionId",
            "gradualRolloutRandom", "remoteAddress", "applicationHostname")

CustomStrategies = Callable[[str, dict[str, str], Context], bool]


@dataclass(frozen=True)
class Evaluation:
    enabled: bool
    found: bool
    variant: dict[str, Any]
    impression_data: bool


@dataclass
class _Strategy:
    source: dict[str, Any]
    tests: list[Test]

    @property
    def parameters(self) -> dict[str, str]:
        return self.source.get("parameters") or {}


@dataclass
class _Flag:
    source: dict[str, Any]
    strategies: list[_Strategy] = field(default_factory=list)
    broken: bool = False


class Evaluator:
    """One compiled state: `features` and `segments` of a client features document."""

    def __init__(self, features: list[dict[str, Any]], segments: list[dict[str, Any]] | None = None,
                 custom: CustomStrategies | None = None) -> None:
        self._segments = {segment["id"]: segment for segment in segments or []}
        self._custom = custom
        self._flags = {feature["name"]: self._compile(feature) for feature in features}

    @property
    def names(self) -> list[str]:
        return sorted(self._flags)

    @property
    def names_in_order(self) -> list[str]:
        """The flags as the document lists them."""
        return list(self._flags)

    def evaluate(self, name: str, context: Context) -> Evaluation:
        flag = self._flags.get(name)
        enabled = flag is not None and self._holds(flag, context)
        return Evaluation(enabled, flag is not None, self._variant(flag, context, enabled),
                          bool(flag and flag.source.get("impressionData")))

    # Compiling.

    def _compile(self, feature: dict[str, Any]) -> _Flag:
        flag = _Flag(feature)
        try:
            flag.strategies = [self._compile_strategy(s) for s in feature.get("strategies") or []]
        except CompileFailure:
            flag.broken = True
        return flag

    def _compile_strategy(self, strategy: dict[str, Any]) -> _Strategy:
        _refuse_parameters(strategy.get("name", ""), strategy.get("parameters") or {})
        constraints = list(strategy.get("constraints") or [])
        for identifier in strategy.get("segments") or []:
            if identifier not in self._segments:
                raise CompileFailure(f"no segment {identifier}")
            constraints += self._segments[identifier].get("constraints") or []
        return _Strategy(strategy, [compile_constraint(constraint) for constraint in constraints])

    # On or off.

    def _holds(self, flag: _Flag, context: Context, group: str | None = None) -> bool:
        source = flag.source
        if flag.broken or not source.get("enabled"):
            return False
        if not all(self._satisfied(d, source["name"], context) for d in source.get("dependencies") or []):
            return False
        if not flag.strategies:
            return True
        return self._first(flag, context, group or source["name"]) is not None

    def _satisfied(self, dependency: dict[str, Any], child: str, context: Context) -> bool:
        parent = self._flags.get(dependency["feature"])
        if parent is None or parent.source.get("dependencies"):
            return False
        # Quirk: the parent's rollout without a groupId is taken in the child's group (C.9).
        enabled = self._holds(parent, context, group=child)
        wanted = dependency.get("enabled")
        if enabled != (True if wanted is None else wanted):
            return False
        allowed = dependency.get("variants")
        if not allowed:
            return True
        chosen = self._choose(parent, context, group=child)
        return chosen is None or chosen["name"] in allowed

    def _first(self, flag: _Flag, context: Context, group: str) -> _Strategy | None:
        return next((s for s in flag.strategies if self._strategy_holds(s, context, group)), None)

    def _strategy_holds(self, strategy: _Strategy, context: Context, group: str) -> bool:
        if not all(test(context) for test in strategy.tests):
            return False
        name, parameters = strategy.source.get("name", ""), strategy.parameters
        if name not in BUILT_IN:
            return self._custom is not None and self._custom(name, parameters, context)
        return _RULES[name](parameters, context, group)

    # Variants.

    def _variant(self, flag: _Flag | None, context: Context, enabled: bool) -> dict[str, Any]:
        chosen = self._choose(flag, context) if flag is not None and enabled else None
        if chosen is None:
            return {"name": "disabled", "enabled": False, "feature_enabled": enabled}
        variant = {"name": chosen["name"], "enabled": True, "feature_enabled": True}
        if chosen.get("payload") is not None:
            variant["payload"] = chosen["payload"]
        return variant

    def _choose(self, flag: _Flag, context: Context, group: str | None = None) -> dict[str, Any] | None:
        """The variant of a flag, without looking whether the flag is on."""
        name = flag.source["name"]
        strategy = self._first(flag, context, group or name)
        if strategy is not None and strategy.source.get("variants"):
            parameters = strategy.parameters
            return _weighed(strategy.source["variants"], parameters.get("groupId", name),
                            parameters.get("stickiness", "default"), context)
        variants = flag.source.get("variants") or []
        if not variants:
            return None
        for variant in variants:
            if any(_overrides(override, context) for override in variant.get("overrides") or []):
                return variant
        return _weighed(variants, name, variants[0].get("stickiness") or "default", context)


def _overrides(override: dict[str, Any], context: Context) -> bool:
    value = context.get(override.get("contextName", ""))
    return value is not None and value in (override.get("values") or [])


def _weighed(variants: list[dict[str, Any]], group: str, stickiness: str, context: Context) -> dict[str, Any] | None:
    total = sum(variant["weight"] for variant in variants)
    if total <= 0:
        return None
    if stickiness == "default":
        seed = context.get("userId")
        seed = context.get("sessionId") if seed is None else seed
    elif stickiness == "currentTime":
        seed = context.properties.get(stickiness)
    else:
        seed = context.get(stickiness)
    target = random.randint(1, total) if seed is None else normalized(group, seed, total, VARIANT_SEED)
    reached = 0
    for variant in variants:
        reached += variant["weight"]
        if reached >= target:
            return variant
    return None


# Strategies (C.3).


def _percentage(text: str | None) -> int | None:
    """A percentage as the engine reads it; None when the strategy cannot hold."""
    number = int(text) if text is not None and re.fullmatch(r"\+?[0-9]{1,40}", text) else None
    return number if number is not None and number < 2**64 else None


def _refuse_parameters(name: str, parameters: dict[str, str]) -> None:
    text_parameters = [parameters[p] for p in ("groupId", "stickiness") if isinstance(parameters.get(p), str)]
    lists = [parameters[p] for p in ("IPs", "hostNames") if isinstance(parameters.get(p), str)]
    if name in ("flexibleRollout", "gradualRolloutUserId", "gradualRolloutSessionId"):
        share = _percentage(parameters.get("rollout" if name == "flexibleRollout" else "percentage"))
        if share is None or (name != "flexibleRollout" and "groupId" not in parameters):
            return  # never holds, so that no rule is made
        refuse_artefacts(*text_parameters)
        if any('"' in text for text in text_parameters):
            raise CompileFailure("quote in a parameter")
        if share > 100:
            raise CompileFailure("percentage above 100")
    elif name in ("remoteAddress", "applicationHostname"):
        if any('"' in text for text in lists):
            raise CompileFailure("quote in a list")
        refuse_artefacts(*(_entries(parameters.get("IPs", "")) if name == "remoteAddress" else []))
    elif name == "userWithId":
        refuse_artefacts(*_entries(parameters.get("userIds", "")))


def _entries(text: str) -> list[str]:
    return [entry.strip() for entry in text.split(",")]


def _user_with_id(parameters: dict[str, str], context: Context, group: str) -> bool:
    listed = parameters.get("userIds")
    user = context.get("userId")
    return listed is not None and user is not None and user in _entries(listed)


def _flexible(parameters: dict[str, str], context: Context, group: str) -> bool:
    stickiness = parameters.get("stickiness") or "default"
    if stickiness == "random":
        identifier = None
    elif stickiness == "default":
        identifier = context.get("userId")
        identifier = context.get("sessionId") if identifier is None else identifier
    else:
        identifier = context.get_timed(stickiness)
        if identifier is None:
            return False
    share = _percentage(parameters.get("rollout"))
    if identifier is None:
        identifier = str(random.randint(1, 9999))
    return share is not None and normalized(parameters.get("groupId", group), identifier) <= share


def _gradual(name: str) -> Callable[[dict[str, str], Context, str], bool]:
    def rule(parameters: dict[str, str], context: Context, group: str) -> bool:
        share, identifier = _percentage(parameters.get("percentage")), context.get(name)
        own_group = parameters.get("groupId")
        if share is None or identifier is None or own_group is None:
            return False
        return normalized(own_group, identifier) <= share

    return rule


def _random(parameters: dict[str, str], context: Context, group: str) -> bool:
    share = _percentage(parameters.get("percentage"))
    return share is not None and random.randint(1, 99) < share


def _remote_address(parameters: dict[str, str], context: Context, group: str) -> bool:
    listed = parameters.get("IPs")
    return listed is not None and in_ranges(_entries(listed), context.get("remoteAddress"))


_RULES: dict[str, Callable[[dict[str, str], Context, str], bool]] = {
    "default": lambda parameters, context, group: True,
    "userWithId": _user_with_id,
    "flexibleRollout": _flexible,
    "gradualRolloutUserId": _gradual("userId"),
    "gradualRolloutSessionId": _gradual("sessionId"),
    "gradualRolloutRandom": _random,
    "remoteAddress": _remote_address,
    # The server does not know the host names of its clients.
    "applicationHostname": lambda parameters, context, group: False,
}
