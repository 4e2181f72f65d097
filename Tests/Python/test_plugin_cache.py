"""A cache written in Python carries flags and events over a restart, and costs only itself when it is bad."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Thread

import pytest
import shared_store
from kameleoon import sample_configuration
from kameleoon_clients import opener, strict_service
from unleash import UnleashSimulator
from waiting import until

import hoist
from hoist import Status


class Memory(hoist.Cache):
    """A whole cache manager, over a dict."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}
        self.rows: dict[str, tuple[hoist.EventRow, str, float]] = {}
        self.calls: list[str] = []
        self.lock = threading.Lock()

    def load(self, key: str) -> bytes | None:
        self.calls.append("load")
        return self.values.get(key)

    def save(self, key: str, value: bytes) -> None:
        self.calls.append("save")
        self.values[key] = value

    def remove(self, key: str) -> None:
        self.values.pop(key, None)

    def put_events(self, rows: Sequence[hoist.EventRow], owner: str, lease_ms: int) -> None:
        self.calls.append("put_events")
        until = time.monotonic() + lease_ms / 1000
        with self.lock:
            self.rows.update({row.id: (row, owner, until) for row in rows})

    def claim_events(
        self, pipeline: str, max_rows: int, max_bytes: int, owner: str, lease_ms: int
    ) -> Iterable[hoist.EventRow]:
        now, taken = time.monotonic(), []
        with self.lock:
            for key, (row, holder, until) in sorted(self.rows.items(), key=lambda item: item[1][0].created_at_unix_ms):
                if row.pipeline == pipeline and holder != owner and until <= now and len(taken) < max_rows:
                    self.rows[key] = (row, owner, now + lease_ms / 1000)
                    taken.append(row)
        return taken

    def remove_events(self, ids: Sequence[str], owner: str) -> None:
        self.calls.append("remove_events")
        with self.lock:
            for key in ids:
                if key in self.rows and self.rows[key][1] == owner:
                    del self.rows[key]

    def purge_events(self, subject: str, pipeline: str) -> None:
        with self.lock:
            self.rows = {k: v for k, v in self.rows.items() if (v[0].subject, v[0].pipeline) != (subject, pipeline)}

    def give_back_events(self, ids: Sequence[str], owner: str) -> None:
        self.calls.append("give_back_events")
        with self.lock:
            self.rows = {k: (r, "" if k in ids and o == owner else o, 0.0 if k in ids and o == owner else u)
                         for k, (r, o, u) in self.rows.items()}

    def renew_lease(self, owner: str, lease_ms: int) -> None:
        until = time.monotonic() + lease_ms / 1000 if lease_ms else 0.0
        with self.lock:
            self.rows = {k: (r, o, until if o == owner else u) for k, (r, o, u) in self.rows.items()}


def test_a_cache_carries_flags_over_a_restart(service: UnleashSimulator, open_client) -> None:
    """The second client starts from what the first one left, with the network gone (UNL-81, UNL-101, G3; offline)."""
    memory = Memory()
    first = open_client("backend", cache=memory)
    assert first.wait_ready(5)
    assert until(lambda: memory.values)
    first.close()
    second = open_client("backend", cache=memory, online=False)
    assert second.wait_ready(5)
    assert second.state is hoist.State.STALE and second.int("whole") == 42


def test_events_wait_in_the_cache_until_they_are_accepted(service: UnleashSimulator, open_client) -> None:
    """Design 6: nothing acknowledged is lost, and another client adopts what one left behind."""
    memory = Memory()
    service.fail("frontend-metrics", "status", times=None, status=503)
    first = open_client("frontend", cache=memory)
    assert first.wait_ready(5)
    for _ in range(3):
        first.bool("switch")
    assert first.flush(2) is not Status.OK
    first.close(1)
    assert memory.rows and "put_events" in memory.calls
    service.faults.clear()
    second = open_client("frontend", cache=memory, metrics_interval=1)
    assert second.wait_ready(5)
    assert until(lambda: not memory.rows and second.flush(2), 15)
    assert service.ledger.totals()["switch"]["yes"] == 3


def test_events_are_left_in_a_cache_for_another_client_that_sends_them(service: UnleashSimulator, open_client) -> None:
    """(ready, second client)"""
    memory = Memory()
    first = open_client("backend", cache=memory, events_delivery="forward")
    assert first.wait_ready(5)
    for _ in range(3):
        first.bool("switch")
    assert first.flush(5) is Status.OK
    counters = first.statistics()["metrics"]
    assert (counters["forwarded"], counters["waiting"], counters["oldest_ms"], service.ledger.totals()) == (1, 0, 0, {})
    assert {holder for _, holder, _ in memory.rows.values()} == {""}
    second = open_client("backend", cache=memory, events_claim_ms=10, events_flush_interval_ms=50)
    assert until(lambda: second.statistics()["metrics"]["delivered"] == 1, 15)
    assert service.ledger.totals()["switch"]["yes"] == 3


