"""A process that leads (property `fetch.shared`) goes offline or to the background: another leads, and streams, and it follows when it is back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from test_sharing import Process, Service, launchdarkly, leaders, service, start, unleash_streaming  # noqa: F401
from waiting import comes

# So long that no lease ends by itself here: a lead that changes hands was given back.
HOUR = {"fetch__shared__lease_ms": 3_600_000, "fetch__shared__poll_ms": 50}


def fleet(start: Callable[..., Process], count: int = 3) -> tuple[Process, list[Process]]:  # noqa: F811
    """The leader, which is the first, and the others."""
    first = start(**HOUR)
    assert comes(lambda: first.count("leads") == 1)
    processes = [first, *(start(**HOUR) for _ in range(count - 1))]
    assert comes(lambda: all(process.is_ready for process in processes))
    assert leaders(processes) == [first]
    return first, processes[1:]


def reach_all(service: Service, number: int, leader: Process, others: list[Process]) -> None:  # noqa: F811
    written, read = leader.count("written"), {process: process.count("read") for process in others}
    service.publish(number)
    assert comes(lambda: leader.count("written") > written)
    assert comes(lambda: all(process.count("read") > read[process] for process in others))


@pytest.mark.parametrize("service", [unleash_streaming, launchdarkly], indirect=True)
def test_a_streaming_leader_that_goes_offline_is_followed_by_one_with_one_stream(start: Callable[..., Process], service: Service) -> None:  # noqa: F811
    """(FLT 1, operating "One fetch for many processes"; offline, ready, second process)"""
    first, others = fleet(start)
    assert comes(lambda: service.open_streams == 1)
    assert first.do("offline") == "HOIST_OK"
    assert comes(lambda: len(leaders(others)) == 1 and first.count("leads") == 0)
    (heir,) = leaders(others)
    follower = next(process for process in others if process is not heir)
    assert comes(lambda: service.fetches == 2 and service.open_streams == 1)
    before = first.count("read")
    reach_all(service, 1, heir, [follower])
    assert comes(lambda: heir.do("on flag-1") == follower.do("on flag-1") == "1")
    # Offline it serves what it had, and looks at nothing.
    assert (first.do("on flag-1"), first.count("read")) == ("0", before)
    assert first.do("online") == "HOIST_OK"
    assert comes(lambda: first.do("on flag-1") == "1" and first.is_ready)
    reach_all(service, 2, heir, [first, follower])
    assert comes(lambda: all(process.do("on flag-2") == "1" for process in (first, heir, follower)))
    assert leaders([first, *others]) == [heir]
    assert (service.fetches, service.open_streams) == (2, 1)
    assert not follower.has_fetched


@pytest.mark.parametrize("service", [unleash_streaming, launchdarkly], indirect=True)
def test_while_all_are_offline_there_is_no_stream_and_afterwards_one(start: Callable[..., Process], service: Service) -> None:  # noqa: F811
    """(FLT 1; offline, ready, second process)"""
    first, others = fleet(start)
    assert comes(lambda: service.open_streams == 1)
    for process in [*others, first]:
        assert process.do("offline") == "HOIST_OK"
    assert comes(lambda: service.open_streams == 0 and first.count("leads") == 0)
    assert service.fetches == 1 and not any(process.has_fetched for process in others)
    service.publish(1)
    for process in others:
        assert process.do("online") == "HOIST_OK"
    assert comes(lambda: all(process.do("on flag-1") == "1" for process in others))
    assert comes(lambda: len(leaders(others)) == 1 and service.open_streams == 1)
    assert first.do("online") == "HOIST_OK"
    assert comes(lambda: first.do("on flag-1") == "1")
    assert comes(lambda: all(process.is_ready for process in [first, *others]))
    assert (len(leaders([first, *others])), service.open_streams, service.fetches) == (1, 1, 2)


@pytest.mark.parametrize("service", [unleash_streaming, launchdarkly], indirect=True)
def test_a_leader_that_is_offline_for_a_moment_leaves_one_leader_and_one_stream(start: Callable[..., Process], service: Service) -> None:  # noqa: F811
    """Which one leads then is of no concern; that one does is (FLT 1; offline, ready)"""
    first, others = fleet(start)
    for number in range(1, 6):
        (leader,) = leaders([first, *others])
        assert [leader.do("offline"), leader.do("online")] == ["HOIST_OK"] * 2
        service.publish(number)
        assert comes(lambda: all(process.do(f"on flag-{number}") == "1" for process in [first, *others]))
        assert comes(lambda: len(leaders([first, *others])) == 1 and service.open_streams == 1)
    assert comes(lambda: all(process.is_ready for process in [first, *others]))


@pytest.mark.parametrize("service", [launchdarkly, unleash_streaming], indirect=True)
def test_a_service_without_a_background_refuses_it_and_leads_on(start: Callable[..., Process], service: Service) -> None:  # noqa: F811
    """LaunchDarkly's background is of mode client, where nothing is shared (LD-75, FLT 1; background)"""
    first, others = fleet(start)
    assert comes(lambda: service.open_streams == 1)
    refusal = "HOIST_ERR_STATE" if service.name == "launchdarkly" else "HOIST_ERR_UNSUPPORTED"
    assert [first.do("background"), first.do("foreground")] == [refusal] * 2
    reach_all(service, 1, first, others)
    assert leaders([first, *others]) == [first]
    assert (service.fetches, service.open_streams) == (1, 1)


def test_a_leader_in_the_background_is_followed_and_follows_when_it_is_back(start: Callable[..., Process], service: Service) -> None:  # noqa: F811
    """Optimizely has a background beside shared fetches (FLT 1, OPT-39; background, ready, second process)"""
    first, others = fleet(start)
    assert first.do("background") == "HOIST_OK"
    assert comes(lambda: len(leaders(others)) == 1 and first.count("leads") == 0)
    (heir,) = leaders(others)
    read = first.count("read")
    reach_all(service, 1, heir, [process for process in others if process is not heir])
    assert first.count("read") == read
    assert first.do("foreground") == "HOIST_OK"
    assert comes(lambda: first.count("read") > read)
    reach_all(service, 2, heir, [process for process in [first, *others] if process is not heir])
    assert leaders([first, *others]) == [heir]
    assert all(process.is_ready for process in [first, *others])


def test_a_follower_in_the_background_does_not_take_the_lead(start: Callable[..., Process], service: Service) -> None:  # noqa: F811
    """(FLT 1; background, closed, second process)"""
    first, (resting, other) = fleet(start)
    assert resting.do("background") == "HOIST_OK"
    assert first.do("close") == "HOIST_OK"
    assert comes(lambda: other.count("leads") == 1)
    assert (resting.count("leads"), resting.has_fetched) == (0, False)
    assert resting.do("foreground") == "HOIST_OK"
    reach_all(service, 1, other, [resting])
    assert leaders([resting, other]) == [other]
