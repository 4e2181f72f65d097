"""The datafiles that the service holds, and all that it ever held."""

from __future__ import annotations

import copy
from typing import Any

from loopback.publications import Publications, Published, as_published

from .project import Project


class Datafiles(Publications):
    """Thread-safe. Events may be of any datafile that was ever known, since they can wait in a store for long."""

    def __init__(self, platform_host: str) -> None:
        super().__init__()
        self._platform_host = platform_host
        self._projects: list[Project] = []

    def publish(self, document: dict[str, Any] | str | bytes, sdk_key: str, token: str | None = None) -> Published:
        """Puts a datafile in place. The data platform of a document becomes this simulator; text stays as it is."""
        body, known = as_published(self._with_own_platform(document) if isinstance(document, dict) else document)
        if isinstance(document, dict):
            self.learn(document)
        elif known is not None:
            self._learn_text(known)
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

    def _learn_text(self, document: dict[str, Any]) -> None:
        """Text may be anything; what is a project is known."""
        try:
            self.learn(document)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return
