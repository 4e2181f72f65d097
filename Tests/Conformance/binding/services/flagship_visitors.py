"""Visitors: their contexts, their ids, their hits."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

from hoist import Status, flagship
from report import Report
from vectors import Root

from .flagship_service import Services, new_visitor, opened, plain

ANSWER = {"campaigns": [{"id": "c", "variationGroupId": "vg1", "variation": {
    "id": "va1", "modifications": {"type": "JSON", "value": {"f": "x", "n": None}}}}]}


def context(root: Root, report: Report) -> None:
    """Whether a pair is taken, alone and in an update."""
    with opened(Services()) as client:
        for number, case in enumerate(root["cases"]):
            key, value = case["key"], plain(case["value"])
            actual = []
            for is_update in (False, True) if isinstance(value, (str, bool, int, float)) else (True,):
                visitor = client.visitor("visitor", shared=False)
                status = visitor.update_context({key: value}) if is_update else visitor.set(key, value)
                actual.append(status is Status.OK and visitor.context.get(key) == value)
            report.check(number, case["expected"], {"accepted": actual[0] if len(set(actual)) == 1 else actual})


def xpc(root: Root, report: Report) -> None:
    """Ids through authenticating and back: the visitor's, and those it sends."""
    for number, case in enumerate(root["cases"]):
        services = Services(ANSWER)
        with opened(services) as client:
            options = case["newVisitor"]
            visitor = client.visitor(options["visitorId"], shared=False, is_authenticated=options["isAuthenticated"])
            for call, argument in case["calls"]:
                visitor.unauthenticate() if call == "unauthenticate" else visitor.authenticate(argument)
            visitor.fetch()
            client.flush()
            services.taken("")
            visitor.flag("f").expose()
            visitor.send(flagship.Screen("s"))
            client.flush()
            generated = {text for text in (visitor.id, visitor.anonymous_id)
                         if text and text not in (options["visitorId"], *(call[1] for call in case["calls"]))}
            actual = {
                "visitorId": visitor.id, "anonymousId": visitor.anonymous_id,
                "decisionRequest": picked(services.taken("campaigns"), "visitorId", "anonymousId"),
                "activate": picked([item for body in services.taken("activate") for item in body["batch"]], "vid", "aid"),
                "hit": picked([item for body in services.taken("") for item in body["h"]], "vid", "cuid"),
            }
            report.check(number, case["expected"], shown(actual, generated) if len(generated) < 2 else actual)


def picked(found: list[Any], *names: str) -> Any:
    """Members of the only one."""
    return {name: found[0].get(name) for name in names} if len(found) == 1 else found


def shown(value: Any, generated: set[str]) -> Any:
    if isinstance(value, dict):
        return {name: shown(member, generated) for name, member in value.items()}
    return "<generated>" if isinstance(value, str) and value in generated else value


def wire_decision_request(root: Root, report: Report) -> None:
    """The request for a visitor's decisions."""
    for number, case in enumerate(root["cases"]):
        services, expected = Services(ANSWER), case["expected"]
        with opened(services, env_id=root["envId"], api_key=root["apiKey"]) as client:
            new_visitor(client, case["visitorId"], case["context"], has_consented=case["consent"]).fetch()
            found = services.requests("campaigns")
            if len(found) != 1:
                report.fail(number, "one request", str(len(found)))
                continue
            body = json.loads(found[0].body)
            url, _, query = found[0].url.partition("?")
            headers = {name.lower(): value for name, value in found[0].headers}
            allowed = expected["allowedBodyKeys"]
            report.check(number, expected, {
                "method": found[0].method, "url": url, "query": dict(parse_qsl(query)),
                "headers": {name: headers.get(name) for name in expected["headers"]},
                "bodyMustContain": {name: body.get(name) for name in expected["bodyMustContain"]},
                "contextMustContain": {name: body["context"].get(name) for name in expected["contextMustContain"]},
                "allowedBodyKeys": allowed if set(body) <= set(allowed) else sorted(body),
            })


