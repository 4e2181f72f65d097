"""Code around every evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import detail as _detail
from .._callback import adopt, implements, overridden, owner, report
from .._native import native, use
from .._text import decode
from .._unread import Unread
from ..context import Context
from ..detail import Detail
from ..status import Status


@dataclass(frozen=True, slots=True)
class HookCall(Unread):
    """What is being evaluated."""

    key: str
    context: Context | None
    """A copy of the call's context; None for the client's own."""

    _later = ("context",)

    def _read(self, name: str) -> None:
        pointer = native.calls.copied_context(self)
        if pointer:
            self._put(name, Context._adopt(pointer))


class Hook:
    """Runs on the evaluating thread, `before` in the order of registration, the others in reverse.

    Only the members that a subclass overrides cost anything. They must be quick: the evaluation
    waits for them.
    """

    def before(self, call: HookCall) -> None:
        """Before the evaluation. Raising makes it an error: the fallback is returned."""

    def after(self, call: HookCall, detail: Detail[Any]) -> None:
        """After an evaluation without error."""

    def error(self, call: HookCall, detail: Detail[Any]) -> None:
        """After an evaluation with an error, also one that `before` made."""

    def finally_(self, call: HookCall) -> None:
        """Last of all, always."""

    def _members(self) -> list[str]:
        brought = overridden(self, Hook, ("before", "after", "error", "finally_"))
        return [name.rstrip("_") for name in brought]


def _call(call: Any) -> HookCall:
    return HookCall(decode(call.key), Context._lent(call.context))


@implements("hook", "before", failure=Status)
def _before(user_data: Any, call: Any) -> int:
    owner(user_data).before(_call(call))
    return Status.OK


@implements("hook", "after")
def _after(user_data: Any, call: Any, detail: Any) -> None:
    owner(user_data).after(_call(call), _detail.lent(detail))


@implements("hook", "error")
def _error(user_data: Any, call: Any, detail: Any) -> None:
    owner(user_data).error(_call(call), _detail.lent(detail))


@implements("hook", "finally")
def _finally(user_data: Any, call: Any) -> None:
    owner(user_data).finally_(_call(call))


_calls = use(HookCall=HookCall, report=report)
if _calls:
    adopt("hook", _calls.hook_stages())
