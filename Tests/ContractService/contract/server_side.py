"""Clients that decide for any context, as servers need them."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import Any

import hoist
from hoist import launchdarkly
from hoist.launchdarkly import Context

from . import contexts
from .big_segments import CallbackBigSegments
from .callbacks import request
from .client import DEFAULT_WAIT_MS, ContractClient, StartFailed
from .hooks import hooks_of
from .listeners import Listeners
from .migrations import migrated, stage_of
from .reading import Members, Refused
from .server_configuration import config_of, is_daemon

_IDENTIFY_SECONDS = 5.0


class ServerSide(ContractClient):
    """A client of mode server."""

    def __init__(self, configuration: Members) -> None:
        wait, may_fail = configuration.whole("startWaitTimeMs"), configuration.boolean("initCanFail")
        section = configuration.object("bigSegments")
        self._segments_at = section.needed_text("callbackUri") if section else None
        segments = None if self._segments_at is None else CallbackBigSegments(self._segments_at)
        try:
            config, hooks = config_of(configuration), hooks_of(configuration)
            self._client = launchdarkly.Client(config, hooks=hooks, big_segments=segments)
        except hoist.Error as problem:
            raise Refused(f"the configuration is refused: {problem}") from None
        self._listeners = Listeners(self._client)
        if not self._start((wait or DEFAULT_WAIT_MS) / 1000) and not may_fail and not is_daemon(configuration):
            self.close()
            raise StartFailed("the client is not initialized in time")

    def _start(self, seconds: float) -> bool:
        """Waits for the service. What a store holds makes the client readable before that."""
        end = time.monotonic() + seconds
        self._client.wait_ready(seconds)
        while not self._client.is_initialized and self._client.state is hoist.State.STALE and time.monotonic() < end:
            threading.Event().wait(0.01)
        return self._client.is_initialized

    def close(self) -> None:
        super().close()
        if self._segments_at is not None:
            with contextlib.suppress(OSError):
                request("DELETE", self._segments_at + "/")

    def subject(self, parameters: Members) -> Context:
        """Each command says whom it is about; no key is made here for a context that lacks one."""
        context = contexts.needed_context(parameters)
        if None in context.keys.values():
            raise Refused(f"{parameters.name}: its context has no key")
        return context

    # ---- Commands --------------------------------------------------------------------------------

    def evaluate_all(self, parameters: Members) -> dict[str, Any]:
        context = self.subject(parameters)
        state = self._client.all_flags_state(
            context,
            with_reasons=parameters.boolean("withReasons"),
            client_side_only=parameters.boolean("clientSideOnly"),
            details_only_for_tracked_flags=parameters.boolean("detailsOnlyForTrackedFlags"),
        )
        return {"state": state.to_dict()}

    def identify(self, parameters: Members) -> None:
        # The core's call: that of LaunchDarkly's words waits for flags of one context.
        hoist.Client.identify(self._client, self.subject(parameters).to_hoist(), _IDENTIFY_SECONDS)

    def secure_mode_hash(self, parameters: Members) -> dict[str, str]:
        context = self.subject(parameters)
        return {"result": self._client.secure_mode_hash(context)}

    def big_segments_status(self, parameters: Members) -> dict[str, bool]:
        status = self._client.big_segments_status
        return {"available": status.is_available, "stale": status.is_stale}

    def migration_variation(self, parameters: Members) -> dict[str, str]:
        key, context = parameters.needed_text("key"), self.subject(parameters)
        stage, _ = self._client.migration_variation(key, context, stage_of(parameters))
        return {"result": stage.name.lower()}

    def migration_operation(self, parameters: Members) -> dict[str, str]:
        return {"result": migrated(self._client, self.subject(parameters), parameters)}

    def listen_to_flags(self, parameters: Members) -> None:
        self._listeners.add_flags(parameters)

    def listen_to_value(self, parameters: Members) -> None:
        self._listeners.add_value(parameters, self.subject(parameters))

    def unlisten(self, parameters: Members) -> None:
        self._listeners.remove(parameters)

    commands = {
        **ContractClient.commands,
        "evaluateAll": evaluate_all,
        "identifyEvent": identify,
        "secureModeHash": secure_mode_hash,
        "getBigSegmentStoreStatus": big_segments_status,
        "migrationVariation": migration_variation,
        "migrationOperation": migration_operation,
        "registerFlagChangeListener": listen_to_flags,
        "registerFlagValueChangeListener": listen_to_value,
        "unregisterListener": unlisten,
    }
