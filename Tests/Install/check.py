#!/usr/bin/env python3
"""Installs a build into an empty folder and uses it from outside, as it is and moved elsewhere.

    check.py BUILD_FOLDER [--with-subdirectory]

--with-subdirectory also builds the program with the sources as a subdirectory, which compiles the
library once more.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
CONSUMER = FOLDER / "consumer"
counts = {"passed": 0, "failed": 0, "skipped": 0}


class Failure(Exception):
    """What went wrong, for people."""


def run(*command: str | Path, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          env={**os.environ, **(environment or {})})
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def test(name: str, body, *arguments) -> None:
    try:
        body(*arguments)
    except Failure as failure:
        counts["failed"] += 1
        print(f"not ok {name}")
        for line in str(failure).splitlines()[-30:]:
            print(f"#   {line}")
    else:
        counts["passed"] += 1
        print(f"ok {name}")


def expect(condition: bool, message: str) -> None:
    if not condition:
        raise Failure(message)


def version() -> str:
    text = (ROOT / "Include" / "hoist" / "base.h").read_text()
    return ".".join(re.findall(r"^#define HOIST_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text, flags=re.M))


def soname() -> str:
    """Before 1.0 every minor version may break the ABI."""
    major, minor, _ = version().split(".")
    return f"libhoist.so.{major}.{minor}" if major == "0" else f"libhoist.so.{major}"


def library_folder(prefix: Path) -> Path:
    found = [path.parent for path in prefix.rglob("libhoist.so")]
    expect(len(found) == 1, f"libhoist.so was found in {len(found)} folders")
    return found[0]


def headers(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def check_tree(prefix: Path) -> None:
    folder = library_folder(prefix)
    expect(os.readlink(folder / "libhoist.so") == soname(), f"libhoist.so does not lead to {soname()}")
    expect(os.readlink(folder / soname()) == f"libhoist.so.{version()}", f"{soname()} does not lead to the library")
    expect(".symtab" not in run("readelf", "-SW", folder / "libhoist.so"), "the library is not stripped")
    installed = headers(prefix / "include" / "hoist")
    own = headers(ROOT / "Include" / "hoist")
    expect(installed == own, f"installed headers are {installed}")
    for file in (ROOT / "Tests/ABI/constants.txt", ROOT / "Tests/Sanitizers/valgrind.supp"):
        copy = prefix / "share/hoist" / file.name
        expect(copy.is_file() and copy.read_text() == file.read_text(), f"share/hoist/{file.name} is not installed")


# What libhoist.so asks of a Linux: the C libraries that the README names, but for libcurl, and the C runtime.
REQUIRED = {"libjansson", "libsqlite3", "libpcre2-8", "libz", "libexpat", "libc", "libm", "libgcc_s", "libstdc++", "ld-linux-x86-64",
            "ld-linux-aarch64"}
REQUIRED_BY_TOOL = {"libhoist", "libc", "libm", "libgcc_s", "libstdc++", "ld-linux-x86-64", "ld-linux-aarch64"}


def check_requirements(prefix: Path) -> None:
    """Nothing beyond that, and no runtime of the language it is written in (UNL-09, KAM-78; no client)."""
    listing = run("readelf", "-dW", library_folder(prefix) / "libhoist.so")
    needed = {line.split("[")[1].split(".so")[0] for line in listing.splitlines() if "(NEEDED)" in line}
    expect(needed <= REQUIRED, f"it needs {', '.join(sorted(needed - REQUIRED))}")
    note = run("readelf", "--string-dump=.note.dlopen", library_folder(prefix) / "libhoist.so")
    expect('"soname":["libcurl.so.4"]' in note, "no note says that libcurl is loaded when the network is needed")


def check_bill_of_materials(prefix: Path) -> None:
    """The bill names each shared library that is needed, and what was linked in; NOTICE names that, too."""
    folder = prefix / "share/doc/hoist"
    expect((folder / "hoist.spdx.json").is_file(), "share/doc/hoist/hoist.spdx.json is not installed")
    for name in ("LICENSE", "NOTICE"):
        expect((folder / name).read_text() == (ROOT / name).read_text(), f"share/doc/hoist/{name} is not the one of the sources")
    bill = json.loads((folder / "hoist.spdx.json").read_text())
    names = {package["SPDXID"]: package["name"] for package in bill["packages"]}
    links = {(names.get(link["spdxElementId"]), link["relationshipType"], names.get(link["relatedSpdxElement"]))
             for link in bill["relationships"]}
    runtime = "Swift runtime and standard library"
    for link in (("libhoist", "STATIC_LINK", runtime), ("hoist", "STATIC_LINK", runtime), ("hoist", "DYNAMIC_LINK", "libhoist"),
                 ("hoist", "STATIC_LINK", "swift-argument-parser"), ("libhoist", "DYNAMIC_LINK", "libcurl")):
        expect(link in links, f"the bill does not say {link}")
    expect(("libhoist", "STATIC_LINK", "swift-argument-parser") not in links, "the library holds the argument parser")
    notice = (ROOT / "NOTICE").read_text()
    for name in {other for _, kind, other in links if kind == "STATIC_LINK"}:
        expect(name in notice, f"NOTICE does not name {name}")
    listing = run("readelf", "-dW", library_folder(prefix) / "libhoist.so")
    needed = {line.split("[lib")[1].split(".so")[0] for line in listing.splitlines() if "[lib" in line and "(NEEDED)" in line}
    alike = {"expat": "Expat", "pcre2-8": "PCRE2", "sqlite3": "SQLite", "z": "zlib", "stdc++": "libstdc++", "gcc_s": "libgcc",
             "c": "glibc", "m": "glibc"}
    for name in needed:
        expect(("libhoist", "DYNAMIC_LINK", alike.get(name, name)) in links, f"the bill does not name lib{name}")
    expect(bill["spdxVersion"] == "SPDX-2.3" and all("licenseDeclared" in package for package in bill["packages"]),
           "a package has no licence")


def check_no_paths_of_the_build(prefix: Path, build: Path) -> None:
    """Nothing that is installed speaks of the folders where it was built."""
    for path in sorted(prefix.rglob("*")):
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            for place in (build, ROOT):
                expect(str(place).encode() + b"/" not in content, f"{path.relative_to(prefix)} holds the path {place}")


def expect_answer(program: Path, folder: Path) -> None:
    answer = run(program, environment={"LD_LIBRARY_PATH": str(folder)})
    expect(answer == f"hoist {version()}: hello is on\n", f"the program said {answer!r}")


def pkg_config_alone(prefix: Path) -> dict[str, str]:
    """pkg-config finds nothing but what is installed here."""
    return {"PKG_CONFIG_LIBDIR": str(library_folder(prefix) / "pkgconfig"), "PKG_CONFIG_PATH": ""}


def use_by_pkg_config(prefix: Path, work: Path) -> None:
    folder = library_folder(prefix)
    environment = pkg_config_alone(prefix)
    expect(run("pkg-config", "--modversion", "hoist", environment=environment).strip() == version(),
           "pkg-config tells another version")
    flags = run("pkg-config", "--cflags", "--libs", "hoist", environment=environment).split()
    work.mkdir()
    run("cc", CONSUMER / "main.c", "-o", work / "program", *flags)
    expect_answer(work / "program", folder)


def compile_first_programs(prefix: Path, work: Path) -> None:
    """What the README shows, in C and in C++, with no other package's headers."""
    flags = run("pkg-config", "--cflags", "--libs", "hoist", environment=pkg_config_alone(prefix)).split()
    blocks = re.findall(r"```c\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.S)
    work.mkdir()
    (work / "first.c").write_text(next(block for block in blocks if "int main" in block))
    (work / "features.json").write_text(
        '{"version": 2, "features": [{"name": "new-checkout", "enabled": true, "strategies": []}]}')
    run("cc", work / "first.c", "-o", work / "first", *flags)
    run("c++", "-std=c++17", ROOT / "Examples/cpp/first.cpp", "-o", work / "first-cpp", *flags)
    environment = {"LD_LIBRARY_PATH": str(library_folder(prefix))}
    told = run("env", "-C", work, work / "first", environment=environment)
    expect(told == "new-checkout is on\n", f"the first program said {told!r}")
    run(work / "first-cpp", work / "features.json", environment=environment)


def use_by_cmake(prefix: Path, work: Path) -> None:
    run("cmake", "-S", CONSUMER, "-B", work, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", work)
    expect_answer(work / "consumer", library_folder(prefix))


def run_under_valgrind(prefix: Path, program: Path) -> None:
    """The installed suppressions fit the installed library, which has no names of its own functions: nothing is left to
    tell of it, as there is without them."""
    options = ["--quiet", "--error-exitcode=99", "--leak-check=full", "--show-leak-kinds=definite",
               "--errors-for-leak-kinds=definite"]
    environment = {"LD_LIBRARY_PATH": str(library_folder(prefix))}
    run("valgrind", *options, f"--suppressions={prefix}/share/hoist/valgrind.supp", program, environment=environment)


def use_as_subdirectory(work: Path, is_built: bool) -> None:
    run("cmake", "-S", CONSUMER, "-B", work, f"-DHOIST_SOURCE={ROOT}")
    if is_built:
        run("cmake", "--build", work)
        expect_answer(work / "consumer", work / "hoist" / "lib")


def start_tool(prefix: Path) -> None:
    tool = prefix / "bin" / "hoist"
    expect(version() in run(tool, "--version"), "hoist --version does not tell the version")
    expect("USAGE" in run(tool, "--help").upper(), "hoist --help does not tell how to use it")
    library = os.path.realpath(library_folder(prefix) / "libhoist.so")
    told = run(tool, "doctor", environment={"HOME": str(prefix), "XDG_CACHE_HOME": ""})
    expect(f"{version()}, {library}" in told, f"hoist doctor does not examine {library}:\n{told}")


def check_tool(prefix: Path) -> None:
    """A host of the library that is installed with it, and no second copy."""
    listing = run("readelf", "-dW", prefix / "bin" / "hoist")
    needed = {line.split("[")[1].rstrip("]") for line in listing.splitlines() if "(NEEDED)" in line}
    expect(soname() in needed, f"the tool needs {', '.join(sorted(needed))}")
    expect({name.split(".so")[0] for name in needed} <= REQUIRED_BY_TOOL, f"the tool needs {', '.join(sorted(needed))}")
    folder = os.path.relpath(library_folder(prefix), prefix / "bin")
    runpath = next((line.split("[")[1].rstrip("]") for line in listing.splitlines() if "(RUNPATH)" in line), "")
    expect(runpath.split(":")[0] == f"$ORIGIN/{folder}", f"the tool looks for the library in {runpath!r}")
    expect("BIND_NOW" in listing, "the tool is not bound when it starts")


def load_plugin(prefix: Path, work: Path) -> None:
    """A plug-in that calls Hoist finds the tool's library, wherever it is."""
    environment = pkg_config_alone(prefix)
    flags = run("pkg-config", "--cflags", "--libs", "hoist", environment=environment).split()
    run("cc", "-std=c99", "-shared", "-fPIC", ROOT / "Examples/plugins/hook.c", "-o", work / "hook.so", *flags)
    expect("example hook" in run(prefix / "bin" / "hoist", "plugin", work / "hook.so"), "hoist plugin does not read the plug-in")


def name_plugin(prefix: Path) -> None:
    """Property `plugins` finds what is installed beside the library by its name alone."""
    options = f'plugins={{"redis":{{"socket":"{prefix}/redis.sock","scope":"x"}}}}'
    asked = [prefix / "bin/hoist", "evaluate", "banner", "--user", "anna", "--features", ROOT / "Examples/data/features.json",
             "--set", options]
    if not (library_folder(prefix) / "hoist/libhoist-redis.so").exists():
        counts["skipped"] += 1
        return
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    expect(told.returncode == 0 and "Summer sale" in told.stdout, f"the flags are not served: {told}")
    expect(f"no connection to Redis at {prefix}/redis.sock" in told.stderr, f"the plug-in was not asked: {told}")


def check_manual(prefix: Path) -> None:
    """Man pages of the tool and of each command; completions that offer commands and services."""
    share = prefix / "share"
    commands = ["config", "doctor", "evaluate", "explain", "flags", "forward", "plugin", "track", "watch"]
    pages = {path.name: path.read_text() for path in (share / "man/man1").iterdir()}
    expect(sorted(pages) == ["hoist.1", *(f"hoist.{name}.1" for name in commands)], f"man pages are {sorted(pages)}")
    expect(all(".Sh SYNOPSIS" in text for text in pages.values()), "a man page has no synopsis")
    for file in ("bash-completion/completions/hoist", "zsh/site-functions/_hoist", "fish/vendor_completions.d/hoist.fish"):
        text = (share / file).read_text()
        for word in [*commands, "kameleoon", "launchdarkly"]:
            expect(word in text, f"{file} does not offer {word}")
    offered = run("bash", "-c", f"source '{share}/bash-completion/completions/hoist'\n" + COMPLETE)
    expect(offered.split() == ["flagship"], f"--provider fl<TAB> offers {offered.split()}")


# What the shell does when the key is pressed.
COMPLETE = """
COMP_WORDS=(hoist flags --provider fl); COMP_CWORD=3; COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
_hoist hoist fl --provider
printf '%s\\n' "${COMPREPLY[@]}"
"""


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return 2
    build = Path(arguments[0]).resolve()
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        first, second = work / "first", work / "elsewhere" / "second"
        test("it_installs", lambda: run("cmake", "--install", build, "--prefix", first))
        if counts["failed"]:
            print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
            return 1
        test("the_tree_is_complete_and_stripped", check_tree, first)
        test("nothing_else_is_required", check_requirements, first)
        test("the_bill_of_materials_is_true", check_bill_of_materials, first)
        test("no_path_of_the_build_is_left", check_no_paths_of_the_build, first, build)
        test("pkg_config_finds_it", use_by_pkg_config, first, work / "pkg-config")
        test("the_first_programs_need_no_other_package", compile_first_programs, first, work / "first-programs")
        test("valgrind_has_nothing_to_tell", run_under_valgrind, first, work / "pkg-config/program")
        test("cmake_finds_it", use_by_cmake, first, work / "cmake")
        test("the_tool_starts", start_tool, first)
        test("the_tool_is_a_host_of_the_library", check_tool, first)
        test("the_tool_has_man_pages_and_completions", check_manual, first)
        second.parent.mkdir()
        shutil.move(first, second)
        test("pkg_config_finds_it_moved", use_by_pkg_config, second, work / "pkg-config-moved")
        test("cmake_finds_it_moved", use_by_cmake, second, work / "cmake-moved")
        test("the_tool_starts_moved", start_tool, second)
        test("the_tool_loads_plugins_moved", load_plugin, second, work)
        test("installed_plugins_are_found_by_name", name_plugin, second)
        test("it_works_as_a_subdirectory", use_as_subdirectory, work / "subdirectory",
             "--with-subdirectory" in arguments)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
