#!/usr/bin/env python3
"""Holds what tests and comments cite to the protocol pages in Documentation/Protocols.

  Tests/Structure/rows.py [--states] [SERVICE ...]

Lists, for each service, the rows of its page that no test cites, the IDs that are cited and stand nowhere on it, citations of
tests that say no state, and states that no test meets. A row is a line of a table that begins with an ID; one that says "out of
scope" needs no test. A citation names the ID, or a span as in "UNL-10 to UNL-13" or "UNL-10…UNL-13"; in a test it stands in
brackets, with the states that the test is in behind a semicolon. `--states` prints how many tests of each service are in each
state. Exit status 1 when something is listed.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "Documentation" / "Protocols"
CITING = ("Sources", "Tests", "Include", "Examples")
SUFFIXES = {".swift", ".py", ".c", ".h", ".cpp", ".sh", ".json", ".md"}
SKIPPED = {"vectors", ".venv", ".venv-bench", ".work", "__pycache__", ".build"}
LONGEST_SPAN = 100

# Services whose tests say a state with each row that they cite.
WITH_STATES = ("unleash", "optimizely", "launchdarkly", "flagship", "kameleoon")
# The states of a client that a test may be in; `no client`: a decoder, an evaluator or a builder by itself.
STATES = ("before start", "starting", "ready", "offline", "background", "refused", "failing", "panic", "no consent", "closing",
          "closed", "reopened", "forked", "second client", "second process", "full queue", "full disk", "slow plug-in",
          "handle outlives client", "no client")
NEEDED_BY_NOBODY = {"slow plug-in", "no client"}
# Rows about how a flag is decided and what a decision is. The others are about life, context, consent and events: those meet
# each state of their service.
DECIDING = {
    "unleash": "UNL-27 to UNL-33, UNL-94 to UNL-99, UNL-103 to UNL-105",
    "optimizely": "OPT-47, OPT-56, OPT-60 to OPT-62, OPT-65, OPT-66, OPT-70, OPT-71, OPT-73 to OPT-77, OPT-92 to OPT-96",
    "launchdarkly": "LD-25, LD-50 to LD-63, LD-72, LD-82",
    "flagship": "FS-57, FS-58, FS-72 to FS-89, FS-202, FS-214",
    "kameleoon": "KAM-21 to KAM-27, KAM-30 to KAM-40, KAM-B01 to KAM-B03, KAM-B05, KAM-B06, KAM-B10, KAM-B13, KAM-B15, KAM-B20, KAM-B24",
}
# States that a service does not have, and why.
HAS_NOT = {
    "unleash": {"background": "has no such mode", "panic": "has no such answer", "no consent": "asks for none",
                "handle outlives client": "lends no handle of a person"},
    "optimizely": {"panic": "has no such answer", "no consent": "asks for none"},
    "launchdarkly": {"panic": "has no such answer", "no consent": "asks for none",
                     "handle outlives client": "lends no handle of a person"},
    "flagship": {"background": "has no such mode"},
    "kameleoon": {"background": "has no such mode", "panic": "has no such answer"},
}


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
    if not prefix or f"{prefix}-" not in text:
        return set()
    found = set(re.findall(rf"\b{prefix}-[A-Z]?\d+(?:[a-z]\b)?", text))
    span = rf"\b{prefix}-([A-Z]?)(\d+)\s*(?:to|…|\.\.\.?|through)\s*(?:{prefix}-\1)?(\d+)"
    for letter, first, last in re.findall(span, text):
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


def is_test(path: Path, text: str) -> bool:
    """Whether a file is one of tests, and no support, simulator or vector."""
    folders = path.relative_to(ROOT).parts[1:-1]
    if not path.is_relative_to(ROOT / "Tests") or {"Simulators", "Conformance", "Structure"} & set(folders):
        return False
    return {".swift": "@Test" in text, ".py": path.name.startswith("test_"), ".c": "\nTEST(" in text}.get(path.suffix, False)


def citations(prefix: str, text: str) -> Iterator[tuple[int, str, list[str] | None]]:
    """Line, rows and states of each citation of a service's rows; no states where it stands without."""
    if f"{prefix}-" not in text:
        return
    row = rf"\b{prefix}-[A-Z]?\d"
    stated = []
    for match in re.finditer(r"\(([^();]*);([^();]*)\)", text):
        if re.search(row, match[1]):
            stated.append(match.span())
            states = re.sub(r"\s+(?:///?|\*|#)?\s*", " ", match[2])
            yield text.count("\n", 0, match.start()) + 1, match[1], [state.strip() for state in states.split(",")]
    for match in re.finditer(row + r"\w*", text):
        if not any(start < match.start() < end for start, end in stated):
            yield text.count("\n", 0, match.start()) + 1, match[0], None


