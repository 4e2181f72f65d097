"""One client of the harness's, and the commands it is given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import hoist
from hoist import launchdarkly
from hoist.launchdarkly import EvaluationDetail

from . import contexts
from .configuration import DEFAULT_WAIT_MS, properties
from .hooks import CallbackHook, detail_body
from .reading import Members, Refused

_CLOSE_SECONDS = 3.0
_IDENTIFY_SECONDS = 30.0


class ContractClient:
    """A client, made as the harness wants it."""

    def __init__(self, parameters: Members, store: Path) -> None:
        parameters.text("tag")
        configuration = parameters.needed_object("configuration")
        client_side = configuration.object("clientSide")
        context = contexts.context_of(client_side) if client_side else None
        hooks = configuration.object("hooks")
        wait = configuration.whole("startWaitTimeMs")
        configuration.boolean("initCanFail")
        try:
            self._client = launchdarkly.Client(
                properties(configuration, store),
                context=context,
                hooks=[CallbackHook(hook) for hook in hooks.objects("hooks")] if hooks else [],
            )
        except hoist.Error as problem:
            raise Refused(f"the configuration is refused: {problem}") from None
        # A client is one whatever becomes of its start: the harness looks at what it does then.
        self._client.start((wait or DEFAULT_WAIT_MS) / 1000)

    def close(self) -> None:
        """Ends the client, and sends what it has recorded."""
        self._client.close(_CLOSE_SECONDS)

    def run(self, request: Members) -> Any:
        """Runs a command; answers the body to send, or None."""
        name = request.needed_text("command")
        command = _COMMANDS.get(name)
        if command is None:
            raise Refused(f'there is no command "{name}"')
        return command(self, request.object(name) or Members({}, name))

    # ---- Commands --------------------------------------------------------------------------------

    def evaluate(self, parameters: Members) -> dict[str, Any]:
        key, default = parameters.needed_text("flagKey"), parameters.any("defaultValue")
        kind = _KINDS.get(parameters.text("valueType") or "any", _KINDS["any"])
        default = kind.default(default)
        if parameters.boolean("detail"):
            return detail_body(kind.detail(self._client, key, default))
        return {"value": kind.plain(self._client, key, default)}

    def evaluate_all(self, parameters: Members) -> dict[str, Any]:
        return {"state": self._client.all_flag_values() or {}}

    def identify(self, parameters: Members) -> None:
        context = contexts.context_of(parameters)
        if context is None:
            raise Refused("identifyEvent has neither context nor user")
        # A request that must not be dropped for a newer one: the harness waits for the answer.
        self._client.identify(context, _IDENTIFY_SECONDS, sheddable=False)

    def track(self, parameters: Members) -> None:
        data = parameters.any("data")
        self._client.track_event(parameters.needed_text("eventKey"), data, parameters.number("metricValue"))

    def flush(self, parameters: Members) -> None:
        self._client.flush_soon()

    def context_build(self, parameters: Members) -> dict[str, str]:
        return contexts.built(parameters)

    def context_convert(self, parameters: Members) -> dict[str, str]:
        return contexts.converted(parameters)

    def context_compare(self, parameters: Members) -> dict[str, bool]:
        return contexts.compared(parameters)


class _Kind:
    """A type of values: how it is asked for, and which defaults it takes."""

    def __init__(self, name: str, types: tuple[type, ...] = ()) -> None:
        self.plain: Callable[[Any, str, Any], Any] = getattr(launchdarkly.Client, f"{name}_variation")
        self.detail: Callable[[Any, str, Any], EvaluationDetail[Any]] = getattr(
            launchdarkly.Client, f"{name}_variation_detail"
        )
        self.name = name
        self.types = types

    def default(self, value: Any) -> Any:
        if not self.types:
            return value
        if self.types != (bool,) and isinstance(value, bool) or not isinstance(value, self.types):
            raise Refused(f"evaluate.defaultValue is no {self.name}")
        return self.types[0](value)


_KINDS = {
    "bool": _Kind("bool", (bool,)),
    "int": _Kind("int", (int,)),
    "double": _Kind("double", (float, int)),
    "string": _Kind("string", (str,)),
    "any": _Kind("json"),
}

_COMMANDS: dict[str, Callable[[ContractClient, Members], Any]] = {
    "evaluate": ContractClient.evaluate,
    "evaluateAll": ContractClient.evaluate_all,
    "identifyEvent": ContractClient.identify,
    "customEvent": ContractClient.track,
    "flushEvents": ContractClient.flush,
    "flush": ContractClient.flush,
    "contextBuild": ContractClient.context_build,
    "contextConvert": ContractClient.context_convert,
    "contextComparison": ContractClient.context_compare,
}
