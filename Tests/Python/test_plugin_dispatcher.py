"""A dispatcher written in Python gets the events, and says what became of them."""

from __future__ import annotations

import re
import threading

import pytest
from unleash import UnleashSimulator
from waiting import until

import hoist
from hoist import Status


class CallbackDispatcher(hoist.Dispatcher):
    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.batches: list[hoist.Batch] = []
        self.kept: list[hoist.Receipt] = []

    def dispatch(self, batch: hoist.Batch, receipt: hoist.Receipt) -> None:
        self.batches.append(batch)
        answer = self.answers.pop(0) if self.answers else Status.OK
        if answer == "keep":
            self.kept.append(receipt)
        elif answer == "drop":
            pass
        elif answer == "thread":
            threading.Timer(0.05, receipt.complete).start()
        elif isinstance(answer, Exception):
            raise answer
        elif isinstance(answer, tuple):
            receipt.complete(*answer)
        else:
            receipt.complete(answer)
            receipt.complete(Status.NETWORK)


def test_a_dispatcher_gets_the_vendors_wire_form(service: UnleashSimulator, open_client) -> None:
    """Through a plug-in the network is not used for events (UNL-61; ready)."""
    courier = CallbackDispatcher()
    client = open_client("frontend", dispatcher=courier)
    assert client.wait_ready(5) and client.bool("switch") and client.flush(5)
    batch = courier.batches[0]
    assert batch.url == service.frontend_url + "/client/metrics" and batch.method == "POST"
    assert b'"switch"' in batch.body and batch.event_ids
    assert (batch.service, batch.subject, batch.attempt) == ("unleash", "", 1)
    assert batch.path == "/api/frontend/client/metrics"
    assert re.fullmatch("[0-9a-f]{64}", batch.key_hash) and batch.timeout_ms == 40_000
    assert not service.requests("frontend-metrics")


@pytest.mark.parametrize(
    "answer", [Status.NETWORK, "drop", "thread", ValueError("no"), hoist.Error(Status.TIMEOUT)],
    ids=["later", "dropped", "another thread", "raises", "raises a status"],
)
def test_what_a_dispatcher_did_not_deliver_is_tried_again(service: UnleashSimulator, open_client, answer: object) -> None:
    """At least once, with the same ids (UNL-84, G11; failing)."""
    courier = CallbackDispatcher(answer)
    client = open_client("frontend", dispatcher=courier)
    assert client.wait_ready(5) and client.bool("switch")
    first = client.flush(5)
    if answer == "thread":
        assert first and len(courier.batches) == 1
        return
    assert not first
    assert until(lambda: client.flush(5) or len(courier.batches) > 1, 20)
    assert courier.batches[1].event_ids == courier.batches[0].event_ids


@pytest.mark.parametrize("answer", [Status.ARGUMENT, hoist.Error(Status.ARGUMENT)], ids=["says so", "raises"])
def test_what_a_dispatcher_refuses_for_good_is_dropped(service: UnleashSimulator, open_client, answer: object) -> None:
    courier = CallbackDispatcher(answer)
    client = open_client("frontend", dispatcher=courier)
    assert client.wait_ready(5) and client.bool("switch")
    client.flush(5)
    assert client.flush(5)
    assert len(courier.batches) == 1


def test_a_receipt_outlives_its_client(service: UnleashSimulator, open_client) -> None:
    """G11"""
    courier = CallbackDispatcher("keep")
    client = open_client("frontend", dispatcher=courier)
    assert client.wait_ready(5) and client.bool("switch")
    assert client.flush(0.1) is Status.TIMEOUT
    client.close(0.1)
    courier.kept[0].complete()
    assert courier.kept[0].completed


def test_a_reason_that_a_dispatcher_gives_is_told(service: UnleashSimulator, open_client) -> None:
    """(UNL-84; failing)"""
    told: list[str] = []
    courier = CallbackDispatcher((Status.NETWORK, "no broker has answered"))
    client = open_client("frontend", dispatcher=courier)
    client.observe(hoist.Topic.SEND_FAILED, lambda notification: told.append(notification.message))
    assert client.wait_ready(5) and client.bool("switch")
    assert not client.flush(5)
    assert until(lambda: bool(told), 20) and told[0].endswith(": no broker has answered")


def test_what_is_too_large_or_has_to_be_mended_first(service: UnleashSimulator, open_client) -> None:
    """Too large by itself is dropped, and said; what waits for the host to mend something is kept (UNL-84; failing)."""
    courier = CallbackDispatcher((Status.LIMIT, "larger than ten bytes"), (Status.CONFIG, ""))
    client = open_client("frontend", dispatcher=courier)
    assert client.wait_ready(5) and client.bool("switch")
    assert client.flush(5) is Status.REJECTED
    assert client.bool("switch")
    assert client.flush(5) is Status.NETWORK
    statistics = client.statistics()
    assert len(courier.batches) == 2, statistics
