"""A version that breaks programs compiled against the last tag needs another SONAME."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import check

BASE = "#define HOIST_VERSION_MAJOR {}\n#define HOIST_VERSION_MINOR {}\n#define HOIST_VERSION_PATCH 0\n"
pytestmark = pytest.mark.skipif(not shutil.which("abidiff"), reason="abidiff is not installed")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository whose version 0.1 is tagged."""
    root = tmp_path / "checkout"
    write(root, (0, 1), "int hoist_count(int more) { return more; }")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "-c", "user.name=N", "-c", "user.email=n@example.com", "commit", "--quiet", "-m", "0.1")
    git(root, "tag", "v0.1.0")
    return root


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", "-C", root, *words], check=True)


def write(root: Path, version: tuple[int, int], code: str) -> None:
    for folder in ("Include/hoist", "Tests/ABI"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "Include/hoist/base.h").write_text(BASE.format(*version))
    source, library = root / "probe.c", root / "libprobe.so"
    source.write_text(code)
    check.run("cc", "-shared", "-fPIC", "-g", "-gdwarf-4", source, "-o", library)
    check.run("abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--out-file", root / "Tests/ABI/hoist.abi", library)
    library.unlink()


def test_a_changed_type_is_found(checkout: Path, tmp_path: Path) -> None:
    write(checkout, (0, 1), "int hoist_count(long long more) { return (int)more; }")
    assert "hoist_count" in "\n".join(check.broken_since(check.last_tag(checkout), checkout, tmp_path))


def test_a_function_that_has_gone_is_found(checkout: Path, tmp_path: Path) -> None:
    write(checkout, (0, 1), "int hoist_other(void) { return 1; }")
    assert "hoist_count" in "\n".join(check.broken_since(check.last_tag(checkout), checkout, tmp_path))


def test_a_new_function_breaks_nothing(checkout: Path, tmp_path: Path) -> None:
    write(checkout, (0, 1), "int hoist_count(int more) { return more; } int hoist_other(void) { return 1; }")
    assert check.broken_since(check.last_tag(checkout), checkout, tmp_path) == []


def test_another_soname_may_break(checkout: Path, tmp_path: Path) -> None:
    write(checkout, (0, 2), "int hoist_count(long long more) { return (int)more; }")
    assert check.broken_since(check.last_tag(checkout), checkout, tmp_path) == []


def test_without_a_tag_there_is_nothing_to_compare_with(tmp_path: Path) -> None:
    assert check.last_tag(tmp_path) == ""


@pytest.mark.parametrize(("version", "name"), [((0, 1), "libhoist.so.0.1"), ((0, 12), "libhoist.so.0.12"), ((1, 3), "libhoist.so.1")])
def test_the_soname_follows_the_version(version: tuple[int, int], name: str) -> None:
    assert check.soname(BASE.format(*version)) == name
