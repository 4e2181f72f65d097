"""What type checkers make of programs: the keywords of each service are known, by name and by value."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import hoist

HERE = Path(__file__).parent
PROGRAMS = HERE / "Typed"
GENERATOR = HERE.parents[1] / "Sources" / "Python" / "building" / "keywords.py"
Places = set[tuple[str, int]]


def test_the_keywords_are_those_of_the_library() -> None:
    """Once a property is added: `python Sources/Python/building/keywords.py`."""
    found = importlib.util.spec_from_file_location("keywords", GENERATOR)
    assert found and found.loader
    generator = importlib.util.module_from_spec(found)
    found.loader.exec_module(generator)
    assert generator.FILE.read_text(encoding="utf-8") == generator.text(hoist.describe)


def test_every_keyword_is_a_property() -> None:
    """A service's keywords are its properties, all of them; a dotted one that is spelled like another is left to mappings."""
    for service in ("unleash", "optimizely", "launchdarkly", "flagship", "kameleoon"):
        title = next(name for name in vars(hoist.properties) if name.lower() == service)
        spelled = {row.name.replace(".", "_") for row in hoist.describe(service)}
        assert set(getattr(hoist.properties, title).__annotations__) == spelled


def mypy() -> Places:
    """Where mypy finds something."""
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir=/dev/null", "--output=json", "."]
    answer = subprocess.run(command, cwd=PROGRAMS, capture_output=True, text=True, check=False)
    assert answer.returncode in (0, 1), answer.stdout + answer.stderr
    told = [json.loads(line) for line in answer.stdout.splitlines() if line.startswith("{")]
    return {(Path(row["file"]).name, row["line"]) for row in told if row["severity"] == "error"}


def pyright() -> Places:
    """Where pyright finds something, by the build of it that brings all it needs."""
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "--outputjson", "--level", "error", "."]
    answer = subprocess.run(command, cwd=PROGRAMS, capture_output=True, text=True, check=False)
    assert answer.returncode in (0, 1), answer.stdout + answer.stderr
    rows = json.loads(answer.stdout)["generalDiagnostics"]
    return {(Path(row["file"]).name, row["range"]["start"]["line"] + 1) for row in rows if row["severity"] == "error"}


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_checkers_refuse_what_is_wrong_and_nothing_else(checker: Callable[[], Places]) -> None:
    wrong = {
        (path.name, number)
        for path in PROGRAMS.glob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if "# wrong" in line
    }
    assert len(wrong) > 20
    assert checker() == wrong
