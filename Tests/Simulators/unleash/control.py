"""What the control port offers beyond the common routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopback.orders import add_stream_routes

if TYPE_CHECKING:
    from .simulator import UnleashSimulator


def describe(simulator: UnleashSimulator) -> dict[str, Any]:
    """The addresses and keys; also what the command prints at its start."""
    return {"frontendUrl": simulator.frontend_url, "apiUrl": simulator.api_url, "controlUrl": simulator.control_url,
            "frontendKey": simulator.frontend_key, "backendKey": simulator.backend_key,
            "flavour": simulator.options.flavour}


def add_routes(simulator: UnleashSimulator) -> None:
    control, state = simulator.control, simulator.state
    control.add("GET", "/clients", lambda query, body: simulator.identities.clients)
    control.add("GET", "/state", lambda query, body: _state(simulator))
    control.add("PUT", "/state", lambda query, body: {"revision": state.replace(body)})
    control.add("POST", "/state", lambda query, body: {"revision": _update(simulator, body)})
    control.add("POST", "/forget-history", lambda query, body: state.forget_history())
    add_stream_routes(control, simulator.streams, {
        "send": lambda body: _send(simulator, body),
        "fetch-mode": lambda body: simulator.streams.send("fetch-mode", "polling")})
    control.add_wait("/wait-posts", lambda query, count, timeout: simulator.wait_for_posts(count, timeout))


def _state(simulator: UnleashSimulator) -> dict[str, Any]:
    snapshot = simulator.state.snapshot()
    return {"revision": snapshot.revision, "features": list(snapshot.features), "segments": list(snapshot.segments)}


def _update(simulator: UnleashSimulator, body: Any) -> int:
    return simulator.state.update(*body.get("features", []), remove=tuple(body.get("remove", [])),
                                  segments=tuple(body.get("segments", [])))


def _send(simulator: UnleashSimulator, body: Any) -> int:
    identifier = body.get("id")
    if isinstance(identifier, int):
        simulator.state.note_sent(identifier)
    return simulator.streams.send(body["event"], body["data"], identifier)
