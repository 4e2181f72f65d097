"""A provider for OpenFeature's SDK over any client.

    from openfeature import api
    import hoist
    from hoist.openfeature import Provider

    client = hoist.Client("unleash", mode="backend", url="https://flags.example.com/api", key=key)
    api.set_provider_and_wait(Provider(client))
    api.get_client().get_boolean_value("new-checkout", False)

Needs openfeature-sdk: `pip install 'hoist[openfeature]'`.
"""

from __future__ import annotations

import json
import threading
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

try:
    from openfeature.evaluation_context import EvaluationContext
    from openfeature.event import ProviderEvent, ProviderEventDetails
    from openfeature.exception import (
        ErrorCode,
        GeneralError,
        InvalidContextError,
        ProviderFatalError,
        ProviderNotReadyError,
    )
    from openfeature.flag_evaluation import FlagResolutionDetails, Reason
    from openfeature.hook import Hook
    from openfeature.provider import AbstractProvider, Metadata
    from openfeature.track import TrackingEventDetails
except ImportError as missing:
    raise ImportError("hoist.openfeature needs openfeature-sdk: pip install 'hoist[openfeature]'") from missing

from ._callback import log
from .client import Client, State
from .context import Context
from .detail import Detail
from .observer import Notification, Subscription, Topic
from .status import Error, Status

Value = TypeVar("Value")

_REASONS = {reason.value: reason for reason in Reason}
_CODES = {code.value: code for code in ErrorCode}
_PROBE = "hoist-openfeature"


