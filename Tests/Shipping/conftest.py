"""What is shipped: built here, once a run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Path(os.environ.get("HOIST_LIBRARY", ROOT / ".build-release/lib/libhoist.so"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--packages", action="store_true", help="also build the Debian packages, and try them in clean systems")


def run(*command: str | Path, folder: Path | None = None, environment: dict[str, str] | None = None) -> str:
    """The output; what failed is shown whole."""
    done = subprocess.run([str(word) for word in command], cwd=folder, env={**os.environ, **(environment or {})},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout[-6000:]}"
    return done.stdout


def distribution(checkout: Path, *options: str) -> Path:
    """Source distribution, and a wheel made from that, of a copy of the sources in that folder."""
    shutil.copytree(ROOT / "Include", checkout / "Include")
    shutil.copytree(ROOT / "Sources/Python", checkout / "Sources/Python",
                    ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    run(sys.executable, "-m", "build", "--no-isolation", *options, "--outdir", checkout / "dist", checkout / "Sources/Python",
        environment={"HOIST_LIBRARY": str(LIBRARY.resolve()), "HOIST_PYTHON_BUNDLE": "1"})
    return checkout / "dist"


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return distribution(tmp_path_factory.mktemp("first"))


@pytest.fixture(scope="session")
def wheel(dist: Path) -> Path:
    return next(dist.glob("*.whl"))
