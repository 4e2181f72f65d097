"""The datafiles that the service holds, and all that it ever held."""

from __future__ import annotations

import copy
import json
from typing import Any

from loopback.publications import Publications, Published

from .project import Project


class Datafiles(Publications):
    """Thread-safe. Events may be of any datafile that was ever known, since they can wait in a store for long."""

    def __init__(self, platform_host: str) -> None:
        super().__init__()
        self._platform_host = platform_host
        self._projects: list[Project] = []

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
        return self.put(sdk_key, body, token)

    def learn(self, document: dict[str, Any]) -> None:
        """Knows a datafile that clients have from elsewhere, a bundled one or an earlier service's."""
        project = Project(document)
        with self._lock:
            self._projects.insert(0, project)

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
