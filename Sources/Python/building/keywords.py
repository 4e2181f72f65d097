"""Writes `hoist/properties.py`: what the library describes as properties, as keywords for type checkers.

    python Sources/Python/building/keywords.py

It asks the installed binding. The tests tell when the file is out of date.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "hoist" / "properties.py"

SERVICES = {
    "unleash": "Unleash", "optimizely": "Optimizely", "launchdarkly": "LaunchDarkly", "flagship": "Flagship",
    "kameleoon": "Kameleoon",
}  # fmt: skip

# What a function of the service's own takes by name, and of a type of its own: apart from the others.
NAMED = {"launchdarkly": {"context"}, "flagship": {"env_id", "api_key"}, "kameleoon": {"site_code", "visitor_code"}}

TYPES = {
    "boolean": "bool",
    "integer": "int",
    "json": "str | Mapping[str, Any] | Sequence[Any] | Context",
    "list": "str | Sequence[str]",
    "object": "str | Mapping[str, str]",
    "secret": "str",
    "text": "str",
}

HEADER = '''"""Keywords of `hoist.Client`, of the services' clients and of `Config`: their properties, and plug-ins.

Made by `building/keywords.py` from the properties that the library describes. `hoist.describe` says what each means. A
dictionary of them is checked, too:

    settings: hoist.properties.Unleash = {"url": "https://flags.example.com/api/frontend", "refresh_interval": 30}
    client = hoist.Client("unleash", **settings)
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypedDict

from .context import Context
from .plugins import Cache, Dispatcher, HeaderProvider, Hook, Logger, Transport
from .plugins.headers import Headers


class Plugins(TypedDict, total=False):
    """Plug-ins that every client takes."""

    logger: Logger | logging.Logger | None
    cache: Cache | None
    transport: Transport | None
    dispatcher: Dispatcher | None
    headers: HeaderProvider | Callable[[str], Headers] | None


class Hooked(Plugins, total=False):
    """Plug-ins and hooks in the core's words."""

    hooks: Iterable[Hook]
'''


def keyword(name: str) -> str:
    """How a property is spelled in Python."""
    return name.replace(".", "_")


def type_of(row: Any) -> str:
    """The type of what a property is set to."""
    if row.type == "choice":
        return f"Literal[{', '.join(repr(choice).replace(chr(39), chr(34)) for choice in row.range.split(' | '))}]"
    if row.type == "secret" and (row.default or "").startswith("{"):
        return TYPES["object"]
    if row.type == "object" and "objects" in row.range:
        return "str | Mapping[str, str | Mapping[str, Any]]"
    if row.type == "text" and row.name.endswith(("file", "path")) and not row.name.endswith("datafile"):
        return "str | PathLike[str]" + (" | Sequence[str]" if "JSON array" in row.meaning else "")
    if row.type == "text" and row.name.endswith("datafile"):
        return "str | Mapping[str, Any]"
    return TYPES[row.type]


def table(name: str, base: str, meaning: str, rows: dict[str, str]) -> str:
    """One class."""
    members = "".join(f"    {key}: {kind}\n" for key, kind in rows.items())
    space = "\n" if members else ""
    return f'\n\nclass {name}({base}, total=False):\n    """{meaning}"""\n{space}{members}'


def text(describe: Any) -> str:
    """The whole file. `describe` is `hoist.describe`."""
    tables: dict[str, dict[str, str]] = {}
    for service in SERVICES:
        rows = describe(service)
        names = {row.name for row in rows}
        # A name of its own goes before a dotted one that would be spelled like it.
        tables[service] = {
            keyword(row.name): type_of(row)
            for row in rows
            if keyword(row.name) == row.name or keyword(row.name) not in names
        }
    common = {
        key: kind for key, kind in tables["unleash"].items() if all(rows.get(key) == kind for rows in tables.values())
    }
    written = HEADER + table("Common", "TypedDict", "What every service has.", common)
    for service, title in SERVICES.items():
        own = {key: kind for key, kind in tables[service].items() if key not in common}
        named = {key: own.pop(key) for key in sorted(NAMED.get(service, ())) if key in own}
        if named:
            written += table(f"{title}Rest", "Common", f"{title}'s, but for {', '.join(named)}.", own)
        written += table(title, f"{title}Rest" if named else "Common", f"{title}'s.", named or own)
        written += table(f"{title}Client", f"{title}, Hooked", f"What a client of {title} takes.", {})
    return written


if __name__ == "__main__":
    FILE.write_text(text(importlib.import_module("hoist").describe), encoding="utf-8")
