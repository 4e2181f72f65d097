"""What is shipped: built here, once a run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path("/etc/apt/sources.list.d/debian.sources")
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


def system_of(root: Path, release: str, packages: str) -> None:
    """Fills a folder with a system from this machine's sources."""
    sources = root.parent / f"{release}.sources"
    sources.write_text(SOURCES.read_text().replace("bookworm", release))
    run("mmdebstrap", "--variant=apt", "--skip=cleanup/apt/lists", f"--include={packages}", release, root, sources)
    shutil.copy2("/etc/resolv.conf", root / "etc/resolv.conf")


def inside(root: Path, script: str) -> str:
    """Runs a script with that folder as its root, and nothing of this environment."""
    return run("env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/tried", "unshare", "--mount", "--pid", "--fork", f"--mount-proc={root}/proc", "chroot", root, "sh", "-ec",
               f"export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive; {script}")
