"""The flags of one environment: what is served to which context, and everything that ever was."""

from __future__ import annotations

import copy
import threading
from dataclasses import dataclass
from typing import Any

from .contexts import Context

Flag = dict[str, Any]
Flags = dict[str, Flag]


@dataclass(frozen=True)
class Change:
    """One flag that became another one, or went: what a stream sends. `context` None means all contexts."""

    key: str
    flag: Flag | None
    version: int
    context: str | None = None


def version_of(flag: Flag) -> int | None:
    """The version that events name (4.4.2)."""
    version = flag.get("flagVersion")
    return flag.get("version") if version is None else version


class Environment:
    """Thread-safe. Flags are handed out as copies, so that nobody changes them but `set` and its like."""

    def __init__(self, mobile_key: str, flags: Flags) -> None:
        self.mobile_key = mobile_key
        self._lock = threading.Lock()
        self._flags: Flags = {}
        self._own: dict[str, Flags] = {}
        self._tombstones: dict[str, int] = {}
        self._history: dict[str, list[Flag]] = {}
        self._contexts: dict[str, list[dict[str, Any]]] = {}
        self.replace(flags)

    # What tests change.

    def replace(self, flags: Flags) -> None:
        """Makes these all the flags there are, for all contexts."""
        for key, flag in flags.items():
            if not isinstance(flag, dict):
                raise ValueError(f"flag {key} is not an object")
        with self._lock:
            self._flags, self._own, self._tombstones = {}, {}, {}
            for key, flag in flags.items():
                self._keep(self._flags, key, copy.deepcopy(flag))

    def set(self, key: str, context: str | None = None, **fields: Any) -> Change:
        """Changes fields of a flag or makes one; its version rises unless one is given.

        `context` is the fully-qualified key of the only context that is to see it. A field that is None is left out.
        """
        with self._lock:
            flags = self._flags if context is None else self._own.setdefault(context, {})
            before = flags.get(key) or self._flags.get(key) or {"variation": 0}
            flag = {**before, "version": self._highest(key) + 1, **fields}
            flag = {name: copy.deepcopy(value) for name, value in flag.items() if name == "value" or value is not None}
            flag.setdefault("value", None)
            self._keep(flags, key, flag)
            return Change(key, copy.deepcopy(flag), flag.get("version", 0), context)

    def delete(self, key: str, version: int | None = None) -> Change:
        """Removes a flag for all contexts."""
        with self._lock:
            gone = self._highest(key) + 1 if version is None else version
            for flags in (self._flags, *self._own.values()):
                flags.pop(key, None)
            self._tombstones[key] = gone
            return Change(key, None, gone)

    def learn(self, flags: Flags) -> None:
        """Lets events be of flags that were served by somebody else."""
        with self._lock:
            for key, flag in flags.items():
                self._history.setdefault(key, []).append(copy.deepcopy(flag))

    # What the service asks.

    def flags_of(self, context: Context, with_reasons: bool) -> Flags:
        with self._lock:
            flags = {**self._flags, **self._own.get(context.key, {})}
            return {key: as_served(flag, with_reasons) for key, flag in flags.items()}

    def has_own(self, context: Context, key: str) -> bool:
        """Whether a context has a value of its own, which a change for all does not touch."""
        with self._lock:
            return key in self._own.get(context.key, {})

    def meet(self, context: Context) -> None:
        """Notes a context that asked for flags."""
        with self._lock:
            known = self._contexts.setdefault(context.key, [])
            if context.document not in known:
                known.append(context.document)

    def contexts(self, key: str) -> list[dict[str, Any]]:
        """The contexts of this fully-qualified key that ever asked for flags."""
        with self._lock:
            return list(self._contexts.get(key, []))

    def served(self, key: str) -> list[Flag]:
        """Every form in which a flag ever was there to be served."""
        with self._lock:
            return list(self._history.get(key, []))

    def variations(self, key: str, version: int) -> list[int | None]:
        """What a flag ever resulted in while it had this version of events; empty when it never had."""
        return [flag.get("variation") for flag in self.served(key) if version_of(flag) == version]

    def as_json(self) -> dict[str, Any]:
        with self._lock:
            return {"flags": copy.deepcopy(self._flags), "own": copy.deepcopy(self._own),
                    "tombstones": dict(self._tombstones), "contexts": sorted(self._contexts)}

    def _keep(self, flags: Flags, key: str, flag: Flag) -> None:
        flags[key] = flag
        self._tombstones.pop(key, None)
        known = self._history.setdefault(key, [])
        if flag not in known:
            known.append(copy.deepcopy(flag))

    def _highest(self, key: str) -> int:
        versions = [flags[key].get("version", 0) for flags in (self._flags, *self._own.values()) if key in flags]
        return max([*versions, self._tombstones.get(key, 0)])


def as_served(flag: Flag, with_reasons: bool) -> Flag:
    """Reasons go only to clients that asked for them, or where they have to be tracked."""
    served = copy.deepcopy(flag)
    if not with_reasons and not flag.get("trackReason"):
        served.pop("reason", None)
    return served
