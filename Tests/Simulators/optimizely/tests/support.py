"""A correct client in a few lines: builds proper requests for the sample project, which tests then spoil."""

from __future__ import annotations

import copy
from typing import Any, Callable

from loopback.calls import Call

from optimizely import OptimizelySimulator
from optimizely.segments import QUERY

NOW = 1_767_700_000_000
"""What the simulator of a test takes for the present, in milliseconds since 1970."""
TOKEN = "token-4711"
VUID = "vuid_0123456789abcdef0123456789a"
PREDICTION = "6f1d3a2b-0c4e-4d5f-8a9b-1c2d3e4f5a6b"

BOTS = {"entity_id": "$opt_bot_filtering", "key": "$opt_bot_filtering", "type": "custom", "value": True}


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012x}"


def datafile(simulator: OptimizelySimulator) -> Call:
    return Call("GET", f"/datafiles/{simulator.sdk_key}.json", {"User-Agent": "hoist/0.1.0"})


def secured(simulator: OptimizelySimulator) -> Call:
    simulator.publish(simulator.datafiles.projects[0].document, "secured", TOKEN)
    headers = {"User-Agent": "hoist/0.1.0", "Authorization": f"Bearer {TOKEN}"}
    return Call("GET", "/datafiles/auth/secured.json", headers)


def attribute(identifier: str, key: str, value: Any) -> dict[str, Any]:
    return {"entity_id": identifier, "key": key, "type": "custom", "value": value}


def visitor(name: str, snapshot: dict[str, Any]) -> dict[str, Any]:
    attributes = [attribute("501", "country", "de"), attribute("502", "age", 30), attribute("503", "member", True)]
    return {"visitor_id": name, "attributes": [*attributes, dict(BOTS)], "snapshots": [snapshot]}


def decision(campaign: str, experiment: str, variation: str | None, flag: str, rule: str, kind: str, key: str,
             enabled: bool = True, **more: Any) -> dict[str, Any]:
    metadata = {"flag_key": flag, "rule_key": rule, "rule_type": kind, "variation_key": key, "enabled": enabled, **more}
    return {"campaign_id": campaign, "experiment_id": experiment, "variation_id": variation, "metadata": metadata}


EXPERIMENT = decision("9100", "9101", "9112", "checkout_flow", "checkout_test", "feature-test", "short")
DELIVERY = decision("8001", "9401", "9411", "checkout_flow", "checkout_new_app", "rollout", "on")
NOTHING = decision("", "", None, "banner", "", "rollout", "", False)
FORCED = decision("", "", "9113", "checkout_flow", "", "feature-test", "express")
HOLDOUT = decision("9501", "9501", "9511", "banner", "holdout_spring", "holdout", "ho_off", False)
LOCAL_HOLDOUT = decision("9502", "9502", "9521", "checkout_flow", "holdout_new_app", "holdout", "ho_local_off", False)
GROUPED = decision("9310", "9302", "9322", "banner", "banner_long", "feature-test", "none", False)
ACTIVATED = decision("9100", "9101", "9111", "", "checkout_test", "experiment", "control")
BANDIT = decision("9200", "9201", "9212", "search_ranking", "ranking_bandit", "feature-test", "neural",
                  cmab_uuid=PREDICTION)


def seen(number: int, what: dict[str, Any]) -> dict[str, Any]:
    """The snapshot of an impression."""
    event = {"entity_id": what["campaign_id"], "key": "campaign_activated", "timestamp": NOW - 1000,
             "uuid": uuid(number), "tags": {}}
    return {"decisions": [copy.deepcopy(what)], "events": [event]}


def done(number: int, key: str = "purchase", **more: Any) -> dict[str, Any]:
    """The snapshot of a conversion."""
    entity = {"purchase": "601", "sign_up": "602", "add_to_cart": "603"}[key]
    event = {"entity_id": entity, "key": key, "timestamp": NOW - 500, "uuid": uuid(number), "tags": {}, **more}
    return {"events": [event]}


def events(simulator: OptimizelySimulator, *visitors: dict[str, Any], region: str = "US", revision: str = "42") -> Call:
    document = {"account_id": "12001", "project_id": "12000", "revision": revision, "client_name": "hoist",
                "client_version": "0.1.0", "anonymize_ip": True, "enrich_decisions": True, "region": region,
                "visitors": list(visitors)}
    return Call("POST", f"/{region.lower()}/v1/events", posting(), document=document)


