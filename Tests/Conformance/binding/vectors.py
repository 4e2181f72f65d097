"""Runs files of vectors through the binding."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from report import Report

Root = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """One kind of files."""

    run: Callable[[Root, Report], None]
    unseen: frozenset[str] = frozenset()
    """Members of an expectation that the public API does not show; `selfcheck` leaves them alone here."""
    can_say: Callable[[Root, Any], bool] = lambda root, case: True
    """Whether a case can be said in the public API."""


@dataclass(frozen=True)
class Service:
    """A service's kinds of files, and why the others are not run here."""

    kinds: Mapping[str, Kind]
    internal: Mapping[str, str]
    kind_of_unnamed: Callable[[Root], str | None] = lambda root: None
    expectations: frozenset[str] = frozenset()
    """Members of cases and steps that are expected of Hoist."""
    expectations_by_kind: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The same for kinds that call so what others are given."""
    given: frozenset[str] = frozenset()
    """Members that are given rather than expected, or expected of the vendor's own library only: never changed."""
    is_unchecked: Callable[[Any], bool] = lambda case: False
    """Whether a case is another library's answer, and nobody is held to it."""

    def expectations_in(self, kind: str) -> frozenset[str]:
        """What is expected in files of a kind."""
        return self.expectations_by_kind.get(kind, self.expectations)

    def kind_of(self, root: Any) -> str | None:
        """The name of a file's kind; None for a file that holds no vectors."""
        if not isinstance(root, dict):
            return None
        return root.get("kind") or self.kind_of_unnamed(root)


def run(service: Service, path: str, report: Report) -> None:
    """Runs one file. What cannot be read is a failure of the modules' run, which comes first."""
    report.file = path
    try:
        with open(path, encoding="utf-8") as file:
            root = json.load(file)
    except (OSError, ValueError) as problem:
        return report.fail("-", "a JSON document", str(problem))
    name = service.kind_of(root)
    if name is None:
        return None
    if name in service.kinds:
        return service.kinds[name].run(root, report)
    if name in service.internal:
        return report.skip(len(root.get("cases", [])), f"{name}: {service.internal[name]}")
    return report.fail("-", "a known kind of vectors", name)
