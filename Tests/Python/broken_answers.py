"""Answers of a feature service that cannot be used, and what a client has to say about each."""

from __future__ import annotations

import json
from typing import Any

from documents import on

NESTED = '{"a":[' * 1000 + "0" + "]}" * 1000
"""2,000 levels."""

GOOD = json.dumps(on("new"))


def features(*flags: str, more: str = "") -> str:
    return f'{{"version":2,"features":[{",".join(flags)}]{more}}}'


def events(*entries: str) -> str:
    return f'{{"events":[{",".join(entries)}]}}'


def updated(feature: str, more: str = "") -> str:
    return f'{{"type":"feature-updated","eventId":9,"feature":{feature}{more}}}'


DOCUMENTS = {
    "malformed": ('{"version":2,"features":[{"name" "x"}]}', "not a JSON document: byte 33, line 1: expected"),
    "cut in a text": ('{"version":2,"features":[{"name":"ne', "not a JSON document"),
    "cut between flags": ('{"version":2,"features":[' + GOOD + ",", "not a JSON document"),
    "not UTF-8": ("garbage", "not a JSON document"),
    "no object": ("[]", "the document must be an object"),
    "null": ("null", "the document must be an object"),
    "nothing": ("", "not a JSON document"),
    "no version": ('{"features":[]}', "version must be there"),
    "no features": ('{"version":2}', "features must be there"),
    "features null": ('{"version":2,"features":null}', "features must be an array"),
    "an answer of the frontend": ('{"toggles":[]}', "version must be there"),
    "enabled as a text": (features(GOOD, '{"name":"x","enabled":"yes"}'), 'flag "x": enabled must be true or false'),
    "a number as a parameter": (
        features(GOOD, '{"name":"x","enabled":true,"strategies":[{"name":"flexibleRollout","parameters":{"rollout":50}}]}'),
        'flag "x": strategies[0].parameters must be an object of texts',
    ),
    "a number among values": (
        features(json.dumps(on("x", strategies=[{"name": "default", "constraints": [
            {"contextName": "a", "operator": "IN", "values": ["1", 2]}]}]))),
        'flag "x": strategies[0].constraints[0].values[1] must be a text',
    ),
    "a fraction as a weight": (
        features(json.dumps(on("x", variants=[{"name": "v", "weight": 0.5}]))),
        'flag "x": variants[0].weight must be an integer of 32 bits',
    ),
    "a segment without id": (features(GOOD, more=',"segments":[{"constraints":[]}]'), "segment 1: id must be there"),
    "2,000 levels where nobody looks": (features(GOOD, more=f',"future":{NESTED}'), "nested deeper than"),
    "2,000 levels in a flag": (features(GOOD, f'{{"name":"x","enabled":true,"future":{NESTED}}}'), "nested deeper than"),
    "2,000 levels of constraints": (
        features(f'{{"name":"x","enabled":true,"strategies":[{{"name":"default","constraints":{NESTED}}}]}}'),
        "nested deeper than",
    ),
    "a number without end": (features(GOOD, more=',"future":1e99999'), None),
}  # fmt: skip

BATCHES = {
    "malformed": ('{"events":[{"type" 1}]}', "not a JSON document"),
    "cut": ('{"events":[{"type":"feature-upd', "not a JSON document"),
    "no object": ("[]", "the document must be an object"),
    "events null": ('{"events":null}', "events must be an array"),
    "an unknown type": (events(updated(GOOD), '{"type":"weird","eventId":9}'), "event 2: type must be one that is known"),
    "no event id": (events('{"type":"segment-removed","segmentId":1}'), "event 1: eventId must be there"),
    "no feature": (events('{"type":"feature-updated","eventId":9}'), "event 1: feature must be there"),
    "a text as a weight": (
        events(updated(json.dumps(on("x", variants=[{"name": "v", "weight": "1"}])))),
        "event 1: feature.variants[0].weight must be an integer of 32 bits",
    ),
    "half a hydration": (events('{"type":"hydration","eventId":9,"features":[]}'), "event 1: segments must be there"),
    "a bad flag in a hydration": (
        events('{"type":"hydration","eventId":9,"features":[{"name":"x"}],"segments":[]}'),
        'flag "x": enabled must be there',
    ),
    "2,000 levels": (events(updated(GOOD, f',"future":{NESTED}')), "nested deeper than"),
    "2,000 levels in a flag": (events(updated(f'{{"name":"x","enabled":true,"future":{NESTED}}}')), "nested deeper than"),
}  # fmt: skip

