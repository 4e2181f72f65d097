"""The plug-in for Redis, where there is one."""

from __future__ import annotations

import json
import os
from pathlib import Path

from .reading import Refused

VARIABLE = "HOIST_REDIS"
_NAME = "libhoist-redis.so"


def found() -> Path | None:
    """The file that a variable names, else the one beside the library that a variable of the binding names, or below it."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named)
    library, root = os.environ.get("HOIST_LIBRARY"), os.environ.get("HOIST_ROOT")
    folder = Path(library).parent if library else Path(root) / "lib" if root else None
    places = [folder / _NAME, folder / "hoist" / _NAME] if folder else []
    return next((place for place in places if place.exists()), None)


def path() -> Path:
    """The same; refused where there is none."""
    plugin = found()
    if plugin is None:
        raise Refused(f"persistentDataStore: there is no {_NAME}: name it in {VARIABLE}")
    return plugin


def options(address: tuple[str, int], prefix: str | None) -> str:
    """A store of rules at an address."""
    host, port = address
    return json.dumps({"host": host, "port": port, "launchdarkly_store": {"prefix": prefix} if prefix else {}})
