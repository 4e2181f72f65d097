#!/usr/bin/env python3
"""Holds what tests and comments cite to the protocol pages in Documentation/Protocols.

  Tests/Structure/rows.py [SERVICE ...]

Lists, for each service, the rows of its page that no test cites, and the IDs that are cited and stand nowhere on it. A row is
a line of a table that begins with an ID; one that says "out of scope" needs no test. A citation names the ID, or a span as in
"UNL-10 to UNL-13" or "UNL-10…UNL-13". Exit status 1 when something is listed.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "Documentation" / "Protocols"
# Nothing of these services is implemented yet.
WITHOUT_TESTS = {"launchdarkly-server"}
CITING = ("Sources", "Tests", "Include", "Examples")
SUFFIXES = {".swift", ".py", ".c", ".h", ".cpp", ".sh", ".json", ".md"}
SKIPPED = {"vectors", ".venv", "__pycache__", ".build"}
LONGEST_SPAN = 100


class Page:
    """The acceptance list of one service."""

    def __init__(self, service: str, text: str) -> None:
        self.service = service
        ids = re.findall(r"^\| *(?:\*\*)?([A-Z]{2,4})-[A-Z]?\d", text, re.M)
        self.prefix = max(set(ids), key=ids.count) if ids else ""
        row = re.compile(rf"^\| *(?:\*\*)?({self.prefix}-[A-Z]?\d+[a-z]?)\b(?!\.\.)(.*)$", re.M)
        lines: dict[str, list[str]] = {}
        for name, rest in row.findall(text) if self.prefix else []:
            lines.setdefault(name, []).append(rest)
        self.rows = list(lines)
        self.in_scope = [name for name in lines if not any("out of scope" in rest for rest in lines[name])]
        self.named = named(self.prefix, text)


def named(prefix: str, text: str) -> set[str]:
    """IDs of a service that a text names, with those of its spans."""
    found = set(re.findall(rf"\b{prefix}-[A-Z]?\d+(?:[a-z]\b)?", text)) if prefix else set()
    span = rf"\b{prefix}-([A-Z]?)(\d+)\s*(?:to|…|\.\.\.?|through)\s*(?:{prefix}-\1)?(\d+)"
    for letter, first, last in re.findall(span, text) if prefix else []:
        if 0 < int(last) - int(first) <= LONGEST_SPAN:
            found.update(f"{prefix}-{letter}{number:0{len(first)}d}" for number in range(int(first), int(last) + 1))
    return found


def pages() -> list[Page]:
    return [Page(path.stem, path.read_text()) for path in sorted(PAGES.glob("*.md"))]


def texts(folders: Iterable[str] = CITING) -> Iterator[tuple[Path, str]]:
    """Everything that may cite a row, but this file."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path == Path(__file__).resolve() or not path.is_file() or SKIPPED & set(path.relative_to(ROOT).parts):
                continue
            if path.suffix in SUFFIXES or (not path.suffix and path.stat().st_size < 200_000):
                yield path, path.read_text(errors="replace")


def untested(page: Page, tests: Iterable[str]) -> list[str]:
    """Rows that no test cites."""
    if page.service in WITHOUT_TESTS:
        return []
    cited: set[str] = set().union(*(named(page.prefix, text) for text in tests))
    return [row for row in page.in_scope if row not in cited]


def unknown(page: Page, citing: Iterable[tuple[Path, str]]) -> list[str]:
    """What is cited, and stands nowhere on the page."""
    return [f"{path.relative_to(ROOT)} cites {row}, which {page.service}.md does not have"
            for path, text in citing for row in sorted(named(page.prefix, text) - page.named)]


def main(services: list[str]) -> int:
    citing = list(texts())
    tests = [text for path, text in citing if path.is_relative_to(ROOT / "Tests")]
    problems = 0
    for page in pages():
        if services and page.service not in services:
            continue
        missing, wrong = untested(page, tests), unknown(page, citing)
        problems += len(missing) + len(wrong)
        if page.service in WITHOUT_TESTS:
            print(f"{page.service}: {len(page.rows)} rows, not implemented yet")
        else:
            print(f"{page.service}: {len(page.in_scope) - len(missing)} of {len(page.in_scope)} rows are cited by tests")
        for line in [f"not cited: {row}" for row in missing] + wrong:
            print(f"  {line}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
