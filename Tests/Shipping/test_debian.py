"""The Debian packages: from the source package to a clean system that has had them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import LIBRARY, ROOT, inside, run, system_of
from test_wheel import FEATURES

PACKAGES = ["hoist", "hoist-kafka", "hoist-redis", "libhoist-dev", "libhoist0.1", "python3-hoist"]
# Those that a system other than the one where they were built cannot have: trixie's libhiredis has another name.
OF_ONE_RELEASE = {"trixie": ["hoist-redis"]}


def lintian(file: Path) -> None:
    assert run("lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0", file) == ""


@pytest.fixture(scope="session")
def packages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiled anew with --packages; else of what the release build has made."""
    folder = tmp_path_factory.mktemp("packages")
    environment = {"HOIST_ARGUMENT_PARSER": str(ROOT / ".build-release/swift-tool/checkouts/swift-argument-parser")}
    if not request.config.getoption("--packages"):
        environment["HOIST_SWIFT"] = str(Path(__file__).with_name("built-swift"))
    run(ROOT / "Packaging/debian/build", folder, environment=environment)
    return folder


def package(folder: Path, name: str) -> Path:
    return next(folder.glob(f"{name}_*.deb"))


def test_the_packages_are_clean(packages: Path) -> None:
    """The source package and the binary ones."""
    assert sorted(file.name.split("_")[0] for file in packages.glob("*.deb") if "dbgsym" not in file.name) == PACKAGES
    lintian(next(packages.glob("*_amd64.changes")))


def test_what_they_depend_on_is_stated_truly(packages: Path, tmp_path: Path) -> None:
    """glibc as late as the newest version of it that is needed; libcurl, which is loaded by name; no argument parser."""
    run("dpkg-deb", "-x", package(packages, "libhoist0.1"), tmp_path)
    library, = tmp_path.rglob("libhoist.so.*.*.*")
    needed = re.findall(r"GLIBC_([\d.]+)", run("readelf", "-VW", library))
    if "GLIBC_ABI_DT_RELR" in run("readelf", "-VW", library):
        needed.append("2.36")
    depends = run("dpkg-deb", "-f", package(packages, "libhoist0.1"), "Depends")
    stated = re.search(r"libc6 \(>= ([\d.]+)\)", depends)
    assert stated and number(stated[1]) >= max(map(number, needed)), depends
    assert re.search(r"libcurl4(?:t64)? \(>= 7\.85\)", depends), depends
    assert run("dpkg-deb", "-f", package(packages, "libhoist-dev"), "Depends").strip().startswith("libhoist0.1 (= ")


def number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def build_id(file: Path) -> str:
    # It complains of notes that it does not know.
    notes = subprocess.run(["readelf", "-n", file], capture_output=True, text=True, check=False).stdout
    return re.findall(r"Build ID: (\w+)", notes)[0]


def test_the_library_has_the_bytes_of_one_built_in_another_folder(packages: Path, tmp_path: Path) -> None:
    """The build-id is made of all that was linked, debug information included."""
    run("dpkg-deb", "-x", package(packages, "libhoist0.1"), tmp_path)
    library, = tmp_path.rglob("libhoist.so.*.*.*")
    assert build_id(library) == build_id(LIBRARY)


def test_debug_symbols_are_packages_of_their_own(packages: Path, tmp_path: Path) -> None:
    for name, pattern in (("libhoist0.1", "usr/lib/*/libhoist.so.*.*.*"), ("hoist", "usr/bin/hoist")):
        folder, symbols = tmp_path / name, tmp_path / f"{name}-dbgsym"
        run("dpkg-deb", "-x", package(packages, name), folder)
        run("dpkg-deb", "-x", package(packages, f"{name}-dbgsym"), symbols)
        file, = folder.glob(pattern)
        identity = build_id(file)
        assert ".symtab" not in run("readelf", "-SW", file)
        debug = symbols / "usr/lib/debug/.build-id" / identity[:2] / f"{identity[2:]}.debug"
        assert ".debug_info" in run("readelf", "-SW", debug)
        assert str(ROOT).encode() not in debug.read_bytes()


@pytest.fixture(scope="session", params=["bookworm", "trixie"])
def system(request: pytest.FixtureRequest, packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A root folder with a compiler, Python, and nothing of ours."""
    if not request.config.getoption("--packages"):
        pytest.skip("only with --packages")
    root = tmp_path_factory.mktemp(request.param)
    system_of(root, request.param, "g++,pkg-config,python3")
    (root / "packages").mkdir()
    for file in packages.glob("*.deb"):
        shutil.copy2(file, root / "packages")
    yield root
    shutil.rmtree(root)


def install(root: Path, *names: str) -> None:
    inside(root, "apt-get install -q -y --no-install-recommends " + " ".join(f"/packages/{name}_*.deb" for name in names))


def first_program(language: str) -> str:
    blocks = re.findall(r"```(\w+)\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    return next(code for name, code in blocks if name == language and ("int main" in code or "import hoist" in code))


def test_the_first_programs_need_the_development_package_alone(system: Path) -> None:
    install(system, "libhoist0.1", "libhoist-dev")
    work = system / "tried"
    work.mkdir()
    (work / "features.json").write_text(FEATURES)
    (work / "first.c").write_text(first_program("c"))
    shutil.copy2(ROOT / "Examples/cpp/first.cpp", work)
    others = "libcurl4-openssl-dev libjansson-dev libsqlite3-dev"
    assert inside(system, f"dpkg-query -W -f '${{db:Status-Status}} ' {others} 2>/dev/null || true").split().count("installed") == 0
    told = inside(system, "cd /tried; cc first.c $(pkg-config --cflags --libs hoist) -o first-c; ./first-c")
    assert told == "new-checkout is on\n"
    told = inside(system, "cd /tried; c++ -std=c++17 first.cpp $(pkg-config --cflags --libs hoist) -o first-cpp; ./first-cpp features.json")
    assert "on" in told


def test_the_tool_runs_and_has_its_manual(system: Path) -> None:
    install(system, "libhoist0.1", "hoist")
    assert inside(system, "hoist evaluate new-checkout --features /tried/features.json").split()[-1] == "true"
    inside(system, "hoist --version; test -s /usr/share/man/man1/hoist.1.gz; test -s /usr/share/bash-completion/completions/hoist")


def test_a_program_in_python_runs(system: Path) -> None:
    install(system, "libhoist0.1", "python3-hoist")
    (system / "tried/first.py").write_text(first_program("python"))
    assert inside(system, "cd /tried; python3 first.py").strip() == "True"


def test_nothing_is_left_of_what_is_removed(system: Path) -> None:
    release = re.sub(r"\d+$", "", system.name)
    names = [name for name in PACKAGES if name not in OF_ONE_RELEASE.get(release, [])]
    install(system, *names)
    inside(system, "apt-get purge -q -y " + " ".join(names))
    shutil.rmtree(system / "packages")
    shutil.rmtree(system / "tried")
    ours = inside(system, "find / -xdev -path /proc -prune -o -iname '*hoist*' -print | grep -v ^/var/log || true")
    assert ours == ""
