"""What the pages name exists: calls, constants, properties, counters, log lines."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import hoist
from pages import PAGES, ROOT, SITE, code_words, column, tables

HEADERS = "\n".join(path.read_text() for path in sorted((ROOT / "Include/hoist").rglob("*.h")))
SERVICES = ("unleash", "optimizely", "launchdarkly", "flagship", "kameleoon")
GUIDES = [page for page in sorted((SITE / "guides").glob("*.md")) if page.name != "services.md"]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_calls_and_constants_exist(page: Path) -> None:
    known = set(re.findall(r"\w+", HEADERS))
    build = "".join((ROOT / name).read_text() for name in ("CMakeLists.txt", "SECURITY.md", "Sources/Python/README.md",
                                                           "Tests/Python/install", "Documentation/build",
                                                           "Sources/hoist-cli/Forwarding/KafkaOptions.swift"))
    known |= set(re.findall(r"\bHOIST_[A-Z_]+|\bhoist_\w+", build))
    gauges = (ROOT / "Sources/hoist-cli/Forwarding/MetricsPage.swift").read_text()
    known |= {f"hoist_forward_{name}" for name in re.findall(r'add\("(\w+)", "gauge"', gauges)}
    named = set(re.findall(r"\b(?:hoist_[a-z0-9_]+|HOIST_[A-Z0-9_]+)\b(?![*…/.])", page.read_text()))
    missing = {name for name in named if name not in known and not name.endswith("_")}
    assert not missing - {"hoist_library", "hoist_tool"}, "no header has it"


@pytest.mark.parametrize("page", [page for page in PAGES if column(page, "property")], ids=name_of)
def test_properties_exist(page: Path) -> None:
    named = {row.name for service in SERVICES for row in hoist.describe(service)}
    if page in GUIDES:
        named = {row.name for row in hoist.describe(page.stem.removesuffix("-server"))}
    missing = {word for cell in column(page, "property") for word in code_words(cell)} - named
    assert not missing


@pytest.mark.parametrize("page", GUIDES, ids=name_of)
def test_the_calls_of_python_exist(page: Path) -> None:
    module = importlib.import_module(f"hoist.{page.stem.removesuffix('-server')}")
    known = {"hoist", module.__name__.rpartition(".")[2], *dir(module), *dir(hoist)}
    for place in (module, hoist):
        for thing in vars(place).values():
            if isinstance(thing, type):
                known |= set(dir(thing))
    for cell in column(page, "Python"):
        for word in code_words(cell):
            bare = re.sub(r"\([^()]*(\([^()]*\))?[^()]*\)", "", word).replace("…", "")
            for part in re.findall(r"[A-Za-z_]\w*", bare):
                assert part in known or any(name.endswith(part) for name in known), f"hoist has no {part}, of {word}"


def counters_of(page: Path) -> dict[str, set[str]]:
    """By group."""
    found: dict[str, set[str]] = {}
    for table in tables(page):
        if table[0][:2] == ["group", "counter"]:
            for row in table[1:]:
                for group in code_words(row[0]):
                    found.setdefault(group, set()).update(code_words(row[1]))
    return found


def test_every_counter_is_explained() -> None:
    """Those that the header lists, and no others."""
    comment = re.search(r"Counters of the client.*?\n \* @return", HEADERS, re.S)
    assert comment
    listed: dict[str, set[str]] = {}
    for group, text in re.findall(r"^ \*   (\w+)  ?(.*?)(?=^ \*   \w|^ \*\n|^ \* @)", comment[0], re.M | re.S):
        text = re.sub(r"\s*\n \*\s+", " ", text)
        while "(" in text:
            text = re.sub(r"\([^()]*\)", "", text)
        counters = text.rpartition(": ")[2].partition(";")[0]
        listed[group] = set(re.findall(r"[a-z_]+(?=\s*(?:,|$))", counters))
    page = SITE / "operating.md"
    explained = counters_of(page)
    queue = {word for table in tables(page) if table[0][0] == "counter" for row in table[1:] for word in code_words(row[0])}
    for group in ("events", "metrics", "odp", "hits", "activates", "tracking"):
        explained[group] = explained.get(group, set()) | queue
    assert listed.keys() == explained.keys()
    for group in listed:
        assert listed[group] == explained[group], group
    for group, counters in counters_of(SITE / "fleet.md").items():
        assert counters <= listed[group], group


@pytest.mark.parametrize("page", [page for page in PAGES if column(page, "line")], ids=name_of)
def test_log_lines_are_those_of_the_library(page: Path) -> None:
    """Each piece of a line between its names and numbers stands in the sources."""
    sources = "\n".join(path.read_text() for pattern in ("Hoist*/**/*.swift", "Plugins/**/*.c")
                        for path in sorted((ROOT / "Sources").glob(pattern)))
    # A text over several lines of code is one.
    sources = re.sub(r'"\s*\+ "', "", sources).replace('\\"', '"')
    for cell in column(page, "line"):
        for line in code_words(cell):
            for piece in filter(None, (piece.strip(" ():;.") for piece in line.split("…"))):
                assert piece in sources, line
