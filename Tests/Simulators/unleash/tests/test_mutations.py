"""Every endpoint accepts a correct request and refuses the same request with one thing wrong."""

from __future__ import annotations

import json

import pytest
from loopback.calls import MISSING, Change, body, bytes_of_body, header, method, path, query, raw, twice

from unleash import UnleashSimulator

from .support import BUILDERS, CONNECTION, OTHER_CONNECTION, features, frontend, metrics

BUCKET = "body.bucket"
SAMPLE = "body.impactMetrics"

MUTATIONS: list[tuple[str, str, Change, str]] = [
    # Headers that all requests share (B.1).
    ("no key", "frontend", header("Authorization", None), "header authorization"),
    ("Bearer prefix", "frontend", header("Authorization", "Bearer *:development.secret"), "header authorization"),
    ("empty key", "features", header("Authorization", ""), "header authorization"),
    ("key in the wrong header", "features",
     lambda call: header("X-Key", call.headers["Authorization"])(header("Authorization", None)(call)),
     "header authorization"),
    ("key sent twice", "metrics", twice("Authorization"), "header authorization"),
    ("no content type on a fetch", "frontend", header("Content-Type", None), "header content-type"),
    ("form content type", "frontend_metrics", header("Content-Type", "application/x-www-form-urlencoded"),
     "header content-type"),
    ("content type with charset", "metrics", header("Content-Type", "application/json; charset=utf-8"), "header content-type"),
    ("no app name", "features", header("unleash-appname", None), "header unleash-appname"),
    ("empty app name", "frontend", header("unleash-appname", ""), "header unleash-appname"),
    ("other app name than in the query", "frontend", header("unleash-appname", "other"), "query appName"),
    ("no connection id", "frontend", header("unleash-connection-id", None), "header unleash-connection-id"),
    ("upper-case connection id", "features", header("unleash-connection-id", CONNECTION.upper()),
     "header unleash-connection-id"),
    ("connection id of UUID version 1", "frontend", header("unleash-connection-id", CONNECTION.replace("-4c", "-1c")),
     "header unleash-connection-id"),
    ("connection id of a foreign variant", "frontend", header("unleash-connection-id", CONNECTION.replace("-9f", "-cf")),
     "header unleash-connection-id"),
    ("connection id in braces", "delta", header("unleash-connection-id", "{" + CONNECTION + "}"),
     "header unleash-connection-id"),
    ("no sdk", "streaming", header("unleash-sdk", None), "header unleash-sdk"),
    ("sdk without version", "features", header("unleash-sdk", "unleash-hoist-sdk"), "header unleash-sdk"),
    ("sdk with at sign", "frontend", header("unleash-sdk", "unleash-hoist-sdk@0.1.0"), "header unleash-sdk"),
    ("sdk version not semantic", "frontend", header("unleash-sdk", "unleash-hoist-sdk:0.1"), "header unleash-sdk"),
    ("no user agent", "frontend", header("User-Agent", None), "header user-agent"),
    ("user agent of the transport", "features", header("User-Agent", "curl/7.88.1"), "header user-agent"),
    ("user agent without version", "features", header("User-Agent", "hoist"), "header user-agent"),
    ("empty If-None-Match", "frontend", header("If-None-Match", ""), "header if-none-match"),
    ("unquoted tag", "features", header("If-None-Match", "abc:1:v1"), "header if-none-match"),
    ("tag never issued", "features", header("If-None-Match", '"abc:1:v1"'), "header if-none-match"),
    ("event id in quotes inside quotes", "delta", header("If-None-Match", '""1""'), "header if-none-match"),
    ("event id never issued", "delta", header("If-None-Match", '"77"'), "header if-none-match"),
    ("tag on metrics", "metrics", header("If-None-Match", '"1"'), "header if-none-match"),
    ("Cache-Control on a fetch", "frontend", header("Cache-Control", "no-cache"), "header cache-control"),
    ("Pragma on a fetch", "features", header("Pragma", "no-cache"), "header pragma"),
    ("the Cache slip", "frontend_metrics", header("Cache", "no-cache"), "header cache"),
    ("undocumented unleash header", "features", header("unleash-environment", "dev"), "header unleash-environment"),
    ("flavour header over limit", "frontend", header("unleash-sdk-flavor", "x" * 257), "header unleash-sdk-flavor"),
    ("flavour header in backend mode", "features", header("unleash-sdk-flavor", "x"), "header unleash-sdk-flavor"),
    ("interval in frontend mode", "frontend", header("unleash-interval", "15000"), "header unleash-interval"),
    ("instance id in frontend mode", "frontend", header("unleash-instanceid", "a"), "header unleash-instanceid"),
    # Backend headers (B.1, B.6).
    ("no interval", "features", header("unleash-interval", None), "header unleash-interval"),
    ("interval in seconds", "features", header("unleash-interval", "15"), "header unleash-interval"),
    ("interval with unit", "metrics", header("unleash-interval", "60000ms"), "header unleash-interval"),
    ("interval with fraction", "delta", header("unleash-interval", "15000.0"), "header unleash-interval"),
    ("no instance id", "features", header("unleash-instanceid", None), "header unleash-instanceid"),
    ("no client spec", "features", header("Unleash-Client-Spec", None), "header unleash-client-spec"),
    ("old client spec", "delta", header("Unleash-Client-Spec", "4.1.0"), "header unleash-client-spec"),
    ("malformed client spec", "streaming", header("Unleash-Client-Spec", "v6"), "header unleash-client-spec"),
    ("no accept", "metrics", header("Accept", None), "header accept"),
    ("accept html", "features", header("Accept", "text/html"), "header accept"),
    ("stream without its accept", "streaming", header("Accept", "application/json"), "header accept"),
    ("any accept on frontend metrics", "frontend_metrics", header("Accept", "*/*"), "header accept"),
    ("Last-Event-ID no number", "streaming", header("Last-Event-ID", "abc"), "header last-event-id"),
    ("Last-Event-ID never issued", "streaming", header("Last-Event-ID", "99"), "header last-event-id"),
    ("Last-Event-ID on delta", "delta", header("Last-Event-ID", "1"), "header last-event-id"),
    # Method and path.
    ("POST for features", "features", method("POST"), "method"),
    ("PUT for metrics", "metrics", method("PUT"), "method"),
    ("GET with a body", "features", bytes_of_body(lambda _: b"{}"), "body"),
    ("unknown path", "features", path("/api/client/feature"), "path"),
    ("path with a double slash", "frontend_metrics", path("/api/frontend//client/metrics"), "path"),
    ("path in other case", "frontend", path("/API/frontend"), "path"),
    # The query of a fetch (B.2).
    ("blank as plus", "frontend", query("properties%5Btier", "properties%5Btier%5D=gold+plus"),
     "query properties%5Btier%5D=gold+plus"),
    ("brackets not encoded", "frontend", query("properties%5Btier", "properties[tier]=gold"), "query properties[tier]=gold"),
    ("escape in lower case", "frontend", query("userId", "userId=a%2fb"), "query userId=a%2fb"),
    ("needless escape", "frontend", query("userId", "userId=%41"), "query userId=%41"),
    ("broken escape", "frontend", query("userId", "userId=a%2"), "query userId=a%2"),
    ("character not encoded", "frontend", query("userId", "userId=a'b"), "query userId=a'b"),
    ("not UTF-8", "frontend", query("userId", "userId=%FF"), "query userId=%FF"),
    ("pair without equals", "frontend", query("userId", "userId"), "query userId"),
    ("unknown plain name", "frontend", query(add="tier=gold"), "query tier"),
    ("current time as plain name", "frontend", query(add="currentTime=x"), "query currentTime"),
    ("name twice", "frontend", query(add="userId=other"), "query userId"),
    ("no app name in the query", "frontend", query("appName"), "query appName"),
    ("no session id", "frontend", query("sessionId"), "query sessionId"),
    ("URL over 8 KiB", "frontend", query("userId", "userId=" + "x" * 8200), "target"),
    ("query on a POST", "frontend_post", query(add="appName=shop"), "query"),
    ("query on metrics", "metrics", query(add="appName=shop"), "query appName"),
    ("unknown filter", "features", query(add="environment=dev"), "query environment"),
    ("tag without colon", "features", query(add="tag=payments"), "query tag"),
    ("two prefixes", "features", lambda call: query(add="namePrefix=b")(query(add="namePrefix=a")(call)), "query namePrefix"),
    ("empty project", "features", query(add="project="), "query project"),
    # The context in a body (B.2).
    ("context without wrapper", "frontend_post",
     lambda call: bytes_of_body(lambda _: json.dumps(call.document["context"]).encode())(call), "body.context"),
    ("number as user id", "frontend_post", body("context.userId", 42), "body.context.userId"),
    ("number as property", "frontend_post", body("context.properties.region", 1), "body.context.properties.region"),
    ("property beside properties", "frontend_post", body("context.region", "eu"), "body.context.region"),
    ("null field", "frontend_post", body("context.remoteAddress", None), "body.context.remoteAddress"),
    ("other app name than the header", "frontend_post", body("context.appName", "x"), "body.context.appName"),
    # Metrics (B.3).
    ("no body", "metrics", bytes_of_body(lambda _: b""), "body"),
    ("not JSON", "metrics", bytes_of_body(lambda text: text[:-1]), "body"),
    ("byte-order mark", "metrics", bytes_of_body(lambda text: b"\xef\xbb\xbf" + text), "body"),
    ("NaN", "metrics", bytes_of_body(lambda text: text.replace(b"0.5", b"NaN")), "body"),
    ("member twice", "metrics", bytes_of_body(lambda text: b'{"appName":"shop",' + text[1:]), "body"),
    ("body an array", "metrics", bytes_of_body(lambda text: b"[" + text + b"]"), "body"),
    ("no appName", "metrics", body("appName", MISSING), "body.appName"),
    ("no instanceId", "frontend_metrics", body("instanceId", MISSING), "body.instanceId"),
    ("no connectionId", "frontend_metrics", body("connectionId", MISSING), "body.connectionId"),
    ("other connectionId than the header", "metrics", body("connectionId", OTHER_CONNECTION), "body.connectionId"),
    ("other instanceId than the header", "metrics", body("instanceId", "x"), "body.instanceId"),
    ("no platform", "metrics", body("platformName", MISSING), "body.platformName"),
    ("no bucket", "metrics", body("bucket", MISSING), "body.bucket"),
    ("null bucket alone", "frontend_metrics", body("bucket", None), "body.bucket"),
    ("unknown member", "metrics", body("environment", "dev"), "body.environment"),
    ("other specification", "metrics", body("specVersion", "5.0.0"), "body.specVersion"),
    ("flavour too long", "metrics", body("sdkFlavorVersion", "1" * 33), "body.sdkFlavorVersion"),
    ("flavour only in the body", "frontend_metrics", body("sdkFlavor", "x"), "header unleash-sdk-flavor"),
    ("start with fraction", "metrics", body("bucket.start", "2026-01-05T10:00:00.000Z"), f"{BUCKET}.start"),
    ("start with offset", "metrics", body("bucket.start", "2026-01-05T10:00:00+00:00"), f"{BUCKET}.start"),
    ("start in milliseconds", "metrics", body("bucket.start", 1767607200000), f"{BUCKET}.start"),
    ("no such day", "metrics", body("bucket.start", "2026-02-30T10:00:00Z"), f"{BUCKET}.start"),
    ("stop before start", "metrics", body("bucket.stop", "2026-01-05T09:59:59Z"), f"{BUCKET}.stop"),
    ("no stop", "frontend_metrics", body("bucket.stop", MISSING), f"{BUCKET}.stop"),
    ("member in the bucket", "metrics", body("bucket.id", "1"), f"{BUCKET}.id"),
    ("toggles as array", "metrics", body("bucket.toggles", []), f"{BUCKET}.toggles"),
    ("empty toggles", "frontend_metrics", body("bucket.toggles", {}), f"{BUCKET}.toggles"),
    ("negative yes", "metrics", body("bucket.toggles.checkout.yes", -1), f"{BUCKET}.toggles.checkout.yes"),
    ("fraction as no", "metrics", body("bucket.toggles.checkout.no", 3.0), f"{BUCKET}.toggles.checkout.no"),
    ("text as yes", "metrics", body("bucket.toggles.checkout.yes", "12"), f"{BUCKET}.toggles.checkout.yes"),
    ("boolean as yes", "metrics", body("bucket.toggles.checkout.yes", True), f"{BUCKET}.toggles.checkout.yes"),
    ("yes beyond 64 bits", "metrics", body("bucket.toggles.checkout.yes", 2**63), f"{BUCKET}.toggles.checkout.yes"),
    ("no variants", "metrics", body("bucket.toggles.checkout.variants", MISSING), f"{BUCKET}.toggles.checkout.variants"),
    ("variants as array", "metrics", body("bucket.toggles.checkout.variants", []), f"{BUCKET}.toggles.checkout.variants"),
    ("text as variant count", "metrics", body("bucket.toggles.checkout.variants.red", "7"),
     f"{BUCKET}.toggles.checkout.variants.red"),
    ("member in a count", "metrics", body("bucket.toggles.checkout.maybe", 1), f"{BUCKET}.toggles.checkout.maybe"),
    ("a flag that counts nothing", "metrics", body("bucket.toggles.idle", {"yes": 0, "no": 0, "variants": {}}),
     f"{BUCKET}.toggles.idle"),
    # Impact metrics (B.3, C.10).
    ("impact metrics null", "metrics", body("impactMetrics", None), SAMPLE),
    ("unknown metric type", "metrics", body("impactMetrics.0.type", "summary"), f"{SAMPLE}[0].type"),
    ("no help", "metrics", body("impactMetrics.0.help", MISSING), f"{SAMPLE}[0].help"),
    ("metric name twice", "metrics", body("impactMetrics.1.name", "purchases"), f"{SAMPLE}[1].name"),
    ("sample without labels", "metrics", body("impactMetrics.0.samples.0.labels", MISSING),
     f"{SAMPLE}[0].samples[0].labels"),
    ("label without environment", "metrics", body("impactMetrics.0.samples.0.labels.environment", MISSING),
     f"{SAMPLE}[0].samples[0].labels.environment"),
    ("labels empty though counted", "metrics", body("impactMetrics.0.samples.0.labels", {}),
     f"{SAMPLE}[0].samples[0].labels"),
    ("number as label", "metrics", body("impactMetrics.0.samples.0.labels.appName", 1),
     f"{SAMPLE}[0].samples[0].labels.appName"),
    ("fraction in a counter", "metrics", body("impactMetrics.0.samples.0.value", 1.5), f"{SAMPLE}[0].samples[0].value"),
    ("negative counter", "metrics", body("impactMetrics.0.samples.0.value", -1), f"{SAMPLE}[0].samples[0].value"),
    ("text as gauge", "metrics", body("impactMetrics.1.samples.0.value", "0.5"), f"{SAMPLE}[1].samples[0].value"),
    ("value in a histogram", "metrics", body("impactMetrics.2.samples.0.value", 1), f"{SAMPLE}[2].samples[0].value"),
    ("no last bucket", "metrics", body("impactMetrics.2.samples.0.buckets.2.le", 5), f"{SAMPLE}[2].samples[0].buckets"),
    ("infinity by another name", "metrics", body("impactMetrics.2.samples.0.buckets.2.le", "Infinity"),
     f"{SAMPLE}[2].samples[0].buckets[2].le"),
    ("buckets not cumulative", "metrics", body("impactMetrics.2.samples.0.buckets.1.count", 1),
     f"{SAMPLE}[2].samples[0].buckets"),
    ("bounds in disorder", "metrics", body("impactMetrics.2.samples.0.buckets.1.le", 0.1), f"{SAMPLE}[2].samples[0].buckets"),
    ("count other than the last bucket", "metrics", body("impactMetrics.2.samples.0.count", 4),
     f"{SAMPLE}[2].samples[0].buckets"),
    # Registration (B.6).
    ("no strategies", "register", body("strategies", MISSING), "body.strategies"),
    ("strategies without the built-in ones", "register", body("strategies", ["mine"]), "body.strategies"),
    ("started without zone", "register", body("started", "2026-01-05T10:00:00"), "body.started"),
    ("register interval in seconds", "register", body("interval", 60), "body.interval"),
    ("register interval as text", "register", body("interval", "60000"), "body.interval"),
    ("sdkVersion without name", "register", body("sdkVersion", "0.1.0"), "body.sdkVersion"),
    ("number as yggdrasilVersion", "register", body("yggdrasilVersion", 1), "body.yggdrasilVersion"),
    ("unknown member in register", "register", body("environment", "dev"), "body.environment"),
    ("no specVersion", "frontend_register", body("specVersion", MISSING), "body.specVersion"),
]


