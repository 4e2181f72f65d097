"""What the build promises of its results."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import LIBRARY, ROOT, run

TOOL = LIBRARY.parents[1] / "bin/hoist"


def check_glibc(newest: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["cmake", "-D", "readelf=readelf", "-D", f"newest={newest}", "-D", f"file={LIBRARY}",
                           "-P", ROOT / "cmake/check_glibc.cmake"], capture_output=True, text=True, check=False)


def test_a_file_that_needs_a_later_glibc_than_promised_is_refused() -> None:
    refused = check_glibc("2.17")
    assert refused.returncode and "needs GLIBC_" in refused.stderr and "HOIST_MINIMUM_GLIBC" in refused.stderr


@pytest.mark.parametrize("newest", ["2.99"])
def test_one_that_does_not_is_taken(newest: str) -> None:
    assert check_glibc(newest).returncode == 0


def bill(folder: Path, moment: str, version: str = "1.2.3") -> bytes:
    folder.mkdir()
    run(sys.executable, ROOT / "cmake/bill_of_materials.py", "--version", version, "--swift", "swift",
        "--pins", ROOT / "Sources/hoist-cli/Package.resolved", "--out", folder / "bill", LIBRARY.resolve(), TOOL,
        folder=folder, environment={"SOURCE_DATE_EPOCH": moment, "TZ": "Asia/Tokyo"})
    return (folder / "bill").read_bytes()


def test_the_bill_of_materials_is_made_of_what_it_tells_alone(tmp_path: Path) -> None:
    """Where and when it was written does not show; another content has another name."""
    first, later = bill(tmp_path / "first", "1700000000"), bill(tmp_path / "elsewhere", "1700000000")
    assert first == later
    other = json.loads(bill(tmp_path / "other", "1700000000", "1.2.4"))
    one = json.loads(first)
    assert one["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
    assert one["documentNamespace"].startswith("urn:uuid:") and one["documentNamespace"] != other["documentNamespace"]


def test_the_tool_has_the_bytes_of_one_built_in_another_folder(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """With its debug information, from sources of the argument parser that are elsewhere."""
    if not request.config.getoption("--packages"):
        pytest.skip("only with --packages")
    sources, build, parser = tmp_path / "sources", tmp_path / "obj", tmp_path / "parsing/swift-argument-parser"
    for name in ("Include", "Sources", "cmake"):
        shutil.copytree(ROOT / name, sources / name)
    for name in ("CMakeLists.txt", "Package.swift"):
        shutil.copy2(ROOT / name, sources)
    shutil.copytree(TOOL.parents[1] / "swift-tool/checkouts/swift-argument-parser", parser)
    # Makefiles go by time alone, so that they take the library for up to date.
    run("cmake", "-G", "Unix Makefiles", "-S", sources, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DHOIST_BUILD_TESTS=OFF",
        "-DHOIST_BUILD_REDIS=OFF", "-DHOIST_BUILD_KAFKA=OFF", "-DHOIST_INSTALL=OFF", f"-DHOIST_ARGUMENT_PARSER={parser}")
    (build / "lib").mkdir(exist_ok=True)
    copy = shutil.copy(LIBRARY, build / "lib" / LIBRARY.resolve().name)
    for name in (LIBRARY.name, os.readlink(LIBRARY)):
        (build / "lib" / name).symlink_to(Path(copy).name)
    run("make", "-C", build, "-f", "CMakeFiles/hoist_tool.dir/build.make", "bin/hoist")
    assert (build / "bin/hoist").read_bytes() == TOOL.read_bytes()
