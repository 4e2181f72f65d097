"""Every endpoint accepts a correct request and refuses the same request with one thing wrong.

What OPT-52, OPT-63, OPT-68, OPT-72, OPT-77, OPT-91, OPT-94, OPT-96 and OPT-99 put on the wire.
"""

from __future__ import annotations

import pytest
from loopback.spoiling import Mutation, check_acceptance, check_names, check_no_http, check_refusal, no_http

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
    check_acceptance(simulator, BUILDERS[name](simulator))


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[mutation.name for mutation in MUTATIONS])
def test_one_wrong_thing_is_refused_by_name(simulator: OptimizelySimulator, mutation: Mutation) -> None:
    check_refusal(simulator, BUILDERS[mutation.builder](simulator), mutation)


def test_there_are_enough_mutations_of_every_kind_of_request() -> None:
    counts = check_names(MUTATIONS, BUILDERS)
    assert all(counts[name] >= 30 for name in PLAIN[2:])
    assert counts["datafile"] + counts["secured"] >= 30 and counts["batch"] + counts["bandit"] >= 30


@pytest.mark.parametrize("request_bytes", no_http("GET /datafiles/sample-sdk-key.json"))
def test_what_is_no_http_is_recorded(simulator: OptimizelySimulator, request_bytes: bytes) -> None:
    check_no_http(simulator, request_bytes)
