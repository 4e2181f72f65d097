"""Hoist in an asyncio program.

Nothing here blocks the loop. With the property `dispatch` = "manual", `attach` runs observers and
completions on the loop's own thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from ._native import lib
from .context import ContextLike
from .observer import Topic
from .status import Status

if TYPE_CHECKING:
    from .client import Client


class Attachment:
    """A client's dispatching by an event loop, until `detach` or the end of a `with` block."""

    _users: weakref.WeakKeyDictionary[Client, int] = weakref.WeakKeyDictionary()

    def __init__(self, client: Client, loop: asyncio.AbstractEventLoop) -> None:
        self._client: Client | None = client
        self._loop = loop
        self._descriptor = client.fileno()
        if self._descriptor < 0:
            return
        users = self._users.get(client, 0)
        self._users[client] = users + 1
        if users == 0:
            loop.add_reader(self._descriptor, client.dispatch)

    def detach(self) -> None:
        """The loop runs nothing of this client's any more, once every attachment is detached."""
        client, self._client = self._client, None
        if client is None or self._descriptor < 0:
            return
        self._users[client] -= 1
        if self._users[client] == 0:
            self._loop.remove_reader(self._descriptor)

    def __enter__(self) -> Attachment:
        return self

    def __exit__(self, *_: object) -> None:
        self.detach()


def attach(client: Client, loop: asyncio.AbstractEventLoop | None = None) -> Attachment:
    """Lets an event loop, by default the running one, run a client's observers and completions.

    Does nothing for a client that is not in manual dispatch.
    """
    return Attachment(client, loop or asyncio.get_running_loop())


async def ready(client: Client, timeout: float | None = None) -> Status:
    """Waits until the client has flags to serve; answers as `Client.wait_ready`."""
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


async def identify(client: Client, context: ContextLike, timeout: float | None = 5.0) -> Status:
    """Changes the current context and waits for its flags; answers as `Client.identify`."""
    return await completion(client, lambda done: client.identify_soon(context, done), timeout)


async def completion(
    client: Client, call: Callable[[Callable[[Status], object]], Status], timeout: float | None
) -> Status:
    """Makes a call that takes a completion, and waits for it."""
    answer: asyncio.Future[Status] = asyncio.get_running_loop().create_future()

    def settle(status: Status) -> None:
        if not answer.done():
            answer.set_result(status)

    with attach(client):
        status = call(_in_loop(settle))
        if not status:
            return status
        try:
            return await asyncio.wait_for(answer, _left(_deadline(timeout)))
        except asyncio.TimeoutError:
            return Status.TIMEOUT


async def flush(client: Client, timeout: float | None = 5.0) -> Status:
    """Sends what is recorded; answers as `Client.flush`."""
    return await asyncio.get_running_loop().run_in_executor(None, client.flush, timeout)


async def close(client: Client, timeout: float | None = 3.0) -> Status:
    """Flushes and stops within the limit; answers as `Client.close`."""
    return await asyncio.get_running_loop().run_in_executor(None, client.close, timeout)


def _in_loop(function: Callable[..., object]) -> Callable[..., None]:
    """The function, called on the running loop's thread from any thread."""
    loop = asyncio.get_running_loop()

    def call(*arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(function, *arguments)

    return call


def _deadline(timeout: float | None) -> float | None:
    return None if timeout is None or timeout < 0 else asyncio.get_running_loop().time() + timeout


def _left(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - asyncio.get_running_loop().time())
