"""The wheel goes to machines that have nothing of ours."""

from __future__ import annotations

import re
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT, distribution, run

LARGEST = 7 * 1024 * 1024
PROGRAM = """
import hoist
with hoist.Client("unleash", mode="backend", online=False, store="none", **{"bootstrap.file": "features.json"}) as client:
    print(client.bool("new-checkout", hoist.Context("user-42"), False))
print([line.split()[-1] for line in open("/proc/self/maps") if "libhoist" in line][0])
print(hoist.binding_mode)
"""
FEATURES = '{"version": 2, "features": [{"name": "new-checkout", "enabled": true, "strategies": []}]}'


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def dynamic(file: Path) -> str:
    return run("readelf", "-dW", file)


def test_it_serves_this_and_every_later_python(wheel: Path) -> None:
    assert re.fullmatch(r"hoist-[\d.]+-cp310-abi3-\w+\.whl", wheel.name)


def test_it_carries_the_library_and_is_small(wheel: Path, unpacked: Path) -> None:
    module, = unpacked.glob("hoist/_compiled*.so")
    name = re.search(r"NEEDED.*\[(libhoist\.so[\d.]*)\]", dynamic(module))
    assert name and (unpacked / "hoist" / name[1]).is_file()
    assert wheel.stat().st_size <= LARGEST


def test_nothing_is_looked_for_where_it_was_built(unpacked: Path) -> None:
    module, = unpacked.glob("hoist/_compiled*.so")
    library, = unpacked.glob("hoist/libhoist.so*")
    assert re.findall(r"R(?:UN)?PATH\).*\[(.*)\]", dynamic(module)) == ["$ORIGIN"]
    assert "PATH)" not in dynamic(library)
    for file in (module, library):
        assert ".symtab" not in run("readelf", "-SW", file) and ".debug" not in run("readelf", "-SW", file)


def test_nothing_tells_of_the_machine(unpacked: Path, dist: Path) -> None:
    places = {str(ROOT), str(dist.parent), sys.prefix, sys.base_prefix, str(Path.home())} - {"/usr", "/"}
    for file in unpacked.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert [place for place in places if place.encode() + b"/" in content] == [], file.name


def test_two_builds_in_different_folders_give_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    other = next(distribution(tmp_path / "a longer name", "--wheel").glob("*.whl"))
    assert (other.name, other.read_bytes()) == (wheel.name, wheel.read_bytes())


def test_the_source_distribution_has_what_it_needs(dist: Path) -> None:
    """One wheel was built from it, the other from the checkout."""
    names = tarfile.open(next(dist.glob("*.tar.gz"))).getnames()
    inside = {name.partition("/")[2] for name in names}
    headers = {f"Include/{file.relative_to(ROOT / 'Include')}" for file in (ROOT / "Include/hoist").rglob("*.h")}
    assert headers <= inside
    assert {"building/locate.py", "building/extension.py", "setup.py", "pyproject.toml", "hoist/py.typed"} <= inside


def test_a_program_runs_with_the_library_inside(unpacked: Path, tmp_path: Path) -> None:
    (tmp_path / "features.json").write_text(FEATURES)
    for mode in ("compiled", "plain"):
        environment = {"PYTHONPATH": str(unpacked), "HOIST_LIBRARY": "", "HOIST_ROOT": "", "LD_LIBRARY_PATH": "",
                       "HOIST_PYTHON_MODE": "abi" if mode == "plain" else ""}
        told = run(sys.executable, "-c", PROGRAM, folder=tmp_path, environment=environment).split()
        library, = unpacked.glob("hoist/libhoist.so*")
        assert told == ["True", str(library), mode]
