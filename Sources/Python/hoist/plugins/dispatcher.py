"""Delivery of events by the host."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from threading import Lock
from typing import Any

from .._callback import implements, owner, report
from .._native import lib
from .._text import decode, decode_bytes, encode
from ..status import Status
from .headers import read_headers


@dataclass(frozen=True, slots=True)
class Batch:
    """Recorded events on their way, already in the vendor's wire form."""

    pipeline: str
    method: str
    url: str
    headers: list[tuple[str, str]]
    body: bytes
    event_ids: tuple[str, ...]
    """Stable: the same on every attempt."""
    service: str
    """The client's, e.g. "unleash"."""
    path: str
    """Of the URL, without its query, and with `***` for what may be a key or a person."""
    key_hash: str
    """The same for all clients that could send for one another."""
    subject: str
    """The person of whom all of the events speak; empty for none, and for several."""
    timeout_ms: int
    """How long the answer is waited for: one that comes later is ignored, and the batch comes again."""
    attempt: int
    """1 for the first."""


class Receipt:
    """The answer that is owed for one batch; on any thread, at any time. A receipt that is dropped fails the batch."""

    __slots__ = ("_lock", "_pointer")

    def __init__(self, pointer: Any) -> None:
        self._pointer: Any = pointer
        self._lock = Lock()

    @property
    def completed(self) -> bool:
        """Whether it was answered."""
        return self._pointer is None

    def complete(self, status: Status = Status.OK, message: str | None = None) -> None:
        """Says what became of the batch, and with a message, why; the first answer counts.

        OK: delivered. ARGUMENT: refused for good, the events are dropped. Else: tried again later. With a message, also LIMIT:
        too large, to be divided; CONFIG: not before something is mended, tried again at the slowest pace.
        """
        with self._lock:
            pointer, self._pointer = self._pointer, None
        if pointer is None:
            return
        if message is None:
            lib.hoist_dispatch_receipt_complete(pointer, int(status))
        else:
            lib.hoist_dispatch_receipt_answer(pointer, int(status), encode(message))

    def __del__(self) -> None:
        self.complete(Status.PLUGIN)


class Dispatcher(ABC):
    """Delivers events in place of the built-in HTTP delivery."""

    @abstractmethod
    def dispatch(self, batch: Batch, receipt: Receipt) -> None:
        """Takes a batch and sees to it that the receipt is completed.

        Raising means later, or with `hoist.Error` what its status says.
        """


@implements("dispatcher", "dispatch", failure=Status)
def _dispatch(user_data: Any, batch: Any, pointer: Any) -> int:
    receipt = Receipt(pointer)
    try:
        owner(user_data).dispatch(_batch(batch), receipt)
    except BaseException as problem:
        # The plug-in may have handed the receipt on, or completed it, before it raised.
        receipt.complete(report("dispatcher.dispatch", problem))
    return Status.OK


def _batch(batch: Any) -> Batch:
    return Batch(
        decode(batch.pipeline),
        decode(batch.method),
        decode(batch.url),
        read_headers(batch.headers, batch.header_count),
        decode_bytes(batch.body, batch.body_size),
        tuple(decode(batch.event_ids[index]) for index in range(batch.event_count)),
        decode(batch.service),
        decode(batch.path),
        decode(batch.key_hash),
        decode(batch.subject),
        batch.timeout_ms,
        batch.attempt,
    )
