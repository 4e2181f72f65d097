"""Reads how many tests passed, failed and were skipped from what the test programs print."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree


class NothingCounted(Exception):
    """The output of tests lacks the line that says how they went: they may have ended early, or never begun."""


@dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


CLOSING = re.compile(r"(?:^|\s)(\d+) passed, (\d+) failed(?:, (\d+) skipped)?")


def from_closing_lines(output: str) -> Counts:
    """The last line of the form "N passed, N failed, N skipped"."""
    found = CLOSING.findall(output)
    if not found:
        raise NothingCounted("no line \"N passed, N failed\"")
    return Counts(*(int(number or 0) for number in found[-1]))


def from_ctest(output: str) -> Counts:
    """Of `ctest -V`: the closing line of each program, or the program itself where it has none."""
    if not re.search(r"tests passed, \d+ tests failed out of \d+", output):
        raise NothingCounted("no closing line of ctest")
    closings: dict[str, Counts] = {}
    for number, line in re.findall(r"^(\d+): (.*)$", output, flags=re.M):
        if re.fullmatch(r"\d+ passed, \d+ failed(, \d+ skipped)?", line.strip()):
            closings[number] = from_closing_lines(line)
    total = Counts()
    for number, result in re.findall(r"^ *\d+/\d+ Test +#(\d+): .*?(Passed|\*\*\*\w[\w ]*)", output, flags=re.M):
        counts = closings.get(number, Counts())
        if result.startswith("***Skipped"):
            counts = Counts(skipped=1)
        elif result != "Passed" and counts.failed == 0:
            counts = counts + Counts(failed=1)
        elif result == "Passed" and counts == Counts():
            counts = Counts(passed=1)
        total = total + counts
    return total


def from_pytest(output: str) -> Counts:
    """The last summary line, e.g. "= 2 failed, 40 passed, 1 skipped in 3.21s ="."""
    lines = [line for line in output.splitlines() if re.search(r"\b(passed|failed|skipped|errors?)\b.* in [\d.:]+", line)]
    if not lines:
        raise NothingCounted("no closing line of pytest (a second -q swallows it)")
    numbers = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|skipped|xfailed|xpassed|error)", lines[-1])}
    return Counts(numbers.get("passed", 0) + numbers.get("xpassed", 0), numbers.get("failed", 0) + numbers.get("error", 0),
                  numbers.get("skipped", 0) + numbers.get("xfailed", 0))


def from_swift_testing(output: str) -> Counts:
    """The closing line of a run of Swift Testing; one failure stands for all of them."""
    total = Counts()
    found = re.findall(r"Test run with (\d+) tests? .*?(passed|failed) after", output)
    if not found:
        raise NothingCounted("no closing line of Swift Testing")
    for number, result in found:
        failed = 1 if result == "failed" else 0
        total = total + Counts(int(number) - failed, failed)
    return total


def from_junit(path: Path) -> Counts:
    """Of an XML report in JUnit's form, as `swift test --xunit-output` writes it. One that was not finished counts as
    a failure."""
    total = Counts()
    if not path.exists():
        raise NothingCounted(f"no report {path.name}")
    try:
        report = ElementTree.parse(path).getroot()
    except ElementTree.ParseError:
        return Counts(failed=1)
    for case in report.iter("testcase"):
        tags = {child.tag for child in case}
        if tags & {"failure", "error"}:
            total.failed += 1
        elif "skipped" in tags:
            total.skipped += 1
        else:
            total.passed += 1
    return total


Reader = Callable[[str], Counts]
