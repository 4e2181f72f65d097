"""The CDN and secured environments (protocol 3.1)."""

from __future__ import annotations

import gzip

import pytest
from loopback.calls import Call

from optimizely import OptimizelySimulator, sample_datafile

from .support import NOW, conversion, datafile, secured

FIRST, SECOND = "Mon, 05 Jan 2026 10:00:00 GMT", "Mon, 05 Jan 2026 10:01:00 GMT"


def test_a_datafile_comes_with_its_date(simulator: OptimizelySimulator) -> None:
    reply = datafile(simulator).send(simulator)
    assert (reply.status, reply.headers["Last-Modified"]) == (200, FIRST)
    assert reply.headers["Content-Type"] == "application/json"
    assert "für alle".encode() in reply.body
    assert {**reply.json, "integrations": []} == sample_datafile(integrations=[])


def test_the_platform_of_a_document_is_the_simulator(simulator: OptimizelySimulator) -> None:
    integration, = datafile(simulator).send(simulator).json["integrations"]
    assert integration == {"key": "odp", "host": simulator.server.url, "publicKey": "sample-odp-public-key"}


def test_a_datafile_that_did_not_change_is_not_sent_again(simulator: OptimizelySimulator) -> None:
    call = datafile(simulator).with_header("If-Modified-Since", FIRST)
    reply = call.send(simulator)
    assert (reply.status, reply.body, reply.headers["Last-Modified"]) == (304, b"", FIRST)
    assert "Content-Type" not in reply.headers
    simulator.publish(sample_datafile(revision="43"))
    reply = call.send(simulator)
    assert (reply.status, reply.json["revision"], reply.headers["Last-Modified"]) == (200, "43", SECOND)
    assert call.with_header("If-Modified-Since", SECOND).send(simulator).status == 304
    assert simulator.violations == []


def test_even_the_same_document_has_a_new_date(simulator: OptimizelySimulator) -> None:
    simulator.publish(sample_datafile())
    reply = datafile(simulator).with_header("If-Modified-Since", FIRST).send(simulator)
    assert (reply.status, reply.headers["Last-Modified"]) == (200, SECOND)


def test_dates_can_be_switched_off(simulator: OptimizelySimulator) -> None:
    simulator.options.change(last_modified=False)
    assert "Last-Modified" not in datafile(simulator).send(simulator).headers
    assert datafile(simulator).with_header("If-Modified-Since", FIRST).send(simulator).status == 200


def test_dates_of_another_service_are_refused_unless_allowed(simulator: OptimizelySimulator) -> None:
    call = datafile(simulator).with_header("If-Modified-Since", "Sun, 04 Jan 2026 10:00:00 GMT")
    assert call.send(simulator).places == ["header if-modified-since"]
    simulator.options.change(foreign_dates=True)
    assert call.send(simulator).status == 200
    for date in ("yesterday", "Sun, 4 Jan 2026 10:00:00 GMT", "Sunday, 04-Jan-26 10:00:00 GMT"):
        assert call.with_header("If-Modified-Since", date).send(simulator).places == ["header if-modified-since"]


def test_a_date_of_a_scripted_answer_counts_as_sent(simulator: OptimizelySimulator) -> None:
    date = "Tue, 06 Jan 2026 08:00:00 GMT"
    simulator.fail("datafile", "body", body="{}", headers={"Last-Modified": date})
    assert datafile(simulator).send(simulator).headers["Last-Modified"] == date
    assert datafile(simulator).with_header("If-Modified-Since", date).send(simulator).status == 200
    assert simulator.violations == []


@pytest.mark.parametrize("status", [403, 404])
def test_an_unknown_key_is_no_violation(simulator: OptimizelySimulator, status: int) -> None:
    simulator.options.change(unknown_key_status=status)
    reply = Call("GET", "/datafiles/nobody.json", {"User-Agent": "hoist/0.1.0"}).send(simulator)
    assert reply.status == status and "nobody" in reply.json["message"]
    assert simulator.violations == []


def test_a_key_can_be_withdrawn_and_come_back(simulator: OptimizelySimulator) -> None:
    simulator.datafiles.withdraw(simulator.sdk_key)
    assert datafile(simulator).send(simulator).status == 403
    simulator.publish(sample_datafile(revision="44"))
    assert datafile(simulator).send(simulator).json["revision"] == "44"


def test_keys_have_datafiles_of_their_own(simulator: OptimizelySimulator) -> None:
    simulator.publish(sample_datafile(revision="1"), "other key")
    call = datafile(simulator)
    assert call.send(simulator).json["revision"] == "42"
    call.path = "/datafiles/other%20key.json"
    reply = call.send(simulator)
    assert reply.json["revision"] == "1"
    crossed = datafile(simulator).with_header("If-Modified-Since", reply.headers["Last-Modified"])
    assert crossed.send(simulator).places == ["header if-modified-since"]


def test_a_secured_environment_wants_its_token(simulator: OptimizelySimulator) -> None:
    call = secured(simulator)
    assert call.send(simulator).status == 200
    assert call.with_header("Authorization", "Bearer other").send(simulator).status == 401
    public = datafile(simulator)
    public.path = "/datafiles/secured.json"
    assert public.send(simulator).status == 403
    call.path = f"/datafiles/auth/{simulator.sdk_key}.json"
    assert call.send(simulator).status == 403
    assert simulator.violations == []


def test_a_simulator_can_be_one_secured_environment() -> None:
    with OptimizelySimulator(token="t", sdk_key="k") as simulator:
        call = Call("GET", "/datafiles/auth/k.json", {"User-Agent": "hoist/0.1.0", "Authorization": "Bearer t"})
        assert call.send(simulator).json["revision"] == "42"


@pytest.mark.parametrize("text", [
    "", "not JSON", "[]", '{"version":"3"}', '{"attributes":[{}]}', b"\xff\x00", "[" * 100_000],
    ids=["empty", "no JSON", "array", "old", "broken", "bytes", "deep"])
def test_texts_are_sent_as_they_are(simulator: OptimizelySimulator, text: str | bytes) -> None:
    simulator.publish(text)
    assert datafile(simulator).send(simulator).body == (text if isinstance(text, bytes) else text.encode())


def test_a_datafile_as_text_is_known_as_well(simulator: OptimizelySimulator) -> None:
    simulator.publish('{"projectId":"1","accountId":"2","revision":"3","anonymizeIP":false,'
                      '"events":[{"id":"601","key":"purchase"}]}')
    call = conversion(simulator)
    call.document.update(project_id="1", account_id="2", revision="3", anonymize_ip=False)
    call.document["visitors"][0]["attributes"] = []
    assert call.send(simulator).status == 204


def test_answers_are_compressed_on_demand(simulator: OptimizelySimulator) -> None:
    simulator.options.change(compress=True)
    assert "Content-Encoding" not in datafile(simulator).send(simulator).headers
    reply = datafile(simulator).with_header("Accept-Encoding", "gzip, deflate").send(simulator)
    assert reply.headers["Content-Encoding"] == "gzip" and gzip.decompress(reply.body).startswith(b'{"version":"4"')


def test_a_custom_transport_may_have_another_name() -> None:
    with OptimizelySimulator(now=lambda: NOW, user_agent=False) as simulator:
        assert datafile(simulator).with_header("User-Agent", None).send(simulator).status == 200
        assert datafile(simulator).with_header("User-Agent", "mine/1").send(simulator).status == 200
        assert simulator.violations == []
