"""Observers and completions on the thread of an asyncio program.

What waits has a coroutine beside it, named by `_async`: `client.identify_async`, and `client.ready` for `wait_ready`; none
blocks the loop. With the property `dispatch` = "manual", `attach` runs observers and completions on the loop's own thread.
"""

from __future__ import annotations

import asyncio
import weakref
from typing import TYPE_CHECKING

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
