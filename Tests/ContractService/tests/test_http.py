"""The service as such: its status, its clients, its refusals."""

from __future__ import annotations

import json
from typing import Any

import pytest
from conftest import Create, usual
from harness import ContractService
from launchdarkly import LaunchDarklySimulator

import hoist


def test_status_names_the_product_and_what_it_can_do(contract: ContractService) -> None:
    answer = contract.ask("GET", "/")
    assert answer.status == 200 and answer.headers["content-type"] == "application/json"
    assert answer.body["name"] == "hoist"
    assert answer.body["clientVersion"] == hoist.version()
    capabilities = answer.body["capabilities"]
    assert {"client-side", "mobile"} <= set(capabilities) and len(set(capabilities)) == len(capabilities)
    assert {"auto-env-attributes", "track-hooks", "hook-environment-id", "client-per-context-summaries", "secure-mode-hash",
            "tls:verify-peer", "tls:custom-ca", "http-proxy"} <= set(capabilities)
    assert not {"singleton", "server-side", "client-independence", "tls:skip-verify-peer"} & set(capabilities)


def test_a_client_has_an_address_of_its_own_until_it_is_deleted(
    contract: ContractService, launchdarkly: LaunchDarklySimulator
) -> None:
    made = [contract.ask("POST", "/", {"tag": "t", "configuration": usual(launchdarkly)}) for _ in range(2)]
    places = [answer.headers["location"] for answer in made]
    assert [answer.status for answer in made] == [201, 201] and len(set(places)) == 2
    assert launchdarkly.wait_for_streams(2)
    assert contract.ask("DELETE", places[0]).status == 204
    assert launchdarkly.wait_for_streams(1)
    assert contract.ask("DELETE", places[0]).status == 404
    assert contract.ask("POST", places[0], {"command": "evaluateAll"}).status == 404
    assert contract.ask("POST", places[1], {"command": "evaluateAll"}).status == 200
    assert contract.ask("DELETE", places[1]).status == 204
    assert launchdarkly.wait_for_streams(0)


@pytest.mark.parametrize("body", [
    b"", b"{", b"[]", b"null", {}, {"configuration": 1}, {"tag": 1, "configuration": {}},
    {"configuration": {"credential": 7}}, {"configuration": {"startWaitTimeMs": "soon"}},
    {"configuration": {"startWaitTimeMs": -1}}, b'{"configuration": {"startWaitTimeMs": NaN}}',
    b'{"configuration": {"startWaitTimeMs": 1e400}}', {"configuration": {"initCanFail": "yes"}},
    {"configuration": {"streaming": []}}, {"configuration": {"streaming": {"baseUri": "not a url"}}},
    {"configuration": {"polling": {"pollIntervalMs": 1.5}}}, {"configuration": {"events": {"capacity": -1}}},
    {"configuration": {"events": {"globalPrivateAttributes": [1]}}},
    {"configuration": {"clientSide": {"initialContext": {"kind": "multi"}}}},
    {"configuration": {"clientSide": {"initialContext": {"kind": "user", "key": 1}}}},
    {"configuration": {"clientSide": {"initialUser": {"key": None}}}},
    {"configuration": {"hooks": {"hooks": [{"callbackUri": "http://127.0.0.1:1"}]}}},
    {"configuration": {"tls": {"skipVerifyPeer": True}}},
], ids=lambda body: json.dumps(body) if not isinstance(body, bytes) else body.decode() or "empty")  # fmt: skip
def test_what_cannot_be_read_makes_no_client(contract: ContractService, body: Any) -> None:
    answer = contract.ask("POST", "/", body)
    assert answer.status == 400 and answer.body["message"]
    assert "location" not in answer.headers


@pytest.mark.parametrize("body", [
    b"", b"{", b"7", {}, {"command": 1}, {"command": "dance"}, {"command": "evaluate"},
    {"command": "evaluate", "evaluate": {"flagKey": 1}},
    {"command": "evaluate", "evaluate": []},
    {"command": "evaluate", "evaluate": {"flagKey": "f", "valueType": "bool", "defaultValue": 1}},
    {"command": "evaluate", "evaluate": {"flagKey": "f", "valueType": "int", "defaultValue": True}},
    {"command": "evaluate", "evaluate": {"flagKey": "f", "valueType": "string"}},
    {"command": "evaluate", "evaluate": {"flagKey": "f", "detail": "no"}},
    {"command": "identifyEvent"}, {"command": "identifyEvent", "identifyEvent": {"context": {"kind": ""}}},
    {"command": "customEvent", "customEvent": {}},
    {"command": "customEvent", "customEvent": {"eventKey": "e", "metricValue": "1"}},
    {"command": "contextBuild", "contextBuild": {}}, {"command": "contextConvert", "contextConvert": {}},
    {"command": "contextComparison", "contextComparison": {"context1": {"single": {"kind": "user", "key": "a"}}}},
], ids=lambda body: json.dumps(body) if not isinstance(body, bytes) else body.decode() or "empty")  # fmt: skip
def test_what_cannot_be_read_is_no_command(create: Create, body: Any) -> None:
    client = create()
    answer = client.service.ask("POST", client.path, body)
    assert answer.status == 400 and answer.body["message"]


def test_null_is_as_good_as_absent(create: Create) -> None:
    client = create(tags=None, hooks=None, wrapper=None, polling=None, tls={"customCAFile": None}, startWaitTimeMs=None)
    answer = client.service.ask("POST", client.path, {
        "command": "evaluate", "evaluateAll": None, "identifyEvent": None,
        "evaluate": {"flagKey": "banner", "valueType": None, "defaultValue": None, "detail": None, "context": None},
    })  # fmt: skip
    assert (answer.status, answer.body) == (200, {"value": "Hello"})


@pytest.mark.parametrize("fault", [{"kind": "status", "status": 401}, {"kind": "hang"}])
def test_a_client_is_one_whatever_becomes_of_its_start(
    launchdarkly: LaunchDarklySimulator, create: Create, fault: dict[str, Any]
) -> None:
    """State: key refused; starting, the service does not answer."""
    launchdarkly.fail("stream", times=None, **fault)
    client = create(startWaitTimeMs=300)
    assert client.value("dark-mode", "bool", True) is True
    client.close()


@pytest.mark.parametrize(("method", "path", "status"), [
    ("PUT", "/", 501), ("GET", "/clients/none", 404), ("POST", "/elsewhere", 404), ("DELETE", "/clients/0", 404),
])  # fmt: skip
def test_other_requests_are_refused(contract: ContractService, method: str, path: str, status: int) -> None:
    assert contract.ask(method, path).status == status


def test_the_service_ends_when_it_is_asked_to() -> None:
    with ContractService() as service:
        assert service.ask("DELETE", "/").status == 204
        assert service.process.wait(10) == 0
