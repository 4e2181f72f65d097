"""Finds Hoist's headers and library, and says what is missing when it does not."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

HEADER = Path("hoist") / "hoist.h"
HELP = """\
Build or install the library first, then tell where it is in one of these ways:
  HOIST_ROOT=FOLDER             an install tree (include/, lib/) or a build folder
  HOIST_LIBRARY=FILE            path of libhoist.so
  HOIST_INCLUDE=FOLDER          the folder that has hoist/hoist.h
  PKG_CONFIG_PATH=FOLDER        the folder that has hoist.pc
  CMAKE_PREFIX_PATH=FOLDER      a prefix that `cmake --install` filled"""

_INCLUDE_FOLDERS = ("include", "Include")
_LIBRARY_FOLDERS = ("lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "release", "debug", ".")
_LIBRARY_NAMES = ("libhoist.so", "libhoist.so.0.1")
_SYSTEM_PREFIXES = ("/usr/local", "/usr")
_CHECKOUT_BUILDS = ("build", ".build-release", ".build/release", ".build/debug")


class Missing(Exception):
    """The headers or the library are not where they were looked for."""


class Location(NamedTuple):
    """A folder that has `hoist/hoist.h`, and the library's file."""

    include: Path
    library: Path


def locate(*, library_needed: bool = True) -> Location:
    """Where headers and library are. Raises `Missing` with the places that were tried."""
    headers = _headers()
    if headers is None:
        raise Missing(_message("the headers (hoist/hoist.h)", _includes()))
    library = _library()
    if library is None and library_needed:
        raise Missing(_message("the library (libhoist.so)", _library_folders()))
    return Location(headers.resolve(), library or Path())


def _library() -> Path | None:
    named = os.environ.get("HOIST_LIBRARY")
    if named:
        if not Path(named).is_file():
            raise Missing(f"HOIST_LIBRARY is {named}, but there is no such file.\n{HELP}")
        return Path(named).absolute()
    for folder in _library_folders():
        for name in _LIBRARY_NAMES:
            if (folder / name).is_file():
                return (folder / name).absolute()
    return None


def _headers() -> Path | None:
    named = os.environ.get("HOIST_INCLUDE")
    if named:
        if not (Path(named) / HEADER).is_file():
            raise Missing(f"HOIST_INCLUDE is {named}, but there is no {HEADER} in it.\n{HELP}")
        return Path(named)
    return next((folder for folder in _includes() if (folder / HEADER).is_file()), None)


def _includes() -> Iterator[Path]:
    for root in _roots():
        yield from (root / name for name in _INCLUDE_FOLDERS)
    yield from _pkg_config("includedir")
    # A build folder or a library inside a checkout belongs to that checkout's headers.
    for start in [*_roots(), *_library_parents(), Path(__file__).resolve()]:
        yield from (folder / "Include" for folder in start.absolute().parents)
    yield from (Path(prefix) / "include" for prefix in _SYSTEM_PREFIXES)


def _library_folders() -> Iterator[Path]:
    for root in _roots():
        yield from (root / name for name in _LIBRARY_FOLDERS)
    yield from _pkg_config("libdir")
    for checkout in Path(__file__).resolve().parents:
        if (checkout / "Include" / HEADER).is_file():
            for build in _CHECKOUT_BUILDS:
                yield from (checkout / build / name for name in ("lib", "."))
    for prefix in _SYSTEM_PREFIXES:
        yield from (Path(prefix) / name for name in _LIBRARY_FOLDERS[:4])


def _roots() -> list[Path]:
    """Prefixes that the environment names, the most explicit first."""
    roots = [os.environ["HOIST_ROOT"]] if os.environ.get("HOIST_ROOT") else []
    package = next((os.environ[name] for name in ("Hoist_DIR", "Hoist_ROOT") if os.environ.get(name)), None)
    if package:
        # PREFIX/lib/cmake/Hoist; a build folder is its own package folder.
        roots += [package, *(str(parent) for parent in list(Path(package).absolute().parents)[:4])]
    roots += [root for root in os.environ.get("CMAKE_PREFIX_PATH", "").replace(";", ":").split(":") if root]
    return [Path(root) for root in roots]


def _library_parents() -> list[Path]:
    named = os.environ.get("HOIST_LIBRARY")
    return [Path(named)] if named else []


def _pkg_config(variable: str) -> list[Path]:
    tool = shutil.which(os.environ.get("PKG_CONFIG", "pkg-config"))
    if tool is None:
        return []
    answer = subprocess.run([tool, f"--variable={variable}", "hoist"], capture_output=True, text=True, check=False)
    text = answer.stdout.strip()
    return [Path(text)] if answer.returncode == 0 and text else []


def _message(what: str, tried: Iterator[Path]) -> str:
    places = dict.fromkeys(str(place) for place in tried)
    shown = "\n".join(f"  {place}" for place in list(places)[:12])
    return f"cannot find {what} of Hoist; looked in\n{shown}\n{HELP}"