class NoEvents(hoist.Cache):
    """A cache that keeps configurations only."""

    def load(self, key: str) -> bytes | None:
        return None

    def save(self, key: str, value: bytes) -> None:
        pass

    def remove(self, key: str) -> None:
        pass


@pytest.mark.parametrize("options, said", [
    ({"cache": NoEvents()}, 'the cache plug-in has no "put_events" and "give_back_events"'),
    ({"store": "memory"}, 'needs a store that another process reaches; property "store" is "memory"')], ids=["cache", "store"])
def test_events_are_not_left_where_no_other_client_could_take_them(open_client, options: dict[str, object], said: str) -> None:
    """(configuring)"""
    with pytest.raises(hoist.Error, match=f'property "events.delivery": .*{said}'):
        open_client("backend", events_delivery="forward", **options)


class OneStep(Memory):
    """A cache that can compare and set."""

    def replace(self, key: str, expected: bytes | None, value: bytes | None) -> bool:
        self.calls.append("replace")
        with self.lock:
            if self.values.get(key) != expected:
                return False
            if value is None:
                self.values.pop(key, None)
            else:
                self.values[key] = value
            return True


class Leading(OneStep):
    """A cache in which one leads a value."""

    def __init__(self) -> None:
        super().__init__()
        self.leader, self.number, self.version = "", 0, 0

    def lead(self, key: str, holder: str | None, lease_ms: int) -> hoist.Lead:
        with self.lock:
            if holder and lease_ms and self.leader in ("", holder):
                self.number += self.leader == ""
                self.leader = holder
            elif self.leader == holder and not lease_ms:
                self.leader = ""
            return hoist.Lead(self.number if self.leader == holder else 0, self.version)

    def save_led(self, key: str, value: bytes, number: int) -> int | None:
        with self.lock:
            if number != self.number:
                return None
            self.values[key] = value
            self.version += 1
            return self.version


def test_one_fetches_for_all_over_a_cache_that_knows_who_leads(service: UnleashSimulator, open_client) -> None:
    """(UNL-81; starting, second client, closed)"""
    memory = Leading()
    first = open_client("backend", cache=memory, fetch_shared="leader")
    assert first.wait_ready(5) and until(lambda: memory.version == 1)
    fetched = service.journal.count("features")
    second = open_client("backend", cache=memory, fetch_shared="leader")
    assert second.wait_ready(5)
    assert second.int("whole") == 42 and service.journal.count("features") == fetched
    assert [client.statistics()["shared_fetch"]["leads"] for client in (first, second)] == [1, 0]
    first.close()
    assert until(lambda: second.statistics()["shared_fetch"]["leads"] == 1, 15)
    assert memory.number == 2 and memory.save_led("any", b"", 1) is None


def test_a_cache_that_does_not_know_who_leads_is_refused_for_shared_fetches(service: UnleashSimulator, open_client) -> None:
    with pytest.raises(hoist.Error, match='property "fetch.shared": the cache plug-in has no "lead" and "save_led"'):
        open_client("backend", cache=OneStep(), fetch_shared="leader")


class Telling(Leading):
    """A cache that tells all who use it what was announced."""

    def __init__(self) -> None:
        super().__init__()
        self.announced: list[str] = []
        self.news: hoist.CacheNews | None = None

    def announce(self, key: str) -> None:
        self.announced.append(key)
        if self.news:
            self.news.post(key)

    def listen(self, news: hoist.CacheNews | None) -> None:
        self.news = news


def test_what_one_has_fetched_is_announced(service: UnleashSimulator, open_client) -> None:
    """(FLT 1; ready, second client, closed) Looks by time are minutes apart."""
    memory = Telling()
    shared = {"cache": memory, "fetch_shared": "leader", "fetch_shared_lease_ms": 3_600_000, "fetch_shared_poll_ms": 900_000}
    first = open_client("backend", refresh_interval=1, **shared)
    assert first.wait_ready(5) and until(lambda: memory.version == 1 and memory.news is not None)
    second = open_client("backend", **shared)
    assert second.wait_ready(5) and second.int("whole") == 42
    service.state.replace({"version": 2, "features": [{"name": "fresh", "enabled": True, "strategies": [{"name": "default"}]}]})
    assert until(lambda: second.bool("fresh"), 15)
    news = memory.news
    assert news and news.post(None) and news.post("anything")
    first.close()
    second.close()
    assert memory.news is None and not news.post("anything")
    assert set(memory.announced) <= set(memory.values)


class Lines(hoist.Logger):
    """What was logged."""

    def __init__(self) -> None:
        self.all: list[str] = []

    def write(self, level: hoist.LogLevel, message: str) -> None:
        self.all.append(message)


