"""Vectors of requests: hits, consent, activations, decisions, bucketing files."""
import json

from flagship import Flagship
from flagship.hits import Event, EventCategory, Item, Page, Screen, Transaction
from flagship.status import Status

from .flagship_client import API_KEY, ENVIRONMENT, fetched, plain, quietly, restart, service, visitor, wait_for
from .flagship_inputs import identifier, rng, typed_context
from .flagship_rules import case
from .flagship_visitors import answered, api_campaign

CATEGORIES = {"Action_Tracking": EventCategory.ACTION_TRACKING, "User_Engagement": EventCategory.USER_ENGAGEMENT}
MAKERS = {
    "SCREEN": lambda hit: Screen(hit["location"]),
    "PAGE": lambda hit: Page(hit["location"]),
    "EVENT": lambda hit: Event(CATEGORIES[hit["category"]], hit["action"]),
    "TRANSACTION": lambda hit: Transaction(hit["transactionId"], hit["affiliation"]),
    "ITEM": lambda hit: Item(hit["transactionId"], hit["name"], hit["code"]),
}
SETTERS = {
    "label": "with_event_label", "value": "with_event_value", "revenue": "with_total_revenue", "shipping": "with_shipping_cost",
    "tax": "with_taxes", "currency": "with_currency", "paymentMethod": "with_payment_method", "shippingMethod": "with_shipping_method",
    "itemCount": "with_item_count", "couponCode": "with_coupon_code", "price": "with_price", "category": "with_item_category",
    "quantity": "with_item_quantity", "userIp": "with_ip", "userLanguage": "with_locale", "sessionNumber": "with_session_number",
}


def made(hit):
    built = MAKERS[hit["type"]](hit)
    for name, value in hit.items():
        if name == "screenResolution":
            built.with_resolution(*map(int, value.split("x")))
        elif name in SETTERS and (hit["type"], name) != ("EVENT", "category"):
            getattr(built, SETTERS[name])(value)
    return built


def sent(one, hit):
    """The requests that a hit leads to."""
    service.requests.clear()
    quietly(lambda: one.send_hit(made(hit)))
    return service.bodies("events")


def _hits():
    common = {"userIp": "127.0.0.1", "screenResolution": "1920x1080", "userLanguage": "nb-NO", "sessionNumber": 3}
    bare = [
        {"type": "SCREEN", "location": "home"}, {"type": "SCREEN", "location": "skjerm æøå 日本"},
        {"type": "PAGE", "location": "https://www.example.org/path?q=1#part"}, {"type": "PAGE", "location": "http://localhost:8080"},
        {"type": "EVENT", "category": "Action_Tracking", "action": "click"},
        {"type": "EVENT", "category": "User_Engagement", "action": "read", "label": "article \"7\"", "value": 0},
        {"type": "EVENT", "category": "Action_Tracking", "action": "buy", "value": 2147483647},
        {"type": "TRANSACTION", "transactionId": "T1", "affiliation": "shop"},
        {"type": "TRANSACTION", "transactionId": "T2", "affiliation": "shop", "revenue": 99.95, "shipping": 0.5, "tax": 19.99,
         "currency": "NOK", "paymentMethod": "card", "shippingMethod": "post", "itemCount": 2, "couponCode": "SALE"},
        {"type": "ITEM", "transactionId": "T2", "name": "sko", "code": "SKU-7"},
        {"type": "ITEM", "transactionId": "T2", "name": "sko", "code": "SKU-7", "price": 49.95, "category": "clothes", "quantity": 2},
    ]
    drawn = [{"type": "SCREEN", "location": identifier()} for _ in range(5)]
    drawn += [{"type": "EVENT", "category": rng.choice([*CATEGORIES]), "action": identifier(), "label": identifier(),
               "value": rng.randrange(10**6)} for _ in range(5)]
    return bare + [{**hit, **common} for hit in bare] + drawn


def hit_file():
    cases = []
    for anonymous in (None, "hit_visitor"):
        for hit in _hits():
            restart()
            one = visitor("hit_visitor")
            if anonymous:
                one.authenticate("known_visitor")
            body, = sent(one, hit)
            cases.append(case(body, visitorId=one.visitor_id, anonymousId=anonymous, hit=hit))
    return {"description": "The body of one hit that is sent alone.", "envId": ENVIRONMENT, "cases": cases}


def validation_file():
    pages = ["", "www.example.org", "/path", "https://", "https://example.org", "http://a.b/c"]
    hits = [{"type": "SCREEN", "location": text} for text in ("", " ", "ok")] + [{"type": "PAGE", "location": text} for text in pages]
    for required in ({"type": "EVENT", "category": "Action_Tracking", "action": "a"},
                     {"type": "TRANSACTION", "transactionId": "t", "affiliation": "a"},
                     {"type": "ITEM", "transactionId": "t", "name": "n", "code": "c"}):
        hits.append(required)
        hits += [{**required, name: ""} for name in required if name not in ("type", "category")]
    restart()
    one = visitor("hit_visitor")
    return {"description": "Whether a hit is sent.", "cases": [case({"sent": bool(sent(one, hit))}, hit=hit) for hit in hits]}


