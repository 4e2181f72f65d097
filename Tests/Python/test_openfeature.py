"""OpenFeature's SDK over clients of every service, with the services' doubles of `hoist.testing`."""

from __future__ import annotations

import asyncio
import gc
import logging
import subprocess
import sys
import weakref
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import pytest
from openfeature import api
from openfeature.evaluation_context import EvaluationContext
from openfeature.event import EventDetails, ProviderEvent
from openfeature.exception import ErrorCode, OpenFeatureError, ProviderFatalError
from openfeature.flag_evaluation import Reason
from openfeature.hook import Hook
from openfeature.provider import ProviderStatus
from openfeature.track import TrackingEventDetails
from waiting import until

import hoist
from hoist.openfeature import Provider
from hoist.testing import Flags, Tracked

VALUES = {"on": True, "off": False, "text": "green", "number": 42, "half": 1.5, "settings": {"a": [1, {"b": None}]}}
ANN = EvaluationContext("ann", {"plan": "pro", "since": datetime(2026, 1, 2, tzinfo=timezone.utc)})
BEN = EvaluationContext("ben")
HERE: list[tuple[Any, dict[str, Any]]] = [(None, {}), ("unleash", {}), ("optimizely", {}), ("launchdarkly", {}),
                                          ("flagship", {}), ("kameleoon", {})]  # fmt: skip
STATIC: list[tuple[Any, dict[str, Any]]] = [
    ("unleash", {"mode": "frontend"}), ("launchdarkly", {"mode": "client"}), ("flagship", {"mode": "decision_api"}),
]  # fmt: skip


@pytest.fixture
def flags() -> Iterator[Flags]:
    with Flags(VALUES, events=["7"]) as made:
        yield made


@pytest.fixture(autouse=True)
def sdk() -> Iterator[None]:
    yield
    api.shutdown()


def told(event: ProviderEvent) -> list[EventDetails]:
    found: list[EventDetails] = []
    api.add_handler(event, found.append)
    return found


@pytest.mark.parametrize(("service", "properties"), HERE)
def test_every_type_is_resolved(flags: Flags, service: Any, properties: dict[str, Any]) -> None:
    """(ready) Five services and one of no vendor's that evaluate here, by the SDK's own client."""
    provider = Provider(flags.client(service, **properties))
    api.set_provider_and_wait(provider)
    client = api.get_client()
    assert not provider.is_static and client.get_provider_status() is ProviderStatus.READY
    assert client.provider.get_metadata().name == f"hoist-{service or 'hoist-testing'}"
    assert client.get_boolean_value("on", False, ANN) is True and client.get_boolean_value("off", True, ANN) is False
    assert client.get_string_value("text", "", ANN) == "green"
    settings = VALUES["settings"] if service != "optimizely" else {"a": '[1, {"b": null}]'}  # whose variables are no lists
    assert client.get_object_value("settings", {}, ANN) == settings
    numbers = client.get_integer_details("number", -1, ANN), client.get_float_details("half", -1, ANN)
    if service in ("optimizely", "kameleoon"):  # a flag is no number there, its variables are
        assert [found.error_code for found in numbers] == [ErrorCode.TYPE_MISMATCH] * 2
        assert [found.value for found in numbers] == [-1, -1]
        assert client.get_object_value("number", {}, ANN) == {"value": 42}
    else:
        assert [found.value for found in numbers] == [42, 1.5] and client.get_float_value("number", -1, ANN) == 42.0
    unknown = client.get_object_details("no-such", [7], ANN)
    assert (unknown.value, unknown.error_code, unknown.reason) == ([7], ErrorCode.FLAG_NOT_FOUND, Reason.ERROR)
    with flags.override(on=False):
        assert client.get_boolean_value("on", True, BEN) is False


def test_reasons_variants_and_metadata_are_told(flags: Flags) -> None:
    """Nested metadata is flat, as the SDK has it."""
    api.set_provider_and_wait(Provider(flags.client("optimizely")))
    found = api.get_client().get_string_details("text", "", ANN)
    assert (found.reason, found.variant, found.error_code) == (Reason.SPLIT, "green", None)
    assert found.flag_metadata["ruleKey"] == "text_everybody" and found.flag_metadata["variables.value"] == "green"
    api.set_provider_and_wait(Provider(flags.client("launchdarkly")))
    found = api.get_client().get_string_details("text", "", ANN)
    assert found.reason is Reason.DEFAULT and found.flag_metadata["reason.kind"] == "FALLTHROUGH"
    mismatch = api.get_client().get_object_details("text", {"a": 1}, ANN)
    assert (mismatch.value, mismatch.error_code) == ({"a": 1}, ErrorCode.TYPE_MISMATCH) and mismatch.error_message


