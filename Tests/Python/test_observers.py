"""Observers, completions, manual dispatch and asyncio."""

from __future__ import annotations

import _thread
import asyncio
import gc
import logging
import select
import threading
import weakref

import pytest
from documents import off, on
from launchdarkly import LaunchDarklySimulator
from unleash import UnleashSimulator
from waiting import until

import hoist
from hoist import Status, Topic, aio


def test_an_observer_is_told_at_once_of_what_is_already_so(service: UnleashSimulator, open_client) -> None:
    client = open_client("frontend")
    assert client.wait_ready(5)
    news: list[hoist.Notification] = []
    client.observe(Topic.READY, news.append)
    assert until(lambda: news)
    assert news[0].topic is Topic.READY and news[0].status is Status.OK


def test_changes_name_the_flags(service: UnleashSimulator, open_client) -> None:
    client = open_client("backend", refresh_interval=0)
    assert client.wait_ready(5)
    changed: list[tuple[str, ...]] = []
    one: list[tuple[str, ...]] = []
    client.observe(Topic.CONFIGURATION_CHANGED, lambda news: changed.append(news.keys))

    @client.on(Topic.FLAG_CHANGED, "switch")
    def told(news: hoist.Notification) -> None:
        one.append(news.keys)

    service.state.update(off("switch"))
    service.state.update(on("dark"))
    assert client.refresh()
    assert until(lambda: one and changed)
    assert one == [("switch",)]
    assert set(changed[0]) == {"switch", "dark"}
    assert client.bool("dark") and not client.bool("switch")


def test_a_cancelled_observer_is_told_nothing(service: UnleashSimulator, open_client) -> None:
    client = open_client("backend", refresh_interval=0)
    assert client.wait_ready(5)
    quiet: list[object] = []
    told: list[object] = []
    subscription = client.observe(Topic.CONFIGURATION_CHANGED, quiet.append)
    with client.observe(Topic.CONFIGURATION_CHANGED, quiet.append):
        client.observe(Topic.CONFIGURATION_CHANGED, told.append)
    assert subscription.cancel() is True
    assert subscription.cancel() is False
    service.state.update(off("switch"))
    client.refresh()
    assert until(lambda: told)
    assert not quiet


def test_an_observer_that_raises_is_logged_and_stops_nobody(
    service: UnleashSimulator, open_client, caplog: pytest.LogCaptureFixture
) -> None:
    """G11"""
    client = open_client("frontend")
    told: list[object] = []

    def fail(_: object) -> None:
        raise ValueError("in the observer")

    with caplog.at_level(logging.ERROR, "hoist"):
        client.observe(Topic.READY, fail)
        client.observe(Topic.READY, told.append)
        assert until(lambda: told and "in the observer" in caplog.text)


def test_an_observer_may_call_back_but_not_wait(service: UnleashSimulator, open_client) -> None:
    """G11: what waits is refused on the library's own thread."""
    client = open_client("frontend")
    answers: list[object] = []

    def reenter(_: object) -> None:
        answers.extend([
            client.bool("switch"), client.close(1), client.wait_ready(1), client.flush(1),
            client.identify({"userId": "u"}, 1), client.observe(Topic.ERROR, print).cancel(),
        ])  # fmt: skip

    client.observe(Topic.READY, reenter)
    assert until(lambda: len(answers) == 6)
    assert answers == [True, *[Status.STATE] * 4, True]
    assert client.state is hoist.State.READY


def test_observers_live_as_long_as_they_are_registered(service: UnleashSimulator, open_client) -> None:
    client = open_client("backend", refresh_interval=0)
    assert client.wait_ready(5)

    class Observer:
        calls = 0

        def __call__(self, _: object) -> None:
            Observer.calls += 1

    observer = Observer()
    alive = weakref.ref(observer)
    subscription = client.observe(Topic.CONFIGURATION_CHANGED, observer)
    del observer
    gc.collect()
    service.state.update(off("switch"))
    client.refresh()
    assert until(lambda: Observer.calls)
    subscription.cancel()
    assert until(lambda: gc.collect() is not None and alive() is None), "release lets go of it"


