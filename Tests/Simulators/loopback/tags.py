"""Entity tags that a service sent, so that one not echoed byte for byte is noticed."""

from __future__ import annotations

import threading

from .findings import Findings


class IssuedTags:
    """Every tag that was ever sent, each for one subject: a tag means nothing about another one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tags: set[tuple[str, str | None]] = set()

    def add(self, tag: str, subject: str | None = "") -> None:
        """None is for a tag that may come back for any subject."""
        with self._lock:
            self._tags.add((tag, subject))

    def check(self, findings: Findings, tag: str, subject: str = "") -> None:
        with self._lock:
            if not self._tags.isdisjoint({(tag, subject), (tag, None)}):
                return
            elsewhere = any(known == tag for known, _ in self._tags)
            near = next((known for known, about in self._tags if about == subject and _core(known) == _core(tag)), None)
        if elsewhere:
            findings.add("header if-none-match", f"{tag!r} was issued for something else")
        elif near is not None:
            findings.add("header if-none-match", f"{tag!r} is not the tag byte for byte, that was {near!r}")
        else:
            findings.add("header if-none-match", f"{tag!r} was never issued")


def _core(tag: str) -> str:
    return tag.removeprefix("W/").removeprefix("w/").strip('"')
