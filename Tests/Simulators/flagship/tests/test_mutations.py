"""Every endpoint accepts a correct request and refuses the same request with one thing wrong.

What FS-03, FS-06, FS-59, FS-67, FS-90 to FS-99, FS-128, FS-201, FS-203, FS-206 to FS-209, FS-211 and FS-214 put on the
wire.
"""

from __future__ import annotations

import pytest
from loopback.spoiling import Mutation, check_acceptance, check_names, check_no_http, check_refusal, no_http

from flagship import FlagshipSimulator

from .hit_mutations import of_hits
from .mutations import of_activations, of_decisions, of_downloads, of_every_request, of_reports
from .support import BUILDERS

MUTATIONS: list[Mutation] = [
    *(mutation for builder in BUILDERS for mutation in of_every_request(builder)),
    *of_decisions(), *of_activations(), *of_hits(), *of_reports(), *of_downloads()]


@pytest.mark.parametrize("name", BUILDERS)
def test_a_correct_request_is_accepted(simulator: FlagshipSimulator, name: str) -> None:
    check_acceptance(simulator, BUILDERS[name](simulator))


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[mutation.name for mutation in MUTATIONS])
def test_one_wrong_thing_is_refused_by_name(simulator: FlagshipSimulator, mutation: Mutation) -> None:
    check_refusal(simulator, BUILDERS[mutation.builder](simulator), mutation)


def test_there_are_enough_mutations_of_every_kind_of_request() -> None:
    counts = check_names(MUTATIONS, BUILDERS)
    assert all(count >= 20 for count in counts.values()) and counts["batch"] >= 200
    assert all(counts[name] >= 55 for name in ("decision", "activations", "single", "usage", "troubleshooting"))


@pytest.mark.parametrize("request_bytes", no_http("GET /cdn/hoistsampleenv000001/bucketing.json"))
def test_what_is_no_http_is_recorded(simulator: FlagshipSimulator, request_bytes: bytes) -> None:
    check_no_http(simulator, request_bytes)
