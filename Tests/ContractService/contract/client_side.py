"""Clients for one context each: the service evaluates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hoist
from hoist import launchdarkly

from . import contexts
from .client import DEFAULT_WAIT_MS, ContractClient
from .configuration import about_the_program, data_source, events, given, network
from .hooks import hooks_of
from .reading import Members, Refused

# The harness expects a second poll soon, whether it names an interval or not.
_DEFAULT_POLL_MS = 500
_IDENTIFY_SECONDS = 30.0


class ClientSide(ContractClient):
    """A client of mode client."""

    def __init__(self, configuration: Members, store: Path) -> None:
        side, wait = configuration.object("clientSide"), configuration.whole("startWaitTimeMs")
        configuration.boolean("initCanFail")
        context = contexts.context_of(side) if side else None
        try:
            self._client = launchdarkly.Client(properties(configuration, store), context=context, hooks=hooks_of(configuration))
        except hoist.Error as problem:
            raise Refused(f"the configuration is refused: {problem}") from None
        # A client is one whatever becomes of its start: the harness looks at what it does then.
        self._client.start((wait or DEFAULT_WAIT_MS) / 1000)

    def subject(self, parameters: Members) -> None:
        """Always the client's own."""

    def evaluate_all(self, parameters: Members) -> dict[str, Any]:
        return {"state": self._client.all_flag_values() or {}}

    def identify(self, parameters: Members) -> None:
        context = contexts.needed_context(parameters)
        # A request that must not be dropped for a newer one: the harness waits for the answer.
        self._client.identify(context, _IDENTIFY_SECONDS, sheddable=False)

    commands = {**ContractClient.commands, "evaluateAll": evaluate_all, "identifyEvent": identify}


def properties(configuration: Members, store: Path) -> dict[str, Any]:
    """The properties of a client; its context and its hooks are read elsewhere.

    A later client has to find what an earlier one has cached, but not its undelivered events: the
    harness knows no client but its own.
    """
    return given({
        "mobile_key": configuration.text("credential") or "",
        "store.path": str(store),
        "events.durability": "memory",
        "ignore_polling_minimum": True,
        "autostart": False,
        "summaries_per_context": "events" in configuration,
        **data_source(configuration),
        **_intervals(configuration),
        **events(configuration),
        **about_the_program(configuration),
        **_client_side(configuration.object("clientSide")),
        **network(configuration),
        # Of a service with automatic attributes the harness expects that an id which cannot be sent takes the version with it.
        **_attributes(configuration),
    })  # fmt: skip


def _intervals(configuration: Members) -> dict[str, Any]:
    polling = configuration.object("polling")
    interval = polling.whole("pollIntervalMs") if polling else None
    if configuration.object("streaming"):
        # With both sections it is the interval in the background.
        return {"background_flag_polling_interval_ms": interval}
    return {"flag_polling_interval_ms": _DEFAULT_POLL_MS if interval is None else interval}


def _client_side(section: Members | None) -> dict[str, Any]:
    if section is None:
        return {}
    return {
        "evaluation_reasons": section.boolean("evaluationReasons"),
        "use_report": section.boolean("useReport"),
        "secure_mode_hash": section.text("hash"),
    }


def _attributes(configuration: Members) -> dict[str, Any]:
    section = configuration.object("clientSide")
    if section and "includeEnvironmentAttributes" in section:
        return {"auto_env_attributes": section.boolean("includeEnvironmentAttributes")}
    return {"auto_env_attributes": True if configuration.object("tags") else None}
