"""The datafiles that the service holds, and all that it ever held."""

from __future__ import annotations

import copy
import email.utils
import json
import threading
from dataclasses import dataclass
from typing import Any

from .project import Project

FIRST_MODIFIED = 1_767_607_200
"""Seconds since 1970 of the first publication: Mon, 05 Jan 2026 10:00:00 GMT. Each further one is a minute later."""


@dataclass(frozen=True)
class Published:
    """What one SDK key is answered with. A token makes it a secured environment."""

    body: bytes
    last_modified: str
    token: str | None


class Datafiles:
    """Thread-safe. Events may be of any datafile that was ever known, since they can wait in a store for long."""

    def __init__(self, platform_host: str) -> None:
        self._platform_host = platform_host
        self._lock = threading.Lock()
        self._current: dict[str, Published] = {}
        self._dates: dict[str, list[str]] = {}
        self._projects: list[Project] = []
        self._publications = 0

    def publish(self, document: dict[str, Any] | str | bytes, sdk_key: str, token: str | None = None) -> Published:
        """Puts a datafile in place. The data platform of a document becomes this simulator; text stays as it is."""
        if isinstance(document, dict):
            document = self._with_own_platform(document)
            body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
            self.learn(document)
        elif isinstance(document, (str, bytes)):
            body = document.encode() if isinstance(document, str) else document
            self._learn_text(body)
        else:
            raise TypeError("a datafile is an object or a text")
        with self._lock:
            moment = FIRST_MODIFIED + 60 * self._publications
            self._publications += 1
            published = Published(body, email.utils.formatdate(moment, usegmt=True), token)
            self._current[sdk_key] = published
            self._dates.setdefault(sdk_key, []).append(published.last_modified)
        return published

    def withdraw(self, sdk_key: str) -> None:
        """Makes an SDK key unknown."""
        with self._lock:
            self._current.pop(sdk_key, None)

    def learn(self, document: dict[str, Any]) -> None:
        """Knows a datafile that clients have from elsewhere, a bundled one or an earlier service's."""
        project = Project(document)
        with self._lock:
            self._projects.insert(0, project)

    def current(self, sdk_key: str) -> Published | None:
        with self._lock:
            return self._current.get(sdk_key)

    def keys(self) -> dict[str, Published]:
        with self._lock:
            return dict(self._current)

    def issue(self, sdk_key: str, date: str) -> None:
        """Counts a date that was sent outside the ordinary course as issued."""
        with self._lock:
            self._dates.setdefault(sdk_key, []).append(date)

    def issued(self, sdk_key: str, date: str) -> bool:
        """Whether a client can have this date from us."""
        with self._lock:
            return date in self._dates.get(sdk_key, []) or date in self._dates.get("", [])

    @property
    def projects(self) -> list[Project]:
        """Every datafile ever known, the last one first."""
        with self._lock:
            return list(self._projects)

    def _with_own_platform(self, document: dict[str, Any]) -> dict[str, Any]:
        changed = copy.deepcopy(document)
        for integration in changed.get("integrations") or []:
            if isinstance(integration, dict) and integration.get("key") == "odp" and integration.get("host"):
                integration["host"] = self._platform_host
        return changed

    def _learn_text(self, body: bytes) -> None:
        """Text may be anything; what is a project is known."""
        try:
            document = json.loads(body)
            if isinstance(document, dict):
                self.learn(document)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return
