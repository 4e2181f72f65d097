"""What configurations of the server side make clients do, as LaunchDarkly sees it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Create, usual_of_server
from harness import ContractService
from launchdarkly_server import LaunchDarklyServerSimulator
from relay import Authority, Proxy, Relay
from server_data import ANNA, NOT_FOUND, user
from waiting import until

Rules = LaunchDarklyServerSimulator


@pytest.mark.parametrize("status", [401, 403, 405])
@pytest.mark.parametrize("section", ["streaming", "polling"])
def test_a_client_that_cannot_start_is_none(
    server_contract: ContractService, rules: Rules, serve: Create, section: str, status: int
) -> None:
    """A refusal for good ends the start, not its time, and nothing is asked again (LDS-02, LDS-13; refused)."""
    place = "stream" if section == "streaming" else "poll"
    rules.fail(place, "status", status=status, times=None)
    settings = {**usual_of_server(rules), "streaming": None, section: {"baseUri": rules.url, "initialRetryDelayMs": 1},
                "startWaitTimeMs": 60_000}  # fmt: skip
    answer = server_contract.ask("POST", "/", {"tag": "test", "configuration": settings})
    assert answer.status == 500 and answer.body["message"] and "location" not in answer.headers
    client = serve(**{**settings, "initCanFail": True})
    assert client.value("dark-mode", "bool", True, ANNA) is True
    assert len(rules.requests(place)) == 2


def test_time_to_start_is_limited(server_contract: ContractService, rules: Rules) -> None:
    """(LDS-02; starting)"""
    rules.fail("stream", "hang", times=None)
    settings = {**usual_of_server(rules), "startWaitTimeMs": 50}
    assert server_contract.ask("POST", "/", {"configuration": settings}).status == 500
    rules.release()


@pytest.mark.parametrize("body", [
    b"{", {}, {"configuration": 1}, {"configuration": {"credential": 7}}, {"configuration": {"startWaitTimeMs": -1}},
    {"configuration": {"initCanFail": 1}}, {"configuration": {"streaming": {"baseUri": "not a url"}}},
    {"configuration": {"streaming": {"filter": 1}}}, {"configuration": {"polling": {"pollIntervalMs": "soon"}}},
    {"configuration": {"events": {"omitAnonymousContexts": "yes"}}}, {"configuration": {"bigSegments": {"userCacheSize": 1}}},
    {"configuration": {"hooks": {"hooks": [{"name": "h"}]}}}, {"configuration": {"tls": {"skipVerifyPeer": True}}},
    {"configuration": {"persistentDataStore": {}}},
    {"configuration": {"persistentDataStore": {"store": {"type": "consul", "dsn": "http://127.0.0.1:1"}}}},
    {"configuration": {"persistentDataStore": {"store": {"type": "redis"}, "cache": {"mode": "some"}}}},
    {"configuration": {"persistentDataStore": {"store": {"type": "redis"}, "cache": {"mode": "ttl", "ttl": -1}}}},
], ids=lambda body: json.dumps(body) if not isinstance(body, bytes) else body.decode())  # fmt: skip
def test_what_cannot_be_read_makes_no_client(server_contract: ContractService, body: Any) -> None:
    """(LDS-01, LDS-68; before start)"""
    answer = server_contract.ask("POST", "/", body)
    assert answer.status == 400 and answer.body["message"]


def test_only_a_polling_section_means_polling(rules: Rules, serve: Create) -> None:
    """Polls take gzip, and tell the tag of the last answer (LDS-14; ready)."""
    rules.options.change(compress=True)
    client = serve(streaming=None, polling={"baseUri": rules.url + "/", "pollIntervalMs": 30})
    assert client.value("dark-mode", "bool", False, ANNA) is True
    assert rules.wait_for("poll", 3) and not rules.requests("stream")
    assert [request.status for request in rules.requests("poll")][:2] == [200, 304]
    rules.set_flag("dark-mode", on=False)
    assert until(lambda: client.value("dark-mode", "bool", True, ANNA) is False)


def test_a_thousand_flags_are_polled(rules: Rules, serve: Create) -> None:
    """One of them has an empty key and no variations (LDS-14, LDS-20; ready)."""
    rules.replace_data({"flags": {
        **{f"flag-{number}": {"key": f"flag-{number}", "version": 1, "on": True, "variations": [number],
                              "fallthrough": {"variation": 0}} for number in range(1000)},
        "": {"key": "", "version": 1, "on": True, "variations": [], "fallthrough": {}}}})  # fmt: skip
    client = serve(streaming=None, polling={"baseUri": rules.url})
    assert [client.value(f"flag-{number}", "int", -1, ANNA) for number in (0, 500, 999)] == [0, 500, 999]
    malformed = {"kind": "ERROR", "errorKind": "MALFORMED_FLAG"}
    assert client.detail("", "int", -1, ANNA) == {"value": -1, "reason": malformed}


@pytest.mark.parametrize("section", ["streaming", "polling"])
def test_a_part_of_the_rules_is_asked_for(rules: Rules, serve: Create, section: str) -> None:
    """(LDS-15; ready)"""
    rules.options.change(payload_filter="web-1.0_x", filtered_flags=["dark-mode"])
    settings = {"streaming": None, section: {"baseUri": rules.url, "filter": "web-1.0_x"}}
    client = serve(**settings)
    assert client.value("dark-mode", "bool", False, ANNA) is True
    assert client.detail("banner", "string", "x", ANNA)["reason"] == NOT_FOUND


@pytest.mark.parametrize("wanted", ["", "-starts", ".starts", "a b", "a?b", "ä"])
@pytest.mark.parametrize("section", ["streaming", "polling"])
def test_a_filter_that_is_none_is_left_out(rules: Rules, serve: Create, section: str, wanted: str) -> None:
    """(LDS-15; ready)"""
    client = serve(**{"streaming": None, section: {"baseUri": rules.url, "filter": wanted}})
    assert client.value("dark-mode", "bool", False, ANNA) is True


def test_a_filter_is_not_for_events(rules: Rules, serve: Create) -> None:
    """(LDS-15; ready)"""
    rules.options.change(payload_filter="web")
    client = serve(streaming={"baseUri": rules.url, "filter": "web"})
    client.run("customEvent", eventKey="e", context=ANNA)
    client.run("flushEvents")
    assert rules.wait_for_events("custom")


@pytest.mark.parametrize("end", ["", "/"])
def test_endpoints_may_be_named_apart(rules: Rules, serve: Create, end: str) -> None:
    """With a path, with or without a slash; a section's own address wins (LDS-17; ready)."""
    rules.options.change(prefix="/relay/7")
    endpoints = {service: rules.url + end for service in ("streaming", "polling", "events")}
    client = serve(serviceEndpoints=endpoints, streaming=None, events={"enableDiagnostics": True})
    client.run("customEvent", eventKey="e", context=ANNA)
    client.run("flushEvents")
    assert rules.wait_for_events("custom") and rules.requests("stream") and until(rules.ledger.diagnostics)
    nowhere = {service: "http://127.0.0.1:1" for service in endpoints}
    other = serve(serviceEndpoints=nowhere, streaming={"baseUri": rules.url + end}, events={"baseUri": rules.url + end})
    other.run("customEvent", eventKey="e", context=ANNA)
    other.run("flushEvents")
    assert rules.wait_for_events("custom", 2)


