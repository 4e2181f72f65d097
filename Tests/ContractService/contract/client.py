"""One client of the harness's, and the commands that those of both sides are given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from hoist import launchdarkly
from hoist.launchdarkly import Context, EvaluationDetail

from . import contexts
from .hooks import detail_body
from .reading import Members, Refused

DEFAULT_WAIT_MS = 5000
_CLOSE_SECONDS = 3.0


class StartFailed(Exception):
    """A client has no flags in time, and the harness wants none then; the answer is 500."""


class ContractClient(ABC):
    """A client, made as the harness wants it. Commands are methods by the harness's names, in words of Python's."""

    _client: launchdarkly.Client

    def close(self) -> None:
        """Ends the client, and sends what it has recorded."""
        self._client.close(_CLOSE_SECONDS)

    def run(self, request: Members) -> Any:
        """Runs a command; answers the body to send, or None."""
        name = request.needed_text("command")
        command = self.commands.get(name)
        if command is None:
            raise Refused(f'there is no command "{name}"')
        return command(self, request.object(name) or Members({}, name))

    @abstractmethod
    def subject(self, parameters: Members) -> Context | None:
        """Whom a command is about; None for the client's own context."""

    # ---- Commands --------------------------------------------------------------------------------

    def evaluate(self, parameters: Members) -> dict[str, Any]:
        key, default = parameters.needed_text("flagKey"), parameters.any("defaultValue")
        kind = _KINDS.get(parameters.text("valueType") or "any", _KINDS["any"])
        default, context = kind.default(default), self.subject(parameters)
        if parameters.boolean("detail"):
            return detail_body(kind.detail(self._client, key, default, context))
        return {"value": kind.plain(self._client, key, default, context)}

    def track(self, parameters: Members) -> None:
        key, data = parameters.needed_text("eventKey"), parameters.any("data")
        self._client.track_event(key, data, parameters.number("metricValue"), context=self.subject(parameters))

    def flush(self, parameters: Members) -> None:
        self._client.flush_soon()

    def context_build(self, parameters: Members) -> dict[str, str]:
        return contexts.built(parameters)

    def context_convert(self, parameters: Members) -> dict[str, str]:
        return contexts.converted(parameters)

    def context_compare(self, parameters: Members) -> dict[str, bool]:
        return contexts.compared(parameters)

    commands: dict[str, Callable[[Any, Members], Any]] = {
        "evaluate": evaluate,
        "customEvent": track,
        "flushEvents": flush,
        "flush": flush,
        "contextBuild": context_build,
        "contextConvert": context_convert,
        "contextComparison": context_compare,
    }


class _Kind:
    """A type of values: how it is asked for, and which defaults it takes."""

    def __init__(self, name: str, types: tuple[type, ...] = ()) -> None:
        self.plain: Callable[[Any, str, Any, Context | None], Any] = getattr(launchdarkly.Client, f"{name}_variation")
        self.detail: Callable[[Any, str, Any, Context | None], EvaluationDetail[Any]] = getattr(
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
