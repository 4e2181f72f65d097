"""The binding against the headers: nothing declared is forgotten, nothing is declared twice."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import cffi
import pytest

import hoist
import hoist.flagship  # brings its tables
import hoist.kameleoon  # so does this
import hoist.launchdarkly  # and this
import hoist.optimizely  # and this
import hoist.unleash  # and this
from hoist import _callback
from hoist._native import lib
from hoist.client import State
from hoist.plugins import LogLevel

DECLARATIONS = Path(hoist.__file__).with_name("_declarations.h").read_text(encoding="utf-8")
SOURCE = Path(__file__).resolve().parents[2] / "Sources" / "Python"
HEADERS = Path(__file__).resolve().parents[2] / "Include" / "hoist"


@pytest.mark.parametrize(
    ("prefix", "members"),
    [("HOIST_ERR_", hoist.Status), ("HOIST_TOPIC_", hoist.Topic), ("HOIST_CLIENT_", State), ("HOIST_LOG_", LogLevel)],
)
def test_every_constant_has_a_member(prefix: str, members: type) -> None:
    declared = {name: int(value) for name, value in re.findall(rf"\b{prefix}(\w+)\s*=\s*(-?\d+)", DECLARATIONS)}
    assert declared
    for name, value in declared.items():
        assert members[name].value == value  # type: ignore[index]

# Python's own does its reads on threads of Python's, which a signal ends the wait for.
NOT_OVER_C = {"hoist_launchdarkly_migrator"}


def test_the_library_names_every_status() -> None:
    declared = {int(value): f"HOIST_ERR_{name}" for name, value in re.findall(r"\bHOIST_ERR_(\w+)\s*=\s*(\d+)", DECLARATIONS)}
    assert len(declared) > 20
    assert {value: hoist._decode(lib.hoist_status_name(value)) for value in declared} == declared


def test_a_newer_librarys_constant_is_no_accident() -> None:
    unknown = hoist.Status(1999)
    assert (unknown.name, int(unknown), bool(unknown)) == ("UNKNOWN_1999", 1999, False)
    assert hoist.Status(1999) is unknown
    assert bool(hoist.Status.OK) is True
    assert str(hoist.Status.TIMEOUT) == "TIMEOUT"


def test_every_table_of_the_headers_can_be_filled() -> None:
    """A table or callback type that is added to the headers needs a class here."""
    plain = cffi.FFI()
    plain.cdef(DECLARATIONS)
    for name in plain.list_types()[0]:
        kind = plain.typeof(name)
        if kind.kind == "struct" and kind.fields and "user_data" in dict(kind.fields):
            members = {member for member, field in kind.fields if field.type.kind == "function"} - {"release"}
            assert name in NOT_OVER_C or members <= set(_callback._members[name.removeprefix("hoist_")]), name
        if kind.kind == "function":
            assert name.removeprefix("hoist_") in _callback._members


def test_every_entry_point_is_reachable() -> None:
    functions = set(re.findall(r"\b(hoist_\w+)\(", DECLARATIONS))
    assert len(functions) > 100
    for name in functions:
        assert callable(getattr(lib, name))


def test_declarations_come_from_the_headers_alone() -> None:
    """No attribute, no macro and nothing of the system's is left; jansson's values are left out."""
    assert not re.search(r"__attribute__|HOIST_API|HOIST_MUST_CHECK|HOIST_DEPRECATED|_Nullable|^#|json_t|__builtin", DECLARATIONS, re.M)
    for header in HEADERS.rglob("*.h"):
        for name in re.findall(r"HOIST_API[^;{]*?\b(hoist_\w+)\(", header.read_text(encoding="utf-8")):
            assert (f"{name}(" in DECLARATIONS) == (header.name != "jansson.h"), name


def test_the_bindings_version_is_the_headers() -> None:
    base = (HEADERS / "base.h").read_text(encoding="utf-8")
    version = ".".join(re.findall(r"#define HOIST_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", base))
    assert version == hoist.__version__ == hoist.version()
    assert f'version = "{version}"' in (SOURCE / "pyproject.toml").read_text(encoding="utf-8")


def test_mypy_finds_nothing() -> None:
    """The package is typed for strict checkers."""
    answer = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-incremental", "--cache-dir=/dev/null"],
        cwd=SOURCE, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stdout
    assert (SOURCE / "hoist" / "py.typed").is_file()