@pytest.mark.parametrize("name", BUILDERS)
def test_a_correct_request_is_accepted(simulator: UnleashSimulator, name: str) -> None:
    assert BUILDERS[name](simulator).send(simulator).status in (200, 202)
    assert simulator.violations == []


# What necessarily goes wrong along with the one thing that was changed.
CONSEQUENCES = {
    "empty app name": {"query appName"},
    "context without wrapper": {f"body.{name}" for name in (
        "appName", "environment", "sessionId", "userId", "currentTime", "properties")},
    "no appName": {f"{SAMPLE}[{index}].samples[0].labels.appName" for index in range(3)},
}


@pytest.mark.parametrize(("mutation", "name", "change", "place"), MUTATIONS, ids=[entry[0] for entry in MUTATIONS])
def test_one_wrong_thing_is_refused_by_name(simulator: UnleashSimulator, mutation: str, name: str, change: Change,
                                            place: str) -> None:
    correct, consequences = BUILDERS[name](simulator), CONSEQUENCES.get(mutation, set())
    assert correct.send(simulator).status in (200, 202)
    assert simulator.violations == []
    reply = change(correct).send(simulator)
    assert reply.status == 422
    assert set(reply.places) - consequences == {place}
    assert {violation.where for violation in simulator.violations} == set(reply.places)
    assert len(simulator.ledger.posts) == (1 if name.endswith("metrics") else 0)


