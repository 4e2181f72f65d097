"""Writes what the library and the tool are made of, as SPDX 2.3 in JSON.

    bill_of_materials.py --version V --swift SWIFT --pins Package.resolved --out FILE LIBRARY [TOOL]

It is read from the files that were linked: their dynamic sections, the note that names what is loaded later, and the
symbols of what was linked into them. What it finds there and does not know ends the build, so that NOTICE and the
licences of `KNOWN` are not forgotten. The files must not be stripped yet.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

# Shared libraries, by the name in the dynamic section: name, licence, name for pkg-config.
SHARED = {
    "libjansson": ("jansson", "MIT", "jansson"),
    "libexpat": ("Expat", "MIT", "expat"),
    "libpcre2-8": ("PCRE2", "BSD-3-Clause", "libpcre2-8"),
    "libsqlite3": ("SQLite", "blessing", "sqlite3"),
    "libz": ("zlib", "Zlib", "zlib"),
    "libcurl": ("libcurl", "curl", "libcurl"),
    "libstdc++": ("libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1", ""),
    "libgcc_s": ("libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1", ""),
    "libc": ("glibc", "LGPL-2.1-or-later", ""),
    "libm": ("glibc", "LGPL-2.1-or-later", ""),
    "ld-linux": ("glibc", "LGPL-2.1-or-later", ""),
}
RUNTIME = ("Swift runtime and standard library", "Apache-2.0 WITH Swift-exception")
FOUNDATION = ("swift-foundation", "Apache-2.0 WITH Swift-exception")
PARSER = ("swift-argument-parser", "Apache-2.0 WITH Swift-exception")
# Modules of Swift whose code is inside a file, beside our own.
INSIDE = {
    "Swift": RUNTIME, "Synchronization": RUNTIME, "Glibc": RUNTIME, "_Concurrency": RUNTIME,
    "_StringProcessing": RUNTIME, "_RegexParser": RUNTIME, "_SwiftConcurrencyShims": RUNTIME,
    "FoundationEssentials": FOUNDATION, "_FoundationCollections": FOUNDATION,
    "ArgumentParser": PARSER, "ArgumentParserToolInfo": PARSER,
}
# What the runtime brings along, by a part of its symbols' names.
LLVM = ("LLVM support library", "Apache-2.0 WITH LLVM-exception")
OWN = re.compile(r"Hoist|hoist_cli$")
SYMBOL = re.compile(r" [tT] \$s(?:(s)|(\d+))(\w+)$", re.M)
SUPPLIERS = {RUNTIME: "Organization: Swift project", FOUNDATION: "Organization: Swift project",
             PARSER: "Organization: Swift project", LLVM: "Organization: LLVM project"}


def output(*command: str | Path) -> str:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def shared(file: Path) -> list[tuple[str, str, str]]:
    """What the loader looks for, and what the file itself loads later."""
    names = re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "-dW", file))
    names += re.findall(r'"soname":\["([^"]+)"', output("readelf", "--string-dump=.note.dlopen", file))
    found = {}
    for name in names:
        stem = re.sub(r"(-x86-64|-aarch64)?\.so.*", "", name)
        if stem == "libhoist":
            continue
        if stem.startswith("libswift"):  # built with HOIST_STATIC_STDLIB=OFF
            found[RUNTIME[0]] = (*RUNTIME, "")
            continue
        if stem not in SHARED:
            sys.exit(f"{file.name} needs {name}, which cmake/bill_of_materials.py and NOTICE do not know")
        found[SHARED[stem][0]] = SHARED[stem]
    return sorted(found.values())


def inside(file: Path) -> list[tuple[str, str]]:
    """Whose code was linked into the file."""
    symbols = output("nm", file)
    seen: dict[str, int] = {}
    for is_standard, length, rest in SYMBOL.findall(symbols):
        module = "Swift" if is_standard else rest[:int(length)]
        seen[module] = seen.get(module, 0) + 1
    # A module has functions by the dozen; two or three of a name are mangled names that only look like one.
    modules = {module for module, count in seen.items() if count > 20 and not OWN.match(module)}
    unknown = modules - INSIDE.keys()
    if unknown:
        sys.exit(f"{file.name} holds {', '.join(sorted(unknown))}, which cmake/bill_of_materials.py and NOTICE do not know")
    found = {INSIDE[module] for module in modules}
    if re.search(r" [tT] _?swift_retain$", symbols, re.M):
        found.add(RUNTIME)
    if "7__swift9__runtime4llvm" in symbols:
        found.add(LLVM)
    return sorted(found)


def identifier(name: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-")


class Bill:
    def __init__(self, version: str, swift: str, pins: Path) -> None:
        self.version, self.swift = version, swift
        self.pins = {pin["identity"]: pin["state"]["version"] for pin in json.loads(pins.read_text())["pins"]} \
            if pins.exists() else {}
        self.packages: dict[str, dict] = {}
        self.relationships: list[dict[str, str]] = []

    def add(self, name: str, licence: str, version: str | None, supplier: str, **more: str) -> str:
        key = identifier(name)
        self.packages.setdefault(key, {
            "SPDXID": key, "name": name, **({"versionInfo": version} if version else {}), "supplier": supplier,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
            "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more})
        return key

    def relate(self, one: str, kind: str, other: str) -> None:
        self.relationships.append({"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other})

    def version_inside(self, name: str) -> str | None:
        return self.pins.get(name) if name == PARSER[0] else self.swift

    def add_file(self, file: Path, name: str, purpose: str) -> str:
        own = self.add(name, "Apache-2.0", self.version, "Organization: The Hoist authors", primaryPackagePurpose=purpose)
        self.relate("SPDXRef-DOCUMENT", "DESCRIBES", own)
        for part in inside(file):
            self.relate(own, "STATIC_LINK", self.add(*part, self.version_inside(part[0]), SUPPLIERS[part]))
        for library, licence, package in shared(file):
            version = output("pkg-config", "--modversion", package).strip() if package else None
            self.relate(own, "DYNAMIC_LINK", self.add(library, licence, version, "NOASSERTION"))
        return own

    def document(self) -> dict:
        content = json.dumps([list(self.packages.values()), self.relationships], sort_keys=True)
        moment = os.environ.get("SOURCE_DATE_EPOCH")
        created = datetime.fromtimestamp(int(moment), timezone.utc) if moment else datetime.now(timezone.utc)
        return {
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"hoist-{self.version}",
            "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}",
            "creationInfo": {"created": f"{created:%Y-%m-%dT%H:%M:%SZ}",
                             "creators": [f"Tool: hoist-bill-of-materials-{self.version}"]},
            "packages": list(self.packages.values()), "relationships": self.relationships,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    parser.add_argument("--swift", required=True)
    parser.add_argument("--pins", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("files", type=Path, nargs="+")
    arguments = parser.parse_args()
    told = re.search(r"Swift version (\S+)", output(arguments.swift, "--version"))
    bill = Bill(arguments.version, told[1] if told else "", arguments.pins)
    library = bill.add_file(arguments.files[0], "libhoist", "LIBRARY")
    for tool in arguments.files[1:]:
        bill.relate(bill.add_file(tool, "hoist", "APPLICATION"), "DYNAMIC_LINK", library)
    arguments.out.write_text(json.dumps(bill.document(), indent=2) + "\n")


if __name__ == "__main__":
    main()
