"""What the control port offers beyond the common routes."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from loopback.findings import brief

from .environment import Environment

if TYPE_CHECKING:
    from .simulator import LaunchDarklySimulator


def describe(simulator: LaunchDarklySimulator) -> dict[str, Any]:
    """The addresses and keys; also what the command prints at its start."""
    return {"url": simulator.url, "mobileKey": simulator.mobile_key, "mobileKeys": list(simulator.environments),
            "controlUrl": simulator.control_url}


def add_routes(simulator: LaunchDarklySimulator) -> None:
    control, ledger = simulator.control, simulator.ledger
    control.add("GET", "/", lambda query, body: describe(simulator))
    control.add("GET", "/ledger", lambda query, body: ledger.as_json())
    control.add("GET", "/posts", lambda query, body: [post.as_json() for post in ledger.posts])
    control.add("GET", "/events", lambda query, body: ledger.events(query.get("kind"), query.get("mobileKey")))
    control.add("GET", "/diagnostics", lambda query, body: ledger.diagnostics())
    control.add("GET", "/flags", lambda query, body: _chosen(simulator, query).as_json())
    control.add("PUT", "/flags", lambda query, body: _replace(simulator, query, body))
    control.add("POST", "/flag", lambda query, body: _set(simulator, query, body))
    control.add("DELETE", "/flag", lambda query, body: _delete(simulator, query))
    control.add("POST", "/known", lambda query, body: _chosen(simulator, query).learn(body))
    control.add("GET", "/options", lambda query, body: simulator.options.as_json())
    control.add("POST", "/options", lambda query, body: simulator.options.change(**body))
    control.add("GET", "/streams", lambda query, body: simulator.streams.as_json())
    control.add("POST", "/streams", lambda query, body: {"streams": _order(simulator, body)})
    control.add("GET", "/wait-streams", lambda query, body: {
        "reached": simulator.wait_for_streams(int(query.get("count", "1")), _timeout(query))})
    control.add("GET", "/wait-events", lambda query, body: {
        "reached": simulator.wait_for_events(query["kind"], int(query.get("count", "1")), _timeout(query))})
    control.add("GET", "/wait-evaluations", lambda query, body: {
        "reached": simulator.wait_for_evaluations(query["key"], int(query.get("count", "1")), _timeout(query))})


def _timeout(query: dict[str, str]) -> float:
    return float(query.get("timeout", "5"))


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


def _order(simulator: LaunchDarklySimulator, body: Any) -> int:
    """Carries out `action` on all open streams; returns how many there are."""
    streams, action = simulator.streams, body.get("action")
    if action == "drop":
        return streams.drop(body.get("how", "close"))
    if action == "send":
        return streams.send(body["event"], body["data"], body.get("id"))
    if action == "truncate":
        return streams.truncate(body["event"], body["data"], body["keep"], body.get("how", "close"))
    if action == "raw":
        return streams.raw(base64.b64decode(body["base64"], validate=True))
    simple = {"ping": simulator.ping, "stall": streams.stall, "resume": streams.resume,
              "keep-alive": streams.keep_alive}
    if action in simple:
        return simple[action]()
    raise ValueError(f"action {brief(action)} is not drop, send, truncate, raw, {', '.join(simple)}")