def wire_consent(root: Root, report: Report) -> None:
    """Consent hits, and which hits pass without consent, step by step."""
    services = Services()
    with opened(services, env_id=root["envId"], client_name="<client>") as client:
        visitor = None
        for number, case in enumerate(root["cases"]):
            if case["step"] == "newVisitor":
                visitor = client.visitor("consent_visitor", case["consent"], shared=False)
            elif case["step"] == "sendHit(Screen)":
                visitor.send(flagship.Screen("s"))
            else:
                visitor.set_consent(case["consent"])
            client.flush()
            expected = case["expected"] if isinstance(case["expected"], list) else [case["expected"]]
            report.check(number, [comparable(body) for body in expected], [comparable(body) for body in services.taken("")])


# ---- Hits ------------------------------------------------------------------------------------------

FIELDS = {
    "location": "location", "transactionId": "transaction_id", "affiliation": "affiliation", "name": "name", "code": "code",
    "action": "action", "label": "label", "value": "value", "revenue": "revenue", "shipping": "shipping", "tax": "tax",
    "currency": "currency", "paymentMethod": "payment_method", "shippingMethod": "shipping_method", "itemCount": "item_count",
    "couponCode": "coupon_code", "price": "price", "quantity": "quantity", "category": "category", "ip": "user_ip",
    "userIp": "user_ip", "locale": "user_language", "userLanguage": "user_language", "session": "session_number",
    "sessionNumber": "session_number", "screenResolution": "screen_resolution",
}
KINDS = {
    "SCREEN": flagship.Screen, "PAGE": flagship.Page, "TRANSACTION": flagship.Transaction, "ITEM": flagship.Item,
    "EVENT": flagship.Event,
}
CATEGORIES = {
    "Action_Tracking": flagship.Category.ACTION_TRACKING, "User_Engagement": flagship.Category.USER_ENGAGEMENT,
}


def made(hit: Any) -> flagship.Hit:
    values = {FIELDS[name]: value for name, value in hit.items() if name in FIELDS}
    if hit["type"] == "EVENT":
        values["category"] = CATEGORIES[hit["category"]]
    if "resolution" in hit:
        values["screen_resolution"] = "x".join(map(str, hit["resolution"]))
    return KINDS[hit["type"]](**values)


def hit_validation(root: Root, report: Report) -> None:
    """Whether a hit is sent."""
    for number, case in enumerate(root["cases"]):
        status, bodies = sent(case["hit"], "visitor", None)
        actual = {"sent": bool(bodies)}
        report.check(number, case["expected"], actual if (status is Status.OK) == bool(bodies) else status.name)


def wire_hits(root: Root, report: Report) -> None:
    """The body of each hit when it is flushed alone."""
    for number, case in enumerate(root["cases"]):
        _, bodies = sent(case["hit"], case["visitorId"], case["anonymousId"], env_id=root["envId"])
        report.check(number, [comparable(case["expected"])], [comparable(body) for body in bodies])


def sent(hit: Any, visitor_id: str, anonymous_id: str | None, **properties: Any) -> tuple[Status, list[Any]]:
    """What a visitor of a new client sends with a hit."""
    services = Services()
    with opened(services, **properties) as client:
        visitor = client.visitor(anonymous_id or visitor_id, shared=False)
        if anonymous_id is not None:
            visitor.authenticate(visitor_id)
        # The consent hit of a new visitor goes first.
        client.flush()
        services.taken("")
        status = visitor.send(made(hit))
        client.flush()
        return status, services.taken("")


def comparable(batch: Any) -> Any:
    """A batch without what may differ: `cid` and `ds` of items, nulls, the time."""
    if not isinstance(batch, dict):
        return batch
    return {**batch, "h": [comparable_item(item) for item in batch["h"]]}


def comparable_item(item: Any) -> Any:
    left = {name: value for name, value in item.items() if name not in ("cid", "ds") and value is not None}
    if "qt" in left:
        left["qt"] = left["qt"] == "<int ms>" or (type(left["qt"]) is int and left["qt"] >= 0)
    return left