def test_contexts_that_cannot_be_are_told_of(flags: Flags) -> None:
    api.set_provider_and_wait(Provider(flags.client("unleash")))
    strange: Any = EvaluationContext("ann", {"socket": object()})
    found = api.get_client().get_boolean_details("on", False, strange)
    assert (found.value, found.error_code) == (False, ErrorCode.INVALID_CONTEXT) and "socket" in (found.error_message or "")


def test_numbers_beyond_doubles_are_only_defaults(flags: Flags) -> None:
    api.set_provider_and_wait(Provider(flags.client()))
    client = api.get_client()
    assert client.get_integer_value("no-such", 2**70) == 2**70 and client.get_float_value("no-such", 10**400) == 10**400
    assert client.get_float_value("number", 0) == 42.0


@pytest.mark.parametrize(("service", "properties"), STATIC)
def test_a_static_context_is_identified(flags: Flags, service: Any, properties: dict[str, Any]) -> None:
    """(reconciling) The global context when it is initialized, another by a call; of others the provider says so."""
    api.set_evaluation_context(EvaluationContext("ann"))
    provider = Provider(flags.client(service, **properties), timeout=2)
    api.set_provider_and_wait(provider)
    client = api.get_client()
    assert provider.is_static
    assert client.get_string_value("text", "") == "green"
    current = provider.client.current_context
    assert current is not None and "ann" in current.to_dict().values()
    refused = client.get_string_details("text", "none", BEN)
    assert (refused.value, refused.error_code) == ("none", ErrorCode.INVALID_CONTEXT)
    assert "current context" in (refused.error_message or "")
    api.set_evaluation_context(BEN)
    provider.on_context_change(EvaluationContext("ann"), BEN)
    assert client.get_string_value("text", "none") == "green"
    provider.on_context_change(BEN, EvaluationContext())
    assert client.get_string_value("text", "none") == "green"
    with flags.outage(), pytest.raises(OpenFeatureError, match="flags of the context cannot be had"):
        provider.on_context_change(BEN, EvaluationContext("eve"))


def test_the_clients_changes_are_events_with_their_causes(flags: Flags) -> None:
    provider = Provider(flags.client("unleash"))
    api.set_provider_and_wait(provider)
    changed, stale = told(ProviderEvent.PROVIDER_CONFIGURATION_CHANGED), told(ProviderEvent.PROVIDER_STALE)
    flags["text"] = "red"
    assert until(lambda: changed) and changed[0].flags_changed == ["text"]
    assert changed[0].provider_name == "hoist-unleash"
    ready = told(ProviderEvent.PROVIDER_READY)
    assert until(lambda: ready)  # at once, to a handler that comes later
    with flags.outage():
        assert until(lambda: stale) and "an outage of the test's" in (stale[0].message or "")
        assert api.get_client().get_provider_status() is ProviderStatus.STALE
        assert api.get_client().get_string_value("text", "", ANN) == "red"
    assert until(lambda: len(ready) == 2) and ready[1].message
    assert api.get_client().get_provider_status() is ProviderStatus.READY


def test_without_flags_it_is_an_error_until_they_come(flags: Flags) -> None:
    """(failing) Attempts go on; the SDK hears when they succeed."""
    failed, ready = told(ProviderEvent.PROVIDER_ERROR), told(ProviderEvent.PROVIDER_READY)
    assert until(lambda: len(ready) == 1)  # of the provider that the SDK begins with
    with flags.outage():
        provider = Provider(flags.client("unleash"), timeout=0.05)
        with pytest.raises(OpenFeatureError, match="no flags, TIMEOUT"):
            api.set_provider_and_wait(provider)
        assert until(lambda: failed) and failed[0].error_code is ErrorCode.PROVIDER_NOT_READY
        found = api.get_client().get_boolean_details("on", False)
        assert (found.value, found.error_code) == (False, ErrorCode.PROVIDER_NOT_READY)
    assert until(lambda: len(ready) == 2) and api.get_client().get_boolean_value("on", False) is True


class Scripted(hoist.Provider):
    """Does what its test tells it."""

    name = "scripted"
    hosts: list[hoist.ProviderHost] = []

    def start(self) -> None:
        self.hosts.append(self.host)


@pytest.fixture
def scripted() -> Iterator[hoist.Client]:
    Scripted.hosts.clear()
    Scripted.register()
    client = hoist.Client("scripted", store="none", log_level="none")
    assert until(lambda: Scripted.hosts)
    yield client
    client.close(1)
    hoist.unregister_provider("scripted")


def test_what_has_stopped_for_good_is_fatal_without_flags_and_stale_with_them(scripted: hoist.Client) -> None:
    host = Scripted.hosts[0]
    host.set_state(hoist.State.FATAL, "the key is refused")
    with pytest.raises(ProviderFatalError):
        api.set_provider_and_wait(Provider(scripted, timeout=0, close=False))
    assert api.get_client().get_provider_status() is ProviderStatus.FATAL
    host.publish([hoist.Flag.of("on", True)])
    host.set_state(hoist.State.READY)
    assert until(lambda: api.get_client().get_provider_status() is ProviderStatus.READY)
    stale = told(ProviderEvent.PROVIDER_STALE)
    host.set_state(hoist.State.FATAL, "the key is refused now")
    assert until(lambda: stale) and (stale[0].message or "").startswith("the key is refused now")
    assert api.get_client().get_boolean_value("on", False) is True


