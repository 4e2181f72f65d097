"""The table of scenarios and services, as Documentation/contract.md has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from services import ALL

PAGE = Path(__file__).resolve().parents[2] / "Documentation" / "contract.md"
TITLES = {1: "States", 2: "Topics", 3: "The current context", 4: "A context given to one call", 5: "Time limits",
          6: "Track, flush, what was refused", 7: "refresh, online, reopen", 8: "Many clients, many processes", 9: "Time",
          10: "Diagnostics"}
SIGNS = {"ok": "ok", "header": "header", "known": "**known**", "untried": "–", "FAILED": "FAILED"}
SHOWN = {kind: sign for kind, sign in SIGNS.items() if kind != "FAILED"}
Rows = list[dict[str, Any]]

_PREFACE = """\
# What the core promises, and where it holds
Written by `Tests/Contract/run --table`: each scenario of `Tests/Contract`, in the state it is met in, for each service and mode.

- **ok**: the service does it
- **header**: it does something else, or has no such thing, and a header says so; the notes quote it
- **known**: not done yet; the notes say what happens today (`Tests/Contract/known-differences.txt`)
- –: cannot be seen within the time of a test; the notes say why
"""


def page(rows: Rows) -> str:
    by_section: dict[int, dict[str, Rows]] = {}
    for row in rows:
        by_section.setdefault(row["section"], {}).setdefault(row["scenario"], []).append(row)
    lines = [_PREFACE]
    for section, scenarios in sorted(by_section.items()):
        lines += _section(section, scenarios)
    lines += ["## How many", "| service | " + " | ".join(SHOWN.values()) + " |", "|---|" + "---|" * len(SHOWN)]
    for name in ALL:
        counts = [sum(row["service"] == name and row["outcome"] == kind for row in rows) for kind in SHOWN]
        lines.append(f"| {name} | " + " | ".join(map(str, counts)) + " |")
    return "\n".join(lines) + "\n"


def _section(section: int, scenarios: dict[str, Rows]) -> list[str]:
    lines = [f"## {section} {TITLES[section]}", "| | what | state | " + " | ".join(ALL) + " |", "|---|---|---|" + "---|" * len(ALL)]
    notes = []
    for place, cells in enumerate(scenarios.values(), 1):
        number, first = f"{section}.{place}", cells[0]
        shown = {cell["service"]: SIGNS[cell["outcome"]] for cell in cells}
        row = " | ".join(shown.get(name, "") for name in ALL)
        lines.append(f"| {number} | {first['sentence']} | {first['state']} | {row} |")
        notes += [f"- {number} {note}" for note in _notes(cells)]
    return [*lines, "", *notes, ""]


def _notes(cells: Rows) -> list[str]:
    """What is behind the cells of one scenario that are not ok, services with the same together."""
    found: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        if cell["why"]:
            found.setdefault((cell["outcome"], cell["why"]), []).append(cell["service"])
    return [f"{SIGNS[kind]}, {', '.join(services)}: {why}" for (kind, why), services in found.items()]