def posting(**more: str) -> dict[str, str]:
    return {"User-Agent": "hoist/0.1.0", "Content-Type": "application/json", **more}


def impression(simulator: OptimizelySimulator) -> Call:
    return events(simulator, visitor("carla", seen(1, EXPERIMENT)))


def conversion(simulator: OptimizelySimulator) -> Call:
    tags = {"revenue": 4200, "value": 12.5, "category": "shoes", "express": True, "sizes": [38, 39], "box": {"w": 1.5}}
    return events(simulator, visitor("carla", done(2, revenue=4200, value=12.5, tags=tags)))


def batch(simulator: OptimizelySimulator) -> Call:
    """One of every kind of decision, but a predicted one, and a conversion."""
    decisions = (EXPERIMENT, DELIVERY, NOTHING, FORCED, HOLDOUT, LOCAL_HOLDOUT, GROUPED, ACTIVATED)
    visitors = [visitor(f"visitor-{number}", seen(number, what)) for number, what in enumerate(decisions, start=10)]
    return events(simulator, *visitors, visitor("", done(30, "sign_up")))


def european(simulator: OptimizelySimulator) -> Call:
    """A conversion in a project of the region EU."""
    document = {**simulator.datafiles.projects[-1].document, "region": "eu", "projectId": "12002"}
    simulator.publish(document, "european")
    call = events(simulator, visitor("anna", done(3, "add_to_cart")), region="EU")
    call.document["project_id"] = "12002"
    return call


def bandit(simulator: OptimizelySimulator) -> Call:
    """The impression of what the prediction server chose."""
    simulator.choices.choose("9201", "9212")
    assert prediction(simulator).send(simulator).status == 200
    return events(simulator, visitor("carla", seen(4, BANDIT)))


def segments(simulator: OptimizelySimulator) -> Call:
    variables = {"userId": "carla", "audiences": ["frequent_shoppers", "newsletter"]}
    document = {"query": QUERY % "fs_user_id", "variables": variables}
    return Call("POST", "/v3/graphql", posting(**{"x-api-key": "sample-odp-public-key"}), document=document)


def anonymous_segments(simulator: OptimizelySimulator) -> Call:
    call = segments(simulator)
    call.document["query"] = QUERY % "vuid"
    call.document["variables"]["userId"] = VUID
    return call


def platform_event(number: int, action: str, identifiers: dict[str, str], **data: Any) -> dict[str, Any]:
    sender = {"idempotence_id": uuid(number), "data_source_type": "sdk", "data_source": "hoist",
              "data_source_version": "0.1.0"}
    return {"type": "fullstack", "action": action, "identifiers": identifiers, "data": {**sender, **data}}


def platform_events(simulator: OptimizelySimulator) -> Call:
    device = {"os": "Linux", "os_version": "6.1", "device_type": "PC", "model": "N/A"}
    buyer = {"fs_user_id": "carla", "email": "c@example.com"}
    document = [
        platform_event(100, "client_initialized", {"vuid": VUID}, **device),
        platform_event(101, "identified", {"vuid": VUID, "fs_user_id": "carla"}, **device),
        {**platform_event(102, "bought", buyer, price=4.5, gift=False, note=None), "type": "shop"}]
    return Call("POST", "/v3/events", posting(**{"x-api-key": "sample-odp-public-key"}), document=document)


def prediction(simulator: OptimizelySimulator) -> Call:
    attributes = [{"id": identifier, "value": value, "type": "custom_attribute"}
                  for identifier, value in (("501", "de"), ("502", None))]
    instance = {"visitorId": "carla", "experimentId": "9201", "attributes": attributes, "cmabUUID": PREDICTION}
    return Call("POST", "/predict/9201", posting(), document={"instances": [instance]})


BUILDERS: dict[str, Callable[[OptimizelySimulator], Call]] = {
    "datafile": datafile, "secured": secured, "impression": impression, "conversion": conversion, "batch": batch,
    "european": european, "bandit": bandit, "segments": segments, "anonymous_segments": anonymous_segments,
    "platform_events": platform_events, "prediction": prediction,
}
