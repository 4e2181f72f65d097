"""What other processes have recorded, delivered by a client of this one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._callback import forget, function, implements, keep, owner
from ._native import ffi, lib
from ._text import decode, encode
from .plugins.dispatcher import Batch
from .status import Status


@dataclass(frozen=True, slots=True)
class ForwardResult:
    """What became of a batch."""

    status: Status
    """OK: accepted. REJECTED: some of it is refused for good. ARGUMENT: none of this client's. NETWORK: not now.
    CANCELLED: the client was closed."""
    message: str
    """Why; empty for OK."""
    refused: bytes
    """With REJECTED, what was refused, as a body of its own."""


@implements("forwarded")
def _forwarded(user_data: Any, result: Any) -> None:
    done: Callable[[ForwardResult], object] = owner(user_data)
    forget(user_data)
    refused = bytes(ffi.buffer(result.refused, result.refused_size)) if result.refused else b""
    done(ForwardResult(Status(result.status), decode(result.message) or "", refused))


class Forwards:
    """A client's call for it."""

    __slots__ = ()

    _pointer: Any

    def forward(self, batch: Batch, done: Callable[[ForwardResult], object]) -> Status:
        """Delivers a batch that the dispatcher of another process was given, as this client's own; `done` is called once.

        LIMIT: too many are under way, give it again when one has ended; with another answer than OK `done` is not called.
        """
        made = ffi.new("hoist_forward_batch *")
        made.struct_size = ffi.sizeof(made[0])
        texts = {
            "service": batch.service,
            "pipeline": batch.pipeline,
            "method": batch.method,
            "path": batch.path,
            "key_hash": batch.key_hash,
            "id": ",".join(batch.event_ids),
        }
        kept = {name: ffi.new("char[]", encode(text)) for name, text in texts.items()}
        for name, text in kept.items():
            setattr(made, name, text)
        body = ffi.from_buffer(batch.body)
        made.body, made.body_size = body, len(batch.body)
        handle = keep(done)
        status = Status(lib.hoist_client_forward(self._pointer, made, function("forwarded"), handle))
        if not status:
            forget(handle)
        return status

    async def forward_async(self: Any, batch: Batch) -> ForwardResult:
        """`forward` for asyncio; with LIMIT and the like the result has that status."""
        from . import _awaited

        told = await _awaited.result_of(self, lambda done: self.forward(batch, done))
        return told if isinstance(told, ForwardResult) else ForwardResult(told, "", b"")