def test_without_an_events_section_nothing_is_sent(rules: Rules, serve: Create) -> None:
    """(LDS-51; ready, closed)"""
    client = serve(events=None, serviceEndpoints={"events": rules.url})
    client.value("dark-mode", "bool", False, ANNA)
    client.run("customEvent", eventKey="e", context=ANNA)
    client.run("flushEvents")
    client.close()
    assert rules.ledger.posts == []


def test_diagnostics_are_sent_when_they_are_asked_for(rules: Rules, serve: Create) -> None:
    """(LDS-50; ready)"""
    serve(events={"baseUri": rules.url, "enableDiagnostics": True})
    assert until(rules.ledger.diagnostics)
    assert rules.ledger.diagnostics()[0]["kind"] == "diagnostic-init"


def test_capacity_counts_all_but_the_summary(rules: Rules, serve: Create) -> None:
    """Of twenty there is one for the index event (LDS-40, LDS-49; ready, full queue)."""
    rules.options.change(event_capacity=20)
    client = serve(events={"baseUri": rules.url, "capacity": 20})
    client.value("dark-mode", "bool", False, ANNA)
    for _ in range(25):
        client.run("customEvent", eventKey="e", context=ANNA)
    client.run("flushEvents")
    assert rules.wait_for_evaluations("dark-mode", 1)
    assert [event["kind"] for event in rules.ledger.payloads()[0]] == ["index", *["custom"] * 19, "summary"]


