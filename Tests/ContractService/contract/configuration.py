"""A client's configuration, from the harness's words to properties."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .reading import Members, Refused

DEFAULT_WAIT_MS = 5000
# The harness expects a second poll soon, whether it names an interval or not.
_DEFAULT_POLL_MS = 500


def properties(configuration: Members, store: Path) -> dict[str, Any]:
    """The properties of a client; its context and its hooks are read elsewhere.

    A later client has to find what an earlier one has cached, but not its undelivered events: the
    harness knows no client but its own.
    """
    found: dict[str, Any] = {
        "mobile_key": configuration.text("credential") or "",
        "store.path": str(store),
        "events.durability": "memory",
        "ignore_polling_minimum": True,
        "autostart": False,
    }
    found |= _data_source(configuration)
    found |= _events(configuration)
    found |= _about_the_program(configuration)
    found |= _client_side(configuration.object("clientSide"))
    return found | _network(configuration)


def _endpoint(configuration: Members, service: str) -> str | None:
    """The address of a service: its own section wins over `serviceEndpoints`."""
    section, endpoints = configuration.object(service), configuration.object("serviceEndpoints")
    own = section.text("baseUri") if section else None
    return own or (endpoints.text(service) if endpoints else None)


def _data_source(configuration: Members) -> dict[str, Any]:
    streaming, polling = configuration.object("streaming"), configuration.object("polling")
    found: dict[str, Any] = {
        # Only a polling section, and no stream: polling. With both, it is the interval in the background.
        "streaming_mode": "polling" if polling and not streaming else "streaming",
        "stream_url": _endpoint(configuration, "streaming"),
        "base_url": _endpoint(configuration, "polling"),
        "initial_retry_delay_ms": streaming.whole("initialRetryDelayMs") if streaming else None,
    }
    interval = polling.whole("pollIntervalMs") if polling else None
    if streaming:
        found["background_flag_polling_interval_ms"] = interval
    else:
        found["flag_polling_interval_ms"] = _DEFAULT_POLL_MS if interval is None else interval
    return _given(found)


def _events(configuration: Members) -> dict[str, Any]:
    events = configuration.object("events")
    if events is None:
        # Nothing is sent then, even if serviceEndpoints names an address.
        return {"send_events": False, "diagnostic_opt_out": True}
    # omitAnonymousContexts is for services that send index events.
    return _given({
        "events_url": _endpoint(configuration, "events"),
        "event_capacity": events.whole("capacity") or None,
        "diagnostic_opt_out": not events.boolean("enableDiagnostics"),
        "all_context_attributes_private": events.boolean("allAttributesPrivate"),
        "private_context_attributes": events.texts("globalPrivateAttributes"),
        "events.flush_interval_ms": events.whole("flushIntervalMs"),
        "summaries_per_context": True,
        "enable_compression": events.boolean("enableGzip"),
    })  # fmt: skip


def _client_side(section: Members | None) -> dict[str, Any]:
    if section is None:
        return {}
    found: dict[str, Any] = {
        "evaluation_reasons": section.boolean("evaluationReasons"),
        "use_report": section.boolean("useReport"),
        "secure_mode_hash": section.text("hash"),
    }
    if "includeEnvironmentAttributes" in section:
        found["auto_env_attributes"] = section.boolean("includeEnvironmentAttributes")
    return _given(found)


def _about_the_program(configuration: Members) -> dict[str, Any]:
    tags, wrapper = configuration.object("tags"), configuration.object("wrapper")
    found: dict[str, Any] = {}
    if tags:
        # Of a service with automatic attributes the harness expects that an id which cannot be sent takes the version with it.
        found |= {"application_id": tags.text("applicationId"), "application_version": tags.text("applicationVersion"),
                  "auto_env_attributes": True}  # fmt: skip
    if wrapper:
        found |= {"wrapper_name": wrapper.text("name"), "wrapper_version": wrapper.text("version")}
    return _given(found)


def _network(configuration: Members) -> dict[str, Any]:
    tls, proxy = configuration.object("tls"), configuration.object("proxy")
    found: dict[str, Any] = {}
    if tls:
        if tls.boolean("skipVerifyPeer"):
            raise Refused("tls.skipVerifyPeer: the library always verifies its peer")
        found["network.ca_file"] = tls.text("customCAFile")
    if proxy:
        found["network.proxy"] = proxy.text("httpProxy")
    return _given(found)


def _given(found: dict[str, Any]) -> dict[str, Any]:
    """What has a value: the rest keeps its default."""
    return {name: value for name, value in found.items() if value is not None}
