"""What the control port offers beyond the common routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .simulator import OptimizelySimulator


def describe(simulator: OptimizelySimulator) -> dict[str, Any]:
    """The addresses and keys; also what the command prints at its start."""
    return {"sdkKey": simulator.sdk_key, "datafileUrl": simulator.datafile_url, "securedUrl": simulator.secured_url,
            "eventsUrl": simulator.events_url, "euEventsUrl": simulator.eu_events_url,
            "platformHost": simulator.platform_host, "predictionUrl": simulator.prediction_url,
            "controlUrl": simulator.control_url}


def add_routes(simulator: OptimizelySimulator) -> None:
    control, datafiles = simulator.control, simulator.datafiles
    control.add("GET", "/events", lambda query, body: [event.as_json() for event in simulator.ledger.events()])
    control.add("GET", "/platform-events", lambda query, body: simulator.ledger.platform_events())
    control.add("GET", "/datafiles", lambda query, body: {
        key: {"lastModified": known.last_modified, "secured": known.token is not None, "bytes": len(known.body)}
        for key, known in datafiles.keys().items()})
    control.add("PUT", "/datafile", lambda query, body: {
        "lastModified": simulator.publish(body, query.get("sdkKey"), query.get("token")).last_modified})
    control.add("DELETE", "/datafile", lambda query, body: datafiles.withdraw(query.get("sdkKey", simulator.sdk_key)))
    control.add("POST", "/known", lambda query, body: datafiles.learn(body))
    control.add("GET", "/customers", lambda query, body: simulator.customers.as_json())
    control.add("POST", "/customers", lambda query, body: _customer(simulator, body))
    control.add("POST", "/choices", lambda query, body: simulator.choices.choose(
        body["rule"], body["variation"], body.get("visitor")))
    control.add_wait("/wait-events", lambda query, count, timeout: simulator.wait_for_events(count, timeout))
    control.add_wait("/wait-platform-events", lambda query, count, timeout: simulator.wait_for_platform_events(
        count, timeout))


def _customer(simulator: OptimizelySimulator, body: Any) -> None:
    if body.get("unknown"):
        simulator.customers.forget(body["user"])
    else:
        simulator.customers.qualify(body["user"], *body.get("segments", []))