def test_events_are_flushed_in_their_interval(rules: Rules, serve: Create) -> None:
    """(LDS-49; ready)"""
    client = serve(events={"baseUri": rules.url, "flushIntervalMs": 50})
    client.run("customEvent", eventKey="e", context=ANNA)
    assert rules.wait_for_events("custom")


@pytest.mark.parametrize("compressed", [True, False])
def test_events_are_compressed_when_that_is_asked_for(rules: Rules, serve: Create, compressed: bool) -> None:
    """The service refuses the one for the other (LDS-49; ready)."""
    rules.options.change(compressed_events=compressed)
    client = serve(events={"baseUri": rules.url, "enableGzip": compressed})
    client.run("customEvent", eventKey="e", context=ANNA)
    client.run("flushEvents")
    assert rules.wait_for_events("custom")


def test_what_is_private_stays_private(rules: Rules, serve: Create) -> None:
    """By the configuration or by the context, whose own do not reach the next (LDS-48; ready)."""
    anna = user("anna", plan="pro", city="Bonn", address={"street": "A", "zip": 1})
    rules.options.change(private_attributes=["city", "/address/street"])
    client = serve(events={"baseUri": rules.url, "globalPrivateAttributes": ["city", "/address/street"]})
    rules.environment.meet({**anna, "_meta": {"privateAttributes": ["plan"]}})
    client.run("identifyEvent", context={**anna, "_meta": {"privateAttributes": ["plan"]}})
    rules.environment.meet({**anna, "key": "bob"})
    client.run("identifyEvent", context={**anna, "key": "bob"})
    client.run("flushEvents")
    assert rules.wait_for_events("identify", 2)
    first, second = (event["context"] for event in rules.ledger.events("identify"))
    assert first == {"kind": "user", "key": "anna", "address": {"zip": 1},
                     "_meta": {"redactedAttributes": ["/address/street", "city", "plan"]}}  # fmt: skip
    assert second["plan"] == "pro" and sorted(second["_meta"]["redactedAttributes"]) == ["/address/street", "city"]


def test_everything_may_be_private(rules: Rules, serve: Create) -> None:
    """(LDS-48; ready)"""
    rules.options.change(all_attributes_private=True)
    client = serve(events={"baseUri": rules.url, "allAttributesPrivate": True})
    client.run("customEvent", eventKey="e", context=ANNA)
    client.run("flushEvents")
    assert rules.wait_for_events("index")
    told = {"kind": "user", "key": "anna", "_meta": {"redactedAttributes": ["plan"]}}
    assert [event["context"] for event in rules.ledger.events()] == [told, told]


def test_anonymous_contexts_may_be_left_out(rules: Rules, serve: Create) -> None:
    """Of index and identify events, not of custom ones (LDS-47; ready)."""
    rules.options.change(omit_anonymous=True)
    client = serve(events={"baseUri": rules.url, "omitAnonymousContexts": True})
    nobody = {"kind": "device", "key": "d", "anonymous": True}
    for context in (nobody, {"kind": "multi", "user": {"key": "u"}, "device": {"key": "d", "anonymous": True}}):
        client.run("identifyEvent", context=context)
        client.run("customEvent", eventKey="e", context=context)
    client.run("flushEvents")
    assert rules.wait_for_events("custom", 2)
    assert [event["context"] for event in rules.ledger.events("identify")] == [user("u")]
    assert rules.ledger.kinds() == {"identify": 1, "custom": 2}


