"""Which endpoints there are and what each demands of a request (protocol 2.1)."""

from __future__ import annotations

from launchdarkly.routes import DIAGNOSTICS, EVENTS, POLL, STREAM, UNKNOWN, Endpoint

ENDPOINTS = {endpoint.name: endpoint for endpoint in (
    Endpoint(STREAM, "GET", "/all"),
    Endpoint(POLL, "GET", "/sdk/latest-all"),
    Endpoint(EVENTS, "POST", "/bulk"),
    Endpoint(DIAGNOSTICS, "POST", "/diagnostic"),
)}
NAMES = (*ENDPOINTS, UNKNOWN)
STREAMING = (STREAM,)