ANSWERS = {
    "401": ({"kind": "status", "status": 401}, "answered 401: the key is refused, as it is missing or unknown"),
    "403": ({"kind": "status", "status": 403}, "answered 403: the key is refused, as it is of another kind, or not allowed here"),
    "404": ({"kind": "status", "status": 404}, "answered 404: nothing lives at this URL"),
    "429": ({"kind": "status", "status": 429}, "answered 429: too many requests"),
    "500": ({"kind": "status", "status": 500}, "answered 500"),
    "503": ({"kind": "status", "status": 503}, "answered 503"),
    "204": ({"kind": "status", "status": 204, "body": ""}, "answered 204, which means nothing"),
    "a page": ({"kind": "html"}, "cannot be read"),
    "closed": ({"kind": "close"}, "no answer from the service"),
    "reset": ({"kind": "reset"}, "no answer from the service"),
    "half an answer": ({"kind": "truncate", "keep": 40}, "no answer from the service"),
    "the header only": ({"kind": "headers-only"}, "no answer from the service"),
    "half-open": ({"kind": "half-open", "keep": 40}, "no answer from the service"),
    "silent": ({"kind": "hang", "then": "close"}, "no answer from the service"),
    "slow": ({"kind": "slow", "interval": 0.2, "chunk": 1, "part": "all"}, "no answer from the service"),
    "broken chunks": ({"kind": "bad-chunk"}, "no answer from the service"),
    "huge, declared": ({"kind": "huge", "size": 50_000_000, "framing": "declared"}, "larger than 100000 bytes"),
    "huge, chunked": ({"kind": "huge", "size": 50_000_000, "framing": "chunked"}, "larger than 100000 bytes"),
    "huge, to the end": ({"kind": "huge", "size": 50_000_000, "framing": "close"}, "larger than 100000 bytes"),
    "huge, packed": ({"kind": "huge", "size": 50_000_000, "framing": "gzip"}, "larger than 100000 bytes"),
}

STREAMS: dict[str, tuple[dict[str, Any], str]] = {
    "ends": ({"kind": "stream-drop", "afterEvents": 1, "how": "end"}, "the service ended the stream"),
    "is closed in mid-air": ({"kind": "stream-drop", "afterEvents": 1, "how": "close"}, "no answer from the service"),
    "is reset": ({"kind": "stream-drop", "afterEvents": 1, "how": "reset"}, "no answer from the service"),
    "is refused with 500": ({"kind": "status", "status": 500}, "answered 500"),
    "is refused with 503": ({"kind": "status", "status": 503, "retryAfter": "1"}, "answered 503"),
    "is a page": ({"kind": "html"}, "no event stream"),
    "is JSON": ({"kind": "body", "status": 200, "body": '{"events":[]}'}, "no event stream"),
    "is closed before its header": ({"kind": "close"}, "no answer from the service"),
    "ends after its header": ({"kind": "headers-only"}, ""),
    "brings half a batch": ({"kind": "stream-corrupt", "afterEvents": 0}, "not a JSON document"),
    "brings 2,000 levels": ({"kind": "stream-corrupt", "afterEvents": 0, "data": events(NESTED)}, "nested deeper than"),
    "brings more than the limit": (
        {"kind": "stream-corrupt", "afterEvents": 0, "data": events(updated('{"name":"' + "x" * 200_000 + '"}'))},
        "exceeds a limit",
    ),
}  # fmt: skip