@pytest.mark.parametrize(("tags", "sent"), [
    ({"applicationId": "shop", "applicationVersion": "1.0"}, "application-id/shop application-version/1.0"),
    ({"applicationId": "shop"}, "application-id/shop"), ({"applicationVersion": "1.0"}, "application-version/1.0"),
    ({"applicationId": "", "applicationVersion": ""}, ""), ({"applicationId": "a b", "applicationVersion": "é"}, ""),
    ({"applicationId": "a" * 64, "applicationVersion": "1" * 65}, f"application-id/{'a' * 64}"),
    ({"applicationId": "😊", "applicationVersion": "1"}, "application-version/1"),
    *(({"applicationId": f"a{bad}", "applicationVersion": "1"}, "application-version/1") for bad in "!#$%&'()*+,/:;<=>?@[]^`{|}~"),
])  # fmt: skip
def test_tags(rules: Rules, serve: Create, tags: Any, sent: str) -> None:
    """On each request, and no header where there is nothing to say (LDS-16; ready)."""
    rules.options.change(application=sent)
    client = serve(tags=tags)
    client.run("customEvent", eventKey="e", context=ANNA)
    client.run("flushEvents")
    assert rules.wait_for_events("custom")


@pytest.mark.parametrize(("wrapper", "sent"), [
    ({"name": "w", "version": "2"}, "w/2"), ({"name": "w"}, "w"), ({"version": "2"}, ""), ({"name": "", "version": "2"}, ""),
])  # fmt: skip
def test_wrappers_and_instances(rules: Rules, serve: Create, wrapper: Any, sent: str) -> None:
    """A client has one instance id for all of its requests, and another client has another (LDS-16; ready, second client)."""
    rules.options.change(wrapper=sent, clients=2)
    for client in (serve(wrapper=wrapper), serve(wrapper=wrapper)):
        client.run("customEvent", eventKey="e", context=ANNA)
        client.run("flushEvents")
    assert rules.wait_for_events("custom", 2)
    assert len({request.client for request in rules.requests()}) == 2


def test_clients_of_two_environments(rules: Rules, serve: Create) -> None:
    """(LDS-01; ready, second client)"""
    rules.add_environment("sdk-other", {"flags": {"dark-mode": {"key": "dark-mode", "version": 1, "variations": [7], "offVariation": 0}}})
    first, second = serve(), serve(credential="sdk-other")
    assert (first.value("dark-mode", "any", 0, ANNA), second.value("dark-mode", "any", 0, ANNA)) == (True, 7)


def at(address: str) -> dict[str, Any]:
    return {"streaming": {"baseUri": address}, "events": {"baseUri": address}}


def test_a_proxy_is_used(rules: Rules, serve: Create) -> None:
    """(LDS-18; ready)"""
    with Proxy(rules.server.port) as proxy:
        client = serve(**at("http://not.valid.local"), proxy={"httpProxy": f"http://127.0.0.1:{proxy.port}"})
        assert client.value("dark-mode", "bool", False, ANNA) is True
        client.close()


def test_a_peer_is_verified_by_the_authorities_that_are_given(rules: Rules, serve: Create, tmp_path: Path) -> None:
    """(LDS-18; ready, failing)"""
    authority = Authority(tmp_path)
    with Relay(rules.server.port, authority.server()) as relay:
        settings = at(f"https://127.0.0.1:{relay.port}")
        stranger = serve(**settings, startWaitTimeMs=50, initCanFail=True)
        assert stranger.value("dark-mode", "bool", False, ANNA) is False and not rules.requests()
        client = serve(**settings, tls={"customCAFile": authority.file("authority.pem")})
        assert client.value("dark-mode", "bool", False, ANNA) is True
        for one in (stranger, client):
            one.close()
