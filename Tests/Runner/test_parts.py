"""No part may pass without having tested something."""

import subprocess
import sys
from pathlib import Path

import pytest

from context import ROOT, Context, PartFailure, causes
from counts import Counts, from_pytest
from parts import PARTS


class Mute(Context):
    """Every command ends well, and says nothing."""

    def run(self, *command, **options):
        return 0, ""


@pytest.fixture
def mute(tmp_path):
    return Mute(logs=tmp_path)


@pytest.mark.parametrize("part", [part for part in PARTS if not part.is_build], ids=lambda part: part.name)
def test_a_part_fails_that_counts_nothing(mute, part):
    try:
        assert part.counts(mute).failed >= 1
    except PartFailure as failure:
        assert str(failure)


def test_only_builds_have_nothing_to_count(mute):
    assert [part.name for part in PARTS if part.is_build] == ["build", "release"]
    assert all(part.counts(mute) == Counts() for part in PARTS if part.is_build)


def test_tests_that_ran_none_have_failed(mute):
    mute.run = lambda *command, **options: (0, "0 passed, 0 failed")
    install = next(part for part in PARTS if part.name == "install")
    assert install.counts(mute).failed == 1 and mute.failures


@pytest.mark.parametrize("line", [
    '✘ Test "a name" recorded an issue at Some.swift:4:1: Expectation failed: x', "not ok 3 - evaluates",
    "FAILED Tests/Plugins/test_faults.py::test_nobody_else_notices - AssertionError: status -11",
    "a.c:3:1: error: no such member", "WARNING: ThreadSanitizer: data race (pid=1)",
])
def test_a_cause_is_found_in_a_log(line, tmp_path):
    (tmp_path / "log").write_text(f"before\n{line}\nafter\n")
    assert causes(tmp_path / "log") == [line]


FOLDERS = sorted({path.parent for path in (ROOT / "Tests").rglob("pytest.ini") if ".venv" not in path.parts}
                 | {Path(__file__).parent})


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_options_of_a_folder_leave_the_closing_line(folder, tmp_path):
    """The runner adds one -q; a second one would swallow the line."""
    (tmp_path / "test_one.py").write_text("def test_one(): pass\n")
    options = ["-c", folder / "pytest.ini"] if (folder / "pytest.ini").exists() else []
    command = [sys.executable, "-m", "pytest", "-q", *options, "--rootdir", tmp_path, "--confcutdir", tmp_path, tmp_path]
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert from_pytest(ended.stdout) == Counts(1, 0, 0), ended.stdout + ended.stderr
