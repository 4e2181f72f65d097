"""What configurations make clients do, as LaunchDarkly sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import Create, usual
from launchdarkly import LaunchDarklySimulator
from relay import Authority, Proxy, Relay
from waiting import until

import hoist

_LIBRARY = (f"application-id/hoist-client-sdk application-name/hoist-client-sdk application-version/{hoist.version()} "
            f"application-version-name/{hoist.version()}")


def test_only_a_polling_section_means_polling(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    client = create(streaming=None, polling={"baseUri": launchdarkly.url + "/", "pollIntervalMs": 50})
    assert client.value("dark-mode", "bool", False) is True
    assert launchdarkly.wait_for("poll", 3) and not launchdarkly.requests("stream")


def test_without_an_interval_polls_come_soon(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    client = create(streaming=None, polling={"baseUri": launchdarkly.url})
    launchdarkly.set_flag("dark-mode", value=False, variation=1)
    assert until(lambda: client.value("dark-mode", "bool", True) is False)


def test_both_sections_mean_streaming(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    launchdarkly.options.change(greeting="ping")
    client = create(polling={"baseUri": launchdarkly.url, "pollIntervalMs": 50})
    assert client.value("dark-mode", "bool", False) is True
    assert len(launchdarkly.requests("stream")) == 1 and len(launchdarkly.requests("poll")) == 1


def test_an_entity_tag_outlives_its_client(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    settings = {"streaming": None, "polling": {"baseUri": launchdarkly.url}}
    create(**settings).close()
    assert create(**settings).value("dark-mode", "bool", False) is True
    launchdarkly.set_flag("dark-mode", value=False)
    assert [request.status for request in launchdarkly.requests("poll")][:2] in ([200], [200, 304])


def test_reports(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    side = {**usual(launchdarkly)["clientSide"], "useReport": True}
    create(clientSide=side)
    assert [request.method for request in launchdarkly.requests()] == ["REPORT"]


def test_without_reasons_none_are_asked_for(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    launchdarkly.options.change(with_reasons=False)
    client = create(clientSide={"initialUser": {"key": "u"}})
    assert "reason" not in client.detail("dark-mode", "bool", False)


def test_without_an_events_section_nothing_is_sent(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    client = create(events=None)
    client.value("dark-mode", "bool", False)
    client.run("customEvent", eventKey="e")
    client.run("flushEvents")
    client.close()
    assert launchdarkly.ledger.posts == []


def test_diagnostics_are_sent_when_they_are_asked_for(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    create(events={"baseUri": launchdarkly.url, "enableDiagnostics": True})
    assert until(launchdarkly.ledger.diagnostics)
    assert launchdarkly.ledger.diagnostics()[0]["kind"] == "diagnostic-init"


def test_events_are_flushed_in_their_interval_and_kept_below_capacity(
    launchdarkly: LaunchDarklySimulator, create: Create
) -> None:
    launchdarkly.options.change(event_capacity=20)
    client = create(events={"baseUri": launchdarkly.url, "capacity": 20, "flushIntervalMs": 500})
    for _ in range(30):
        client.run("customEvent", eventKey="e")
    assert launchdarkly.wait_for_events("custom", 19)
    client.close()


def test_private_attributes_and_gzip(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    launchdarkly.options.change(compressed_events=True, private_attributes=["name"], secrets=["Ann"])
    context = {"kind": "user", "key": "user-key", "name": "Ann"}
    events = {"baseUri": launchdarkly.url, "globalPrivateAttributes": ["name"], "enableGzip": True}
    create(events=events, clientSide={"initialContext": context, "evaluationReasons": True}).run("flushEvents")
    assert launchdarkly.wait_for_events("identify")
    assert launchdarkly.ledger.events("identify")[0]["context"]["_meta"] == {"redactedAttributes": ["name"]}


def test_all_attributes_private(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    launchdarkly.options.change(all_attributes_private=True, secrets=["Ann"])
    context = {"kind": "user", "key": "user-key", "name": "Ann"}
    events = {"baseUri": launchdarkly.url, "allAttributesPrivate": True}
    create(events=events, clientSide={"initialContext": context, "evaluationReasons": True}).run("flushEvents")
    assert launchdarkly.wait_for_events("identify")


def test_tags_and_wrapper(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    launchdarkly.options.change(application="application-id/shop application-version/1.0", wrapper="w/2")
    create(tags={"applicationId": "shop", "applicationVersion": "1.0"}, wrapper={"name": "w", "version": "2"})
    assert launchdarkly.requests("stream")


@pytest.mark.parametrize("bad", ["bad-ü", "bad-/", "1" * 65])
def test_an_application_id_that_cannot_be_sent_takes_the_version_with_it(
    launchdarkly: LaunchDarklySimulator, create: Create, bad: str
) -> None:
    """2.1: with automatic attributes, which a configuration with tags has unless it says otherwise, the library is named."""
    launchdarkly.options.change(application=_LIBRARY)
    create(tags={"applicationId": bad, "applicationVersion": "1.0"})
    assert launchdarkly.requests("stream")


def test_without_automatic_attributes_an_application_id_goes_alone(
    launchdarkly: LaunchDarklySimulator, create: Create
) -> None:
    launchdarkly.options.change(application="application-version/1.0")
    side = {**usual(launchdarkly)["clientSide"], "includeEnvironmentAttributes": False}
    create(tags={"applicationId": "bad-ü", "applicationVersion": "1.0"}, clientSide=side)
    assert launchdarkly.requests("stream")


def test_automatic_attributes(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    """(LD-80; ready)"""
    side = {**usual(launchdarkly)["clientSide"], "includeEnvironmentAttributes": True}
    launchdarkly.options.change(application=_LIBRARY)
    client = create(clientSide=side)
    client.run("flushEvents")
    assert launchdarkly.wait_for_events("identify")
    told = launchdarkly.ledger.events("identify")[0]["context"]
    assert {"user", "ld_application", "ld_device"} < set(told)


def test_the_hash_of_secure_mode(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    """(LD-91; starting)"""
    launchdarkly.options.change(secure_mode_hash="abc")
    client = create(clientSide={**usual(launchdarkly)["clientSide"], "hash": "abc"})
    assert client.value("dark-mode", "bool", False) is True


def test_the_first_retry_is_as_soon_as_it_is_configured(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    launchdarkly.fail("stream", "status", status=503, times=2)
    create(streaming={"baseUri": launchdarkly.url, "initialRetryDelayMs": 1}, startWaitTimeMs=1000)
    assert len(launchdarkly.requests("stream")) == 3


def test_clients_do_not_know_of_each_other(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    other = launchdarkly.add_environment("mob-other", {"dark-mode": {"value": False, "variation": 1, "version": 1}})
    first, second = create(), create(credential=other.mobile_key)
    assert (first.value("dark-mode", "bool", False), second.value("dark-mode", "bool", True)) == (True, False)
    first.close()
    assert second.value("dark-mode", "bool", True) is False


def test_two_clients_of_one_environment(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    first, second = create(), create()
    launchdarkly.set_flag("dark-mode", value=False, variation=1)
    assert all(until(lambda one=one: one.value("dark-mode", "bool", True) is False) for one in (first, second))
    first.ask("identifyEvent", context={"kind": "user", "key": "other"})
    second.run("flushEvents")
    assert launchdarkly.wait_for_events("identify")
    assert second.value("dark-mode", "bool", True) is False


def at(address: str) -> dict[str, Any]:
    """A configuration whose services are somewhere else."""
    return {"serviceEndpoints": None, "streaming": {"baseUri": address}, "events": {"baseUri": address}}


def test_a_proxy_is_used(launchdarkly: LaunchDarklySimulator, create: Create) -> None:
    """The service's own address leads nowhere (LD-91; starting)."""
    with Proxy(launchdarkly.server.port) as proxy:
        client = create(**at("http://not.valid.local"), proxy={"httpProxy": f"http://127.0.0.1:{proxy.port}"})
        assert client.value("dark-mode", "bool", False) is True
        client.close()


def test_a_peer_is_verified_by_the_authorities_that_are_given(
    launchdarkly: LaunchDarklySimulator, create: Create, tmp_path: Path
) -> None:
    """(LD-91; starting)"""
    authority = Authority(tmp_path)
    with Relay(launchdarkly.server.port, authority.server()) as relay:
        settings = at(f"https://127.0.0.1:{relay.port}")
        stranger = create(**settings, startWaitTimeMs=300)
        assert stranger.value("dark-mode", "bool", False) is False and not launchdarkly.requests()
        client = create(**settings, tls={"customCAFile": authority.file("authority.pem")})
        assert client.value("dark-mode", "bool", False) is True
        for one in (stranger, client):
            one.close()
