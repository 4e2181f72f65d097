"""All C of ours for another processor: it compiles without a warning, and the shims do what they do here."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Sources/Python"))
CROSS, EMULATOR, LIBC = "aarch64-linux-gnu-gcc", "qemu-aarch64", Path("/usr/aarch64-linux-gnu")
needs_compiler = pytest.mark.skipif(not shutil.which(CROSS), reason=f"no {CROSS}: install gcc-aarch64-linux-gnu libc6-dev-arm64-cross")
needs_emulator = pytest.mark.skipif(not shutil.which(EMULATOR), reason=f"no {EMULATOR}: install qemu-user")

WARNINGS = ("-Wall", "-Wextra", "-Werror", "-pthread")
# The compiler of the library knows what may be NULL.
SHIMS = ("-std=gnu11", "-O1", "-D_Nonnull=", "-D_Nullable=", f"-I{ROOT}/Sources/CShims", f"-I{ROOT}/Sources/CShims/include")
HOSTS = ("-std=c99", "-pedantic", "-D_GNU_SOURCE", '-DPLUGIN_FOLDER=""', '-DPLUGIN_SUFFIX=""')
OPTIONS = {"Sources/CShims": SHIMS, "Sources/CCurl": (*SHIMS, f"-I{ROOT}/Sources/CCurl/include"), "Tests/Porting": SHIMS,
           "Sources/Plugins": ("-std=c99", "-O1", "-pedantic", "-D_POSIX_C_SOURCE=200809L", '-DPLUGIN_VERSION=""'),
           "Examples": ("-std=c99", "-pedantic"), "Tests/Faults": ("-std=gnu11",), "Tests/Sanitizers": ("-std=gnu11",),
           "Tests/Soak": ("-std=gnu11",),
           "Tests/Fleet": (*HOSTS, f"-I{ROOT}/Sources/Plugins/Redis"),
           "Tests": HOSTS}
# Peers of the benchmarks have headers of their own, which are fetched; what Python's compiled module includes is compiled with it.
LEFT_OUT = ("Tests/Benchmarks", "Sources/Python/native")
# Headers of other libraries, which are the same for every processor of 64 bits.
OTHERS = ("curl", "hiredis", "librdkafka", "jansson.h", "jansson_config.h", "sqlite3.h", "pcre2.h", "zlib.h", "zconf.h", "expat.h",
          "expat_external.h", "expat_config.h")


@pytest.fixture(scope="session")
def headers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """They alone: beside them stand the headers of this machine's C library."""
    folder = tmp_path_factory.mktemp("headers")
    here = sysconfig.get_config_var("MULTIARCH")
    for name in OTHERS:
        found = [place / name for place in (Path("/usr/include"), Path("/usr/include") / here) if (place / name).exists()]
        if found:
            (folder / name).symlink_to(found[0])
    (folder / "aarch64-linux-gnu").symlink_to(Path("/usr/include") / here)  # where Python's header looks for its own
    return folder


def complaint(headers: Path, options: tuple[str, ...], file: Path) -> str:
    command = [CROSS, *WARNINGS, *options, f"-I{ROOT}/Include", f"-I{ROOT}/Tests/C", f"-isystem{headers}", "-c", "-o", "/dev/null", file]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def sources() -> list[tuple[tuple[str, ...], Path]]:
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.c"], cwd=ROOT, capture_output=True,
                            text=True, check=True).stdout.split()
    return [(next(options for folder, options in OPTIONS.items() if name.startswith(folder + "/")), ROOT / name)
            for name in listed if not name.startswith(LEFT_OUT)]


@needs_compiler
def test_all_c_compiles(headers: Path) -> None:
    files = sources()
    assert len(files) > 100
    with ThreadPoolExecutor() as pool:
        assert [text for text in pool.map(lambda one: complaint(headers, *one), files) if text] == []


@needs_compiler
def test_what_is_generated_compiles(headers: Path, tmp_path: Path) -> None:
    """The headers that Swift's modules are made of, the matrix of bad arguments, and Python's compiled module."""
    from building.extension import configure
    from building.locate import Location
    from setuptools import Extension

    includes = sorted(ROOT.glob("Sources/C*/shim.h"))
    (tmp_path / "modules.c").write_text("".join(f'#include "{file}"\n' for file in includes))
    subprocess.run([sys.executable, ROOT / "Tests/C/generate_matrix.py", tmp_path / "matrix.c"], check=True)
    extension = Extension("hoist._compiled", [])
    configure(extension, Location(ROOT / "Include", tmp_path / "libhoist.so"), tmp_path / "compiled.c", bundled=False)
    macros = tuple(f"-D{name}={value}" for name, value in extension.define_macros)
    python = (*macros, *extension.extra_compile_args, *(f"-I{folder}" for folder in extension.include_dirs),
              f"-I{sysconfig.get_path('include')}", "-Wno-extra", "-Wno-deprecated-declarations")
    told = [complaint(headers, options, tmp_path / name) for name, options in (
        ("modules.c", SHIMS), ("matrix.c", HOSTS), ("compiled.c", python))]
    assert "".join(told) == "" and len(includes) == 5


def shims(compiler: str, folder: Path, *options: str) -> Path:
    wrapped = ("-Wl,--wrap=pthread_mutex_lock", "-Wl,--wrap=pthread_mutex_unlock")  # as the library is linked
    program = folder / "shims"
    subprocess.run([compiler, *WARNINGS, *SHIMS, f"-I{ROOT}/Tests/C", *options, *wrapped, *sorted(ROOT.glob("Sources/CShims/*.c")),
                    ROOT / "Tests/Porting/shims.c", "-o", program], check=True)
    return program


def run(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and " 0 failed" in done.stdout, done.stdout + done.stderr


def test_the_shims_do_what_they_say_here(tmp_path: Path) -> None:
    run(shims("cc", tmp_path, "-Wno-unknown-pragmas"))  # some are for the library's own compiler


@needs_compiler
@needs_emulator
def test_the_shims_do_the_same_there(tmp_path: Path) -> None:
    run(EMULATOR, "-L", LIBC, shims(CROSS, tmp_path))
