"""Every endpoint accepts a correct request and refuses the same request with one thing wrong.

What KAM-06, KAM-08, KAM-45 to KAM-55, KAM-61, KAM-62, KAM-64, KAM-B08 and KAM-B21 put on the wire.
"""

from __future__ import annotations

import pytest
from loopback.spoiling import Mutation, check_acceptance, check_names, check_no_http, check_refusal, no_http

from kameleoon import KameleoonSimulator

from .line_mutations import of_tracking
from .mutations import of_configurations, of_every_request, of_remote_data, of_streams, of_tokens, of_visitors
from .support import BUILDERS

MUTATIONS: list[Mutation] = [
    *(mutation for builder in BUILDERS for mutation in of_every_request(builder)),
    *of_configurations(), *of_streams(), *of_visitors(), *of_remote_data(), *of_tokens(), *of_tracking()]


@pytest.mark.parametrize("name", BUILDERS)
def test_a_correct_request_is_accepted(simulator: KameleoonSimulator, name: str) -> None:
    check_acceptance(simulator, BUILDERS[name](simulator))


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[mutation.name for mutation in MUTATIONS])
def test_one_wrong_thing_is_refused_by_name(simulator: KameleoonSimulator, mutation: Mutation) -> None:
    check_refusal(simulator, BUILDERS[mutation.builder](simulator), mutation)


def test_there_are_enough_mutations_of_every_kind_of_request() -> None:
    counts = check_names(MUTATIONS, BUILDERS)
    assert all(count >= 40 for count in counts.values()) and counts["tracking"] >= 250


@pytest.mark.parametrize("request_bytes", no_http("GET /sdk-config/v3/hoistsite1"))
def test_what_is_no_http_is_recorded(simulator: KameleoonSimulator, request_bytes: bytes) -> None:
    check_no_http(simulator, request_bytes)
