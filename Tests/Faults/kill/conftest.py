"""Builds the programs against the library under test."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from world import Programs

HERE = Path(__file__).resolve().parent
COMPILER = [os.environ.get("CC", "cc"), "-Wall", "-Wextra", "-Werror"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also kills at locks, and within writes in all scenarios; 1,000 in a row")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: runs with --long only")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--long"):
        items[:] = [item for item in items if not item.get_closest_marker("long")]


@pytest.fixture(scope="session")
def kills(pytestconfig: pytest.Config) -> int:
    """How many kills in a row each service's hosts go through."""
    return 1_000 if pytestconfig.getoption("--long") else 25


def library() -> Path:
    named = os.environ.get("HOIST_LIBRARY")
    if not named:
        pytest.skip("HOIST_LIBRARY does not name the library")
    return Path(named).resolve()


def compiled(name: str, folder: Path) -> Path:
    """A host's program: `name`.c over the library under test."""
    made, over = folder / name, library()
    subprocess.run([*COMPILER, "-std=c99", "-pedantic", "-I", HERE.parents[2] / "Include", "-o", made,
                    HERE / f"{name}.c", over, f"-Wl,-rpath,{over.parent}"], check=True)
    return made


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    folder = tmp_path_factory.mktemp("kill")
    killer = folder / "killer.so"
    subprocess.run([*COMPILER, "-shared", "-fPIC", "-o", killer, HERE / "killer.c", "-ldl"], check=True)
    return Programs(compiled("host", folder), killer)


@pytest.fixture(scope="session")
def service_host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("service_host", tmp_path_factory.mktemp("services"))


@pytest.fixture(scope="session")
def flagship_host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("flagship_host", tmp_path_factory.mktemp("flagship"))


@pytest.fixture(scope="session")
def kameleoon_host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("kameleoon_host", tmp_path_factory.mktemp("kameleoon"))