def test_there_are_enough_mutations_of_every_endpoint() -> None:
    assert len({mutation[0] for mutation in MUTATIONS}) == len(MUTATIONS) >= 100
    assert {mutation[1] for mutation in MUTATIONS} == set(BUILDERS)


@pytest.mark.parametrize("name", ["User-Agent", "unleash-sdk", "unleash-instanceid"])
def test_a_client_keeps_its_identity(simulator: UnleashSimulator, name: str) -> None:
    call = features(simulator)
    assert call.send(simulator).status == 200
    reply = call.with_header(name, call.headers[name].replace("0.1.0", "0.2.0").replace("9f", "aa")).send(simulator)
    assert reply.places == [f"header {name.lower()}"]


def test_the_connection_id_is_constant_where_one_client_is_expected(simulator: UnleashSimulator) -> None:
    simulator.options.change(maximum_clients=1)
    assert frontend(simulator).send(simulator).status == 200
    reply = frontend(simulator).with_header("unleash-connection-id", OTHER_CONNECTION).send(simulator)
    assert reply.places == ["header unleash-connection-id"]


def test_the_interval_is_compared_when_it_is_known(simulator: UnleashSimulator) -> None:
    simulator.options.change(refresh_interval_ms=15000, metrics_interval_ms=30000)
    assert features(simulator).send(simulator).status == 200
    assert metrics(simulator).send(simulator).places == ["header unleash-interval"]


