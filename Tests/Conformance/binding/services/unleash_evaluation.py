"""Evaluations in backend mode: every way of asking has to agree with the vector."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

from report import Report
from vectors import Root

import hoist
from hoist import unleash

from . import unleash_service

Answer = dict[str, Any]


def open_client(document: Any, strategies: Any = None) -> unleash.Client:
    """A client that evaluates a document here."""
    properties = {"mode": "backend", "online": False, "store": "none", "log.level": "none"}
    return unleash.Client(properties, toggles=document, strategies=strategies)


def context(values: Any) -> hoist.Context:
    return unleash.context_from_json(json.dumps(values or {}, ensure_ascii=False))


def ask(client: unleash.Client, toggle: str, user: hoist.Context, *, may_draw: bool = False) -> Answer:
    """One flag, as the vectors tell of it; "disagree" names calls that say something else.

    With `may_draw` the variant may be drawn anew for each call.
    """
    detail, variant = client.evaluate(toggle, user), client.get_variant(toggle, user)
    enabled = client.is_enabled(toggle, user)
    told: Answer = {
        "enabled": enabled,
        "found": detail.error_code != "FLAG_NOT_FOUND",
        "variant": {"name": variant.name, "enabled": variant.enabled, "featureEnabled": variant.is_feature_enabled,
                    **payload(variant)},
        "impressionData": detail.metadata.get("impressionData", False),
    }
    others = {
        "check_enabled": client.check_enabled(toggle, user) is enabled,
        "bool": client.bool(toggle, user) is enabled,
        "evaluate": detail.enabled is enabled,
        "reason": (detail.reason == "ERROR") is not told["found"],
        "explain": client.explain(toggle, user).enabled is enabled,
    }
    with client.view(user) as view:
        others["view"] = view.bool(toggle) is enabled
        if not may_draw:
            others["view's variation"] = view.variation(toggle) == detail.variation
    if not may_draw:
        others["check_variant"] = client.check_variant(toggle, user) == variant
        others["variation"] = detail.variation == (variant.name if told["found"] else "")
        others["value"] = detail.value in values(variant, enabled)
    disagree = [name for name, agrees in others.items() if not agrees]
    return {**told, "disagree": disagree} if disagree else told


def payload(variant: unleash.Variant) -> Answer:
    told = variant.payload
    return {"payload": {"type": told.type, "value": told.value}} if told else {}


def values(variant: unleash.Variant, enabled: bool) -> list[Any]:
    """What an evaluation may hold: the payload read by its type, its text where that cannot be; else on or off."""
    if variant.payload is None:
        return [enabled, None]
    text = variant.payload.value
    if variant.payload.type not in ("json", "number"):
        return [text]
    try:
        return [json.loads(text), text]
    except ValueError:
        return [text]


def specification(root: Root, report: Report) -> None:
    with specified(root["state"]) as client:
        for test in root.get("tests", []):
            answer = ask(client, test["toggleName"], context(test["context"]), may_draw=True)
            report.check(test["description"], test["expectedResult"], answer.get("disagree", answer["enabled"]))
        for test in root.get("variantTests", []):
            answer = ask(client, test["toggleName"], context(test["context"]))
            report.check(test["description"], test["expectedResult"], answer.get("disagree", sent(answer["variant"])))


def specified(state: Root) -> unleash.Client:
    """A client of a document, or of the events that make one."""
    if "events" not in state:
        return open_client(state)
    client = unleash_service.open_client(unleash_service.Script(unleash_service.Answer(body=json.dumps(state).encode())),
                                         mode="backend", fetch_mode="delta", url="http://unleash.test/api", key="k")
    unleash_service.Fetches(client).start()
    return client


def sent(variant: Answer) -> Answer:
    """A variant with its members named as the service names them."""
    return {"feature_enabled" if name == "featureEnabled" else name: value for name, value in variant.items()}


def evaluate(root: Root, report: Report) -> None:
    clients: dict[tuple[str, ...], unleash.Client] = {}
    answers: dict[str, bool] = {}
    for case in root["cases"]:
        state = root["states"][case["state"]]
        if not can_say(root, case):
            report.skip(1, "evaluate: a client always has an appName and an environment")
            continue
        answers.clear()
        answers.update(case.get("customStrategies") or {})
        names = sorted(answers)
        key = (case["state"], *names)
        if key not in clients:
            strategies = {name: lambda parameters, user, name=name: answers[name] for name in names}
            clients[key] = open_client(state, strategies)
        report.check(case["id"], case["expect"], ask(clients[key], case["toggle"], context(case["context"])))
    for client in clients.values():
        client.close()


def can_say(root: Root, case: Root) -> bool:
    """Not where a flag sticks to a field that the vector leaves out and that a client fills in."""
    features = root["states"][case["state"]]["features"]
    flag = next((flag for flag in features if flag["name"] == case["toggle"]), {})
    sticks = {strategy.get("parameters", {}).get("stickiness") for strategy in flag.get("strategies", [])}
    return all(name not in sticks or name in (case["context"] or {}) for name in ("appName", "environment"))


def distribution(root: Root, report: Report) -> None:
    for case in root["cases"]:
        bits, names = [], []
        with open_client(case["features"]) as client:
            for number in range(case["from"], case["from"] + case["count"]):
                user = hoist.Context(None, userId=f"{case['userIdPrefix']}{number}")
                bits.append("1" if client.check_enabled(case["toggle"], user) else "0")
                names.append(client.check_variant(case["toggle"], user).name)
        report.check(case["id"], case["expect"], {
            "enabledCount": bits.count("1"), "bitsSha256": digest("".join(bits)),
            "variantCounts": dict(Counter(names)), "variantsSha256": digest(",".join(names)),
        })


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def frontend_response(root: Root, report: Report) -> None:
    for case in root["cases"]:
        with open_client(case["features"]) as client:
            user = context(case["context"])
            toggles = []
            for name in sorted(client.all_flags(user), key=lambda name: name.encode()):
                answer = ask(client, name, user)
                if not answer.pop("enabled"):
                    continue
                answer.pop("found")
                toggles.append({"name": name, "enabled": True, **answer, "variant": sent(answer["variant"])})
        report.check(case["id"], case["expect"], {"toggles": toggles})
