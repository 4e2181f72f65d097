"""What a service was told: the requests that it accepted, and whether their clients could learn of it."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any


@dataclass
class Post:
    """One accepted request. Unacknowledged: the client could not learn that it was accepted."""

    client: str | None
    endpoint: str
    body: Any
    acknowledged: bool = True

    def as_json(self) -> dict[str, Any]:
        return {"client": self.client, "endpoint": self.endpoint, "acknowledged": self.acknowledged, "body": self.body}


class Posts:
    """The base of a ledger. Thread-safe. What is sent again is booked again: delivery is at least once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._posts: list[Post] = []
        self._forget()

    def _forget(self) -> None:
        """Makes a subclass's own state what it is at the start; called with the lock, too."""

    def reset(self) -> None:
        with self._lock:
            self._posts.clear()
            self._forget()

    def accept(self, client: str | None, endpoint: str, body: Any) -> Post:
        post = Post(client, endpoint, body)
        with self._lock:
            self._posts.append(post)
        return post

    def acknowledge(self, post: Post, heard: bool) -> None:
        with self._lock:
            post.acknowledged = heard

    def as_json(self) -> dict[str, Any]:
        """What the control port tells of it."""
        return {"posts": len(self.posts)}

    @property
    def posts(self) -> list[Post]:
        with self._lock:
            return list(self._posts)

    def bodies(self, endpoint: str) -> list[Any]:
        """The documents accepted at an endpoint, in order."""
        return [post.body for post in self.posts if post.endpoint == endpoint]