def test_a_tag_is_echoed_byte_for_byte(simulator: UnleashSimulator) -> None:
    tag = frontend(simulator).send(simulator).headers["ETag"]
    assert frontend(simulator).with_header("If-None-Match", tag).send(simulator).status == 304
    reply = frontend(simulator).with_header("If-None-Match", tag.removeprefix("W/")).send(simulator)
    assert reply.places == ["header if-none-match"]


@pytest.mark.parametrize(("request_bytes", "what"), [
    (b"GET /api/frontend HTTP/1.0\r\nHost: x\r\n\r\n", "HTTP/1.1"),
    (b"GET /api/frontend HTTP/1.1\r\n\r\n", "Host"),
    (b"GET /api/frontend HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "Host"),
    (b"GET /api/fr\xc3\xb8 HTTP/1.1\r\nHost: x\r\n\r\n", "request line"),
    (b"GET /api/frontend HTTP/1.1\nHost: x\n\n", "CR LF"),
    (b"GET /api/frontend HTTP/1.1\r\nHost: x\r\nBad Name: 1\r\n\r\n", "valid name"),
    (b"POST /api/client/metrics HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "Content-Length"),
    (b"POST /api/client/metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}", "both"),
    (b"POST /api/client/metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "chunk"),
])
def test_what_is_no_http_is_recorded(simulator: UnleashSimulator, request_bytes: bytes, what: str) -> None:
    assert raw(simulator, request_bytes).startswith(b"HTTP/1.1 400 ")
    assert [violation.where for violation in simulator.violations] == ["http"]
    assert what in simulator.violations[0].message
