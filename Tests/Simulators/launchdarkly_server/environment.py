"""The flags and segments of one environment: what is served, and every form in which a flag ever was."""

from __future__ import annotations

import copy
import threading
from dataclasses import dataclass
from typing import Any, Collection, Iterable

from launchdarkly.contexts import MULTI, parts, qualified_key

Item = dict[str, Any]
Data = dict[str, dict[str, Item]]
FLAGS, SEGMENTS = "flags", "segments"
KINDS = (FLAGS, SEGMENTS)


@dataclass(frozen=True)
class Change:
    """One flag or segment that became another one, or went: what a stream sends."""

    kind: str
    key: str
    item: Item | None
    version: int

    @property
    def path(self) -> str:
        return f"/{self.kind}/{self.key}"


def without_anonymous(context: Item) -> Item | None:
    """The parts of a context that are not anonymous, as a context; None where all are."""
    kept = [(kind, part) for kind, part in parts(context) if part.get("anonymous") is not True]
    if len(kept) > 1:
        return {"kind": MULTI, **dict(kept)}
    return {**kept[0][1], "kind": kept[0][0]} if kept else None


class Environment:
    """Thread-safe. Items are handed out as copies, so that they change by `set` and its like alone."""

    def __init__(self, sdk_key: str, data: Data) -> None:
        self.sdk_key = sdk_key
        self._lock = threading.Lock()
        self._data: Data = {}
        self._tombstones: dict[tuple[str, str], int] = {}
        self._history: dict[str, list[Item]] = {}
        self._contexts: dict[str, list[Item]] = {}
        self.replace(data)

    # What tests change.

    def replace(self, data: Data) -> None:
        """Makes these all the flags and segments there are."""
        for kind, items in data.items():
            if kind not in KINDS or not isinstance(items, dict) or not all(isinstance(item, dict) for item in items.values()):
                raise ValueError(f"data are objects of {' and '.join(KINDS)} by their keys, which {kind} is not")
        with self._lock:
            self._data = {kind: copy.deepcopy(data.get(kind, {})) for kind in KINDS}
            self._tombstones = {}
            for key, flag in self._data[FLAGS].items():
                self._remember(key, flag)

    def set(self, kind: str, key: str, **fields: Any) -> Change:
        """Changes fields of an item or makes one; its version rises unless one is given. A field that is None is left out."""
        with self._lock:
            before = self._data[kind].get(key) or {"key": key}
            item = {**before, "version": self._highest(kind, key) + 1, **copy.deepcopy(fields)}
            item = {name: value for name, value in item.items() if value is not None}
            self._data[kind][key] = item
            self._tombstones.pop((kind, key), None)
            if kind == FLAGS:
                self._remember(key, item)
            return Change(kind, key, copy.deepcopy(item), item.get("version", 0))

    def delete(self, kind: str, key: str, version: int | None = None) -> Change:
        with self._lock:
            gone = self._highest(kind, key) + 1 if version is None else version
            self._data[kind].pop(key, None)
            self._tombstones[kind, key] = gone
            return Change(kind, key, None, gone)

    def learn(self, flags: dict[str, Item]) -> None:
        """Lets events be of flags that a client has from elsewhere."""
        with self._lock:
            for key, flag in flags.items():
                self._remember(key, flag)

    def meet(self, context: Item) -> None:
        """Lets events of this context's key tell just what it allows. Clients never say which contexts they have."""
        rest = without_anonymous(context)
        with self._lock:
            for known in [context] if rest in (None, context) else [context, rest]:
                self._contexts.setdefault(qualified_key(known), []).append(known)

    # What the service asks.

    def data(self, flags: Collection[str]) -> Data:
        """Everything, or of the flags only those that pass a filter."""
        with self._lock:
            data = copy.deepcopy(self._data)
        if flags:
            data[FLAGS] = {key: flag for key, flag in data[FLAGS].items() if key in flags}
        return data

    def contexts(self, key: str) -> list[Item]:
        with self._lock:
            return list(self._contexts.get(key, []))

    def served(self, key: str) -> list[Item]:
        """Every form in which a flag ever was there to be served."""
        with self._lock:
            return list(self._history.get(key, []))

    def variations(self, key: str, version: int) -> list[int | None]:
        """What a flag can result in with this version; empty when it never had it."""
        found: list[int | None] = []
        for flag in self.served(key):
            if flag.get("version") == version:
                found += [None, *range(len(flag.get("variations", [])))]
        return found

    def dependents(self, key: str) -> Iterable[str]:
        """Flags that ever had this one as a prerequisite."""
        with self._lock:
            return [name for name, forms in self._history.items() for flag in forms
                    if any(wanted["key"] == key for wanted in flag.get("prerequisites", []))]

    def as_json(self) -> dict[str, Any]:
        with self._lock:
            gone: dict[str, dict[str, int]] = {kind: {} for kind in KINDS}
            for (kind, key), version in self._tombstones.items():
                gone[kind][key] = version
            return {**copy.deepcopy(self._data), "tombstones": gone}

    def _remember(self, key: str, flag: Item) -> None:
        known = self._history.setdefault(key, [])
        if flag not in known:
            known.append(copy.deepcopy(flag))

    def _highest(self, kind: str, key: str) -> int:
        return max(self._data[kind].get(key, {}).get("version", 0), self._tombstones.get((kind, key), 0))
