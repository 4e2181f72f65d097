"""A client's configuration for the server side, from the harness's words to properties."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from hoist import Config

from . import plugin
from .configuration import about_the_program, data_source, events, given, network
from .reading import Members, Refused

_REDIS_PORT = 6379


def config_of(configuration: Members) -> Config:
    """What a client is opened from; its hooks are read elsewhere."""
    config = Config("launchdarkly", properties(configuration))
    store = configuration.object("persistentDataStore")
    if store:
        kept = store.needed_object("store")
        if kept.needed_text("type") != "redis":
            raise Refused(f"{kept.name}.type: of stores there is redis")
        config.load_plugin(plugin.path(), plugin.options(_address(kept), kept.text("prefix")))
    return config


def properties(configuration: Members) -> dict[str, Any]:
    """The properties. The harness knows no client but its own: none leaves anything for the next."""
    return given({
        "mode": "server",
        "mobile_key": configuration.text("credential") or "",
        "store": "none",
        "events.durability": "memory",
        "ignore_polling_minimum": True,
        **data_source(configuration),
        **_of_servers(configuration),
        **events(configuration),
        **_anonymous(configuration.object("events")),
        **about_the_program(configuration),
        **_big_segments(configuration.object("bigSegments")),
        **_persistent(configuration),
        **network(configuration),
    })  # fmt: skip


def is_daemon(configuration: Members) -> bool:
    """Whether rules come from a store alone."""
    endpoints = configuration.object("serviceEndpoints")
    is_connected = "streaming" in configuration or "polling" in configuration or (endpoints and endpoints.text("streaming"))
    return "persistentDataStore" in configuration and not is_connected


def _of_servers(configuration: Members) -> dict[str, Any]:
    """An interval of polls, and the filter of what is asked for; an empty one is none."""
    section, polling = configuration.object("streaming"), configuration.object("polling")
    section = section or polling
    return {
        "flag_polling_interval_ms": (polling.whole("pollIntervalMs") or None) if polling else None,
        "payload_filter_key": (section.text("filter") or None) if section else None,
    }


def _anonymous(section: Members | None) -> dict[str, Any]:
    return {"omit_anonymous_contexts": section.boolean("omitAnonymousContexts")} if section else {}


def _big_segments(section: Members | None) -> dict[str, Any]:
    if section is None:
        return {}
    names = {
        "big_segments_context_cache_size": "userCacheSize",
        "big_segments_context_cache_ms": "userCacheTimeMs",
        "big_segments_status_poll_ms": "statusPollIntervalMs",
        "big_segments_stale_ms": "staleAfterMs",
    }
    return {name: section.whole(told) or None for name, told in names.items()}


def _persistent(configuration: Members) -> dict[str, Any]:
    section = configuration.object("persistentDataStore")
    if section is None:
        return {}
    return {"daemon_mode": is_daemon(configuration) or None, "rules_cache_ms": _cache_ms(section.object("cache"))}


def _cache_ms(cache: Members | None) -> int | None:
    """How long what is read counts as current: 0 for no time, -1 for ever."""
    if cache is None:
        return None
    mode = cache.text("mode") or "ttl"
    if mode not in ("off", "ttl", "infinite"):
        raise Refused(f"{cache.name}.mode is off, ttl or infinite")
    ttl = cache.whole("ttl")
    known = {"off": 0, "infinite": -1}
    return known[mode] if mode in known else None if ttl is None else ttl * 1000


def _address(kept: Members) -> tuple[str, int]:
    dsn = kept.text("dsn") or ""
    try:
        parts = urlsplit(dsn if "//" in dsn else f"//{dsn}")
        return parts.hostname or "localhost", parts.port or _REDIS_PORT
    except ValueError as problem:
        raise Refused(f"{kept.name}.dsn: {problem}") from None
