"""Writes the pages that are made from the headers, the library and the binding, and puts the others beside them.

    generate.py SITE LIBRARY TARGET
"""

from __future__ import annotations

import ctypes
import json
import re
import shutil
import sys
from pathlib import Path

import fleet
import pictures

SITE, LIBRARY, TARGET = (Path(argument).resolve() for argument in sys.argv[1:4])
ROOT = SITE.parents[1]
INCLUDE = ROOT / "Include"
SERVICES = {"unleash": "Unleash", "optimizely": "Optimizely", "launchdarkly": "LaunchDarkly", "flagship": "Flagship",
            "kameleoon": "Kameleoon"}
# Modules of the binding with a page of their own; what `hoist` exports stands on its page.
OWN = ("aio", "testing", "provider", "openfeature", "opentelemetry", *SERVICES)
MODULES = ("hoist", *(f"hoist.{name}" for name in OWN
                      if any((ROOT / "Sources/Python/hoist" / place).exists() for place in (name, f"{name}.py"))))


def put(name: str, text: str) -> None:
    """Only what differs is written, so that Sphinx reads no more than it must."""
    path = TARGET / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    written.add(path)


written: set[Path] = set()


def describe(service: str) -> list[dict]:
    library = ctypes.CDLL(str(LIBRARY))
    for name, result, argument in (("hoist_config_describe", ctypes.c_void_p, ctypes.c_char_p),
                                   ("hoist_text_data", ctypes.c_char_p, ctypes.c_void_p),
                                   ("hoist_text_free", None, ctypes.c_void_p)):
        function = getattr(library, name)
        function.restype, function.argtypes = result, [argument]
    text = library.hoist_config_describe(service.encode())
    rows = json.loads(library.hoist_text_data(text))
    library.hoist_text_free(text)
    return rows


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def rows_of(properties: list[dict]) -> str:
    lines = ["| property | type | default | range | meaning |", "|---|---|---|---|---|"]
    for row in properties:
        default = row["default"] if isinstance(row["default"], str) else json.dumps(row["default"])
        secret = " A secret: never shown." if row.get("secret") else ""
        lines.append(f"| `{row['name']}` | {row['type']} | {code(cell(default if default != 'null' else ''))} "
                     f"| {cell(str(row['range'] or ''))} | {cell(row['meaning'])}{secret} |")
    return "\n".join(lines)


def properties() -> None:
    tables = {service: describe(service) for service in SERVICES}
    named = [{row["name"]: row for row in rows} for rows in tables.values()]
    common = [row for row in tables["unleash"] if all(other.get(row["name"]) == row for other in named)]
    names = {row["name"] for row in common}
    text = ("# Properties\n\nWhat a client is opened with: `hoist_config_set()` in C, keywords in Python (a dot becomes an "
            "underscore), `--set` on the command line. `hoist_config_describe()` and `hoist config SERVICE` print the same "
            "tables.\n\n## Of every service\n\n" + rows_of(common))
    for service, title in SERVICES.items():
        text += f"\n\n## {title}\n\n" + rows_of([row for row in tables[service] if row["name"] not in names])
    put("reference/properties.md", text + "\n")


def title_of(header: Path) -> str:
    return header.relative_to(INCLUDE).as_posix()


def name_files_by_path() -> None:
    """Doxygen's index calls files by their last name alone, which several have; Breathe finds them by it."""
    folder = ROOT / ".build-docs/doxygen/xml"

    def named(match: re.Match[str]) -> str:
        place = re.findall(r'<location file="([^"]+)"', (folder / f"{match[1]}.xml").read_text())[-1]
        return f'<compound refid="{match[1]}" kind="file"><name>{place}</name>'

    index = folder / "index.xml"
    index.write_text(re.sub(r'<compound refid="([^"]+)" kind="file"><name>[^<]*</name>', named, index.read_text()))


def c_reference() -> None:
    name_files_by_path()
    headers = sorted(path for path in (INCLUDE / "hoist").rglob("*.h"))
    names = []
    for header in headers:
        name = title_of(header)
        page = name.removeprefix("hoist/").removesuffix(".h").replace("/", "-")
        names.append(page)
        put(f"c/{page}.rst", f"{name}\n{'=' * len(name)}\n\n.. doxygenfile:: {name}\n")
    put("c/index.md", "# C reference\n\nFrom the headers in `Include/hoist`, one page each. `hoist/hoist.h` begins with the "
                      "guarantees and the rules of ownership and threads that hold for all of them.\n\n```{toctree}\n"
                      ":maxdepth: 1\n\nhoist\n" + "\n".join(name for name in names if name != "hoist") + "\n```\n")


def core_calls() -> None:
    """The part of each service's header that says what the core's calls mean there, as it stands."""
    for service in SERVICES:
        text = (INCLUDE / f"hoist/{service}.h").read_text()
        for title, block in re.findall(r"/\* ---- (The core's calls[^-]*?) -+ \*/\n\n/\*\n(.*?)\n \*/", text, re.S):
            lines = [line.removeprefix(" *").removeprefix(" ") for line in block.splitlines()]
            suffix = "-server" if "server" in title else ""
            put(f"guides/core-calls-{service}{suffix}.txt", "\n".join(lines) + "\n")


def python_reference() -> None:
    for module in MODULES:
        put(f"python/{module}.rst", f"{module}\n{'=' * len(module)}\n\n.. automodule:: {module}\n   :members:\n"
                                    "   :undoc-members:\n   :inherited-members: int\n")
    put("python/index.md", "# Python reference\n\nFrom the docstrings, one page for each module.\n\n```{toctree}\n:maxdepth: 1"
                           "\n\n" + "\n".join(MODULES) + "\n```\n")


def copies() -> None:
    for path in sorted(SITE.rglob("*")):
        if path.suffix in {".md", ".svg"}:
            put(path.relative_to(SITE).as_posix(), path.read_text())
    for name, text in (pictures.page() | fleet.files()).items():
        put(name, text)
    put("reference/contract.md", (ROOT / "Documentation/contract.md").read_text())
    put("reference/porting.md", (ROOT / "Documentation/porting.md").read_text())
    put("changes.md", (ROOT / "CHANGELOG.md").read_text())
    put("security.md", (ROOT / "SECURITY.md").read_text())


def main() -> None:
    for make in (properties, c_reference, core_calls, python_reference, copies):
        make()
    for path in sorted(TARGET.rglob("*")):
        if path.is_file() and path not in written:
            path.unlink()


main()