def test_observers_outlive_close_and_reopen(offline: hoist.Client) -> None:
    """An observer that comes to a closed client is told of the next start (UNL-85; closed, reopened)."""
    told: list[str] = []
    offline.observe(Topic.INITIALIZED, lambda _: told.append("before"))
    assert until(lambda: told == ["before"])
    offline.close()
    offline.observe(Topic.INITIALIZED, lambda _: told.append("closed"))
    offline.reopen()
    assert until(lambda: sorted(told) == ["before", "before", "closed"])
    with pytest.raises(TypeError):
        offline.observe(Topic.READY, 5)  # type: ignore[arg-type]


def test_completions_are_called_once(service: UnleashSimulator, open_client) -> None:
    """(UNL-41, UNL-72; ready, closed)"""
    client = open_client("frontend")
    assert client.wait_ready(5)
    answers: list[Status] = []
    assert client.identify_soon({"userId": "one"}, answers.append)
    assert until(lambda: answers == [Status.OK])
    service.fail("frontend", "hang", then="answer")
    assert client.identify_soon({"userId": "two"}, answers.append)
    assert service.wait_for_held()
    assert client.identify_soon({"userId": "three"}, answers.append)
    service.release()
    assert until(lambda: len(answers) == 3)
    assert sorted(answers[1:]) == sorted([Status.SUPERSEDED, Status.OK])
    client.close()
    assert client.identify_soon({"userId": "four"}, answers.append) in (Status.STATE, Status.CANCELLED)
    assert len(answers) == 3


def test_manual_dispatch_runs_on_the_hosts_thread(service: UnleashSimulator, open_client) -> None:
    client = open_client("frontend", dispatch="manual")
    threads: list[int] = []
    client.observe(Topic.READY, lambda _: threads.append(threading.get_ident()))
    assert client.fileno() >= 0
    readable, _, _ = select.select([client], [], [], 10)
    assert readable and not threads
    while not threads:
        select.select([client], [], [], 10)
        assert client.dispatch() >= 0
    assert threads == [threading.get_ident()]
    assert client.dispatch() == 0
    assert open_client("frontend").fileno() == -1


def test_asyncio_waits_without_blocking(service: UnleashSimulator, open_client) -> None:
    service.fail("frontend", "hang", then="answer")

    async def main() -> None:
        client = open_client("frontend")
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                if ticks == 5:
                    service.release()
                await asyncio.sleep(0.01)

        ticking = asyncio.create_task(tick())
        assert await client.ready(0.01) is Status.TIMEOUT
        assert await client.ready(10)
        assert await client.ready()
        ticking.cancel()
        assert ticks >= 5
        assert await client.identify_async({"userId": "u"})
        assert client.bool("switch")
        assert await client.flush_async()
        assert await client.close_async()
        assert await client.ready(1) is Status.CANCELLED
        assert await client.identify_async({"userId": "v"}) in (Status.STATE, Status.CANCELLED)

    asyncio.run(main())


def test_asyncio_hears_of_a_fatal_state(launchdarkly: LaunchDarklySimulator, connect) -> None:
    """401 ends fetching, and whoever waits is told (LD-75; refused)."""
    launchdarkly.fail("poll", "status", status=401)

    async def main() -> None:
        client = connect(ready=False, streaming_mode="polling")
        assert await client.ready(10) is Status.NETWORK
        assert client.state is hoist.State.FATAL

    asyncio.run(main())


def test_an_event_loop_dispatches(service: UnleashSimulator, open_client) -> None:
    threads: set[int] = set()

    async def main() -> None:
        async with open_client("frontend", dispatch="manual") as client:
            with aio.attach(client):
                client.observe(Topic.READY, lambda _: threads.add(threading.get_ident()))
                assert await client.ready(10)
                assert await client.identify_async({"userId": "u"})
                while not threads:
                    await asyncio.sleep(0.01)
        assert client.state is hoist.State.CLOSED

    asyncio.run(main())
    assert threads == {threading.get_ident()}


def test_waiting_hears_ctrl_c(service: UnleashSimulator, open_client) -> None:
    """A wait without limit is no trap."""
    service.fail("frontend", "hang", times=None)
    client = open_client("frontend")


    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        client.wait_ready()
    timer.join()
