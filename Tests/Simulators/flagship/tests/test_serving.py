"""Bucketing files, decisions, account settings, and what is known of visitors."""

from __future__ import annotations

import gzip
import json
import socket

import pytest

from flagship import FlagshipSimulator, sample_bucketing
from flagship.sample import ENVIRONMENT

from .support import (
    GREEN, GROUP, account_settings, activation, activations, bucketing, decision, own_decision, score, segments)

FIRST, SECOND = "Mon, 05 Jan 2026 10:00:00 GMT", "Mon, 05 Jan 2026 10:01:00 GMT"


def test_a_bucketing_file_comes_with_its_date(simulator: FlagshipSimulator) -> None:
    reply = bucketing(simulator).send(simulator)
    assert (reply.status, reply.headers["Last-Modified"], reply.json) == (200, FIRST, sample_bucketing())
    assert "grün".encode() in reply.body


def test_a_file_that_did_not_change_is_not_sent_again(simulator: FlagshipSimulator) -> None:
    call = bucketing(simulator).with_header("If-Modified-Since", FIRST)
    reply = call.send(simulator)
    assert (reply.status, reply.body, reply.headers["Last-Modified"]) == (304, b"", FIRST)
    simulator.publish(sample_bucketing(panic=True))
    reply = call.send(simulator)
    assert (reply.status, reply.json["panic"], reply.headers["Last-Modified"]) == (200, True, SECOND)
    assert call.with_header("If-Modified-Since", SECOND).send(simulator).status == 304
    assert simulator.violations == []


def test_what_a_client_left_behind_can_be_waited_for(simulator: FlagshipSimulator) -> None:
    call = activations(simulator)
    body = call.payload or b""
    lines = [f"{call.method} {call.target} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}",
             *(f"{name}: {value}" for name, value in call.headers.items())]
    for count in range(1, 20):
        with socket.create_connection(("127.0.0.1", simulator.server.port)) as client:
            client.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        assert simulator.wait_for_silence()
        assert len(simulator.ledger.posts) == count
    with socket.create_connection(("127.0.0.1", simulator.server.port)):
        assert not simulator.wait_for_silence(0.05)


def test_text_and_bytes_are_sent_as_they_are(simulator: FlagshipSimulator) -> None:
    for body in ('{"panic":true}', "nothing", b"\xff\xfe"):
        simulator.publish(body)
        assert bucketing(simulator).send(simulator).body == (body.encode() if isinstance(body, str) else body)


def test_files_are_compressed_for_clients_that_take_it(simulator: FlagshipSimulator) -> None:
    simulator.options.change(compress=True)
    assert bucketing(simulator).send(simulator).json == sample_bucketing()
    reply = bucketing(simulator).with_header("Accept-Encoding", "gzip, deflate").send(simulator)
    assert (reply.headers["Content-Encoding"], json.loads(gzip.decompress(reply.body))) == ("gzip", sample_bucketing())


def test_dates_of_another_service_and_of_scripted_answers(simulator: FlagshipSimulator) -> None:
    foreign = bucketing(simulator).with_header("If-Modified-Since", "Sun, 04 Jan 2026 10:00:00 GMT")
    assert foreign.send(simulator).places == ["header if-modified-since"]
    simulator.options.change(foreign_dates=True)
    assert foreign.send(simulator).status == 200
    simulator.options.change(foreign_dates=False, last_modified=False)
    assert "Last-Modified" not in bucketing(simulator).send(simulator).headers
    simulator.fail("bucketing", "body", body="{}", headers={"Last-Modified": "Tue, 06 Jan 2026 08:00:00 GMT"})
    bucketing(simulator).send(simulator)
    again = bucketing(simulator).with_header("If-Modified-Since", "Tue, 06 Jan 2026 08:00:00 GMT").send(simulator)
    assert again.status == 200


def test_an_unknown_environment_and_a_wrong_key_are_no_violations(simulator: FlagshipSimulator) -> None:
    elsewhere = bucketing(simulator)
    elsewhere.path = "/cdn/nowhere/bucketing.json"
    assert elsewhere.send(simulator).status == 403
    simulator.options.change(unknown_environment_status=404)
    assert decision(simulator).with_header("x-api-key", "other").send(simulator).status == 404
    simulator.environments.publications.withdraw(ENVIRONMENT)
    assert bucketing(simulator).send(simulator).status == 404
    assert simulator.violations == []


def test_a_decision_takes_the_first_variation_of_each_campaign(simulator: FlagshipSimulator) -> None:
    reply = decision(simulator).send(simulator).json
    assert (reply["visitorId"], "panic" in reply) == ("carla", False)
    checkout, limits, welcome = reply["campaigns"]
    assert checkout["variation"]["modifications"]["value"] == {"button_colour": "red", "free_shipping": True}
    assert (checkout["slug"], limits["slug"], welcome["type"]) == ("checkout", None, "perso")
    assert limits["variation"]["modifications"]["value"]["banner"] is None
    assert reply["extras"]["accountSettings"]["enabledXPC"] is True


