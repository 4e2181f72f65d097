"""What the control port offers beyond the common routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from launchdarkly.control import add_event_routes
from loopback.orders import add_stream_routes

from .environment import FLAGS, SEGMENTS, Environment

if TYPE_CHECKING:
    from .simulator import LaunchDarklyServerSimulator


def describe(simulator: LaunchDarklyServerSimulator) -> dict[str, Any]:
    """The addresses and keys; also what the command prints at its start."""
    return {"url": simulator.url, "sdkKey": simulator.sdk_key, "sdkKeys": list(simulator.environments),
            "controlUrl": simulator.control_url}


def add_routes(simulator: LaunchDarklyServerSimulator) -> None:
    control = simulator.control
    add_event_routes(simulator, "sdkKey")
    add_stream_routes(control, simulator.streams)
    control.add("GET", "/data", lambda query, body: _chosen(simulator, query).as_json())
    control.add("PUT", "/data", lambda query, body: _replace(simulator, query, _object(body)))
    control.add("POST", "/known", lambda query, body: _chosen(simulator, query).learn(_object(body)))
    control.add("POST", "/context", lambda query, body: _chosen(simulator, query).meet(_object(body)))
    for path, kind in (("/flag", FLAGS), ("/segment", SEGMENTS)):
        control.add("POST", path, lambda query, body, kind=kind: {"version": simulator.set(
            kind, query["key"], _chosen(simulator, query), **_object(body)).version})
        control.add("DELETE", path, lambda query, body, kind=kind: {"version": simulator.delete(
            kind, query["key"], int(query["version"]) if "version" in query else None, _chosen(simulator, query)).version})


def _chosen(simulator: LaunchDarklyServerSimulator, query: dict[str, str]) -> Environment:
    """The environment that a call is about."""
    key = query.get("sdkKey", simulator.sdk_key)
    if key not in simulator.environments:
        raise ValueError(f"no environment has the key {key}")
    return simulator.environments[key]


def _object(body: Any) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise ValueError("the body must be an object")
    return body


def _replace(simulator: LaunchDarklyServerSimulator, query: dict[str, str], body: dict[str, Any]) -> None:
    if query.get("sdkKey", simulator.sdk_key) not in simulator.environments:
        simulator.add_environment(query["sdkKey"], body)
    else:
        simulator.replace_data(body, _chosen(simulator, query))
