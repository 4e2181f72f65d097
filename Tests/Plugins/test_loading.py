"""The example plug-ins as shared objects, loaded by a program that knows only their files."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "Examples/plugins"
FEATURES = ROOT / "Examples/data/features.json"

# What each prints, at least once, when it is called.
WORK = {
    "logger": r"\[level \d\] hoist\[unleash\]: .+",
    "hook": "no-such-flag failed: .+",
    "cache": r"\d+ events put",
    "dispatcher": r"\w+: \d+ events, \d+ bytes, first id \S+",
    "transport": r"GET http://127\.0\.0\.1:9/api/client/features",
    "header_provider": r"token-1 for http://127\.0\.0\.1:9/api/client/\w+",
}


class Workshop:
    """Compiles the examples against the library under test, each once."""

    def __init__(self, folder: Path, library: Path) -> None:
        self.folder, self.library = folder, library

    def compile(self, source: Path, name: str, *options: str, libraries: tuple[str, ...] = ()) -> Path:
        built = self.folder / name
        if not built.exists():
            subprocess.run([os.environ.get("CC", "cc"), "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-g", *options,
                            "-I", ROOT / "Include", "-o", built, source, self.library,
                            *libraries, f"-Wl,-rpath,{self.library.parent}"], check=True)
        return built

    def plugin(self, kind: str) -> Path:
        return self.compile(EXAMPLES / f"{kind}.c", f"{kind}.so", "-shared", "-fPIC")

    def load(self, *arguments: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        program = self.compile(EXAMPLES / "load.c", "load")
        # The Swift runtime's own report of a crash can hang.
        environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
        return subprocess.run([program, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=90)


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    named = os.environ.get("HOIST_LIBRARY")
    if not named:
        pytest.skip("HOIST_LIBRARY does not name the library")
    return Workshop(tmp_path_factory.mktemp("loading"), Path(named).resolve())


def test_every_example_is_tried() -> None:
    programs = {path.stem for path in EXAMPLES.glob("*.c")} - {"load"}
    # The provider has tests of its own, test_providers.py, and so have what is kept in files and in Redis, and what goes to Kafka, Tests/Fleet.
    assert programs == {*WORK, "launchdarkly_hook", "flag_file_provider", "load_provider", "file_cache", "redis", "kafka"}


@pytest.mark.parametrize("kind", WORK)
def test_an_example_serves_as_a_shared_object(workshop: Workshop, kind: str) -> None:
    done = workshop.load(FEATURES, workshop.plugin(kind), *([FEATURES] if kind == "transport" else []))
    assert done.returncode == 0, done.stdout + done.stderr
    first, *lines = done.stdout.splitlines()
    assert json.loads(first) == {"name": f"example {kind.replace('_', ' ')}", "version": None, "abi_version": 1,
                                 "kinds": [kind], "unleash_strategies": []}
    assert lines[-1] == "banner is on"
    assert [line for line in lines if re.fullmatch(WORK[kind], line)], done.stdout


def test_a_hook_of_one_service_serves_as_a_shared_object_there_and_is_refused_elsewhere(workshop: Workshop) -> None:
    """(LD-81; offline)"""
    plugin = workshop.plugin("launchdarkly_hook")
    program = workshop.compile(EXAMPLES / "launchdarkly_hook.c", "launchdarkly_hook")
    for arguments in ([], [plugin]):
        done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=90)
        assert done.returncode == 0, done.stdout + done.stderr
        first, second = done.stdout.splitlines()
        assert re.fullmatch(r"boolVariation of new-checkout: true, default true, \d\.\d+ s", first)
        assert re.fullmatch(r"intVariation of cart-limit: 20, default 20, \d\.\d+ s", second)
    refused = workshop.load(FEATURES, plugin)
    assert refused.returncode == 1
    assert json.loads(refused.stdout)["kinds"] == ["launchdarkly_hook"]
    assert refused.stderr.startswith("load_plugin: HOIST_ERR_UNSUPPORTED: ")


def test_options_reach_the_plug_in_and_its_refusal_the_host(workshop: Workshop) -> None:
    plugin = workshop.plugin("header_provider")
    assert workshop.load(FEATURES, plugin, "night").returncode == 0
    done = workshop.load(FEATURES, plugin, "x" * 40)
    assert done.returncode == 1
    assert done.stderr == (f"load_plugin: HOIST_ERR_PLUGIN: the plug-in {plugin} could not make its header provider: "
                           "a token's beginning has at most 31 bytes (HOIST_ERR_ARGUMENT, status 1)\n")


def test_a_name_without_a_folder_is_a_file_of_the_current_folder(workshop: Workshop, tmp_path: Path) -> None:
    plugin = workshop.plugin("hook")
    assert workshop.load(FEATURES, plugin.name, folder=plugin.parent).returncode == 0
    done = workshop.load(FEATURES, plugin.name, folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "describe: HOIST_ERR_IO: the plug-in hook.so cannot be loaded: No such file or directory\n"
