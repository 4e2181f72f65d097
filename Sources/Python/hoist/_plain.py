"""The way in without a compiler: declarations read at import, library opened by name."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cffi

_FOLDERS = ("lib", "lib64", "release", "debug", ".")
_NAMES = ("libhoist.so.0.1", "libhoist.so")


def load() -> tuple[Any, Any]:
    """The declarations and the opened library. Raises ImportError naming what is missing."""
    declarations = Path(__file__).with_name("_declarations.h")
    try:
        text = declarations.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ImportError(f"{declarations} is missing: install the package, `pip install` writes it") from None
    ffi = cffi.FFI()
    ffi.cdef(text)
    tried = []
    for candidate in _candidates():
        try:
            return ffi, ffi.dlopen(candidate)
        except OSError as problem:
            tried.append(f"  {candidate}: {problem}")
    raise ImportError("cannot open libhoist.so; set HOIST_LIBRARY or HOIST_ROOT. Tried\n" + "\n".join(tried))


def _candidates() -> Iterator[str]:
    named = os.environ.get("HOIST_LIBRARY")
    if named:
        yield named
        return
    root = os.environ.get("HOIST_ROOT")
    if root:
        for folder in _FOLDERS:
            for name in _NAMES:
                path = Path(root) / folder / name
                if path.is_file():
                    yield str(path)
    bundled = Path(__file__).with_name(_NAMES[0])
    if bundled.is_file():
        yield str(bundled)
    yield from _NAMES
