"""A client's configuration, from the harness's words to properties: what both sides have."""

from __future__ import annotations

from typing import Any

from .reading import Members, Refused


def endpoint(configuration: Members, service: str) -> str | None:
    """The address of a service: its own section wins over `serviceEndpoints`."""
    section, endpoints = configuration.object(service), configuration.object("serviceEndpoints")
    own = section.text("baseUri") if section else None
    return own or (endpoints.text(service) if endpoints else None)


def data_source(configuration: Members) -> dict[str, Any]:
    """Where flags come from, and how. Only a polling section, and no stream, is polling."""
    streaming, polling = configuration.object("streaming"), configuration.object("polling")
    return {
        "streaming_mode": "polling" if polling and not streaming else "streaming",
        "stream_url": endpoint(configuration, "streaming"),
        "base_url": endpoint(configuration, "polling"),
        "initial_retry_delay_ms": streaming.whole("initialRetryDelayMs") or None if streaming else None,
    }


def events(configuration: Members) -> dict[str, Any]:
    """What is recorded and sent."""
    section = configuration.object("events")
    if section is None:
        # Nothing is sent then, even if serviceEndpoints names an address.
        return {"send_events": False, "diagnostic_opt_out": True}
    return {
        "events_url": endpoint(configuration, "events"),
        "event_capacity": section.whole("capacity") or None,
        "diagnostic_opt_out": not section.boolean("enableDiagnostics"),
        "all_context_attributes_private": section.boolean("allAttributesPrivate"),
        "private_context_attributes": section.texts("globalPrivateAttributes"),
        "events.flush_interval_ms": section.whole("flushIntervalMs"),
        "enable_compression": section.boolean("enableGzip"),
    }


def about_the_program(configuration: Members) -> dict[str, Any]:
    """What requests tell of the program; empty texts are none."""
    tags, wrapper = configuration.object("tags"), configuration.object("wrapper")
    found: dict[str, Any] = {}
    if tags:
        found |= {"application_id": tags.text("applicationId"), "application_version": tags.text("applicationVersion")}
    if wrapper:
        found |= {"wrapper_name": wrapper.text("name"), "wrapper_version": wrapper.text("version")}
    return found


def network(configuration: Members) -> dict[str, Any]:
    """Authorities and a proxy."""
    tls, proxy = configuration.object("tls"), configuration.object("proxy")
    if tls and tls.boolean("skipVerifyPeer"):
        raise Refused("tls.skipVerifyPeer: the library always verifies its peer")
    return {
        "network.ca_file": tls.text("customCAFile") if tls else None,
        "network.proxy": proxy.text("httpProxy") if proxy else None,
    }


def given(found: dict[str, Any]) -> dict[str, Any]:
    """What has a value: the rest keeps its default."""
    return {name: value for name, value in found.items() if value is not None}
