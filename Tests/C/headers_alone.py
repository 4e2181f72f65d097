#!/usr/bin/env python3
"""Compiles each public header alone, with every compiler there is, in every language it promises,
and feeds it to cffi as it stands."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "Include"
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
LANGUAGES = [
    (["gcc", "clang"], "c", ["c99", "c11"]),
    (["g++", "clang++"], "c++", ["c++11", "c++17", "c++20"]),
]
counts = {"passed": 0, "failed": 0, "skipped": 0}


def report(name: str, problem: str | None) -> None:
    counts["failed" if problem else "passed"] += 1
    print(f"{'not ok' if problem else 'ok'} {name}")
    for line in (problem or "").splitlines()[:20]:
        print(f"#   {line}")


def skip(name: str, reason: str) -> None:
    counts["skipped"] += 1
    print(f"ok {name} # skipped: {reason}")


def keeps_the_hosts_warnings(source: Path) -> None:
    """What clang would say of a host's own words is not silenced by the headers."""
    name = "the_hosts_own_nullability_is_still_warned_of"
    if not shutil.which("clang"):
        return skip(name, "no such compiler")
    source.write_text("#include <hoist/hoist.h>\nint *_Nullable own(void);\n")
    command = ["clang", "-x", "c", "-std=c99", "-pedantic", "-fsyntax-only", f"-I{INCLUDE}", str(source)]
    told = subprocess.run(command, capture_output=True, text=True).stderr
    lines = [line for line in told.splitlines() if "-Wnullability-extension" in line]
    return report(name, None if len(lines) == 1 and ":2:" in lines[0] else told or "nothing was said")


def compile_alone(header: str, compiler: str, language: str, standard: str, source: Path) -> None:
    # Twice, so that the include guard is seen to work.
    source.write_text(f"#include <hoist/{header}>\n#include <hoist/{header}>\n")
    warnings = [*WARNINGS, "-Wdocumentation"] if compiler.startswith("clang") else WARNINGS
    command = [compiler, "-x", language, f"-std={standard}", *warnings, "-fsyntax-only", f"-I{INCLUDE}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    report(f"{header}_alone_{compiler}_{standard}", done.stderr if done.returncode else None)


def feed_to_cffi(header: str, source: Path) -> None:
    name = f"{header}_read_by_cffi"
    try:
        import cffi
    except ImportError:
        skip(name, "cffi is not installed")
        return
    source.write_text(f"#include <hoist/{header}>\n")
    # cffi needs the type's name only, not all that jansson's own header includes.
    (source.parent / "jansson.h").write_text("typedef struct json_t json_t;\n")
    empty = ["-DHOIST_API=", "-DHOIST_MUST_CHECK=", "-DHOIST_PLUGIN_EXPORT="]
    command = ["cc", "-E", "-P", *empty, f"-I{source.parent}", f"-I{INCLUDE}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    text = done.stdout[first_own_line(done.stdout):]
    try:
        cffi.FFI().cdef(text)
        report(name, done.stderr if done.returncode else None)
    except Exception as error:  # cffi raises several kinds
        report(name, str(error))


def first_own_line(text: str) -> int:
    """Where Hoist's declarations begin in a preprocessed header, behind those of the C library."""
    position = text.find("hoist_version(")
    return text.rfind("\n", 0, position) + 1


def main() -> int:
    headers = sorted(path.relative_to(INCLUDE / "hoist").as_posix() for path in (INCLUDE / "hoist").rglob("*.h"))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "alone.c"
        keeps_the_hosts_warnings(source)
        for header in headers:
            for compilers, language, standards in LANGUAGES:
                for compiler in compilers:
                    for standard in standards:
                        if shutil.which(compiler):
                            compile_alone(header, compiler, language, standard, source)
                        else:
                            skip(f"{header}_alone_{compiler}_{standard}", "no such compiler")
            feed_to_cffi(header, source)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
