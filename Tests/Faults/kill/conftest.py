"""Builds the programs against the library under test."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from world import Programs

HERE = Path(__file__).resolve().parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also kills at locks, and within writes in all scenarios")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: runs with --long only")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--long"):
        items[:] = [item for item in items if not item.get_closest_marker("long")]


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    named = os.environ.get("HOIST_LIBRARY")
    if not named:
        pytest.skip("HOIST_LIBRARY does not name the library")
    library = Path(named).resolve()
    folder = tmp_path_factory.mktemp("kill")
    made = Programs(folder / "host", folder / "killer.so")
    compiler = [os.environ.get("CC", "cc"), "-Wall", "-Wextra", "-Werror"]
    subprocess.run([*compiler, "-std=c99", "-pedantic", "-I", HERE.parents[2] / "Include", "-o", made.host,
                    HERE / "host.c", library, f"-Wl,-rpath,{library.parent}"], check=True)
    subprocess.run([*compiler, "-shared", "-fPIC", "-o", made.killer, HERE / "killer.c", "-ldl"], check=True)
    return made
