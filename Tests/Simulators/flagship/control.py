"""What the control port offers beyond the common routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .environment import Environment

if TYPE_CHECKING:
    from .simulator import FlagshipSimulator


def describe(simulator: FlagshipSimulator) -> dict[str, Any]:
    """The addresses and keys; also what the command prints at its start."""
    return {"environmentId": simulator.environment_id, "apiKey": simulator.api_key,
            "decisionUrl": simulator.decision_url, "ownUrl": simulator.own_url, "cdnUrl": simulator.cdn_url,
            "eventsUrl": simulator.events_url, "segmentsUrl": simulator.segments_url, "scoreUrl": simulator.score_url,
            "controlUrl": simulator.control_url}


def add_routes(simulator: FlagshipSimulator) -> None:
    control, ledger = simulator.control, simulator.ledger
    control.add("GET", "/hits", lambda query, body: ledger.hits(query.get("kind"), query.get("visitor")))
    control.add("GET", "/activations", lambda query, body: ledger.activations(query.get("visitor")))
    control.add("GET", "/consents", lambda query, body: ledger.consents(query["visitor"]))
    control.add("GET", "/reports", lambda query, body: ledger.reports())
    control.add("GET", "/environments", lambda query, body: simulator.environments.as_json())
    control.add("POST", "/environments", lambda query, body: _add(simulator, body))
    control.add("PUT", "/bucketing", lambda query, body: {
        "lastModified": _environment(simulator, query).publish(body).last_modified})
    control.add("DELETE", "/bucketing", lambda query, body: simulator.environments.publications.withdraw(
        _environment(simulator, query).identifier))
    control.add("POST", "/known", lambda query, body: _environment(simulator, query).learn(body))
    control.add("PUT", "/campaigns", lambda query, body: _environment(simulator, query).decide(
        body, query.get("visitor")))
    control.add("POST", "/panic", lambda query, body: _environment(simulator, query).panic(body))
    control.add("PUT", "/account-settings", lambda query, body: _environment(simulator, query).settle(body))
    control.add("PUT", "/segments", lambda query, body: _environment(simulator, query).segment(query["visitor"], body))
    control.add("PUT", "/score", lambda query, body: _environment(simulator, query).score(query["visitor"], body))
    control.add_wait("/wait-hits", lambda query, count, timeout: simulator.wait_for_hits(
        count, query.get("kind"), timeout))
    control.add_wait("/wait-activations", lambda query, count, timeout: simulator.wait_for_activations(count, timeout))


def _environment(simulator: FlagshipSimulator, query: dict[str, str]) -> Environment:
    found = simulator.environments.find(query.get("environment", simulator.environment_id))
    if found is None:
        raise ValueError(f"no environment {query.get('environment')}")
    return found


def _add(simulator: FlagshipSimulator, body: Any) -> None:
    simulator.add_environment(body["environment"], body["apiKey"], body["bucketing"])
