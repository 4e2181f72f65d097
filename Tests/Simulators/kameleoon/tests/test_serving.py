"""Configurations, real-time events, tokens, data of visitors and remote data (KAM-06, KAM-20, KAM-46, KAM-66)."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from kameleoon import KameleoonSimulator, sample_configuration
from kameleoon.sample import SITE

from .support import (
    StreamReader, announced, authorised, configuration, conversion, custom_data, exposure, line, linked, remote, stream,
    token, tracking, visitor)

FIRST, SECOND = "Mon, 05 Jan 2026 10:00:00 GMT", "Mon, 05 Jan 2026 10:01:00 GMT"


def asking(simulator: KameleoonSimulator, code: str, *parts: str, name: str = "visitorCode", previous: int = 1) -> Any:
    """What is answered about a visitor."""
    call = visitor(simulator)
    call.query = [f"siteCode={SITE}", f"{name}={code}", f"maxNumberPreviousVisits={previous}", "version=0",
                  "staticData=true", *(f"{part}=true" for part in parts)]
    return call.send(simulator).json


def test_a_configuration_comes_with_its_date(simulator: KameleoonSimulator) -> None:
    reply = configuration(simulator).send(simulator)
    assert (reply.status, reply.headers["Last-Modified"], reply.json) == (200, FIRST, sample_configuration())


def test_a_configuration_that_did_not_change_is_not_sent_again(simulator: KameleoonSimulator) -> None:
    call = configuration(simulator).with_header("If-Modified-Since", FIRST)
    assert (call.send(simulator).status, call.send(simulator).body) == (304, b"")
    simulator.publish(sample_configuration(dateModified=7))
    reply = call.send(simulator)
    assert (reply.status, reply.json["dateModified"], reply.headers["Last-Modified"]) == (200, 7, SECOND)
    assert simulator.violations == []


def test_environments_have_configurations_of_their_own(simulator: KameleoonSimulator) -> None:
    assert announced(simulator).send(simulator).json == {"dateModified": 5}
    call = configuration(simulator)
    call.query = ["environment=production"]
    assert call.send(simulator).json == sample_configuration()
    call.query = ["environment=development"]
    assert call.send(simulator).status == 404
    dated = announced(simulator).with_header("If-Modified-Since", FIRST)
    assert dated.send(simulator).places == ["header if-modified-since"]


def test_bytes_are_sent_as_they_are_and_with_gzip_where_it_is_taken(simulator: KameleoonSimulator) -> None:
    for body in ('{"a":1}', "nothing", b"\xff\xfe"):
        simulator.publish(body)
        assert configuration(simulator).send(simulator).body == (body.encode() if isinstance(body, str) else body)
    simulator.options.change(compress=True)
    reply = configuration(simulator).with_header("Accept-Encoding", "gzip").send(simulator)
    assert (reply.headers["Content-Encoding"], gzip.decompress(reply.body)) == ("gzip", b"\xff\xfe")


def test_dates_and_times_from_elsewhere(simulator: KameleoonSimulator) -> None:
    dated = configuration(simulator).with_header("If-Modified-Since", "Sun, 04 Jan 2026 10:00:00 GMT")
    assert dated.send(simulator).places == ["header if-modified-since"]
    timed = configuration(simulator)
    timed.query = ["ts=5"]
    assert timed.send(simulator).places == ["query ts"]
    simulator.options.change(foreign_dates=True, foreign_times=True)
    assert (dated.send(simulator).status, timed.send(simulator).status) == (200, 200)
    simulator.options.change(foreign_dates=False, last_modified=False)
    assert "Last-Modified" not in configuration(simulator).send(simulator).headers
    simulator.fail("configuration", "body", body="{}", headers={"Last-Modified": "Tue, 06 Jan 2026 08:00:00 GMT"})
    configuration(simulator).send(simulator)
    again = configuration(simulator).with_header("If-Modified-Since", "Tue, 06 Jan 2026 08:00:00 GMT")
    assert again.send(simulator).status == 200


def test_a_site_of_nobody_is_no_violation(simulator: KameleoonSimulator) -> None:
    elsewhere = configuration(simulator)
    elsewhere.path = "/sdk-config/v3/nowhere"
    assert elsewhere.send(simulator).status == 404
    simulator.options.change(unknown_site_status=403)
    call = tracking(simulator, conversion(1))
    call.query[2] = "siteCode=nowhere"
    assert call.send(simulator).status == 403
    simulator.add_site("nowhere", {})
    assert (elsewhere.send(simulator).json, call.send(simulator).status) == ({}, 200)
    assert simulator.violations == []


def test_real_time_events_reach_the_streams_of_their_site(simulator: KameleoonSimulator) -> None:
    with StreamReader(simulator) as reader:
        assert simulator.wait_for_streams(1)
        elsewhere = simulator.add_site("elsewhere", {})
        simulator.announce(elsewhere, 3)
        time = simulator.announce()
        assert _time(reader) == time
        simulator.publish(sample_configuration(dateModified=9), announce=True)
        assert _time(reader) == time
        assert simulator.streams.as_json()["open"][0]["site"] == SITE


def _time(reader: StreamReader) -> int:
    """The time of the next event, behind any keep-alives."""
    while True:
        found = reader.next()
        if "comment" not in found:
            assert found["event"] == "configuration-update-event"
            return json.loads(found["data"])["ts"]


def test_streams_drop_stall_and_come_back(simulator: KameleoonSimulator) -> None:
    with StreamReader(simulator) as reader:
        assert simulator.wait_for_streams(1)
        simulator.streams.stall()
        simulator.announce(time=4)
        simulator.streams.resume()
        assert _time(reader) == 4
        simulator.restart_stream(refused=1, how="close")
        with pytest.raises((EOFError, OSError)):
            while True:
                reader.next()
    assert simulator.wait_for_streams(0)
    with pytest.raises(OSError):
        stream(simulator).send(simulator)
    assert stream(simulator).send(simulator).status == 200


def test_tokens_are_for_who_has_the_credentials(simulator: KameleoonSimulator) -> None:
    reply = token(simulator).send(simulator)
    assert (reply.status, reply.json) == (200, {"access_token": "token-1", "expires_in": 7200})
    assert token(simulator).with_header("Authorization", "Basic YTpi").send(simulator).status == 401
    simulator.options.change(token_seconds=60)
    assert token(simulator).send(simulator).json["expires_in"] == 60
    assert simulator.tokens.given == ["token-1", "token-2"] and simulator.violations == []


def test_a_token_that_was_revoked_is_answered_with_401(simulator: KameleoonSimulator) -> None:
    call = authorised(simulator)
    assert call.send(simulator).status == 200
    assert simulator.tokens.revoke() == 1
    assert call.send(simulator).status == 401
    bare = tracking(simulator, conversion(90))
    assert bare.send(simulator).status == 200
    simulator.options.change(token_required=True)
    assert bare.send(simulator).status == 401
    assert simulator.violations == [] and len(simulator.ledger.bodies("tracking")) == 2


def test_a_visitor_is_what_a_test_says(simulator: KameleoonSimulator) -> None:
    document = {"currentVisit": {"visitorCode": "c1", "customDataEvents": [1], "pageEvents": [2]},
                "previousVisits": [{"timeStarted": 1, "conversionEvents": [3]}, {"timeStarted": 0}],
                "kcs": {"1": {"2": 33.5}}}
    simulator.site.remember("carla", document)
    assert asking(simulator, "carla", "currentVisit", "customData") == {
        "currentVisit": {"visitorCode": "c1", "customDataEvents": [1]}, "previousVisits": [{"timeStarted": 1}]}
    assert asking(simulator, "carla", "kcs", "conversion", previous=25) == {
        "previousVisits": document["previousVisits"], "kcs": document["kcs"]}
    simulator.site.remember("carla", None)
    assert asking(simulator, "carla", "currentVisit") == {}
    assert len(simulator.ledger.queries("visitor-data")) == 3


def test_a_visitor_is_what_tracking_told(simulator: KameleoonSimulator) -> None:
    tracking(simulator, line(1, "staticData", browserIndex=3, browserVersion=17.5),
             line(2, "staticData", os="IOS", osIndex=2), line(3, "geolocation", country="42", latitude=1.5),
             custom_data(4, 4, "grün"), exposure(5), conversion(6, 7, 2.5)).send(simulator)
    simulator.ledger.end_visits()
    tracking(simulator, custom_data(7, 4, "gold")).send(simulator)
    found = asking(simulator, "carla", "currentVisit", "customData", "experiment", "conversion", "geolocation")
    assert found["currentVisit"]["customDataEvents"][0]["data"] == {
        "index": 4, "valuesCountMap": {"gold": 1}, "overwrite": True}
    before, = found["previousVisits"]
    assert before["experimentEvents"][0]["data"] == {"id": 100, "variationId": 12}
    assert before["conversionEvents"][0]["data"] == {"goalId": 7, "revenue": 2.5, "negative": False}
    assert before["geolocationEvents"][0]["data"] == {"country": "42", "latitude": 1.5}
    assert before["staticDataEvent"]["data"] == {"browser": "SAFARI", "browserVersion": 17.5, "os": "IOS", "osIndex": 2}
    simulator.ledger.end_visits()
    assert "currentVisit" not in asking(simulator, "carla", "currentVisit")


def test_linked_visitors_are_one(simulator: KameleoonSimulator) -> None:
    tracking(simulator, custom_data(1, 3, "user-1", visitor="anon", mappingIdentifier=True),
             exposure(2, visitor="anon")).send(simulator)
    tracking(simulator, line(3, "experiment", "user-1", named="mappingValue", id=200, variationId=21)).send(simulator)
    found = asking(simulator, "user-1", "currentVisit", "experiment", name="mappingValue")["currentVisit"]
    assert found["visitorCode"] == "anon"
    assert [event["data"]["id"] for event in found["experimentEvents"]] == [100, 200]
    assert linked(simulator).send(simulator).status == 200 and simulator.violations == []


def test_remote_data_are_sent_as_they_were_stored(simulator: KameleoonSimulator) -> None:
    assert remote(simulator).send(simulator).json == {"a": 1}
    simulator.site.store("prices/é", b"not json")
    call = remote(simulator)
    simulator.site.store("prices/é", b"not json")
    assert call.send(simulator).body == b"not json"
    simulator.site.store("prices/é", None)
    assert call.send(simulator).status == 404
    simulator.options.change(missing_key_status=403)
    assert call.send(simulator).status == 403


@pytest.mark.parametrize("document", [7, ["a"], None])
def test_what_is_no_configuration_cannot_be_published(simulator: KameleoonSimulator, document: object) -> None:
    with pytest.raises(TypeError):
        simulator.publish(document)  # type: ignore[arg-type]
    assert configuration(simulator).send(simulator).json == sample_configuration()
