#!/usr/bin/env python3
"""Checks what the sources promise about themselves: which module imports which, what nobody may use,
what no file may hold. Ends with a report of the longest files.

A module sees only modules of a lower level; each C library is seen by one module; the core names no
vendor; nothing in the library may trap.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import rows

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources"

LEVELS = {
    "HoistBase": 1,
    "HoistJSON": 2,
    "HoistPropertyList": 3,
    "HoistCore": 3,
    "HoistUnleash": 4, "HoistOptimizely": 4, "HoistLaunchDarkly": 4, "HoistFlagship": 4, "HoistKameleoon": 4,
    "HoistCurl": 4, "HoistSQLite": 4, "HoistRegex": 4, "HoistStandardLog": 4,
    "Hoist": 5,
    "hoist-cli": 6,
}
# Which modules may see a C library. HoistJSON's library also shows in the entry points of jansson.h.
C_MODULES = {
    "CHoist": {"Hoist", "hoist-cli"},
    "CHoistKafka": {"hoist-cli"},
    "CCurl": {"HoistCurl"},
    "CZlib": {"HoistCurl", "HoistSQLite"},
    "CJansson": {"HoistJSON", "Hoist"},
    "CSQLite": {"HoistSQLite"},
    "CPCRE2": {"HoistRegex"},
    "CExpat": {"HoistPropertyList"},
    "CShims": {"HoistBase", "HoistJSON", "HoistCore", "HoistCurl", "HoistSQLite", "HoistUnleash", "HoistOptimizely",
               "HoistLaunchDarkly", "HoistFlagship", "HoistKameleoon", "Hoist"},
}
# A host like any other: it sees the public headers, and none of the library's modules.
TOOL = "hoist-cli"
LIBRARY_MAY_IMPORT = {"Glibc", "Synchronization"}
TOOL_MAY_IMPORT = LIBRARY_MAY_IMPORT | {"ArgumentParser"}
VENDORS = re.compile(r"unleash|optimizely|launchdarkly|flagship|abtasty|kameleoon", re.I)
NAMES_NO_VENDOR = {"HoistBase", "HoistJSON", "HoistPropertyList", "HoistCore", "HoistCurl", "HoistSQLite", "HoistRegex", "HoistStandardLog"}

# What may end the process, or bring threads that nobody owns: never in the library.
FORBIDDEN_CODE = {
    "try!": r"\btry\s*!",
    "as!": r"\bas\s*!",
    "a force unwrap or an implicitly unwrapped type": r"[\w)\]>]!(?![=\w])",
    "fatalError": r"\bfatalError\b",
    "precondition": r"\bprecondition(Failure)?\b",
    "assertionFailure": r"\bassertionFailure\b",
    "unsafelyUnwrapped": r"\bunsafelyUnwrapped\b",
    "Mutex of Synchronization (use HoistBase.Lock)": r"\bMutex\s*[<(]",
    "async or await": r"\basync\b|\bawait\b",
    "an actor": r"\bactor\s+\w|@MainActor|@globalActor",
    "a task": r"\bTask\s*(\.\w+\s*)?[{(<]",
    "print": r"(?<![.\w])print\s*\(",
    "getenv (use HoistBase.Environment)": r"\bgetenv\b",
}
# Stops debug builds, and is nothing in others: here, for all that is asserted, so that each use is a word that says what.
ASSERTING = {"Sources/HoistCore/Seams/Scheduler+Asserting.swift", "Sources/HoistCore/Snapshot/Place.swift"}
ASSERTION = re.compile(r"(?<![.\w])assert\s*\(")
# A part that anyone may give another closure: parts know each other by type, and are connected while they are made.
SETTABLE_CLOSURE = re.compile(r"^  var \w+: (?:@Sendable )?\([^\n]*\) -> \S+ = \{", re.M)
MARKER = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
PATH_OF_A_MACHINE = re.compile(r"(?<![\w./$}-])/(work|root|home/\w+|Users/\w+)(?=[/\s\"'`)]|$)")

counts = {"passed": 0, "failed": 0}


def report(name: str, problems: list[str]) -> None:
    counts["failed" if problems else "passed"] += 1
    print(f"{'not ok' if problems else 'ok'} {name}")
    for problem in problems[:50]:
        print(f"#   {problem}")


SWIFT_PARTS = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)'
    r'|(?P<text>(?P<hashes>#*)"""(?:\\.|.)*?"""(?P=hashes)|(?P<marks>#+)"[^\n]*?"(?P=marks)|"(?:\\.|[^"\\\n])*")',
    re.S)


def blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def without_comments(code: str) -> str:
    return SWIFT_PARTS.sub(lambda match: blank(match) if match.group("comment") else match.group(), code)


def without_comments_and_texts(code: str) -> str:
    return SWIFT_PARTS.sub(blank, code)


def swift_files(module: str) -> list[Path]:
    return sorted(path for path in (SOURCES / module).rglob("*.swift") if path.name != "Package.swift")


def modules() -> list[str]:
    """Folders with Swift sources; those of C are checked by the compiler alone."""
    return sorted(folder.name for folder in SOURCES.iterdir() if folder.is_dir() and any(folder.rglob("*.swift"))
                  and folder.name != "Plugins")


def imports(code: str) -> list[str]:
    return re.findall(r"^\s*(?:@[\w()]+\s+)*(?:(?:public|internal|private|package|fileprivate)\s+)?import\s+"
                      r"(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)", code, flags=re.M)


def import_problem(module: str, imported: str) -> str | None:
    if imported in C_MODULES:
        return None if module in C_MODULES[imported] else f"{imported} belongs to {', '.join(sorted(C_MODULES[imported]))}"
    if imported in LEVELS and module != TOOL:
        return None if LEVELS[imported] < LEVELS[module] else f"{imported} is not below {module}"
    allowed = TOOL_MAY_IMPORT if module == TOOL else LIBRARY_MAY_IMPORT
    return None if imported in allowed else f"{imported} is not for {module}"


def code_problems(code: str) -> Iterator[tuple[int, str]]:
    bare = without_comments_and_texts(code)
    for name, pattern in FORBIDDEN_CODE.items():
        for match in re.finditer(pattern, bare):
            yield bare.count("\n", 0, match.start()) + 1, name


def vendor_problems(code: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(without_comments(code).splitlines(), 1):
        match = VENDORS.search(line)
        if match:
            yield number, f"names {match.group()}"


def place(path: Path, number: int) -> str:
    return f"{path.relative_to(ROOT)}:{number}"


def check_imports() -> None:
    problems = [f"{module} has no level: add it to LEVELS" for module in modules() if module not in LEVELS]
    for module in modules():
        for path in swift_files(module) if module in LEVELS else []:
            for imported in imports(without_comments(path.read_text())):
                problem = import_problem(module, imported)
                if problem:
                    problems.append(f"{path.relative_to(ROOT)}: {problem}")
    report("imports_point_one_way", problems)


def check_code() -> None:
    problems = []
    for module in modules():
        for path in swift_files(module) if module != TOOL else []:
            problems += [f"{place(path, number)}: {what}" for number, what in code_problems(path.read_text())]
            if str(path.relative_to(ROOT)) not in ASSERTING and ASSERTION.search(without_comments_and_texts(path.read_text())):
                problems.append(f"{path.relative_to(ROOT)}: asserts by itself: use Scheduler.assertCurrent or Place")
    report("nothing_in_the_library_traps_or_starts_tasks", problems)


def check_parts() -> None:
    report("parts_of_services_are_connected_by_type",
           [f"{place(path, code.count(chr(10), 0, found.start()) + 1)}: a closure that others set"
            for module, level in LEVELS.items() if level == 4 for path in swift_files(module)
            for code in [without_comments_and_texts(path.read_text())] for found in SETTABLE_CLOSURE.finditer(code)])


def check_vendors() -> None:
    problems = []
    for module in sorted(NAMES_NO_VENDOR):
        for path in swift_files(module):
            problems += [f"{place(path, number)}: {what}" for number, what in vendor_problems(path.read_text())]
    report("the_core_names_no_vendor", problems)


def committed_texts() -> Iterator[tuple[Path, str]]:
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True, check=True).stdout
    for name in listed.split("\0"):
        path = ROOT / name
        if name and path.is_file() and not path.is_symlink():
            try:
                yield path, path.read_text()
            except UnicodeDecodeError:
                continue


def check_texts() -> None:
    markers, paths = [], []
    for path, text in committed_texts():
        for number, line in enumerate(text.splitlines(), 1):
            if MARKER.search(line):
                markers.append(f"{place(path, number)}: {line.strip()[:100]}")
            if PATH_OF_A_MACHINE.search(line):
                paths.append(f"{place(path, number)}: {line.strip()[:100]}")
    report("no_marker_of_unfinished_work_is_left", markers)
    report("no_path_of_a_machine_is_left", paths)


def check_citations() -> None:
    citing = list(rows.texts())
    tests = [text for path, text in citing if path.is_relative_to(ROOT / "Tests")]
    pages = rows.pages()
    report("each_row_of_a_protocol_page_is_cited_by_a_test",
           [f"{page.service}: {row}" for page in pages for row in rows.untested(page, tests)]
           or ([] if pages else ["there is no page"]))
    report("each_row_that_is_cited_stands_on_a_page", [line for page in pages for line in rows.unknown(page, citing)])
    cases = [(path, text) for path, text in citing if rows.is_test(path, text)]
    report("each_citation_of_a_test_says_a_state", [line for page in pages for line in rows.unstated(page, cases)])
    report("each_state_of_a_service_is_met_by_its_rows",
           [f"{page.service}: {line}" for page in pages for line in rows.unmet(page, cases)])


def check_manifest() -> None:
    report("the_package_can_be_a_dependency",
           ["Package.swift uses unsafeFlags"] if "unsafe" "Flags" in (ROOT / "Package.swift").read_text() else [])


def check_file_names() -> None:
    vague = re.compile(r"(Utils?|Utilities|Helpers?|Misc|Common)\.\w+$")
    report("no_file_is_called_utils_or_helpers",
           [str(path.relative_to(ROOT)) for path, _ in committed_texts() if vague.search(path.name)])


def check_rules() -> None:
    """Each rule finds what it is for, and leaves alone what it is not for."""
    problems = []
    bad = ["let a = try! f()", "let a = b as! C", "let a = b!", "a[0]!.c()", "var a: B!", "fatalError()",
           "precondition(a > 0)", "let lock = Mutex<Int>(0)", "func a() async {}", "actor A {}", "Task { }",
           "Task.detached { }", "print(a)", "getenv(a)", '"a" + b!']
    good = ["if a != b {}", "if !a {}", "// b! and try!", '"b! fatalError()"', "/* a! */", "let a = b ?? c",
            'let a = "\\"b!"', '"""\nb!\n"""', '#"b!"#', "log.print(a)", "if f(a) != b {}", "x = !(a)"]
    problems += [f"not found: {code}" for code in bad if not list(code_problems(code))]
    problems += [f"wrongly found: {code!r}" for code in good if list(code_problems(code))]
    for module, imported in [("HoistCore", "HoistUnleash"), ("HoistUnleash", "HoistCurl"), ("HoistCore", "CCurl"),
                             ("HoistBase", "Foundation"), ("HoistBase", "Dispatch"), ("HoistJSON", "HoistCore"),
                             ("Hoist", "_Concurrency"), ("HoistUnleash", "CHoist"), ("hoist-cli", "Hoist"), ("hoist-cli", "HoistJSON")]:
        if not import_problem(module, imported):
            problems.append(f"{module} may import {imported}")
    if imports("public import struct HoistBase.ByteView\n@testable import Foundation") != ["HoistBase", "Foundation"]:
        problems.append("imports are not read")
    if not list(vendor_problems('let a = "Unleash-App"')) or list(vendor_problems("let a = 1 // as Unleash does")):
        problems.append("vendors are not found")
    if not PATH_OF_A_MACHINE.search('"/wo" "rk/x"'.replace('" "', "")) or PATH_OF_A_MACHINE.search("src/work/x"):
        problems.append("paths are not found")
    page = rows.Page("unleash", "| ID | what |\n|---|---|\n" + "".join(f"| U" f"NL-{row} |\n" for row in (
        "01 | a", "02 | b — out of scope", "03 | c")))
    if rows.untested(page, ["U" "NL-02…U" "NL-03"]) != ["U" "NL-01"] or rows.untested(page, ["U" "NL-01 to 03"]):
        problems.append("rows without a test are not found")
    if len(rows.unknown(page, [(ROOT / "x", "U" "NL-01, U" "NL-04")])) != 1:
        problems.append("citations of no row are not found")
    if not SETTABLE_CLOSURE.search("  var follow: @Sendable (_ a: Int) -> Void = { _ in }") or SETTABLE_CLOSURE.search("  let a: () -> Void = {"):
        problems.append("closures that others set are not found")
    if not ASSERTION.search("if a { assert(b) }") or ASSERTION.search("scheduler.assertCurrent()"):
        problems.append("assertions are not found")
    report("each_rule_finds_what_it_is_for", problems)


def check_format() -> None:
    """`swift format` would change nothing."""
    files = subprocess.run(["git", "ls-files", "*.swift"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    found = subprocess.run(["swift", "format", "lint", "--strict", "--parallel", *files], cwd=ROOT, check=False, capture_output=True,
                           text=True)
    problems = [line.removeprefix(f"{ROOT}/") for line in found.stderr.splitlines() if re.search(r": (warning|error): ", line)]
    if found.returncode and not problems:
        problems = [f"swift format ended with {found.returncode}: {found.stderr.strip()}"]
    report("swift_is_formatted", problems)


def report_lengths() -> None:
    lengths = sorted(((len(text.splitlines()), path) for path, text in committed_texts()
                      if path.suffix in (".swift", ".c", ".h", ".py") and "Fixtures" not in path.parts), reverse=True)
    long = [(length, path) for length, path in lengths if length > 400]
    print(f"# {len(lengths)} source files, {sum(length for length, _ in lengths)} lines, "
          f"{len(long)} files of more than 400 lines")
    for length, path in long[:15]:
        print(f"# {length:5} {path.relative_to(ROOT)}")


def main() -> int:
    check_rules()
    check_imports()
    check_code()
    check_parts()
    check_vendors()
    check_texts()
    check_citations()
    check_manifest()
    check_file_names()
    check_format()
    report_lengths()
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
