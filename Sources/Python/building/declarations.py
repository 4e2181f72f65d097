"""Turns the public headers into the plain declarations that cffi reads.

The headers are the one place where the API is declared. They go through the C preprocessor with
their attribute macros empty; what the system's headers would add is kept out by empty stand-ins.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from .locate import Missing

# The first needs jansson's own declarations, and says nothing that the text calls do not. The calls of the second are a plug-in's.
EXCLUDED = {"jansson.h", "kafka.h"}
_SYSTEM_INCLUDE = re.compile(r"^\s*#\s*include\s*<([^>]+)>", re.MULTILINE)


def public_headers(include: Path) -> list[Path]:
    """The headers of the C API, the umbrella first."""
    found = sorted(path for path in (include / "hoist").rglob("*.h") if path.name not in EXCLUDED)
    return sorted(found, key=lambda path: path.name != "hoist.h")


def declarations(include: Path) -> str:
    """All public declarations, without preprocessor lines and attributes."""
    headers = public_headers(include)
    with tempfile.TemporaryDirectory() as folder:
        for header in headers:
            for name in _SYSTEM_INCLUDE.findall(header.read_text(encoding="utf-8")):
                stand_in = Path(folder) / name
                stand_in.parent.mkdir(parents=True, exist_ok=True)
                stand_in.touch()
        unit = Path(folder) / "all.h"
        unit.write_text("".join(f'#include "{header.relative_to(include).as_posix()}"\n' for header in headers), encoding="utf-8")
        return _preprocess(unit, include, Path(folder))


def _preprocess(unit: Path, include: Path, stand_ins: Path) -> str:
    # Without __clang__ the nullability macros are empty whatever the compiler is.
    command = [*preprocessor(), "-P", "-nostdinc", "-U__clang__"]
    command += ["-DHOIST_API=", "-DHOIST_MUST_CHECK=", "-DHOIST_PLUGIN_EXPORT="]
    command += [f"-I{include}", f"-I{stand_ins}", "-x", "c", str(unit)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise Missing(f"the headers in {include} cannot be preprocessed:\n{answer.stderr}")
    return "\n".join(line.rstrip() for line in answer.stdout.splitlines() if line.strip()) + "\n"


def preprocessor() -> list[str]:
    """The command that preprocesses C."""
    named = os.environ.get("CC")
    if named:
        return [*shlex.split(named), "-E"]
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return [name, "-E"]
    raise Missing("no C preprocessor: none of cc, gcc and clang is in PATH, and CC is not set")
