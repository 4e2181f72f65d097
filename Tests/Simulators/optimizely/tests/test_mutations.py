"""Every endpoint accepts a correct request and refuses the same request with one thing wrong.

What OPT-52, OPT-63, OPT-68, OPT-72, OPT-77, OPT-91, OPT-94, OPT-96 and OPT-99 put on the wire.
"""

from __future__ import annotations

from collections import Counter

import pytest
from loopback.calls import raw
from loopback.spoiling import Mutation

from optimizely import OptimizelySimulator

from .event_mutations import of_events
from .mutations import of_datafiles, of_every_request
from .platform_mutations import of_platform_events, of_predictions, of_segments
from .support import BUILDERS

PLAIN = ("datafile", "secured", "impression", "conversion", "segments", "platform_events", "prediction")
MUTATIONS: list[Mutation] = [
    *(mutation for builder in PLAIN for mutation in of_every_request(builder)),
    *of_datafiles(), *of_events(), *of_segments(), *of_platform_events(), *of_predictions()]


@pytest.mark.parametrize("name", BUILDERS)
def test_a_correct_request_is_accepted(simulator: OptimizelySimulator, name: str) -> None:
    assert BUILDERS[name](simulator).send(simulator).status in (200, 202, 204)
    assert simulator.violations == []


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[mutation.name for mutation in MUTATIONS])
def test_one_wrong_thing_is_refused_by_name(simulator: OptimizelySimulator, mutation: Mutation) -> None:
    correct = BUILDERS[mutation.builder](simulator)
    booked = len(simulator.ledger.posts)
    reply = mutation.change(correct).send(simulator)
    assert reply.status == 422
    places = {violation.where for violation in simulator.violations}
    assert places - mutation.along == {mutation.place}
    assert len(simulator.ledger.posts) == booked
    assert correct.send(simulator).status in (200, 202, 204)
    assert {violation.where for violation in simulator.violations} == places


def test_there_are_enough_mutations_of_every_kind_of_request() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS)
    counts = Counter(mutation.builder for mutation in MUTATIONS)
    assert set(counts) == set(BUILDERS)
    assert all(counts[name] >= 30 for name in PLAIN[2:])
    assert counts["datafile"] + counts["secured"] >= 30 and counts["batch"] + counts["bandit"] >= 30


@pytest.mark.parametrize("request_bytes", [
    b"GET /datafiles/sample-sdk-key.json HTTP/1.0\r\nHost: x\r\n\r\n",
    b"GET /datafiles/sample-sdk-key.json HTTP/1.1\r\n\r\n",
    b"POST /us/v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}"])
def test_what_is_no_http_is_recorded(simulator: OptimizelySimulator, request_bytes: bytes) -> None:
    assert raw(simulator, request_bytes).startswith(b"HTTP/1.1 400 ")
    assert [violation.where for violation in simulator.violations] == ["http"]
