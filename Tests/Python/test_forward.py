"""Batches of other processes, delivered by a client of this one."""

from __future__ import annotations

import asyncio
import dataclasses
import threading

import hoist
from hoist import Batch, Dispatcher, Receipt

SERVED = {"mode": "backend", "url": "http://127.0.0.1:9/api", "key": "default:production.secret", "store": "none", "online": False}


def forwarded(client: hoist.Client, batch: Batch) -> hoist.ForwardResult:
    results: list[hoist.ForwardResult] = []
    has_come = threading.Event()
    assert client.forward(batch, lambda result: (results.append(result), has_come.set())) == hoist.Status.OK
    assert has_come.wait(30)
    return results[0]


BATCH = Batch("events", "POST", "", [], b"{}", ("1",), "unleash", "/api/client/metrics", "5eed", "", 0, 1)


def test_what_is_none_of_the_clients_is_told_to_be_so() -> None:
    with hoist.Client("unleash", SERVED) as client:
        for batch, why in ((BATCH, "another key"), (dataclasses.replace(BATCH, service="flagship"), 'its service is "flagship"')):
            result = forwarded(client, batch)
            assert (result.status, result.refused) == (hoist.Status.ARGUMENT, b"") and why in result.message
        assert client.statistics()["forwarded"]["returned"] == 2


def test_a_coroutine_has_the_result_or_the_status_of_a_call_that_is_refused() -> None:
    client = hoist.Client("unleash", SERVED)
    assert "another key" in asyncio.run(client.forward_async(BATCH)).message
    client.close()
    assert asyncio.run(client.forward_async(BATCH)).status == hoist.Status.STATE


def test_a_batch_that_a_dispatcher_was_given_is_the_clients_and_cancelled_by_its_end() -> None:
    given: list[Batch] = []

    class Taking(Dispatcher):
        def dispatch(self, batch: Batch, receipt: Receipt) -> None:
            given.append(batch)
            receipt.complete()

    with hoist.Client("unleash", {**SERVED, "online": True}, dispatcher=Taking()) as other:
        other.track("recorded", properties={"event": "b"})
        other.flush(30)
    client = hoist.Client("unleash", SERVED)
    results: list[hoist.ForwardResult] = []
    assert client.forward(given[0], results.append) == hoist.Status.OK
    client.close()
    assert [result.status for result in results] == [hoist.Status.CANCELLED]
    assert client.forward(given[0], results.append) == hoist.Status.STATE and len(results) == 1
