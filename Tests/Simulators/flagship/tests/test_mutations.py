"""Every endpoint accepts a correct request and refuses the same request with one thing wrong.

What FS-03, FS-06, FS-59, FS-67, FS-90 to FS-99, FS-128, FS-201, FS-203, FS-206 to FS-209, FS-211 and FS-214 put on the
wire.
"""

from __future__ import annotations

from collections import Counter

import pytest
from loopback.calls import raw
from loopback.spoiling import Mutation

from flagship import FlagshipSimulator

from .hit_mutations import of_hits
from .mutations import of_activations, of_decisions, of_downloads, of_every_request, of_reports
from .support import BUILDERS

MUTATIONS: list[Mutation] = [
    *(mutation for builder in BUILDERS for mutation in of_every_request(builder)),
    *of_decisions(), *of_activations(), *of_hits(), *of_reports(), *of_downloads()]


@pytest.mark.parametrize("name", BUILDERS)
def test_a_correct_request_is_accepted(simulator: FlagshipSimulator, name: str) -> None:
    assert BUILDERS[name](simulator).send(simulator).status in (200, 204)
    assert simulator.violations == []


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[mutation.name for mutation in MUTATIONS])
def test_one_wrong_thing_is_refused_by_name(simulator: FlagshipSimulator, mutation: Mutation) -> None:
    correct = BUILDERS[mutation.builder](simulator)
    booked = len(simulator.ledger.posts)
    assert mutation.change(correct).send(simulator).status == 422
    places = {violation.where for violation in simulator.violations}
    assert places - mutation.along == {mutation.place}
    assert len(simulator.ledger.posts) == booked
    assert correct.send(simulator).status in (200, 204)
    assert {violation.where for violation in simulator.violations} == places


def test_there_are_enough_mutations_of_every_kind_of_request() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS)
    counts = Counter(mutation.builder for mutation in MUTATIONS)
    assert set(counts) == set(BUILDERS)
    assert all(count >= 20 for count in counts.values()) and counts["batch"] >= 200
    assert all(counts[name] >= 55 for name in ("decision", "activations", "single", "usage", "troubleshooting"))


@pytest.mark.parametrize("request_bytes", [
    b"GET /cdn/hoistsampleenv000001/bucketing.json HTTP/1.0\r\nHost: x\r\n\r\n",
    b"GET /cdn/hoistsampleenv000001/bucketing.json HTTP/1.1\r\n\r\n",
    b"POST /events HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}"])
def test_what_is_no_http_is_recorded(simulator: FlagshipSimulator, request_bytes: bytes) -> None:
    assert raw(simulator, request_bytes).startswith(b"HTTP/1.1 400 ")
    assert [violation.where for violation in simulator.violations] == ["http"]
