"""Many threads at once, while the client changes under them."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable

import pytest
from documents import TYPED, document, on
from unleash import UnleashSimulator
from waiting import until

import hoist

SECONDS = 1.5


def together(*works: Callable[[], object], seconds: float = SECONDS) -> list[int]:
    """Runs each work again and again on a thread of its own; answers how often. Raises what one of them raised."""
    stop, problems, counts = threading.Event(), [], [0] * len(works)

    def repeat(index: int, work: Callable[[], object]) -> None:
        try:
            while not stop.is_set():
                work()
                counts[index] += 1
        except BaseException as problem:
            problems.append(problem)
            stop.set()

    threads = [threading.Thread(target=repeat, args=item) for item in enumerate(works)]
    for thread in threads:
        thread.start()
    stop.wait(seconds)
    stop.set()
    for thread in threads:
        thread.join(30)
    assert not any(thread.is_alive() for thread in threads), "a call did not return"
    if problems:
        raise problems[0]
    return counts


def test_evaluations_are_exact_while_everything_changes(service: UnleashSimulator, open_client) -> None:
    """Every evaluation of every thread is counted once, whatever else goes on (UNL-59, G1; ready)."""
    service.options.change(minimum_interval_ms=1)
    client = open_client("backend", refresh_interval=1)
    assert client.wait_ready(5)
    user = hoist.Context("u", plan="pro")
    serial = iter(range(10**9))

    def evaluate() -> None:
        assert client.bool("switch", user) is True
        assert client.string("text") == "grün"

    def read_others() -> None:
        client.all_flags(user)
        client.explain("pro-only", user)
        with client.view(user) as view:
            assert view.bool("pro-only") == view.bool("pro-only")
        client.statistics()

    def change() -> None:
        service.state.update(on(f"extra-{next(serial) % 20}"))
        client.refresh()
        time.sleep(0.005)

    counts = together(evaluate, evaluate, evaluate, read_others, change, lambda: (client.flush(5), time.sleep(0.05)))
    assert all(counts)
    assert client.flush(10)
    assert service.ledger.totals()["switch"]["yes"] == sum(counts[:3])


def test_identify_and_evaluation_agree(service: UnleashSimulator, open_client) -> None:
    """Values are those of the current context or of the one before, never somebody else's (UNL-41, design 13; ready)."""
    service.state.update(on("mine", strategies=[{"name": "userWithId", "parameters": {"userIds": "one"}}]))
    client = open_client("frontend")
    users = [hoist.Context("one", userId="one"), hoist.Context("two", userId="two")]

    def identify() -> None:
        client.identify(random.choice(users), 5)

    def soon() -> None:
        client.identify_soon(random.choice(users), lambda _: None)
        time.sleep(0.01)

    def evaluate() -> None:
        assert isinstance(client.bool("mine"), bool)

    assert all(together(identify, soon, evaluate, evaluate))
    for user, expected in zip(users, (True, False), strict=True):
        assert client.identify(user, 10)
        assert client.bool("mine") is expected


def test_closing_and_reopening_under_load(service: UnleashSimulator, open_client) -> None:
    """(UNL-59, G4; closing, closed, reopened)"""
    client = open_client("backend", log_level="none")
    assert client.wait_ready(5)

    def turn() -> None:
        assert client.close(5) in (hoist.Status.OK, hoist.Status.TIMEOUT)
        try:
            client.reopen()
        except hoist.Error as refused:
            assert refused.status is hoist.Status.STATE
        client.wait_ready(5)

    def use() -> None:
        client.bool("switch")
        client.track("bought")
        client.refresh()
        client.identify({"userId": "u"}, 0.01)
        client.flush(0.01)

    def watch() -> None:
        try:
            client.observe(hoist.Topic.STATE, lambda _: None).cancel()
        except hoist.Error as refused:
            assert refused.status is hoist.Status.STATE

    together(turn, use, use, watch, client.statistics)
    client.close(5)
    assert client.state is hoist.State.CLOSED


@pytest.mark.parametrize("mode", ["frontend", "backend"])
def test_many_clients_come_and_go(service: UnleashSimulator, mode: str) -> None:
    """G4, G6: no thread, no descriptor is left behind."""
    url, key = (service.frontend_url, service.frontend_key) if mode == "frontend" else (service.api_url, service.backend_key)

    def one() -> None:
        with hoist.Client("unleash", mode=mode, url=url, key=key, store="none", app_name="shop") as client:
            assert client.wait_ready(10)
            assert client.bool("switch")

    def descriptors() -> int:
        from os import listdir

        return len(listdir("/proc/self/fd"))

    one()
    before = descriptors()
    counts = together(one, one, one)
    assert min(counts) > 2
    assert until(lambda: descriptors() <= before + 12), (before, descriptors())
    assert until(lambda: service.ledger.totals()["switch"]["yes"] == sum(counts) + 1)


def test_contexts_and_views_are_shared_between_threads(offline: hoist.Client) -> None:
    """A context that changes while others evaluate with it: the state before or after, never a mixture."""
    context = hoist.Context("u", plan="pro")
    view = offline.view(context)

    def change() -> None:
        context.set("plan", "pro")
        context.set("more", "x" * random.randrange(1000))
        context.remove("more")

    def evaluate() -> None:
        assert offline.bool("pro-only", context)
        assert view.bool("pro-only") and view.string("text") == "grün" and view.json("settings")

    assert all(together(change, evaluate, evaluate, evaluate, seconds=2))


def test_views_outlive_what_they_pin(service: UnleashSimulator, open_client) -> None:
    """G2: many snapshots replaced while views of older ones are read."""
    client = open_client("backend", refresh_interval=0)
    assert client.wait_ready(5)
    views: list[hoist.View] = []

    def replace() -> None:
        service.state.replace(document(*TYPED["features"], on(f"extra-{random.randrange(1000)}")))
        client.refresh()
        views.append(client.view())
        if len(views) > 50:
            del views[: random.randrange(50)]
        time.sleep(0.002)

    def read() -> None:
        for view in list(views):
            assert view.string("text") == "grün"

    assert all(together(replace, read, read, seconds=2))
