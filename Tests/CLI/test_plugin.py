"""What a plug-in in a shared object offers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tool import ROOT, Tool

CONFIGURATION = 4
EXAMPLE = ROOT / "Examples/plugins/hook.c"


@pytest.fixture(scope="module")
def hook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example's hook, which calls Hoist: it finds the library that the tool has."""
    program = Path(os.environ.get("HOIST_CLI", "")).resolve()
    library = Path(os.environ.get("HOIST_LIBRARY", program.parents[1] / "lib/libhoist.so"))
    if not library.exists():
        pytest.skip("there is no libhoist.so beside the tool, and HOIST_LIBRARY names none")
    built = tmp_path_factory.mktemp("plugin") / "hook.so"
    subprocess.run([os.environ.get("CC", "cc"), "-std=c99", "-shared", "-fPIC", "-I", ROOT / "Include", "-o", built, EXAMPLE,
                    library], check=True)
    return built


def test_plugin_tells_what_an_object_offers(hoist: Tool, hook: Path) -> None:
    result = hoist("plugin", hook)
    assert (result.status, result.err) == (0, "")
    assert result.table == [["example hook", "-", "1", "hook"]]


def test_plugin_has_stable_json_names(hoist: Tool, hook: Path) -> None:
    assert hoist("plugin", hook, "--json").json == {
        "name": "example hook", "version": None, "abi_version": 1, "kinds": ["hook"], "unleash_strategies": []}


def test_a_file_that_is_no_plugin_is_refused_by_name(hoist: Tool, tmp_path: Path) -> None:
    missing, text = tmp_path / "missing.so", tmp_path / "text.so"
    text.write_text("no object\n" * 100)
    for path, says in ((missing, "No such file or directory"), (text, "invalid ELF header")):
        result = hoist("plugin", path)
        assert (result.status, result.out) == (CONFIGURATION, "")
        assert result.err == f"hoist: the plug-in {path} cannot be loaded: {says}\n"
