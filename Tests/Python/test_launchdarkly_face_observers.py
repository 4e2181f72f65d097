"""LaunchDarkly's observers, hooks and plug-ins through its face."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest
from launchdarkly import LaunchDarklySimulator
from launchdarkly_clients import BEN, Opener, opener, strict_service
from waiting import until

from hoist import Status
from hoist.launchdarkly import (
    ChangedFlag,
    Client,
    ConnectionMode,
    EnvironmentMetadata,
    EvaluationDetail,
    EvaluationSeries,
    Hook,
    IdentifySeries,
    Plugin,
    TrackSeries,
)


@pytest.fixture
def service() -> Iterator[LaunchDarklySimulator]:
    with strict_service() as service:
        yield service


@pytest.fixture
def open_client(service: LaunchDarklySimulator) -> Iterator[Opener]:
    with opener(service) as open_one:
        yield open_one


@pytest.fixture
def client(open_client: Opener) -> Client:
    client = open_client()
    assert client.wait_ready(10)
    return client


class Screen:
    """An owner of observers."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def show(self, change: object) -> None:
        self.seen.append(change)


def test_observers_are_told_what_changed(service: LaunchDarklySimulator, client: Client) -> None:
    """(LD-30, LD-31, LD-32; ready)"""
    one, some, every = Screen(), Screen(), Screen()
    client.observe_flag("dark-mode", one.show, one)
    client.observe_flags(["dark-mode", "novelty"], some.show, some)
    client.observe_all(every.show, every)
    service.set_flag("dark-mode", value=False, variation=1)
    service.set_flag("novelty", value=None, variation=0)
    service.delete_flag("banner")
    assert until(lambda: len(every.seen) == 3)
    dark = ChangedFlag("dark-mode", True, False)
    novelty = ChangedFlag("novelty", None, None, existed=False)
    assert one.seen == [dark]
    assert some.seen == [{"dark-mode": dark}, {"novelty": novelty}]
    assert every.seen[2] == {"banner": ChangedFlag("banner", "Hello", None, exists=False)}


def test_observers_of_updates_that_change_nothing(service: LaunchDarklySimulator, client: Client) -> None:
    """(LD-33; ready)"""
    calls: list[int] = []
    client.observe_unchanged(lambda: calls.append(1))
    service.set_flag("dark-mode", reason={"kind": "OFF"})
    assert until(lambda: calls == [1])


def test_observers_of_the_connection(service: LaunchDarklySimulator, client: Client) -> None:
    """(LD-34; offline, ready)"""
    modes: list[ConnectionMode] = []
    client.observe_connection_mode(modes.append)
    client.set_online_soon(False)
    assert until(lambda: modes == [ConnectionMode.OFFLINE])
    client.set_online_soon(True)
    assert until(lambda: modes[1:] == [ConnectionMode.ESTABLISHING, ConnectionMode.STREAMING])


def test_observers_end_with_their_owner(service: LaunchDarklySimulator, client: Client) -> None:
    """(LD-35, LD-36; ready)"""
    kept, stopped, gone = Screen(), Screen(), Screen()
    seen = gone.seen
    for screen in (kept, stopped, gone):
        client.observe_flag("dark-mode", screen.show, screen)
    client.stop_observing(stopped)
    client.stop_observing(Screen())
    del gone, screen
    gc.collect()
    service.set_flag("dark-mode", value=False, variation=1)
    assert until(lambda: len(kept.seen) == 1)
    assert stopped.seen == seen == []


def test_observers_without_an_owner_belong_to_the_client(service: LaunchDarklySimulator, client: Client) -> None:
    seen: list[ChangedFlag] = []
    client.observe_flag("dark-mode", seen.append)
    ended = client.observe_flag("dark-mode", seen.append)
    assert ended.cancel() and not ended.cancel()
    service.set_flag("dark-mode", value=False, variation=1)
    assert until(lambda: len(seen) == 1)
    client.stop_observing()
    service.set_flag("dark-mode", value=True, variation=0)
    assert until(lambda: client.bool_variation("dark-mode", False))
    assert len(seen) == 1


def test_observers_outlive_close_and_reopen(service: LaunchDarklySimulator, client: Client) -> None:
    seen: list[ChangedFlag] = []
    client.close(2)
    client.observe_flag("dark-mode", seen.append)
    client.reopen()
    assert client.wait_ready(10)
    service.set_flag("dark-mode", value=False, variation=1)
    assert until(lambda: len(seen) == 1)
    with pytest.raises(TypeError):
        client.observe_flags("one text", lambda changes: None)