def unstated(page: Page, tests: Iterable[tuple[Path, str]]) -> list[str]:
    """Citations of tests that say no state, or one that there is not."""
    problems = []
    for path, text in tests if page.service in WITH_STATES else []:
        for line, rows, states in citations(page.prefix, text):
            if states is None:
                problems.append(f"{path.relative_to(ROOT)}:{line}: {rows} is cited without a state: ({rows}; ready)")
            problems += [f"{path.relative_to(ROOT)}:{line}: {state!r} is no state; {', '.join(STATES)} are"
                         for state in states or [] if state not in STATES]
    return problems


def met(page: Page, tests: Iterable[tuple[Path, str]]) -> Counter[str]:
    """How many citations of a service's rows about life, context, consent and events are in each state."""
    deciding = named(page.prefix, DECIDING.get(page.service, ""))
    return Counter(state for _, text in tests for _, rows, states in citations(page.prefix, text)
                   if named(page.prefix, rows) - deciding for state in states or [])


def unmet(page: Page, tests: Iterable[tuple[Path, str]]) -> list[str]:
    """States of a service that no test of a row about life, context, consent or events is in."""
    if page.service not in WITH_STATES:
        return []
    needed = set(STATES) - NEEDED_BY_NOBODY - set(HAS_NOT.get(page.service, {}))
    return [f"no row about life, context, consent or events is tested {state}" for state in STATES
            if state in needed - set(met(page, tests))]


def table(shown: list[Page], tests: list[tuple[Path, str]]) -> Iterator[str]:
    """Service by state, how many tests; – where the service has no such state."""
    counts = {page.service: met(page, tests) for page in shown}
    width = max(map(len, STATES))
    yield " " * width + "".join(f"{service:>14}" for service in counts)
    for state in STATES:
        yield f"{state:<{width}}" + "".join(
            f"{'–' if state in HAS_NOT.get(service, {}) else count[state]:>14}" for service, count in counts.items())


def untested(page: Page, tests: Iterable[str]) -> list[str]:
    """Rows that no test cites."""
    cited: set[str] = set().union(*(named(page.prefix, text) for text in tests))
    return [row for row in page.in_scope if row not in cited]


def unknown(page: Page, citing: Iterable[tuple[Path, str]]) -> list[str]:
    """What is cited, and stands nowhere on the page."""
    return [f"{path.relative_to(ROOT)} cites {row}, which {page.service}.md does not have"
            for path, text in citing for row in sorted(named(page.prefix, text) - page.named)]


def main(services: list[str]) -> int:
    citing = list(texts())
    tests = [(path, text) for path, text in citing if path.is_relative_to(ROOT / "Tests")]
    cases = [(path, text) for path, text in tests if is_test(path, text)]
    prints_states = "--states" in services
    shown = [page for page in pages() if page.service in (set(services) - {"--states"} or {page.service})]
    problems = 0
    for page in shown:
        missing, wrong = untested(page, (text for _, text in tests)), unknown(page, citing)
        wrong += unstated(page, cases) + unmet(page, cases)
        problems += len(missing) + len(wrong)
        print(f"{page.service}: {len(page.in_scope) - len(missing)} of {len(page.in_scope)} rows are cited by tests")
        for line in [f"not cited: {row}" for row in missing] + wrong:
            print(f"  {line}")
    for line in table([page for page in shown if page.service in WITH_STATES], cases) if prints_states else []:
        print(line)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
