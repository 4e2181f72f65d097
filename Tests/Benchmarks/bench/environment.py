"""What a run needs on this machine: peers from PyPI, the compiled harness, the library under test."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
CHECKOUT = HERE.parent.parent
WORK = HERE / ".work"
VENV = HERE / ".venv-bench"

PEERS = [
    "yggdrasil-engine==2.0.0", "UnleashClient==6.9.1", "flipt-client==1.4.5", "growthbook==4.0.0",
    "launchdarkly-server-sdk==9.18.2", "optimizely-sdk==5.7.0", "flagship==3.0.1", "kameleoon-client-python==3.22.2",
]


class Failure(Exception):
    """The harness itself failed; the message says where."""


def progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def call(*command: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> None:
    """Runs a command whose output is shown only when it fails."""
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        tail = done.stdout.decode(errors="replace")[-4000:]
        raise Failure(f"{' '.join(map(str, command))} failed:\n{tail}")


def make_venv() -> Path:
    """The virtual environment with the peers, made or completed; returns its Python."""
    python, stamp = VENV / "bin" / "python", VENV / "peers.txt"
    if stamp.exists() and stamp.read_text() == "\n".join(PEERS):
        return python
    progress("installing the peers from PyPI into .venv-bench")
    call(sys.executable, "-m", "venv", VENV)
    call(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PEERS)
    stamp.write_text("\n".join(PEERS))
    return python


def install_binding(hoist: Path) -> None:
    """Hoist's package for Python, compiled against the library that is measured, in the virtual environment."""
    settings = os.environ | {"HOIST_LIBRARY": str(hoist), "HOIST_INCLUDE": str(CHECKOUT / "Include"), "HOIST_PYTHON_VENV": str(VENV)}
    call(CHECKOUT / "Tests" / "Python" / "install", env=settings)


def wheel_library(name: str) -> Path | None:
    """A peer's shared library inside the virtual environment; None when its wheel has none for this machine."""
    machine = os.uname().machine
    found = [path for path in sorted((VENV / "lib").rglob(name)) if machine in str(path) or "linux_" not in str(path)]
    return found[0] if found else None


def build_harness() -> tuple[Path, Path]:
    """Compiles the harness and the floor's shared library; returns both."""
    compiler = os.environ.get("CC") or shutil.which("gcc") or "cc"
    source, flags = HERE / "harness", ["-std=c11", "-O2", "-Wall", "-Wextra", "-D_GNU_SOURCE"]
    WORK.mkdir(exist_ok=True)
    harness, floor = WORK / "harness", WORK / "libfloor.so"
    files = sorted(path for path in source.glob("*.c") if path.name != "floor.c")
    call(compiler, *flags, "-I", CHECKOUT / "Include", *files, "-o", harness, "-ldl", "-lpthread")
    call(compiler, *flags, "-shared", "-fPIC", source / "floor.c", "-o", floor)
    return harness, floor


def build_hoist() -> Path:
    """The release library, self-contained: by CMake where it can be had, else by the package manager."""
    if (CHECKOUT / "CMakeLists.txt").exists() and shutil.which("cmake"):
        progress("building libhoist.so with CMake")
        build = CHECKOUT / "build" if _is_release(CHECKOUT / "build") else WORK / "build"
        if not (build / "CMakeCache.txt").exists():
            call("cmake", "-S", CHECKOUT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DHOIST_BUILD_CLI=OFF",
                 "-DHOIST_BUILD_TESTS=OFF", "-DHOIST_INSTALL=OFF")
        call("cmake", "--build", build, "--target", "hoist_library")
        library = build / "lib" / "libhoist.so"
    else:
        progress("building libhoist.so with swift build")
        call("swift", "build", "-c", "release", "-Xswiftc", "-static-stdlib", "--product", "hoist", cwd=CHECKOUT)
        library = CHECKOUT / ".build" / "release" / "libhoist.so"
    if not library.exists():
        raise Failure(f"the build made no {library}")
    return library


def _is_release(build: Path) -> bool:
    """Whether a build folder that is already there is fit to be measured."""
    cache = build / "CMakeCache.txt"
    settings = cache.read_text() if cache.exists() else ""
    return "CMAKE_BUILD_TYPE:STRING=Release\n" in settings and "HOIST_SANITIZE:STRING=\n" in settings
