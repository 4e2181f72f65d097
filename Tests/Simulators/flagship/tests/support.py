"""A correct client in a few lines: builds proper requests for the sample environment, which tests then spoil."""

from __future__ import annotations

from typing import Any, Callable

from loopback.calls import Call

from flagship import FlagshipSimulator
from flagship.sample import API_KEY, ENVIRONMENT

NOW = 1_767_700_000_000
"""What the simulator of a test takes for the present, in milliseconds since 1970."""
SESSION = "6f1d3a2b-0c4e-4d5f-8a9b-1c2d3e4f5a6b"
GROUP, RED, GREEN = "hgrp0checkoutall0001", "hvar0checkoutred0002", "hvar0checkoutgrn0002"
WINDOW = {"startDate": "2026-01-06T00:00:00.000Z", "endDate": "2026-01-07T00:00:00.000Z", "timezone": "UTC",
          "traffic": 100}
"""Of troubleshooting, around `NOW`."""

AGENT = {"User-Agent": "hoist/0.1.0"}


def posting(**more: str) -> dict[str, str]:
    return {**AGENT, "Accept": "application/json", "Content-Type": "application/json", "x-sdk-client": "hoist",
            "x-sdk-version": "0.1.0", **more}


def auto_context(visitor: str) -> dict[str, Any]:
    """What the library puts into every context."""
    return {"fs_users": visitor, "fs_all_users": "", "fs_client": "hoist", "fs_version": "0.1.0",
            "sdk_firstTimeInit": True, "sdk_deviceLanguage": "en", "sdk_deviceType": "Desktop", "sdk_osName": "Linux",
            "sdk_fsVersion": "0.1.0"}


def decision(simulator: FlagshipSimulator, visitor: str = "carla") -> Call:
    context = {**auto_context(visitor), "vip": True, "age": 31, "score": 2.5, "sdk_city": "Lyon", "sdk_lat": 45.7,
               "sdk_versionCode": 7, "sdk_ip": "127.0.0.1"}
    document = {"visitorId": visitor, "anonymousId": "anon-1", "visitor_consent": True, "trigger_hit": False,
                "context": context}
    return Call("POST", f"/decision/v2/{ENVIRONMENT}/campaigns", posting(**{"x-api-key": API_KEY}),
                ["exposeAllKeys=true", "extras[]=accountSettings"], document)


def own_decision(simulator: FlagshipSimulator) -> Call:
    call = decision(simulator)
    call.path, call.query = "/own/v2/campaigns", ["exposeAllKeys=true"]
    call.document["decision_group"] = "household-7"
    return call.with_header("x-api-key", None)


def activation(visitor: str = "carla", age: int = 0, variation: str = GREEN, **more: Any) -> dict[str, Any]:
    return {"vid": visitor, "caid": GROUP, "vaid": variation, "qt": age, **more}


def activations(simulator: FlagshipSimulator, *items: dict[str, Any]) -> Call:
    batch = list(items) or [activation(aid="anon-1"), activation("anna", 4200)]
    return Call("POST", "/decision/v2/activate", posting(), document={"cid": ENVIRONMENT, "batch": batch})


def own_activations(simulator: FlagshipSimulator) -> Call:
    call = activations(simulator, activation())
    call.path = "/own/v2/activate"
    return call


def hit(kind: str, visitor: str = "carla", age: int = 1200, **more: Any) -> dict[str, Any]:
    return {"t": kind, "cid": ENVIRONMENT, "ds": "APP", "vid": visitor, "qt": age, **more}


def screen(location: str = "home", visitor: str = "carla", age: int = 1200, **more: Any) -> dict[str, Any]:
    return hit("SCREENVIEW", visitor, age, dl=location, **more)


def consent(given: bool = True, visitor: str = "carla", age: int = 1200, **more: Any) -> dict[str, Any]:
    label = f"hoist:{str(given).lower()}"
    return hit("EVENT", visitor, age, ec="User Engagement", ea="fs_consent", el=label, **more)


def segment(visitor: str = "carla", **more: str) -> dict[str, Any]:
    texts = {name: str(value).lower() if isinstance(value, bool) else value
             for name, value in auto_context(visitor).items()}
    return hit("SEGMENT", visitor, s={**texts, "vip": "true", "age": "31", "score": "2.5", **more})


COMMON = {"uip": "127.0.0.1", "sr": "1920x1080", "sd": "24", "ul": "fr-FR", "sn": 3, "qa": False}
KINDS = [
    consent(), segment(), screen(**COMMON),
    hit("PAGEVIEW", "anon-1", dl="https://www.example.com/a?b=c", cuid="carla"),
    hit("TRANSACTION", tid="T-160", ta="basket", tr=15.5, ts=3, tt=2.6, tc="EUR", tcc="C0DE", pm="PayPal", sm="Fedex",
        icn=3),
    hit("ITEM", tid="T-160", **{"in": "shoe", "ic": "SKU-1"}, ip=9.9, iq=2, iv="Shoes"),
    hit("EVENT", ec="Action Tracking", ea="cta", el="label", ev=91, dl="home")]
