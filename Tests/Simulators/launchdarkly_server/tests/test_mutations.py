"""Every endpoint accepts a correct request and refuses the same request with one thing wrong.

What LDS-14 to LDS-17 and LDS-40 to LDS-50 put on the wire.
"""

from __future__ import annotations

import pytest
from loopback.spoiling import Mutation, check_acceptance, check_names, check_no_http, check_refusal, no_http

from launchdarkly_server import LaunchDarklyServerSimulator

from .mutations import of_diagnostics, of_events, of_every_request, of_flags
from .support import BUILDERS

MUTATIONS: list[Mutation] = [
    *(mutation for builder in BUILDERS for mutation in of_every_request(builder)),
    *of_flags(), *of_events(), *of_diagnostics()]


@pytest.mark.parametrize("name", BUILDERS)
def test_a_correct_request_is_accepted(simulator: LaunchDarklyServerSimulator, name: str) -> None:
    check_acceptance(simulator, BUILDERS[name](simulator))


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[mutation.name for mutation in MUTATIONS])
def test_one_wrong_thing_is_refused_by_name(simulator: LaunchDarklyServerSimulator, mutation: Mutation) -> None:
    check_refusal(simulator, BUILDERS[mutation.builder](simulator), mutation)


def test_there_are_enough_mutations_of_every_kind_of_request() -> None:
    counts = check_names(MUTATIONS, BUILDERS)
    assert all(count >= 30 for count in counts.values()) and counts["events"] >= 200


@pytest.mark.parametrize("request_bytes", no_http("GET /all"))
def test_what_is_no_http_is_recorded(simulator: LaunchDarklyServerSimulator, request_bytes: bytes) -> None:
    check_no_http(simulator, request_bytes)