def test_missing_keys_of_a_variation_are_null(simulator: FlagshipSimulator) -> None:
    document = sample_bucketing()
    del document["campaigns"][0]["variationGroups"][0]["variations"][0]["modifications"]["value"]["button_colour"]
    simulator.publish(document)
    value = decision(simulator).send(simulator).json["campaigns"][0]["variation"]["modifications"]["value"]
    assert value == {"button_colour": None, "free_shipping": True}


def test_decisions_can_be_set_for_all_and_for_one(simulator: FlagshipSimulator) -> None:
    one = {"id": "c", "variationGroupId": "g", "variation": {"id": "v", "modifications": {"value": {"a": 1}}}}
    simulator.environment.decide([one], "anna")
    simulator.environment.decide([])
    assert decision(simulator, "anna").send(simulator).json["campaigns"] == [one]
    assert decision(simulator).send(simulator).json["campaigns"] == []
    assert activations(simulator, {**activation("anna"), "caid": "g", "vaid": "v"}).send(simulator).status == 204
    simulator.environment.decide(None, "anna")
    simulator.environment.decide(None)
    assert len(decision(simulator, "anna").send(simulator).json["campaigns"]) == 3


def test_panic_is_an_answer_without_campaigns(simulator: FlagshipSimulator) -> None:
    simulator.environment.panic()
    assert decision(simulator).send(simulator).json == {"visitorId": "carla", "campaigns": [], "panic": True}
    simulator.environment.panic(False)
    assert "panic" not in decision(simulator).send(simulator).json


def test_the_query_may_be_escaped_and_in_any_order(simulator: FlagshipSimulator) -> None:
    call = decision(simulator)
    call.query = ["extras%5B%5D=accountSettings", "exposeAllKeys=true"]
    assert "extras" in call.send(simulator).json
    simulator.options.change(extras=False)
    assert "extras" not in call.send(simulator).json
    assert simulator.violations == []


def test_a_service_of_ones_own_finds_its_environment_by_the_key(simulator: FlagshipSimulator) -> None:
    assert len(own_decision(simulator).send(simulator).json["campaigns"]) == 3
    simulator.add_environment("second", "key-2", sample_bucketing(campaigns=[]))
    call = own_decision(simulator).with_header("x-api-key", "key-2")
    assert call.send(simulator).json["campaigns"] == []
    assert call.with_header("x-api-key", "key-3").send(simulator).status == 403
    assert simulator.ledger.decisions("carla")[0]["decision_group"] == "household-7"


def test_variations_are_those_that_were_ever_served(simulator: FlagshipSimulator) -> None:
    simulator.publish({"panic": True})
    assert activations(simulator).send(simulator).status == 204
    foreign = activations(simulator, {**activation(), "caid": "elsewhere"})
    assert foreign.send(simulator).places == ["body.batch[0].vaid"]
    groups = [{"id": "elsewhere", "variations": [{"id": GREEN}]}]
    simulator.environment.learn({"campaigns": [{"variationGroups": groups}]})
    assert foreign.send(simulator).status == 204
    simulator.options.change(foreign_campaigns=True)
    assert activations(simulator, {**activation(), "caid": "anywhere"}).send(simulator).status == 204


def test_account_settings(simulator: FlagshipSimulator) -> None:
    assert account_settings(simulator).send(simulator).json["accountSettings"]["enabled1V1T"] is False
    simulator.environment.settle({"enabledXPC": False})
    assert account_settings(simulator).send(simulator).json == {"accountSettings": {"enabledXPC": False}}
    assert decision(simulator).send(simulator).json["extras"]["accountSettings"] == {"enabledXPC": False}


def test_what_is_known_of_a_visitor(simulator: FlagshipSimulator) -> None:
    assert segments(simulator).send(simulator).json == []
    simulator.environment.segment("carla é", [{"segment": "loyal", "value": "true", "partner": "mixpanel"}])
    known, = segments(simulator).send(simulator).json
    assert known == {"visitor_id": "carla é", "segment": "loyal", "value": "true", "partner": "mixpanel"}
    assert score(simulator).send(simulator).status == 204
    simulator.environment.score("carla", "7")
    assert score(simulator).send(simulator).json == {"eai": {"eas": "7"}}
    simulator.environment.score("carla", None)
    assert score(simulator).send(simulator).status == 204


@pytest.mark.parametrize("document", [7, ["a"], None])
def test_what_is_no_file_cannot_be_published(simulator: FlagshipSimulator, document: object) -> None:
    with pytest.raises(TypeError):
        simulator.publish(document)  # type: ignore[arg-type]
    assert GROUP in bucketing(simulator).send(simulator).body.decode()
