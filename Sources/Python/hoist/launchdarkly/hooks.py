"""Hooks: code of the host's around evaluations, identifies and tracked events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import detail as _core
from .._callback import forget, implements, keep, overridden, owner, table
from .._native import NULL, ffi, lib
from .._text import decode, encode
from ..config import Config
from ..status import ErrorSlot, Status
from .context import Context
from .detail import EvaluationDetail, of_core

SeriesData = dict[str, Any]
"""What one stage of a hook hands to the next."""


@dataclass(frozen=True, slots=True)
class EvaluationSeries:
    """One evaluation."""

    flag_key: str
    context_json: str | None
    default_value: Any
    method: str
    """"boolVariation", "boolVariationDetail", …"""
    environment_id: str | None = None
    """None until the service has told it."""

    @property
    def context(self) -> Context | None:
        """The client's context; None before there is one."""
        return None if self.context_json is None else Context.from_json(self.context_json)


@dataclass(frozen=True, slots=True)
class IdentifySeries:
    """One identify."""

    context: Context
    timeout: float | None
    """In seconds; None without limit."""


@dataclass(frozen=True, slots=True)
class TrackSeries:
    """One tracked event."""

    key: str
    context: Context | None
    data: Any = None
    metric: float | None = None
    environment_id: str | None = None


class Hook:
    """Override what is of interest. `name` is for the log.

    "Before" members run in the order of registration, "after" members in reverse. What a "before"
    member answers is handed to the "after" member of the same series; what one raises is logged,
    and its "after" member gets {}. Evaluations wait for their hooks.
    """

    name = "hook"

    def before_evaluation(self, series: EvaluationSeries, data: SeriesData) -> SeriesData:
        """On the evaluating thread."""
        return data

    def after_evaluation(
        self, series: EvaluationSeries, data: SeriesData, detail: EvaluationDetail[Any]
    ) -> SeriesData:
        """On the evaluating thread."""
        return data

    def before_identify(self, series: IdentifySeries, data: SeriesData) -> SeriesData:
        """On the thread that identifies."""
        return data

    def after_identify(self, series: IdentifySeries, data: SeriesData, result: Status) -> SeriesData:
        """On the client's delivery lane. `result` is OK when the context's flags are served."""
        return data

    def after_track(self, series: TrackSeries) -> None:
        """On the thread that tracks."""


_MEMBERS = ("before_evaluation", "after_evaluation", "before_identify", "after_identify", "after_track")


def add_hook(config: Config, hook: Hook) -> None:
    """Adds a hook after those already there."""
    filled, _name = filled_table(hook)
    slot = ErrorSlot()
    slot.check(lib.hoist_launchdarkly_config_add_hook(config._pointer, filled, slot.pointer), f'hook "{hook.name}"')


def filled_table(hook: Hook) -> tuple[Any, Any]:
    """A hook for C, and what must live as long as the call that takes it."""
    if not isinstance(hook, Hook):
        raise TypeError(f"a hook is a hoist.launchdarkly.Hook, not {type(hook).__name__}")
    name = ffi.new("char[]", encode(hook.name))
    filled = table("launchdarkly_hook", hook, overridden(hook, Hook, _MEMBERS))
    filled.name = name
    return filled, name


@implements("launchdarkly_hook", "before_evaluation", failure=Status)
def _before_evaluation(user_data: Any, series: Any, data: Any) -> int:
    data[0] = keep(owner(user_data).before_evaluation(_evaluation(series), {}))
    return Status.OK


@implements("launchdarkly_hook", "after_evaluation", failure=Status)
def _after_evaluation(user_data: Any, series: Any, data: Any, detail: Any) -> int:
    found = of_core(_core.load(decode(lib.hoist_detail_value(detail))), detail)
    owner(user_data).after_evaluation(_evaluation(series), _taken(data), found)
    return Status.OK


@implements("launchdarkly_hook", "before_identify", failure=Status)
def _before_identify(user_data: Any, series: Any, data: Any) -> int:
    data[0] = keep(owner(user_data).before_identify(_identify(series), {}))
    return Status.OK


@implements("launchdarkly_hook", "after_identify", failure=Status)
def _after_identify(user_data: Any, series: Any, data: Any, result: int) -> int:
    owner(user_data).after_identify(_identify(series), _taken(data), Status(result))
    return Status.OK


@implements("launchdarkly_hook", "after_track", failure=Status)
def _after_track(user_data: Any, series: Any) -> int:
    tracked = TrackSeries(
        decode(series.key), _context(series.context), _json(series.data),
        series.metric if series.has_metric else None, _text(series.environment_id),
    )  # fmt: skip
    owner(user_data).after_track(tracked)
    return Status.OK


def _taken(data: Any) -> SeriesData:
    """What a "before" member has left, which is let go."""
    if data == NULL:
        return {}
    found: SeriesData = owner(data)
    forget(data)
    return found


def _evaluation(series: Any) -> EvaluationSeries:
    return EvaluationSeries(
        decode(series.flag_key), _text(series.context), _json(series.default_value), decode(series.method),
        _text(series.environment_id),
    )  # fmt: skip


def _identify(series: Any) -> IdentifySeries:
    timeout = series.timeout_ms / 1000 if series.timeout_ms >= 0 else None
    return IdentifySeries(Context.from_json(decode(series.context)), timeout)


def _context(text: Any) -> Context | None:
    json = decode(text)
    return Context.from_json(json) if json else None


def _json(text: Any) -> Any:
    return _core.load(decode(text))


def _text(text: Any) -> str | None:
    return decode(text) or None
