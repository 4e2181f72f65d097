"""Every block of code in the documentation is compiled, and those that say what they print are run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pages import PAGES, ROOT, SITE, Block, blocks

LIBRARY = Path(os.environ.get("HOIST_LIBRARY", ROOT / ".build-release/lib/libhoist.so")).resolve()
FEATURES = next(block.code for block in blocks(SITE / "tutorial.md") if block.language == "json")
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-Wno-unused-parameter",
            "-Wno-unused-variable")
# What fragments speak of.
PRELUDE = """
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <hoist/hoist.h>
#include <hoist/unleash.h>
#include <hoist/optimizely.h>
#include <hoist/launchdarkly.h>
#include <hoist/flagship.h>
#include <hoist/kameleoon.h>
static volatile sig_atomic_t is_ending;
"""


def with_language(*languages: str) -> list[Path]:
    return [page for page in PAGES if any(block.language in languages for block in blocks(page))]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "features.json").write_text(FEATURES)
    return tmp_path


def run(*command: str | Path, folder: Path) -> str:
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "LD_LIBRARY_PATH": str(LIBRARY.parent),
                   "LANG": "C.UTF-8"}
    ended = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, env=environment,
                           timeout=60)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def compile_and_run(block: Block, folder: Path, compiler: str, suffix: str, *options: str) -> None:
    source = folder / f"program{suffix}"
    source.write_text(block.code)
    run(compiler, *options, *WARNINGS, f"-I{ROOT / 'Include'}", source, "-o", folder / "program", LIBRARY, folder=folder)
    if block.printed is not None:
        assert run(folder / "program", folder=folder) == block.printed


@pytest.mark.parametrize("page", with_language("c"), ids=name_of)
def test_c_compiles(page: Path, folder: Path) -> None:
    """Fragments of one page are read together, as they stand: functions as such, statements inside one."""
    unit, number = [PRELUDE], 0
    for block in blocks(page):
        if block.language != "c":
            continue
        if "int main(" in block.code:
            compile_and_run(block, folder, "cc", ".c", "-std=c11", "-D_GNU_SOURCE")
        elif re.search(r"^(static|typedef|HOIST_PLUGIN_EXPORT)\b", block.code, re.M):
            unit.append(block.code)
        else:
            number += 1
            unit.append(f"static void fragment_{number}(hoist_config *config, hoist_client *client, hoist_context *context) {{\n"
                        f"{block.code}}}")
    (folder / "fragments.c").write_text("\n".join(unit))
    run("cc", "-std=c11", "-D_GNU_SOURCE", *WARNINGS, "-fsyntax-only", f"-I{ROOT / 'Include'}", "fragments.c", folder=folder)


@pytest.mark.parametrize("page", with_language("cpp"), ids=name_of)
def test_cpp_compiles(page: Path, folder: Path) -> None:
    for block in blocks(page):
        if block.language == "cpp":
            compile_and_run(block, folder, "c++", ".cpp", "-std=c++17")


def test_python_is_well_typed(tmp_path: Path) -> None:
    """A call that does not exist, or a misspelt one, is found here, also where a block is not run."""
    for page in with_language("python"):
        for number, block in enumerate(block for block in blocks(page) if block.language == "python"):
            name = re.sub(r"\W", "_", name_of(page))
            (tmp_path / f"{name}_{number}.py").write_text(block.code)
    run(sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", tmp_path / "cache",
        *sorted(tmp_path.glob("*.py")), folder=tmp_path)


@pytest.mark.parametrize("page", with_language("python"), ids=name_of)
def test_python_prints_what_it_says(page: Path, folder: Path) -> None:
    for block in blocks(page):
        if block.language == "python" and block.printed is not None:
            (folder / "program.py").write_text(block.code)
            assert run(sys.executable, "program.py", folder=folder) == block.printed


@pytest.mark.parametrize("page", with_language("json"), ids=name_of)
def test_json_is_json(page: Path) -> None:
    for block in blocks(page):
        if block.language == "json":
            json.loads(block.code)
