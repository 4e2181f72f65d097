"""The check of citations finds what lacks a state, what is no state, and which states no test meets."""

from __future__ import annotations

from collections import Counter

import pytest
import rows

PAGE = rows.Page("toy", "| ID | what |\n|---|---|\n" + "".join(f"| XY-{number:02} | a |\n" for number in range(1, 10)))
TEST = rows.ROOT / "Tests" / "Python" / "test_toy.py"


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that has every state but one, and whose rows from XY-07 on are about decisions."""
    monkeypatch.setattr(rows, "WITH_STATES", ("toy",))
    monkeypatch.setitem(rows.DECIDING, "toy", "XY-07 to XY-09")
    monkeypatch.setitem(rows.HAS_NOT, "toy", {"panic": "has no such answer"})


@pytest.mark.parametrize("text", [
    '"""(XY-01; ready)"""', '@Test("A start (XY-01, XY-03 to XY-05, G3; before start, failing)")', "/* (XY-02; no client) */",
    "/// Told once (XY-01, contract 8;\n/// second client,\n/// second process).", "nothing is cited", "(AB-01) is no row of this page",
])  # fmt: skip
def test_citations_with_states_are_fine(text: str) -> None:
    assert rows.unstated(PAGE, [(TEST, text)]) == []


@pytest.mark.parametrize(("text", "place", "told"), [
    ('"""XY-01"""', 1, "XY-01 is cited without a state"),
    ("(XY-01; ready)\n(XY-02, XY-B03)", 2, "XY-02 is cited without a state"),
    ("\n// XY-02, ready", 2, "XY-02 is cited without a state"),
    ("(contract 8; XY-02)", 1, "XY-02 is cited without a state"),
    ("(XY-02; asleep)", 1, "'asleep' is no state; before start, starting, ready"),
    ("(XY-02;)", 1, "'' is no state"),
])  # fmt: skip
def test_a_citation_without_a_state_is_named_with_its_place(text: str, place: int, told: str) -> None:
    found = rows.unstated(PAGE, [(TEST, text)])
    assert found and found[0].startswith(f"Tests/Python/test_toy.py:{place}: ") and told in found[0]


def test_a_service_that_does_not_say_states_yet_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "WITH_STATES", ())
    assert rows.unstated(PAGE, [(TEST, "XY-01")]) == rows.unmet(PAGE, []) == []


def test_states_are_counted_by_rows_that_are_not_about_decisions() -> None:
    tests = [(TEST, "(XY-01; ready) (XY-01, XY-08; ready, closed) (XY-07 to XY-09; offline)")]
    assert rows.met(PAGE, tests) == Counter(ready=2, closed=1)


def test_a_state_that_no_test_meets_is_named_unless_the_service_has_it_not() -> None:
    needed = [state for state in rows.STATES if state not in ("panic", "slow plug-in", "no client")]
    all_of_them = [(TEST, f"(XY-01; {', '.join(needed)})")]
    assert rows.unmet(PAGE, all_of_them) == []
    assert rows.unmet(PAGE, [(TEST, f"(XY-01; {', '.join(needed[1:])}) (XY-07; {needed[0]})")]) == [
        f"no row about life, context, consent or events is tested {needed[0]}"]  # fmt: skip
    assert any(line.split() == ["panic", "–"] for line in rows.table([PAGE], all_of_them))


@pytest.mark.parametrize(("name", "text", "expected"), [
    ("HoistToyTests/ToyTests.swift", "@Test func a() {}", True), ("HoistToyTests/ToyRig.swift", "class ToyRig {}", False),
    ("Python/test_toy.py", "", True), ("Python/toy_clients.py", "", False), ("C/toy.c", "\nTEST(a) {}", True), ("C/host.h", "", False),
    ("Simulators/tests/test_toy.py", "", False), ("Conformance/Kit/Toy.swift", "@Test", False), ("Structure/test_toy.py", "", False),
])  # fmt: skip
def test_tests_are_told_from_what_helps_them(name: str, text: str, expected: bool) -> None:
    assert rows.is_test(rows.ROOT / "Tests" / name, text) is expected


def test_what_a_service_has_not_is_a_state() -> None:
    assert {state for reasons in rows.HAS_NOT.values() for state in reasons} <= set(rows.STATES)
