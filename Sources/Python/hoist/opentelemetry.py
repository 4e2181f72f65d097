"""Evaluations as events of OpenTelemetry's, and a client's counters as metrics.

    from hoist.opentelemetry import EvaluationHook, Metrics

    client = hoist.Client("unleash", url=…, key=…, hooks=[EvaluationHook("unleash")])
    metrics = Metrics(client)

Needs opentelemetry-api: `pip install 'hoist[opentelemetry]'`; what the SDK exports is the program's to say.
"""

from __future__ import annotations

import json
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

try:
    from opentelemetry._logs import LoggerProvider, LogRecord, get_logger_provider
    from opentelemetry.context import get_current
    from opentelemetry.metrics import CallbackOptions, MeterProvider, Observation, get_meter_provider
except ImportError as missing:
    raise ImportError("hoist.opentelemetry needs opentelemetry-api: pip install 'hoist[opentelemetry]'") from missing

from .client import Client
from .detail import Detail
from .plugins import Hook, HookCall

EVENT = "feature_flag.evaluation"
"""The name of the event, by the semantic conventions for feature flags."""
_SCOPE = "hoist"
_OF_NOW = frozenset({"waiting", "in_flight", "oldest_ms", "stuck", "held", "open", "queued_visitors"})
"""Counters that tell of now; the others only grow."""


class EvaluationHook(Hook):
    """Emits the event `feature_flag.evaluation` after every evaluation, in the trace of the evaluating thread.

    `provider` is feature_flag.provider.name. The value is told where the service has no name for the variation, unless
    `value` is False, as where values are secret; with True always. `context_id` says whether targeting keys are told.
    """

    def __init__(
        self,
        provider: str,
        *,
        value: bool | None = None,
        context_id: bool = True,
        logger_provider: LoggerProvider | None = None,
    ) -> None:
        self._provider, self._value, self._context_id = provider, value, context_id
        self._logger = (logger_provider or get_logger_provider()).get_logger(_SCOPE)

    def after(self, call: HookCall, detail: Detail[Any]) -> None:
        """Emits the event."""
        attributes: dict[str, Any] = {
            "feature_flag.key": call.key,
            "feature_flag.provider.name": self._provider,
            "feature_flag.result.reason": (detail.reason or "UNKNOWN").lower(),
        }
        if detail.variation:
            attributes["feature_flag.result.variant"] = detail.variation
        if not detail.failed and (self._value or (self._value is None and not detail.variation)):
            attributes["feature_flag.result.value"] = _attribute(detail.value)
        if self._context_id and call.context is not None and call.context.targeting_key is not None:
            attributes["feature_flag.context.id"] = call.context.targeting_key
        if "version" in detail.metadata:
            attributes["feature_flag.version"] = str(detail.metadata["version"])
        if detail.failed:
            attributes["error.type"] = detail.error_code.lower()
            if detail.error_message:
                attributes["feature_flag.error.message"] = detail.error_message
        self._logger.emit(LogRecord(event_name=EVENT, attributes=attributes, context=get_current()))

    error = after


def _attribute(value: Any) -> Any:
    return value if isinstance(value, (str, bool, int, float)) else json.dumps(value, ensure_ascii=False)


class Metrics:
    """What `Client.statistics` counts, as instruments `hoist.GROUP.COUNTER`, e.g. "hoist.events.delivered".

    Each client's counts have its service as attribute feature_flag.provider.name, and the attributes that it was added
    with. Clients are not kept alive.
    """

    def __init__(self, *clients: Client, meter_provider: MeterProvider | None = None) -> None:
        self._meter = (meter_provider or get_meter_provider()).get_meter(_SCOPE)
        self._lock = threading.Lock()
        self._clients: list[tuple[Callable[[], Client | None], Mapping[str, str]]] = []
        self._instruments: set[tuple[str, str]] = set()
        self._read: set[tuple[str, str]] = set()
        self._counts: list[tuple[dict[str, Any], Mapping[str, str]]] = []
        for client in clients:
            self.add(client)

    def add(self, client: Client, **attributes: str) -> None:
        """Counts a client, too; the attributes tell it from others of its service."""
        told = {"feature_flag.provider.name": client.provider, **attributes}
        names = [(group, name) for group, counters in client.statistics().items() for name in counters]
        with self._lock:
            self._clients.append((weakref.ref(client), told))
            new = [one for one in names if one not in self._instruments]
            self._instruments.update(new)
        for group, name in new:
            is_of_now = name in _OF_NOW
            make = self._meter.create_observable_up_down_counter if is_of_now else self._meter.create_observable_counter
            make(f"hoist.{group}.{name}", callbacks=[partial(self._observe, group, name)])

    def _observe(self, group: str, name: str, _: CallbackOptions) -> Iterable[Observation]:
        with self._lock:
            if not self._counts or (group, name) in self._read:
                # The first instrument of a collection: the others are of the same moment.
                self._read.clear()
                living = [(found(), attributes) for found, attributes in self._clients]
                self._counts = [
                    (client.statistics(), attributes) for client, attributes in living if client is not None
                ]
            self._read.add((group, name))
            counts = list(self._counts)
        return [
            Observation(groups[group][name], attributes)
            for groups, attributes in counts
            if name in groups.get(group, {})
        ]
