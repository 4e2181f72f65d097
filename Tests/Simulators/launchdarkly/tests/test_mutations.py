"""Every endpoint accepts a correct request and refuses the same request with one thing wrong.

What LD-24, LD-40, LD-42, LD-44, LD-75, LD-83, LD-85, LD-89 and LD-90 put on the wire.
"""

from __future__ import annotations

from collections import Counter

import pytest
from loopback.calls import raw
from loopback.spoiling import Mutation

from launchdarkly import LaunchDarklySimulator

from .mutations import of_contexts, of_diagnostics, of_events, of_every_request, of_flags
from .support import BUILDERS

MUTATIONS: list[Mutation] = [
    *(mutation for builder in BUILDERS for mutation in of_every_request(builder)),
    *of_flags(), *of_contexts(), *of_events(), *of_diagnostics()]


@pytest.mark.parametrize("name", BUILDERS)
def test_a_correct_request_is_accepted(simulator: LaunchDarklySimulator, name: str) -> None:
    assert BUILDERS[name](simulator).send(simulator).status in (200, 202)
    assert simulator.violations == []


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[mutation.name for mutation in MUTATIONS])
def test_one_wrong_thing_is_refused_by_name(simulator: LaunchDarklySimulator, mutation: Mutation) -> None:
    correct = BUILDERS[mutation.builder](simulator)
    booked = len(simulator.ledger.posts)
    assert mutation.change(correct).send(simulator).status == 422
    places = {violation.where for violation in simulator.violations}
    assert places - mutation.along == {mutation.place}
    assert len(simulator.ledger.posts) == booked
    assert correct.send(simulator).status in (200, 202)
    assert {violation.where for violation in simulator.violations} == places


def test_there_are_enough_mutations_of_every_kind_of_request() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS)
    counts = Counter(mutation.builder for mutation in MUTATIONS)
    assert set(counts) == set(BUILDERS)
    assert all(count >= 40 for count in counts.values()) and counts["events"] >= 150


@pytest.mark.parametrize("request_bytes", [
    b"GET /meval/e30= HTTP/1.0\r\nHost: x\r\n\r\n", b"GET /meval/e30= HTTP/1.1\r\n\r\n",
    b"POST /mobile/events/bulk HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}"])
def test_what_is_no_http_is_recorded(simulator: LaunchDarklySimulator, request_bytes: bytes) -> None:
    assert raw(simulator, request_bytes).startswith(b"HTTP/1.1 400 ")
    assert [violation.where for violation in simulator.violations] == ["http"]