class Provider(AbstractProvider):
    """Resolves flags by a client, which it closes when it is shut down, and opens again when it is set once more.

    Initializing waits for the client's flags, for `timeout` seconds at most, and raises where there are none by then;
    stored and given ones will do. What becomes of the client later is told as the SDK's events, with the cause as
    message; a client that stops for good with flags to serve is stale, not fatal.

    Where the service evaluates (LaunchDarkly's mode "client", Unleash's "frontend", Flagship's "decision_api") there
    is one context at a time, the *static* one: `is_static` says so. The SDK's global context becomes it when the
    provider is initialized, and by `on_context_change` afterwards; an evaluation for another one is INVALID_CONTEXT,
    and tracking for it refused. Elsewhere every evaluation has a context of its own.
    """

    def __init__(
        self, client: Client, *, timeout: float | None = 10.0, close: bool = True, hooks: Iterable[Hook] = ()
    ) -> None:
        super().__init__()
        self.client = client
        self._timeout, self._closes, self._hooks = timeout, close, list(hooks)
        self._life = threading.Lock()
        self._subscriptions: list[Subscription] = []
        self._is_static = False
        self._told: State | None = None
        """The state that the SDK knows; None while it initializes, when it hears of none."""

    @property
    def is_static(self) -> bool:
        """Whether the service evaluates, for one context at a time. Known once there are flags."""
        return self._is_static

    # ---- Life ------------------------------------------------------------------------------------

    def initialize(self, evaluation_context: EvaluationContext) -> None:
        """Waits for flags, those of the context where there is one at a time."""
        with self._life:  # the SDK shuts providers down in threads of their own
            if self.client.state is State.CLOSED:
                self.client.reopen()
            self._observe()
            try:
                self._begin(evaluation_context)
            finally:
                self._told = self.client.state

    def _begin(self, evaluation_context: EvaluationContext) -> None:
        status = self.client.wait_ready(self._timeout)
        if not status:
            problem = ProviderFatalError if self.client.state is State.FATAL else ProviderNotReadyError
            raise problem(f"{self.client.provider}: no flags, {status.name}, {self.client.state.name}")
        keys = list(self.client.all_flags())
        asked = self.client.explain(keys[0] if keys else _PROBE, Context(_PROBE))
        self._is_static = asked.error_code == "INVALID_CONTEXT"
        if self._is_static:
            log.info("%s evaluates for one context at a time: evaluations for others fail", self.client.provider)
            self.on_context_change(EvaluationContext(), evaluation_context)

    def shutdown(self) -> None:
        """Ends the events, and closes the client unless that is kept open."""
        with self._life:
            for subscription in self._subscriptions:
                subscription.cancel()
            self._subscriptions.clear()
            if self._closes:
                self.client.close()

    def on_context_change(self, old_context: EvaluationContext, new_context: EvaluationContext) -> None:
        """Makes this the static context, and waits for its flags; nothing where evaluations have contexts of their own.

        Raises the SDK's error where the flags cannot be had: former or stored ones are served then, as the service
        does.
        """
        context = _context(new_context)
        if not self._is_static or context is None:
            return
        status = self.client.identify(context, self._timeout)
        if not status:
            raise GeneralError(f"{self.client.provider}: the flags of the context cannot be had, {status.name}")

    def get_metadata(self) -> Metadata:
        """The name is the service's."""
        return Metadata(f"hoist-{self.client.provider}")

    def get_provider_hooks(self) -> list[Hook]:
        """The SDK's hooks that were given; those of the client run inside of them."""
        return self._hooks

    # ---- Events ----------------------------------------------------------------------------------

    def _observe(self) -> None:
        # The client's observers must not keep the provider, which keeps the client.
        held = weakref.ref(self)

        def changed(news: Notification) -> None:
            found = held()
            if found is not None:
                found._state_changed(news)

        def configured(news: Notification) -> None:
            found = held()
            if found is not None and found._told is not None:
                details = ProviderEventDetails(flags_changed=list(news.keys), message=news.message or None)
                found.emit_provider_configuration_changed(details)

        for subscription in self._subscriptions:
            subscription.cancel()
        self._told = None
        topics = ((Topic.STATE, changed), (Topic.CONFIGURATION_CHANGED, configured))
        self._subscriptions = [self.client.observe(topic, observer) for topic, observer in topics]

    def _state_changed(self, news: Notification) -> None:
        state = self.client.state
        if state is State.FATAL and self.client.explain(_PROBE).error_code != "PROVIDER_NOT_READY":
            state = State.STALE
        if self._told is None or state in (self._told, State.RECONCILING, State.CLOSED, State.NOT_READY):
            return
        self._told = state
        event = {State.READY: ProviderEvent.PROVIDER_READY, State.STALE: ProviderEvent.PROVIDER_STALE}
        code = {State.ERROR: ErrorCode.GENERAL, State.FATAL: ErrorCode.PROVIDER_FATAL}.get(state)
        details = ProviderEventDetails(message=news.message or None, error_code=code)
        self.emit(event.get(state, ProviderEvent.PROVIDER_ERROR), details)

    # ---- Tracking --------------------------------------------------------------------------------

    def track(
        self,
        tracking_event_name: str,
        evaluation_context: EvaluationContext | None = None,
        tracking_event_details: TrackingEventDetails | None = None,
    ) -> None:
        """Records an event; what the service cannot carry is refused with a line in its client's log."""
        try:
            context = _context(evaluation_context)
        except InvalidContextError as problem:
            log.warning("event %r is not recorded: %s", tracking_event_name, problem.error_message)
            return
        details = tracking_event_details or TrackingEventDetails()
        status = self.client.track(tracking_event_name, context, value=details.value, properties=details.attributes)
        if status is not Status.OK:
            log.warning("event %r is not recorded as it should be: %s", tracking_event_name, status.name)

    # ---- Resolving: nothing waits, so that the async calls are these ------------------------------

    def resolve_boolean_details(
        self, flag_key: str, default_value: bool, evaluation_context: EvaluationContext | None = None
    ) -> FlagResolutionDetails[bool]:
        """A boolean flag."""
        return self._resolve(flag_key, default_value, bool(default_value), evaluation_context)

    def resolve_string_details(
        self, flag_key: str, default_value: str, evaluation_context: EvaluationContext | None = None
    ) -> FlagResolutionDetails[str]:
        """A text flag."""
        return self._resolve(flag_key, default_value, str(default_value), evaluation_context)

    def resolve_integer_details(
        self, flag_key: str, default_value: int, evaluation_context: EvaluationContext | None = None
    ) -> FlagResolutionDetails[int]:
        """A whole number."""
        return self._resolve(flag_key, default_value, int(default_value), evaluation_context)

    def resolve_float_details(
        self, flag_key: str, default_value: float, evaluation_context: EvaluationContext | None = None
    ) -> FlagResolutionDetails[float]:
        """A number."""
        try:
            asked = float(default_value)
        except OverflowError:
            asked = 0.0
        found = self._resolve(flag_key, default_value, asked, evaluation_context)
        if found.error_code is ErrorCode.TYPE_MISMATCH:
            # Where a service tells whole numbers from others (Flagship), this may be one.
            whole = self._resolve(flag_key, default_value, 0, evaluation_context)
            if whole.error_code is None:
                whole.value = float(whole.value)
                return whole
        return found

    def resolve_object_details(
        self,
        flag_key: str,
        default_value: Sequence[Any] | Mapping[str, Any],
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[Any]:
        """A JSON object or array."""
        found = self._resolve(flag_key, default_value, {}, evaluation_context)
        if found.error_code is None and not isinstance(found.value, (Mapping, list)):
            found.value, found.error_code, found.reason = default_value, ErrorCode.TYPE_MISMATCH, Reason.ERROR
            found.error_message = "the flag's value is neither an object nor an array"
        return found

    def _resolve(
        self, key: str, default: Value, asked: Any, evaluation_context: EvaluationContext | None
    ) -> FlagResolutionDetails[Any]:
        try:
            context = _context(evaluation_context)
        except InvalidContextError as problem:
            return FlagResolutionDetails(default, problem.error_code, problem.error_message, Reason.ERROR)
        return _details(self.client.detail(key, context, asked), default)


def _context(context: EvaluationContext | None) -> Context | None:
    """The context of a call; None, the client's own, for one that says nothing. Raises InvalidContextError."""
    if context is None or (context.targeting_key is None and not context.attributes):
        return None
    try:
        return Context(context.targeting_key, context.attributes)
    except (Error, TypeError) as problem:
        raise InvalidContextError(str(problem)) from problem


def _details(found: Detail[Any], default: Any) -> FlagResolutionDetails[Any]:
    return FlagResolutionDetails(
        value=default if found.failed else found.value,
        error_code=_CODES.get(found.error_code, ErrorCode.GENERAL) if found.failed else None,
        error_message=found.error_message or None,
        reason=_REASONS.get(found.reason, found.reason),
        variant=found.variation or None,
        flag_metadata=dict(_flat(found.metadata)),
    )


def _flat(metadata: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, bool | int | float | str]]:
    """Metadata as the SDK has it: members of objects with dots in their names, lists as JSON text."""
    for name, value in metadata.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif isinstance(value, (bool, int, float, str)):
            yield prefix + name, value
        elif value is not None:
            yield prefix + name, json.dumps(value, ensure_ascii=False)
