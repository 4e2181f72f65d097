"""Misbehaviour on demand: which faults there are, what they take, and whose turn it is."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

from .findings import Findings, Shape, array, boolean, integer, mapping, number, one_of, text
from .signals import Signal

ANY = "any"


_TEXT = text(empty=True)
_STATUS = {"status": integer(200), "headers": mapping(_TEXT)}
_HOW = {"how": one_of("close", "reset")}

INSTEAD: dict[str, dict[str, Shape]] = {
    "status": {**_STATUS, "body": _TEXT, "retryAfter": _TEXT},
    "html": _STATUS,
    "garbage": _STATUS,
    "empty": _STATUS,
    "body": {**_STATUS, "body": _TEXT, "contentType": _TEXT},
    "redirect": {"status": integer(300), "location": _TEXT},
    "raw": {"bytes": _TEXT, "close": boolean()},
    "huge": {"size": integer(32), "framing": one_of("declared", "chunked", "close", "gzip")},
    "hang": {"then": one_of("close", "reset", "answer")},
    "close": {},
    "reset": {},
}
"""Kinds where the service does not act on the request (`hang` with `then: answer` acts after release)."""

ALTERED: dict[str, dict[str, Shape]] = {
    "delay": {},
    "truncate": {"keep": integer()},
    "length": {"difference": integer(-(2**31))},
    "headers-only": {},
    "half-open": {"keep": integer()},
    "slow": {"interval": number(), "chunk": integer(1), "part": one_of("body", "all")},
    "bad-chunk": {},
    "drop": _HOW,
}
"""Kinds where the service acts on the request and the answer suffers on its way."""

STREAM: dict[str, dict[str, Shape]] = {
    "stream-drop": {"afterEvents": integer(), "how": one_of("end", "close", "reset")},
    "stream-stall": {"afterEvents": integer()},
    "stream-corrupt": {"afterEvents": integer(), "data": _TEXT},
    "stream-split": {"pieceBytes": integer(1), "interval": number()},
    "stream-format": {"newline": one_of("\n", "\r\n", "\r"), "mark": boolean(), "comments": array(_TEXT)},
}
"""Kinds for an endpoint that answers with server-sent events; the request is acted on."""

KINDS = {**INSTEAD, **ALTERED, **STREAM}


@dataclass(frozen=True)
class Fault:
    """One rule: after `skip` requests for `endpoint`, spoil the next `times` (None: all). `containing` is a text that has to be
    in the body; empty for any body."""

    identifier: int
    endpoint: str
    kind: str
    times: int | None
    skip: int
    delay: float
    containing: str
    parameters: dict[str, Any]

    def get(self, name: str, default: Any) -> Any:
        return self.parameters.get(name, default)


@dataclass
class Applied:
    """A fault at work on one request. `released` ends whatever it waits for."""

    fault: Fault
    released: Signal = field(default_factory=Signal)

    @property
    def kind(self) -> str:
        return self.fault.kind

    @property
    def prevents_acting(self) -> bool:
        if self.kind == "hang":
            return self.fault.get("then", "close") != "answer"
        return self.kind in INSTEAD

    @property
    def spoils_answer(self) -> bool:
        """Whether the client cannot know that the service acted."""
        return self.kind not in ("delay", "slow", "hang")


@dataclass
class _Turn:
    fault: Fault
    skipped: int = 0
    used: int = 0
    active: list[Applied] = field(default_factory=list)


class FaultPlan:
    """The rules in force, in the order they were added; the first that fits a request is used."""

    def __init__(self, endpoints: tuple[str, ...], streaming: tuple[str, ...] = ()) -> None:
        self._endpoints, self._streaming = endpoints, streaming
        self._lock = threading.Condition()
        self._turns: list[_Turn] = []
        self._retired: list[_Turn] = []
        self._next = 1

    def add(self, endpoint: str, kind: str, times: int | None = 1, skip: int = 0, delay: float = 0.0,
            containing: str = "", **parameters: Any) -> Fault:
        """Adds a rule; raises ValueError with the reason when it makes no sense."""
        self._validate(endpoint, kind, times, skip, delay, containing, parameters)
        with self._lock:
            fault = Fault(self._next, endpoint, kind, times, skip, float(delay), containing, dict(parameters))
            self._next += 1
            self._turns.append(_Turn(fault))
            return fault

    def take(self, endpoint: str, body: bytes = b"") -> Applied | None:
        with self._lock:
            for turn in self._turns:
                fault = turn.fault
                if fault.endpoint not in (endpoint, ANY) or not self._fits(fault.kind, endpoint):
                    continue
                if fault.containing.encode() not in body:
                    continue
                if turn.skipped < fault.skip:
                    turn.skipped += 1
                    continue
                applied = Applied(fault)
                turn.used += 1
                turn.active.append(applied)
                self._lock.notify_all()
                if fault.times is not None and turn.used >= fault.times:
                    self._turns.remove(turn)
                    self._retired.append(turn)
                return applied
        return None

    def done(self, applied: Applied) -> None:
        with self._lock:
            for turn in self._turns + self._retired:
                if applied in turn.active:
                    turn.active.remove(applied)
            self._retired = [turn for turn in self._retired if turn.active]
            self._lock.notify_all()

    def wait_for_held(self, count: int, timeout: float) -> bool:
        """Waits until at least `count` requests are in the hands of a fault."""
        def held() -> bool:
            return sum(len(turn.active) for turn in self._turns + self._retired) >= count

        with self._lock:
            return self._lock.wait_for(held, timeout)

    def release(self, identifier: int | None = None) -> int:
        """Lets go what waits now (hang, half-open, delay, slow, stall); returns how many."""
        with self._lock:
            waiting = [applied for turn in self._turns + self._retired for applied in turn.active
                       if identifier in (None, turn.fault.identifier)]
        for applied in waiting:
            applied.released.set()
        return len(waiting)

    def clear(self, identifier: int | None = None) -> None:
        """Removes rules (all, or one) and lets go what they hold."""
        with self._lock:
            self._retired += [t for t in self._turns if identifier in (None, t.fault.identifier) and t.active]
            self._turns = [t for t in self._turns if identifier not in (None, t.fault.identifier)]
        self.release(identifier)

    def as_json(self) -> list[dict[str, Any]]:
        with self._lock:
            return [{"id": t.fault.identifier, "endpoint": t.fault.endpoint, "kind": t.fault.kind,
                     "times": t.fault.times, "used": t.used, "waiting": len(t.active), **t.fault.parameters}
                    for t in self._turns + self._retired]

    def _fits(self, kind: str, endpoint: str) -> bool:
        """Stream kinds need a stream; kinds that need a body with an end do not fit one."""
        if endpoint in self._streaming:
            return kind in STREAM or kind in INSTEAD or kind in ("delay", "drop", "headers-only")
        return kind not in STREAM

    def _validate(self, endpoint: str, kind: str, times: Any, skip: Any, delay: Any, containing: Any,
                  parameters: dict[str, Any]) -> None:
        findings = Findings()
        one_of(*self._endpoints, ANY)(findings, "endpoint", endpoint)
        one_of(*KINDS)(findings, "kind", kind)
        if not findings and endpoint != ANY:
            findings.require(self._fits(kind, endpoint), "kind", f"{kind} does not fit {endpoint}")
        if times is not None:
            integer(1)(findings, "times", times)
        integer()(findings, "skip", skip)
        number()(findings, "delay", delay)
        _TEXT(findings, "containing", containing)
        known = KINDS.get(kind, {}) if isinstance(kind, str) else {}
        for name, value in parameters.items():
            if name in known:
                known[name](findings, name, value)
            else:
                findings.add(name, f"is not a parameter of {kind}")
        if findings:
            raise ValueError("; ".join(str(finding) for finding in findings))
