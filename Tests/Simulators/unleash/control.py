"""What the control port offers beyond the common routes."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from loopback.findings import brief

if TYPE_CHECKING:
    from .simulator import UnleashSimulator


def describe(simulator: UnleashSimulator) -> dict[str, Any]:
    """The addresses and keys; also what the command prints at its start."""
    return {"frontendUrl": simulator.frontend_url, "apiUrl": simulator.api_url, "controlUrl": simulator.control_url,
            "frontendKey": simulator.frontend_key, "backendKey": simulator.backend_key,
            "flavour": simulator.options.flavour}


def add_routes(simulator: UnleashSimulator) -> None:
    control, state = simulator.control, simulator.state
    control.add("GET", "/", lambda query, body: describe(simulator))
    control.add("GET", "/ledger", lambda query, body: simulator.ledger.as_json())
    control.add("GET", "/posts", lambda query, body: [post.as_json() for post in simulator.ledger.posts])
    control.add("GET", "/clients", lambda query, body: simulator.identities.clients)
    control.add("GET", "/state", lambda query, body: _state(simulator))
    control.add("PUT", "/state", lambda query, body: {"revision": state.replace(body)})
    control.add("POST", "/state", lambda query, body: {"revision": _update(simulator, body)})
    control.add("POST", "/forget-history", lambda query, body: state.forget_history())
    control.add("GET", "/options", lambda query, body: simulator.options.as_json())
    control.add("POST", "/options", lambda query, body: simulator.options.change(**body))
    control.add("GET", "/streams", lambda query, body: simulator.streams.as_json())
    control.add("POST", "/streams", lambda query, body: {"streams": _order(simulator, body)})
    control.add("GET", "/wait-streams", lambda query, body: {
        "reached": simulator.wait_for_streams(int(query.get("count", "1")), float(query.get("timeout", "5")))})
    control.add("GET", "/wait-posts", lambda query, body: {
        "reached": simulator.wait_for_posts(int(query.get("count", "1")), float(query.get("timeout", "5")))})


def _state(simulator: UnleashSimulator) -> dict[str, Any]:
    snapshot = simulator.state.snapshot()
    return {"revision": snapshot.revision, "features": list(snapshot.features), "segments": list(snapshot.segments)}


def _update(simulator: UnleashSimulator, body: Any) -> int:
    return simulator.state.update(*body.get("features", []), remove=tuple(body.get("remove", [])),
                                  segments=tuple(body.get("segments", [])))


def _order(simulator: UnleashSimulator, body: Any) -> int:
    """Carries out `action` on all open streams; returns how many there are."""
    streams, action = simulator.streams, body.get("action")
    if action == "drop":
        return streams.drop(body.get("how", "close"))
    if action == "send":
        identifier = body.get("id")
        if isinstance(identifier, int):
            simulator.state.note_sent(identifier)
        return streams.send(body["event"], body["data"], identifier)
    if action == "raw":
        return streams.raw(base64.b64decode(body["base64"], validate=True))
    if action == "keep-alive":
        return streams.keep_alive()
    if action == "fetch-mode":
        return streams.send("fetch-mode", "polling")
    raise ValueError(f"action {brief(action)} is not drop, send, raw, keep-alive or fetch-mode")
