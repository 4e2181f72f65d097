"""What the coroutines of clients, users and visitors await. Imported by their first call: asyncio is not for every program."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ._native import lib
from .aio import attach
from .observer import Topic
from .status import Status, check

if TYPE_CHECKING:
    from .client import Client


async def ready(client: Client, timeout: float | None) -> Status:
    """`Client.wait_ready`."""
    changed = asyncio.Event()
    wake = _in_loop(changed.set)
    deadline = _deadline(timeout)
    with attach(client):
        subscriptions = [client.observe(topic, lambda _: wake()) for topic in (Topic.READY, Topic.STATE)]
        try:
            while True:
                status = Status(lib.hoist_client_wait_ready(client._pointer, 0))
                if status is not Status.TIMEOUT:
                    return status
                await asyncio.wait_for(changed.wait(), _left(deadline))
                changed.clear()
        except asyncio.TimeoutError:
            return Status.TIMEOUT
        finally:
            for subscription in subscriptions:
                subscription.cancel()


async def status_of(
    client: Client | None, call: Callable[[Callable[..., object]], Status], timeout: float | None = None
) -> Status:
    """Makes a call that takes a completion, and answers the status that it is told."""
    status: Status = await result_of(client, call, timeout)
    return status


async def result_of(
    client: Client | None, call: Callable[[Callable[..., object]], Status], timeout: float | None = None
) -> Any:
    """Makes a call whose completion is told one thing, and answers that; a status where the call is refused."""
    return (await _told(client, call, timeout))[0]


async def value_of(client: Client | None, call: Callable[[Callable[..., object]], Status], what: str) -> Any:
    """Makes a call that takes a completion, and answers the value that it is told. Raises `hoist.Error`."""
    status, *found = await _told(client, call)
    check(int(status), what)
    return found[0]


async def in_thread(call: Callable[..., Status], *arguments: Any) -> Status:
    """What a call answers that waits and takes no completion."""
    return await asyncio.get_running_loop().run_in_executor(None, call, *arguments)


async def _told(
    client: Client | None, call: Callable[[Callable[..., object]], Status], timeout: float | None = None
) -> tuple[Any, ...]:
    """What the completion is told: a status, and what there is besides. TIMEOUT leaves the call going on."""
    answer: asyncio.Future[tuple[Any, ...]] = asyncio.get_running_loop().create_future()

    def settle(*told: Any) -> None:
        if not answer.done():
            answer.set_result(told)

    with attach(client) if client is not None else contextlib.nullcontext():
        status = call(_in_loop(settle))
        if not status:
            return (status,)
        try:
            return await asyncio.wait_for(answer, _left(_deadline(timeout)))
        except asyncio.TimeoutError:
            return (Status.TIMEOUT,)


def _in_loop(function: Callable[..., object]) -> Callable[..., None]:
    """The function, called on the running loop's thread from any thread."""
    loop = asyncio.get_running_loop()

    def call(*arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, and no coroutine waits any more
            loop.call_soon_threadsafe(function, *arguments)

    return call


def _deadline(timeout: float | None) -> float | None:
    return None if timeout is None or timeout < 0 else asyncio.get_running_loop().time() + timeout


def _left(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - asyncio.get_running_loop().time())
