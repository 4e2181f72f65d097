"""Changes one expected value in copies of vector files, and demands that both runs notice. See ../selfcheck."""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from report import Report
from services.table import SERVICES
from vectors import Kind, Root, Service, run

OWN = Path(__file__).resolve().parents[1] / "vectors"
ROUNDS = 3
CASES = ("cases", "tests", "variantTests")
Place = tuple[Any, Any]
Run = Callable[[str, str], int]
"""How many checks of a vendor's file fail; 0 also when none was made."""


def by_modules(vendor: str, path: str) -> int:
    command = [os.environ["HOIST_CONFORMANCE"], vendor, path]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = ended.stdout.split("\n")
    failures = sum(1 for line in lines if line.startswith("FAILED"))
    return failures if (failures > 0) == (ended.returncode == 1) else 0


def by_binding(vendor: str, path: str) -> int:
    report = Report()
    run(SERVICES[vendor], path, report)
    return report.failed


def leaves(value: Any, container: Any, key: Any, left: frozenset[str]) -> Iterator[Place]:
    """Every scalar of an expected value, and every empty container."""
    if isinstance(value, (dict, list)) and value:
        for name, element in value.items() if isinstance(value, dict) else enumerate(value):
            if name not in left or key == "properties":
                yield from leaves(element, value, name, left)
    else:
        yield container, key


def expectations(value: Any, names: frozenset[str], left: frozenset[str]) -> Iterator[Place]:
    """Places of expected scalars below a case or step."""
    if isinstance(value, list):
        for element in value:
            yield from expectations(element, names, left)
    elif isinstance(value, dict):
        for name, member in value.items():
            if name in names - left:
                yield from leaves(member, value, name, left)
            elif name not in left:
                yield from expectations(member, names, left)


def other(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    return ["x"] if isinstance(value, list) else "x"


def places(root: Root, service: Service, kind: Kind | None) -> list[Place]:
    """Where something is expected that can be noticed."""
    cases = [case for name in CASES for case in root.get(name, [])
             if not service.is_unchecked(case) and (kind is None or kind.can_say(root, case))]
    left = service.given | (kind.unseen if kind else frozenset())
    return list(expectations(cases, service.expectations_in(service.kind_of(root) or ""), left))


def change(root: Root, service: Service, kind: Kind | None, rng: random.Random) -> tuple[Root, str]:
    """A copy with one of its places changed, and what was changed."""
    changed = copy.deepcopy(root)
    container, key = rng.choice(places(changed, service, kind))
    before, container[key] = container[key], other(container[key])
    return changed, f"{key} changed from {before!r} to {container[key]!r}"


def notices(vendor: str, path: Path, root: Root, kind: Kind | None, how: Run, rng: random.Random) -> Iterator[str]:
    """For each change: empty when it was noticed, else what went wrong."""
    if how(vendor, str(path)):
        yield "does not pass as it is"
        return
    for _ in range(ROUNDS):
        changed, what = change(root, SERVICES[vendor], kind, rng)
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as copied:
            json.dump(changed, copied)
            copied.flush()
            yield "" if how(vendor, copied.name) else f"{what} went unnoticed"


def main(vendor: str, files: list[str]) -> int:
    service, rng, noticed, failed = SERVICES[vendor], random.Random(1), 0, 0
    for path in map(Path, files) if files else sorted((OWN / vendor).glob("*.json")):
        root = json.loads(path.read_text(encoding="utf-8"))
        name = service.kind_of(root)
        if name is None:
            continue
        runs: list[tuple[str, Run, Kind | None]] = [("modules", by_modules, None)]
        # A file of which the public API can say nothing is the modules' alone.
        if name in service.kinds and places(root, service, service.kinds[name]):
            runs.append(("libhoist", by_binding, service.kinds[name]))
        for label, how, kind in runs:
            for problem in notices(vendor, path, root, kind, how, rng):
                noticed, failed = noticed + (not problem), failed + bool(problem)
                if problem:
                    print(f"{path} ({label}): {problem}")
    print(f"{noticed} passed, {failed} failed")
    return 1 if failed or not noticed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
