"""What the control port offers beyond the common routes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loopback.orders import add_stream_routes

from .site import PRODUCTION, Site

if TYPE_CHECKING:
    from .simulator import KameleoonSimulator


def describe(simulator: KameleoonSimulator) -> dict[str, Any]:
    """The addresses and codes; also what the command prints at its start."""
    return {"siteCode": simulator.site_code, "configurationUrl": simulator.configuration_url,
            "dataUrl": simulator.data_url, "streamUrl": simulator.stream_url, "tokenUrl": simulator.token_url,
            "controlUrl": simulator.control_url}


def add_routes(simulator: KameleoonSimulator) -> None:
    control, ledger, tokens = simulator.control, simulator.ledger, simulator.tokens
    control.add("GET", "/lines", lambda query, body: [
        line.as_json() for line in ledger.lines(query.get("kind"), query.get("visitor"))])
    control.add("GET", "/queries", lambda query, body: ledger.queries(query["endpoint"]))
    control.add("GET", "/sites", lambda query, body: simulator.sites.as_json())
    control.add("POST", "/sites", lambda query, body: _add(simulator, body))
    control.add("PUT", "/configuration", lambda query, body: {
        "lastModified": _site(simulator, query).publish(body, query.get("environment", PRODUCTION)).last_modified})
    control.add("DELETE", "/configuration", lambda query, body: _site(simulator, query).publications.withdraw(
        query.get("environment", PRODUCTION)))
    control.add("POST", "/known", lambda query, body: _site(simulator, query).learn(body))
    control.add("PUT", "/visitor", lambda query, body: _site(simulator, query).remember(query["visitor"], body))
    control.add("PUT", "/remote", lambda query, body: _site(simulator, query).store(query["key"], body))
    control.add("PUT", "/consent", lambda query, body: _site(simulator, query).consent(query["visitor"], body))
    control.add("POST", "/end-visits", lambda query, body: ledger.end_visits())
    control.add("PUT", "/credentials", lambda query, body: tokens.register(
        _site(simulator, query).code, body["id"], body["secret"]))
    control.add("GET", "/tokens", lambda query, body: tokens.given)
    control.add("DELETE", "/tokens", lambda query, body: {"revoked": tokens.revoke()})
    add_stream_routes(control, simulator.streams, {
        "announce": lambda body: _announce(simulator, body),
        "restart": lambda body: simulator.restart_stream(body.get("refused", 0), body.get("how", "reset"))})
    control.add_wait("/wait-lines", lambda query, count, timeout: simulator.wait_for_lines(
        count, query.get("kind"), query.get("visitor"), timeout))


def _site(simulator: KameleoonSimulator, query: dict[str, str]) -> Site:
    found = simulator.sites.find(query.get("site", simulator.site_code))
    if found is None:
        raise ValueError(f"no site {query.get('site')}")
    return found


def _add(simulator: KameleoonSimulator, body: Any) -> None:
    simulator.add_site(body["site"], body["configuration"])


def _announce(simulator: KameleoonSimulator, body: dict[str, Any]) -> int:
    simulator.announce(_site(simulator, body), body.get("time"))
    return len(simulator.streams.open)
