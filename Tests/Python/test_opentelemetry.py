"""OpenTelemetry's SDK with its exporters in memory: evaluations as events, statistics as metrics."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, Sum
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.semconv._incubating.attributes import feature_flag_attributes as conventions

import hoist
import hoist.opentelemetry as ours
from hoist.opentelemetry import EvaluationHook, Metrics
from hoist.testing import Flags

ANN = {"targetingKey": "ann"}


class Events:
    """What a logger provider has exported."""

    def __init__(self) -> None:
        self.exporter = InMemoryLogRecordExporter()
        self.provider = LoggerProvider()
        self.provider.add_log_record_processor(SimpleLogRecordProcessor(self.exporter))

    def hook(self, provider: str, **more: Any) -> EvaluationHook:
        return EvaluationHook(provider, logger_provider=self.provider, **more)

    @property
    def records(self) -> list[Any]:
        return [found.log_record for found in self.exporter.get_finished_logs()]

    @property
    def attributes(self) -> list[dict[str, Any]]:
        assert all(record.event_name == "feature_flag.evaluation" for record in self.records)
        return [dict(record.attributes) for record in self.records]


@pytest.fixture
def events() -> Events:
    return Events()


@pytest.fixture
def flags() -> Iterator[Flags]:
    with Flags({"on": True, "text": "green", "settings": {"a": [1]}}, events=["7"]) as made:
        yield made


def test_an_evaluation_is_an_event_by_the_conventions(flags: Flags, events: Events) -> None:
    client = flags.client("unleash", hooks=[events.hook("unleash")])
    assert client.string("text", ANN) == "green"
    assert events.attributes == [{
        "feature_flag.key": "text", "feature_flag.provider.name": "unleash", "feature_flag.result.reason": "static",
        "feature_flag.result.variant": "on", "feature_flag.context.id": "ann",
    }]  # fmt: skip


def test_the_value_is_told_where_the_variation_has_no_name(flags: Flags, events: Events) -> None:
    client = flags.client(hooks=[events.hook("shop"), events.hook("shop", value=False, context_id=False)])
    assert client.bool("on", ANN) and client.json("settings", ANN)
    with_value = [found for found in events.attributes if "feature_flag.context.id" in found]
    without = [found for found in events.attributes if "feature_flag.context.id" not in found]
    assert [found["feature_flag.result.value"] for found in with_value] == [True, '{"a": [1]}']
    assert len(without) == 2 and not any("feature_flag.result.value" in found for found in without)
    always = flags.client("unleash", hooks=[events.hook("unleash", value=True)])
    assert always.string("text") == "green"
    assert (events.attributes[-1]["feature_flag.result.value"], events.attributes[-1]["feature_flag.result.variant"]) == ("green", "on")


def test_an_error_has_its_type_and_message(flags: Flags, events: Events) -> None:
    client = flags.client("optimizely", hooks=[events.hook("optimizely")])
    assert client.int("text", ANN, 7) == 7 and client.bool("no-such", ANN) is False
    mismatch, unknown = events.attributes
    assert mismatch["error.type"] == "type_mismatch" and mismatch["feature_flag.error.message"]
    assert (unknown["error.type"], unknown["feature_flag.result.reason"]) == ("flag_not_found", "error")
    assert "feature_flag.result.value" not in unknown


@pytest.mark.parametrize("service", ["unleash", "optimizely", "launchdarkly", "flagship", "kameleoon"])
def test_every_service_tells_what_the_conventions_know(flags: Flags, events: Events, service: Any) -> None:
    """(ready) No attribute has another name than the conventions give it, and none of the deprecated ones."""
    known = {value for name, value in vars(conventions).items() if name.startswith("FEATURE_FLAG_")}
    deprecated = {"feature_flag.evaluation.reason", "feature_flag.variant", "feature_flag.evaluation.error.message"}
    client = hoist.Client  # of the core: its hooks are those of all services
    with flags.everywhere():
        client = hoist.Client(service, hooks=[events.hook(service)], **({"mode": "server"} if service == "launchdarkly" else {}))
    assert client.wait_ready(5) and client.string("text", ANN) is not None
    found = events.attributes[-1]
    assert found["feature_flag.provider.name"] == service and set(found) <= (known - deprecated) | {"error.type"}
    if service == "launchdarkly":
        assert found["feature_flag.version"].isdigit()


def test_an_event_belongs_to_the_span_that_it_happens_in(flags: Flags, events: Events) -> None:
    client = flags.client(hooks=[events.hook("shop")])
    tracer = TracerProvider().get_tracer("test")
    with tracer.start_as_current_span("request") as span:
        assert client.bool("on", ANN)
    assert client.bool("on", ANN)
    inside, outside = events.records
    assert inside.span_id == span.get_span_context().span_id and inside.trace_id == span.get_span_context().trace_id
    assert not outside.span_id


class Readings:
    """What a meter provider collects."""

    def __init__(self) -> None:
        self.reader = InMemoryMetricReader()
        self.provider = MeterProvider(metric_readers=[self.reader])

    def read(self) -> dict[str, dict[tuple[tuple[str, Any], ...], Any]]:
        """Values by name and attributes."""
        data = self.reader.get_metrics_data()
        metrics = [one for resource in data.resource_metrics for scope in resource.scope_metrics for one in scope.metrics] if data else []
        self.sums = {one.name: one.data for one in metrics if isinstance(one.data, Sum)}
        return {one.name: {tuple(sorted(point.attributes.items())): point.value for point in one.data.data_points} for one in metrics}


def test_statistics_are_metrics(flags: Flags) -> None:
    readings = Readings()
    client = flags.client("launchdarkly")
    metrics = Metrics(client, meter_provider=readings.provider)
    whose = (("feature_flag.provider.name", "launchdarkly"),)
    before = readings.read()
    assert before["hoist.events.delivered"] == {whose: 0}
    assert {f"hoist.{group}.{name}" for group, names in client.statistics().items() for name in names} == set(before)
    client.track("7", ANN)
    assert client.flush(5)
    after = readings.read()
    assert after["hoist.events.recorded"][whose] >= 1 and after["hoist.events.delivered"][whose] >= 1
    assert readings.sums["hoist.events.delivered"].is_monotonic and not readings.sums["hoist.events.waiting"].is_monotonic
    metrics.add(flags.client("optimizely"), region="eu")
    both = readings.read()["hoist.events.recorded"]
    assert both[(("feature_flag.provider.name", "optimizely"), ("region", "eu"))] == 0 and both[whose] >= 1


def test_a_client_that_is_gone_is_not_counted(flags: Flags) -> None:
    """(freed) Metrics keep no client alive."""
    readings = Readings()
    client = hoist.Client("unleash", mode="backend", online=False, store="none", bootstrap={"version": 2, "features": []})
    metrics = Metrics(client, meter_provider=readings.provider)
    assert readings.read()["hoist.store.written"]
    client.close(1)
    del client
    gc.collect()
    assert readings.read().get("hoist.store.written", {}) == {} and metrics is not None


def test_counters_of_now_are_those_that_the_header_names() -> None:
    header = Path(__file__).resolve().parents[2] / "Include/hoist/client.h"
    text = re.sub(r"\n \* ?", " ", header.read_text(encoding="utf-8"))
    named = re.search(r"They count from open on, but for ([\w, ]+), which tell of now", text)
    assert named and set(re.findall(r"\w+", named[1])) - {"and"} == ours._OF_NOW
