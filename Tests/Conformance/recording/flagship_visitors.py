"""Vectors of visitors: values of flags, contexts, answers of the Decision API, who is who after authenticating."""
from flagship import Flagship
from flagship.hits import Screen
from flagship.status import Status

from .flagship_client import fetched, flags_of, quietly, restart, service, visitor
from .flagship_inputs import VALUES, identifier, rng, typed
from .flagship_rules import case

TYPES = {"string": ["text", ""], "int": [42, 0], "double": [2.5, -1.0], "bool": [True], "list": [[1, "two"]],
         "object": [{"a": 1}], "null": [None]}


def api_campaign(value, **members):
    variation = {"id": identifier(), "name": "v", "reference": False, "modifications": {"type": "JSON", "value": value}}
    return {"id": identifier(), "name": "c", "slug": "s", "type": "ab", "variationGroupId": identifier(), "variationGroupName": "g",
            "variation": variation, **members}


def answered(*campaigns, **members):
    return {"visitorId": "api_visitor", "campaigns": list(campaigns), **members}


def value_file():
    cases = []
    for kind, values in TYPES.items():
        for other, defaults in TYPES.items():
            # A default that is null, and a truth beside an integer, are questions on which kits differ.
            if other == "null" or kind == "null" or (kind, other) == ("int", "bool"):
                continue
            cases += [_value(kind, value, other, defaults[0], exposed) for value in values for exposed in (True, False)]
    cases += [_value("null", None, "string", "d", True), _value(None, None, "int", 7, True)]
    return {"description": "The value of a flag for a default, and whether the visitor is counted.", "cases": cases}


def _value(kind, value, other, default, exposed):
    restart(decision=answered(api_campaign({} if kind is None else {"f": value})))
    made = fetched("flag_visitor")
    got = quietly(lambda: made.get_flag("f", default).value(exposed))
    expected = {"value": got, "activateSent": bool(service.bodies("/activate"))}
    known = {} if kind is None else {"flagType": kind, "flagValue": value}
    return case(expected, **known, defaultType=other, default=default, **({} if exposed else {"visitorExposed": False}))


def context_file():
    restart()
    keys = ["plain", "größe", "", "fs_client", "fs_version", "sdk_city", "sdk_osName", "sdk_lat", "sdk_deviceModel"]
    cases = []
    for key in keys:
        for value in ["text", 7, 2.5, True, None, [1], {"a": 1}]:
            if key == "sdk_lat" and isinstance(value, int):
                continue
            made = visitor("context_visitor")
            before = made.context.get(key)
            quietly(lambda: made.update_context((key, value)))
            accepted = key in made.context and made.context[key] == value and made.context[key] is not before
            cases.append(case({"accepted": accepted}, key=key, value=typed(value)))
    return {"description": "Whether a pair is taken into the context.", "cases": cases}


def response_file():
    answers = [answered(), answered(panic=False), answered(panic=True), answered(api_campaign({"f": 1}), panic=False)]
    for _ in range(24):
        answers.append(answered(*(
            api_campaign({key: rng.choice(VALUES) for key in rng.sample("abc", rng.randint(0, 3))}, type=rng.choice(["ab", "perso"]),
                         slug=rng.choice(["", "slug"])) for _ in range(rng.randint(1, 4)))))
    cases = []
    for answer in answers:
        restart(decision=answer)
        made = fetched("api_visitor")
        status = "SDK_PANIC" if Flagship.status() is Status.PANIC else "SDK_INITIALIZED"
        cases.append(case({"status": status, "flags": flags_of(made)}, response=answer))
    return {"description": "What an answer of the Decision API makes of a visitor's flags.", "cases": cases}


def continuity_file():
    cases = []
    for known in (False, True):
        one, two, back = ["authenticate", "one"], ["authenticate", "é"], ["unauthenticate", None]
        for calls in ([], [one], [back], [one, two], [one, back], [one, back, two]):
            cases.append(_continuity(known, calls))
    return {"description": "Who a visitor is after some calls, and what requests say of it.", "cases": cases}


def _continuity(known, calls):
    restart(decision=answered(api_campaign({"f": "x"})))
    made = visitor("first_visitor", authenticated=known)
    generated = made.anonymous_id
    for name, argument in calls:
        quietly(lambda: made.authenticate(argument) if name == "authenticate" else made.unauthenticate())
    service.requests.clear()
    quietly(made.fetch_flags)
    quietly(lambda: made.get_flag("f", "d").value())
    quietly(lambda: made.send_hit(Screen("home")))

    def told(body, *names):
        return {name: "<generated>" if generated and body.get(name) == generated else body.get(name) for name in names}

    hits = service.bodies("events")[-1]["h"]
    expected = {**told({"visitorId": made.visitor_id, "anonymousId": made.anonymous_id}, "visitorId", "anonymousId"),
                "decisionRequest": told(service.bodies("/campaigns")[-1], "visitorId", "anonymousId"),
                "activate": told(service.bodies("/activate")[-1]["batch"][0], "vid", "aid"), "hit": told(hits[-1], "vid", "cuid")}
    return case(expected, newVisitor={"visitorId": "first_visitor", "isAuthenticated": known}, calls=calls)