"""One of each kind, at the places that the mutations name."""


def batch(simulator: FlagshipSimulator, *items: dict[str, Any]) -> Call:
    document = {"t": "BATCH", "cid": ENVIRONMENT, "ds": "APP", "h": [dict(item) for item in items or KINDS]}
    return Call("POST", "/events", posting(), document=document)


def single(simulator: FlagshipSimulator) -> Call:
    return Call("POST", "/events", posting(), document=screen())


def report(kind: str, label: str, level: str, **told: str) -> dict[str, Any]:
    common = {"version": "1", "envId": ENVIRONMENT, "timestamp": "2026-01-06T12:00:00.000Z", "timeZone": "UTC",
              "label": label, "stack.type": "SDK", "stack.name": "hoist", "stack.version": "0.1.0",
              "flagshipInstanceId": SESSION, "logLevel": level}
    return {"t": kind, "cid": ENVIRONMENT, "ds": "APP", "vid": SESSION, "qt": 0, "cv": {**common, **told}}


def usage(simulator: FlagshipSimulator) -> Call:
    told = {"sdk.status": "SDK_INITIALIZED", "sdk.config.mode": "BUCKETING", "sdk.config.timeout": "2000",
            "sdk.config.pollingTime": "60000", "sdk.config.usingCustomLogManager": "false",
            "sdk.config.usingCustomHitCache": "false", "sdk.config.usingCustomVisitorCache": "true",
            "sdk.config.usingOnVisitorExposed": "false", "sdk.config.decisionApiUrl": "http://127.0.0.1/v2",
            "sdk.config.logLevel": "ALL", "sdk.config.trackingManager.strategy": "CONTINUOUS_CACHING",
            "sdk.config.trackingManager.batchIntervals": "5000", "sdk.config.trackingManager.poolMaxSize": "10",
            "sdk.lastInitializationTimestamp": "2026-01-06T11:59:00.000Z"}
    return Call("POST", "/events/analytics", posting(), document=report("USAGE", "SDK_CONFIG", "INFO", **told))


def troubleshooting(simulator: FlagshipSimulator) -> Call:
    simulator.environment.settle({"troubleshooting": WINDOW})
    told = {"visitor.visitorId": "carla", "visitor.anonymousId": "null", "visitor.sessionId": SESSION,
            "visitor.context.vip": "true", "hit.caid": "g", "hit.vaid": "v"}
    document = report("TROUBLESHOOTING", "VISITOR_SEND_ACTIVATE", "INFO", **told)
    return Call("POST", "/events/troubleshooting", posting(), document=document)


def trouble_of_the_sdk(simulator: FlagshipSimulator, label: str = "HTTP_CALL", level: str = "INFO", **told: str) -> Call:
    """About no visitor."""
    simulator.environment.settle({"troubleshooting": WINDOW})
    told = told or {"http.request.method": "POST", "http.request.url": "http://127.0.0.1/events", "http.response.code": "200"}
    return Call("POST", "/events/troubleshooting", posting(), document=report("TROUBLESHOOTING", label, level, **told))


def emotions(simulator: FlagshipSimulator) -> Call:
    simulator.environment.settle({"eaiCollectEnabled": True})
    return Call("POST", "/events/emotionsai", posting(), document={"vid": "carla", "t": "PAGEVIEW"})


def bucketing(simulator: FlagshipSimulator) -> Call:
    return Call("GET", f"/cdn/{ENVIRONMENT}/bucketing.json", dict(AGENT))


def account_settings(simulator: FlagshipSimulator) -> Call:
    return Call("GET", f"/cdn/{ENVIRONMENT}/accountSettings.json", dict(AGENT))


def segments(simulator: FlagshipSimulator) -> Call:
    return Call("GET", f"/data-connector/accounts/{ENVIRONMENT}/segments/carla%20%C3%A9", dict(AGENT))


def score(simulator: FlagshipSimulator) -> Call:
    path = f"/uc-info/v1/segments/clients/{ENVIRONMENT}/visitors/carla"
    return Call("GET", path, dict(AGENT), ["partner=eai"])


BUILDERS: dict[str, Callable[[FlagshipSimulator], Call]] = {
    "decision": decision, "own_decision": own_decision, "activations": activations,
    "own_activations": own_activations, "batch": batch, "single": single, "usage": usage,
    "troubleshooting": troubleshooting, "emotions": emotions, "bucketing": bucketing, "account_settings": account_settings,
    "segments": segments, "score": score,
}