def test_tracking_carries_nested_details(flags: Flags, caplog: pytest.LogCaptureFixture) -> None:
    api.set_provider_and_wait(Provider(flags.client()))
    client = api.get_client()
    details = TrackingEventDetails(19.9, {"currency": "EUR", "paid": True, "items": [{"sku": "a", "n": 2}]})
    client.track("bought", ANN, details)
    client.track("left")
    assert flags.tracked == [Tracked("bought", 19.9, details.attributes, "ann"), Tracked("left")]
    caplog.set_level(logging.WARNING, "hoist")
    api.set_provider_and_wait(Provider(flags.client("flagship")))
    api.get_client().track("bought", ANN, TrackingEventDetails(1, {"sku": "a"}))
    assert "'bought'" in caplog.text and "UNSUPPORTED" in caplog.text


@pytest.mark.parametrize(("service", "properties"), [*HERE[1:], *STATIC])
def test_tracking_reaches_every_service(flags: Flags, service: Any, properties: dict[str, Any]) -> None:
    api.set_evaluation_context(EvaluationContext("ann"))
    api.set_provider_and_wait(Provider(flags.client(service, **properties)))
    api.get_client().track("7", None, TrackingEventDetails(20))
    found, = flags.tracked
    assert (found.key, found.value) == ("7", 20) and found.targeting_key in (None if service == "unleash" else "ann",)


def test_hooks_of_the_sdk_run_around_those_of_the_client(flags: Flags) -> None:
    calls: list[str] = []

    class Outer(Hook):
        def before(self, hook_context: Any, hints: Any) -> EvaluationContext:
            calls.append("outer before")
            return BEN

        def after(self, hook_context: Any, details: Any, hints: Any) -> None:
            calls.append(f"outer after {details.value}")

    class Inner(hoist.Hook):
        def before(self, call: hoist.HookCall) -> None:
            calls.append(f"inner before {call.context and call.context.targeting_key}")

    api.set_provider_and_wait(Provider(flags.client(hooks=[Inner()]), hooks=[Outer()]))
    assert api.get_client().get_boolean_value("on", False, ANN) is True
    assert calls == ["outer before", "inner before ben", "outer after True"]


def test_a_provider_that_is_replaced_closes_its_client_and_may_come_again(flags: Flags) -> None:
    """(closing, reopened)"""
    first, second = Provider(flags.client("unleash")), Provider(flags.client("unleash"), close=False)
    api.set_provider_and_wait(first)
    api.set_provider_and_wait(second)
    assert until(lambda: first.client.state is hoist.State.CLOSED)
    api.set_provider_and_wait(first)
    assert api.get_client().get_boolean_value("on", False) is True
    api.shutdown()
    assert first.client.state is hoist.State.CLOSED and second.client.state is hoist.State.READY


def test_a_provider_is_not_kept_by_its_client(flags: Flags) -> None:
    client = flags.client("unleash")
    provider = Provider(client, close=False)
    provider.initialize(EvaluationContext())
    held = weakref.ref(provider)
    del provider
    gc.collect()
    assert held() is None
    flags["text"] = "red"
    assert client.string("text") == "red"


def test_the_async_calls_resolve_at_once(flags: Flags) -> None:
    api.set_provider_and_wait(Provider(flags.client("launchdarkly")))
    client = api.get_client()

    async def read() -> list[Any]:
        return [
            await client.get_boolean_value_async("on", False, ANN), await client.get_string_value_async("text", "", ANN),
            await client.get_integer_value_async("number", 0, ANN), await client.get_float_value_async("half", 0, ANN),
            await client.get_object_value_async("settings", {}, ANN),
            (await client.get_boolean_details_async("no-such", True, ANN)).error_code,
        ]  # fmt: skip

    assert asyncio.run(read()) == [True, "green", 42, 1.5, VALUES["settings"], ErrorCode.FLAG_NOT_FOUND]


@pytest.mark.parametrize(("module", "needs"), [("openfeature", "openfeature"), ("opentelemetry", "opentelemetry")])
def test_what_is_missing_is_named(module: str, needs: str) -> None:
    """Neither is loaded by `import hoist`; without its package the import says how to get it."""
    program = (
        f"import sys, hoist; print('{needs}' in sys.modules)\n"
        f"sys.modules['{needs}'] = None\n"
        f"try: import hoist.{module}\n"
        "except ImportError as problem: print(problem)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    loaded, message = ended.stdout.splitlines()
    assert loaded == "False" and f"pip install 'hoist[{module}]'" in message, ended.stderr