def _anybody(body):
    return json.loads(json.dumps(body, ensure_ascii=False).replace("python:", "<client>:"))


def consent_file():
    restart()
    cases = []
    for given in (True, False):
        service.requests.clear()
        one = visitor("consent_visitor", consent=given)
        body = next(_anybody(body) for body in service.bodies("events"))
        cases.append(case(body, step="newVisitor", consent=given))
        cases.append(case(_bodies(sent(one, {"type": "SCREEN", "location": "s"})), step="sendHit(Screen)", consent=given))
        service.requests.clear()
        quietly(lambda: one.set_consent(not given))
        cases.append(case(_bodies(service.bodies("events")), step=f"setConsent({not given})", consent=not given))
    return {"description": "What visitors send about consent, and what without it.", "envId": ENVIRONMENT, "cases": cases}


def _bodies(found):
    return [_anybody(body) for body in found]


def activation_file():
    restart(decision=answered(api_campaign({"f": "x", "n": None}, variationGroupId="vg1", variation={
        "id": "va1", "name": "v", "reference": False, "modifications": {"type": "JSON", "value": {"f": "x", "n": None}}})))
    one = fetched("act_visitor")
    cases = []
    for step, key, status in (("expose f, server answers 204", "f", 204), ("expose f, server answers 500 (kept)", "f", 500),
                              ("expose n, server answers 204: the kept activate rides along", "n", 204),
                              ("expose an unknown flag: nothing is sent", "none", 204)):
        service.requests.clear()
        service.activate_status = status
        quietly(lambda: one.get_flag(key, "d").visitor_exposed())
        cases.append(case([{"method": request["method"], "url": request["url"], "body": plain(request["body"])}
                           for request in service.requests if request["url"].endswith("/activate")], step=step))
    return {"description": "What is sent when flags are exposed.", "envId": ENVIRONMENT, "cases": cases}


def decision_file():
    cases = []
    for context, consent in (({}, True), ({"a": 7, "b": -0.5, "c": False, "d": "größe"}, True), ({"plan": "pro"}, False)):
        restart()
        one = visitor("dec_visitor", context, consent=consent)
        quietly(one.fetch_flags)
        request = next(request for request in service.requests if "/campaigns" in request["url"])
        body = request["body"]
        expected = {
            "method": request["method"], "url": request["url"].partition("/?")[0],
            # The kit of the vectors asks for less than the newer ones do.
            "query": {"exposeAllKeys": "true", "extras[]": "accountSettings"},
            "headers": {"x-api-key": request["headers"]["x-api-key"], "content-type": "application/json"},
            "bodyMustContain": {name: body[name] for name in ("visitorId", "visitor_consent", "trigger_hit")},
            "contextMustContain": {key: body["context"][key] for key in context},
            "allowedBodyKeys": ["visitorId", "visitor_id", "anonymousId", "anonymous_id", "visitor_consent", "trigger_hit",
                                "context", "decision_group"]}
        cases.append(case(expected, visitorId="dec_visitor", context=typed_context(context), consent=consent))
    return {"description": "What the Decision API is asked.", "envId": ENVIRONMENT, "apiKey": API_KEY, "cases": cases}


def bucketing_file():
    cases = []
    restart({"campaigns": []}, polling_interval=30)
    for step, day, panic in (
            ("first download: 200", 1, False), ("second poll: 304", 1, False), ("third poll: 200, new file with panic", 2, True),
            ("fourth poll: 200, panic over", 3, False), ("restart with the file kept on disk: 304, usable at once", 3, False)):
        if cases:
            service.file = {"panic": True} if panic else {"campaigns": []}
            service.date = f"{['Mon', 'Tue', 'Wed'][day - 1]}, 0{day} Jan 2024 00:00:00 GMT"
            service.requests.clear()
        if step.startswith("restart"):
            restart({}, keep=True)
        wait_for(lambda: service.requests and (Flagship.status() is Status.PANIC) is panic)
        request = service.requests[0]
        date = request["headers"].get("if-modified-since")
        cases.append(case({"method": request["method"], "path": request["url"].removeprefix("https://cdn.flagship.io"),
                           "ifModifiedSince": date, "sdkStatusAfter": "SDK_PANIC" if panic else "SDK_INITIALIZED"}, step=step))
    return {"description": "Downloads of the bucketing file.", "envId": ENVIRONMENT, "cases": cases}
