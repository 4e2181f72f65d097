"""What the control port offers beyond the common routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopback.orders import add_stream_routes

from .environment import Environment
from .service import ChangeService

if TYPE_CHECKING:
    from .simulator import LaunchDarklySimulator


def describe(simulator: LaunchDarklySimulator) -> dict[str, Any]:
    """The addresses and keys; also what the command prints at its start."""
    return {"url": simulator.url, "mobileKey": simulator.mobile_key, "mobileKeys": list(simulator.environments),
            "controlUrl": simulator.control_url}


def add_routes(simulator: LaunchDarklySimulator) -> None:
    control = simulator.control
    add_event_routes(simulator, "mobileKey")
    control.add("GET", "/flags", lambda query, body: _chosen(simulator, query).as_json())
    control.add("PUT", "/flags", lambda query, body: _replace(simulator, query, body))
    control.add("POST", "/flag", lambda query, body: _set(simulator, query, body))
    control.add("DELETE", "/flag", lambda query, body: _delete(simulator, query))
    control.add("POST", "/known", lambda query, body: _chosen(simulator, query).learn(body))
    add_stream_routes(control, simulator.streams, {"ping": lambda body: simulator.ping()})


def add_event_routes(service: ChangeService[Any], key_name: str) -> None:
    """What events were accepted; `key_name` is how a call names an environment."""
    control, ledger = service.control, service.ledger
    control.add("GET", "/events", lambda query, body: ledger.events(query.get("kind"), query.get(key_name)))
    control.add("GET", "/diagnostics", lambda query, body: ledger.diagnostics())
    control.add_wait("/wait-events", lambda query, count, timeout: service.wait_for_events(query["kind"], count, timeout))
    control.add_wait("/wait-evaluations", lambda query, count, timeout: service.wait_for_evaluations(
        query["key"], count, timeout))


def _chosen(simulator: LaunchDarklySimulator, query: dict[str, str]) -> Environment:
    """The environment that a call is about."""
    key = query.get("mobileKey", simulator.mobile_key)
    if key not in simulator.environments:
        raise ValueError(f"no environment has the key {key}")
    return simulator.environments[key]


def _replace(simulator: LaunchDarklySimulator, query: dict[str, str], body: Any) -> None:
    if not isinstance(body, dict):
        raise ValueError("the body must be an object of flags")
    if query.get("mobileKey", simulator.mobile_key) not in simulator.environments:
        simulator.add_environment(query["mobileKey"], body)
    else:
        simulator.replace_flags(body, _chosen(simulator, query))


def _set(simulator: LaunchDarklySimulator, query: dict[str, str], body: Any) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise ValueError("the body must be an object of a flag's fields")
    chosen = _chosen(simulator, query)
    change = simulator.set_flag(query["key"], chosen, query.get("context"), **body)
    return {"version": change.version}


def _delete(simulator: LaunchDarklySimulator, query: dict[str, str]) -> dict[str, Any]:
    version = int(query["version"]) if "version" in query else None
    return {"version": simulator.delete_flag(query["key"], version, _chosen(simulator, query)).version}
