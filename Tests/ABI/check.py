#!/usr/bin/env python3
"""Checks the binary interface: exported symbols, constants, and the types of the public headers.

    check.py LIBRARY     compares headers, library and the committed files
    check.py --update    writes symbols.txt, constants.txt and hoist.abi anew from the headers

symbols.txt    every function that the headers declare; the library exports these and nothing else
constants.txt  every enum constant with its type and its number, installed for bindings; numbers never change
hoist.abi      the types, as libabigail reads them from a probe that defines every function of the
               headers (the Swift objects themselves carry no C types)

A new function or constant is written down with --update. Anything else that --update changes breaks
programs that are already compiled: before 1.0 the changelog says so, afterwards it is not done. What breaks
against the last tag v… needs another SONAME, which a new minor version (before 1.0) or major version brings.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
INCLUDE = ROOT / "Include"
SYMBOLS, CONSTANTS, TYPES = FOLDER / "symbols.txt", FOLDER / "constants.txt", FOLDER / "hoist.abi"
NODE = "HOIST_1"
# 8.02 million bytes are reached; the rest is room for what is added.
SIZE_LIMIT = 8_650_000

sys.path.insert(0, str(ROOT / "Tests" / "Headers"))
from declarations import Interface, read_headers  # noqa: E402

counts = {"passed": 0, "failed": 0, "skipped": 0}


def report(name: str, problems: list[str]) -> None:
    counts["failed" if problems else "passed"] += 1
    print(f"{'not ok' if problems else 'ok'} {name}")
    for problem in problems[:40]:
        print(f"#   {problem}")


def skip(name: str, reason: str) -> None:
    counts["skipped"] += 1
    print(f"ok {name} # skipped: {reason}")


def run(*command: str | Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {done.stderr.strip()}")
    return done.stdout


def differences(expected: list[str], found: list[str], missing: str, extra: str) -> list[str]:
    return ([f"{line} {missing}" for line in expected if line not in set(found)]
            + [f"{line} {extra}" for line in found if line not in set(expected)])


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


# What the headers say.

def includes(interface: Interface) -> str:
    return "".join(f"#include <hoist/{header}>\n" for header in interface.headers)


def read_constants(interface: Interface, folder: Path) -> list[str]:
    source, program = folder / "constants.c", folder / "constants"
    prints = "".join(f'  printf("{kind} {name} = %lld\\n", (long long){name});\n'
                     for name, kind in interface.constant_types.items())
    source.write_text(f"{includes(interface)}#include <stdio.h>\nint main(void) {{\n{prints}  return 0;\n}}\n")
    run("cc", f"-I{INCLUDE}", source, "-o", program)
    return run(program).splitlines()


def build_probe(interface: Interface, folder: Path) -> Path:
    """A library that defines every function of the headers, so that its debug information holds their types."""
    source, library = folder / "probe.c", folder / "libprobe.so"
    parts = [includes(interface)]
    for function in interface.functions.values():
        parameters = ", ".join(f"{p.type} {p.name}" for p in function.parameters) or "void"
        ignored = " ".join(f"(void){parameter.name};" for parameter in function.parameters)
        result = str(function.result)
        value = "" if result == "void" else f" return ({result})0;"
        parts.append(f"{result} {function.name}({parameters}) {{ {ignored}{value} }}\n")
    source.write_text("".join(parts))
    run("cc", "-shared", "-fPIC", "-g", "-gdwarf-4", "-O0", f"-I{INCLUDE}", source, "-o", library)
    return library



# What is compared.

def check_symbols(interface: Interface) -> None:
    problems = differences(lines(SYMBOLS), sorted(interface.functions), "is declared no more", "is not in symbols.txt")
    report("the_headers_declare_what_symbols_txt_lists", problems)


def check_constants(interface: Interface, folder: Path) -> None:
    problems = differences(lines(CONSTANTS), read_constants(interface, folder), "has gone", "is not in constants.txt")
    report("constants_keep_their_numbers", problems)


def soname(header: str) -> str:
    """What the version in a base.h makes of it: before 1.0 every minor version may break."""
    major, minor = (re.search(rf"#define HOIST_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR"))
    return f"libhoist.so.{major}.{minor}" if major == "0" else f"libhoist.so.{major}"


def check_exports(library: Path) -> None:
    versioned, plain = [], []
    for line in run("nm", "-D", "--defined-only", "--extern-only", "--with-symbol-versions", library).splitlines():
        kind, name = line.split()[-2:]
        symbol, _, node = name.partition("@@")
        if kind == "A" and name in (NODE, f"{NODE}@@{NODE}"):
            continue
        plain.append(symbol)
        if node != NODE:
            versioned.append(f"{name} is not in the version node {NODE}")
    report("the_library_exports_the_listed_functions_and_nothing_else",
           differences(lines(SYMBOLS), plain, "is missing from the library", "is exported and not in symbols.txt"))
    report("every_symbol_has_its_version", versioned)


def check_dynamic_section(library: Path) -> None:
    section = run("readelf", "-dW", library)
    segments = run("readelf", "-lW", library)
    name = soname((INCLUDE / "hoist/base.h").read_text())
    report("the_library_is_linked_as_promised", [message for condition, message in [
        (f"Library soname: [{name}]" in section, f"the soname is not {name}"),
        ("NODELETE" in section, "not linked with -z nodelete"),
        ("BIND_NOW" in section, "not linked with -z now"),
        ("GNU_RELRO" in segments, "not linked with -z relro"),
        ("RUNPATH" not in section and "RPATH" not in section, "a run path is left"),
        ("libswift" not in section, "needs a Swift runtime"),
        (" RWE " not in segments, "a writable segment, or the stack, is executable"),
    ] if not condition])


def check_size(library: Path, folder: Path) -> None:
    stripped = folder / "stripped.so"
    run("strip", "--strip-unneeded", "-o", stripped, library)
    size = stripped.stat().st_size
    print(f"# {size / 1024 / 1024:.2f} MiB stripped")
    report("the_stripped_library_is_at_most_8_650_000_bytes", [f"{size} bytes"] if size > SIZE_LIMIT else [])


def check_shown_names(library: Path) -> None:
    """The library is built without the names of fields and cases: a value that is put into a text by its case's name would
    be shown by the name of its type. What may do that calls one of these."""
    name = "no_text_shows_a_value_by_reflection"
    compiled = library.resolve().parents[1] / "swift/release"
    sources = [source.relative_to(ROOT / "Sources") for source in ROOT.glob("Sources/Hoist*/**/*.swift")]
    objects = [compiled / f"{source.parts[0]}.build" / f"{source.name}.o" for source in sources]
    objects = [file for file in objects if file.exists()]
    if not objects:
        return skip(name, "the library lies apart from its objects")
    printing = ("$ss15_print_unlocked", "$ss20_debugPrint_unlocked", "$ss26DefaultStringInterpolationV06appendC0yyxlF")
    lines = run("nm", "--undefined-only", "--print-file-name", *objects).splitlines()
    return report(name, [f"{Path(file).name}: {symbol}" for file, _, symbol in (line.split()[-3:] for line in lines)
                         for start in printing if symbol.startswith(start)])


def what_breaks(old: Path, new: Path) -> list[str]:
    done = subprocess.run(["abidiff", "--no-added-syms", "--no-show-locs", str(old), str(new)], capture_output=True, text=True)
    return (done.stdout + done.stderr).splitlines() if done.returncode else []


def last_tag(root: Path) -> str:
    """The last version before what is checked out; "" when there is none, or no history."""
    done = subprocess.run(["git", "-C", str(root), "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*"],
                          capture_output=True, text=True)
    return done.stdout.strip()


def broken_since(tag: str, root: Path, folder: Path) -> list[str]:
    """What breaks programs that were linked with the tag's library and find this one by the same SONAME."""
    before, now = run("git", "-C", root, "show", f"{tag}:Include/hoist/base.h"), (root / "Include/hoist/base.h").read_text()
    if soname(before) != soname(now):
        return []
    old = folder / "released.abi"
    old.write_text(run("git", "-C", root, "show", f"{tag}:Tests/ABI/hoist.abi"))
    return what_breaks(old, root / "Tests/ABI/hoist.abi")


def check_types(interface: Interface, folder: Path) -> None:
    name, since = "types_are_compatible_with_the_baseline", "what_has_broken_since_the_last_tag_has_another_soname"
    if not shutil.which("abidiff"):
        skip(name, "abidiff is not installed")
        return skip(since, "abidiff is not installed")
    report(name, what_breaks(TYPES, build_probe(interface, folder)))
    tag = last_tag(ROOT)
    return report(since, broken_since(tag, ROOT, folder)) if tag else skip(since, "no version is tagged")


def update(interface: Interface, folder: Path) -> None:
    SYMBOLS.write_text("\n".join(sorted(interface.functions)) + "\n")
    CONSTANTS.write_text("\n".join(read_constants(interface, folder)) + "\n")
    run("abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--out-file", TYPES,
        build_probe(interface, folder))
    TYPES.write_text(TYPES.read_text().replace(f"{folder}/", ""))


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 2
    interface = read_headers()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments[0] == "--update":
            update(interface, folder)
            return 0
        library = Path(arguments[0])
        check_symbols(interface)
        check_constants(interface, folder)
        check_exports(library)
        check_dynamic_section(library)
        check_size(library, folder)
        check_shown_names(library)
        check_types(interface, folder)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