@pytest.mark.parametrize("kind", [Memory, OneStep])
def test_two_clients_of_one_cache_lose_nothing_of_each_other(tmp_path: Path, kind: type[Memory]) -> None:
    """Contract 8: what is kept of people is changed in one step, by a table of the old shape in this process."""
    memory, lines = kind(), Lines()
    clients = [shared_store.optimizely_client(tmp_path, variation, cache=memory, logger=lines) for variation in (1, 2)]
    for client in clients:
        assert client.wait_ready(10)
    threads = [Thread(target=shared_store.change_profiles, args=([client], i, 0, 50)) for i, client in enumerate(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for client in clients:
        client.close(30)
    assert ("replace" in memory.calls) == (kind is OneStep)
    assert sum("cannot compare and set" in line for line in lines.all) == (0 if kind is OneStep else 2)
    # By a datafile that gives the other variation, what was decided before is what was kept.
    for number, kept, variation in ((0, "one", 2), (1, "two", 1)):
        with shared_store.optimizely_client(tmp_path, variation, cache=memory) as client:
            assert client.wait_ready(10)
            for i in range(50):
                decisions = client.user(f"own-{number}-{i}").decide_for_keys(shared_store.FLAGS)
                assert kept in [decision.variation_key for decision in decisions.values()]


class Appending(OneStep):
    """A cache that can put bytes behind a value."""

    def append(self, key: str, head: bytes, more: bytes) -> bool:
        with self.lock:
            if not self.values.get(key, b"").startswith(head) or key not in self.values:
                return False
            self.values[key] += more
            self.calls.append("append")
            return True


@pytest.mark.parametrize("kind", [OneStep, Appending])
def test_conversions_are_put_behind_what_is_kept(kind: type[OneStep]) -> None:
    """(KAM-03; offline, reopened) By a table that can; each is there in the next run."""
    memory = kind()
    with strict_service() as service, opener(service) as open_client:
        offline = {"events.durability": "immediate", "default_datafile": json.dumps(sample_configuration()), "online": False}
        first = open_client(properties=offline, cache=memory)
        visitor = first.visitor("v")
        assert all(visitor.track_conversion(7, float(i)) for i in range(20))
        assert first.close(5) is not None
        assert (memory.calls.count("append") > 10) == (kind is Appending)
        open_client(cache=memory)
        assert service.wait_for_lines(20, "conversion")
        assert service.ledger.conversions() == {"7": {"count": 20, "revenue": sum(range(20))}}


class Ending(OneStep):
    """A cache whose values may come with an end."""

    def __init__(self) -> None:
        super().__init__()
        self.ends: dict[str, int] = {}

    def replace(self, key: str, expected: bytes | None, value: bytes | None) -> bool:
        self.ends.pop(key, None)
        return super().replace(key, expected, value)

    def replace_for(self, key: str, expected: bytes | None, value: bytes | None, lifetime_ms: int) -> bool:
        is_done = self.replace(key, expected, value)
        self.ends[key] = lifetime_ms
        return is_done


@pytest.mark.parametrize("consent", [None, True, False])
def test_data_of_a_visitor_come_with_their_end_and_an_answer_about_consent_does_not(consent: bool | None) -> None:
    """(KAM-03, KAM-60; offline, no consent)"""
    memory = Ending()
    with strict_service() as service, opener(service) as open_client:
        properties = {"events.durability": "immediate", "default_datafile": json.dumps(sample_configuration()), "online": False,
                      "data_expiration_interval_minute": 30}
        visitor = open_client(properties=properties, cache=memory).visitor("v")
        assert visitor.track_conversion(7, 1.0)
        assert memory.ends == {"visitor:v": 1_800_000}
        if consent is not None:
            assert visitor.set_legal_consent(consent)
        assert memory.ends == ({"visitor:v": 1_800_000} if consent is None else {})


BAD_CACHES = {
    "raises": lambda *_: 1 / 0,
    "sleeps": lambda *_: time.sleep(3),
    "garbage": lambda *_: b"\xff\x00garbage",
    "huge": lambda *_: b"[" * (1 << 20),
    "text": lambda *_: "not bytes",
    "beyond the limit": lambda *_: bytes(65 << 20),
}


@pytest.mark.parametrize("kind", BAD_CACHES)
def test_a_bad_cache_costs_the_cache_only(service: UnleashSimulator, open_client, kind: str) -> None:
    """G2, G11: its data is checked like the network's; the client goes on without it."""

    class Bad(hoist.Cache):
        def load(self, key: str) -> bytes | None:
            return BAD_CACHES[kind]()  # type: ignore[no-any-return]

        def save(self, key: str, value: bytes) -> None:
            BAD_CACHES[kind]()

        def remove(self, key: str) -> None:
            BAD_CACHES[kind]()

    client = open_client("frontend", cache=Bad())
    assert client.wait_ready(15)
    assert client.bool("switch") and client.flush(5)