class Journal(Hook):
    """Notes each stage, and what the stage before left."""

    def __init__(self, name: str, book: list[Any]) -> None:
        self.name = name
        self.book = book

    def before_evaluation(self, series: EvaluationSeries, data: dict[str, Any]) -> dict[str, Any]:
        self.book.append((self.name, "before", series))
        return {**data, "by": self.name}

    def after_evaluation(
        self, series: EvaluationSeries, data: dict[str, Any], detail: EvaluationDetail[Any]
    ) -> dict[str, Any]:
        self.book.append((self.name, "after", data, detail.value))
        return data

    def before_identify(self, series: IdentifySeries, data: dict[str, Any]) -> dict[str, Any]:
        self.book.append((self.name, "before identify", series.context))
        return {"by": self.name}

    def after_identify(self, series: IdentifySeries, data: dict[str, Any], result: Status) -> dict[str, Any]:
        self.book.append((self.name, "after identify", data, result))
        return data

    def after_track(self, series: TrackSeries) -> None:
        self.book.append((self.name, "track", series.key, series.data, series.metric))


def test_hooks_see_evaluations(open_client: Opener) -> None:
    """(LD-81; ready)"""
    book: list[Any] = []
    client = open_client(hooks=[Journal("a", book), Journal("b", book)])
    assert client.wait_ready(10) and client.int_variation("page-size", 7) == 25
    (_, _, series), second, third, fourth = book
    assert (series.flag_key, series.default_value, series.method) == ("page-size", 7, "intVariation")
    assert series.context is not None and series.context.key == "ann"
    assert second[:2] == ("b", "before")
    assert (third, fourth) == (("b", "after", {"by": "b"}, 25), ("a", "after", {"by": "a"}, 25))
    client.string_variation_detail("absent", "x")
    assert book[4][2].method == "stringVariationDetail" and book[-1] == ("a", "after", {"by": "a"}, "x")


def test_hooks_see_identifies_and_tracked_events(open_client: Opener) -> None:
    """(LD-81; ready)"""
    book: list[Any] = []
    client = open_client(hooks=[Journal("a", book)])
    assert client.wait_ready(10) and client.identify(BEN, 10)
    assert client.track_event("purchase", [1], 2.5)
    assert until(lambda: len(book) == 3)
    assert book[0] == ("a", "before identify", BEN)
    assert sorted(book[1:], key=lambda note: str(note[1])) == [
        ("a", "after identify", {"by": "a"}, Status.OK), ("a", "track", "purchase", [1], 2.5)]  # fmt: skip


class Broken(Hook):
    """Fails before, and notes what comes after."""

    def __init__(self) -> None:
        self.left: list[dict[str, Any]] = []

    def before_evaluation(self, series: EvaluationSeries, data: dict[str, Any]) -> dict[str, Any]:
        raise ValueError("no")

    def after_evaluation(
        self, series: EvaluationSeries, data: dict[str, Any], detail: EvaluationDetail[Any]
    ) -> dict[str, Any]:
        self.left.append(data)
        return data


def test_a_hook_that_fails_disturbs_nothing(open_client: Opener, caplog: pytest.LogCaptureFixture) -> None:
    broken = Broken()
    client = open_client(hooks=[broken])
    assert client.wait_ready(10) and client.int_variation("page-size", 7) == 25
    assert broken.left == [{}] and "ValueError" in caplog.text


class Observability(Plugin):
    """Brings a hook, and notes the environments."""

    name = "observability"

    def __init__(self) -> None:
        self.book: list[Any] = []
        self.registered: list[tuple[EnvironmentMetadata, bool]] = []

    def get_hooks(self, environment: EnvironmentMetadata) -> list[Hook]:
        return [Journal(environment.environment, self.book)]

    def register(self, client: Client, environment: EnvironmentMetadata) -> None:
        self.registered.append((environment, client.bool_variation("absent", True)))


def test_plug_ins_bring_hooks_and_get_to_know_each_environment(service: LaunchDarklySimulator, open_client: Opener) -> None:
    """(LD-88; ready)"""
    other = service.add_environment("mob-other")
    service.options.change(application="application-id/shop")
    plugin = Observability()
    client = open_client(
        launchdarkly_plugins=[plugin], secondary_mobile_keys={"other": other.mobile_key}, application_id="shop"
    )
    assert client.wait_ready(10)
    told = {metadata.environment: metadata for metadata, _ in plugin.registered}
    assert sorted(told) == ["default", "other"] and all(value for _, value in plugin.registered)
    assert (told["other"].application_id, told["other"].wrapper_name) == ("shop", None)
    client.bool_variation("dark-mode", False)
    assert {note[0] for note in plugin.book[-2:]} == {"default"}
