"""The hand-written pages, and what stands in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "Documentation/Site"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(SITE.rglob("*.md"))]
FENCE = re.compile(r"^```(\S+)\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A block of code, with the text that it prints where one follows it."""

    language: str
    code: str
    printed: str | None


def blocks(page: Path) -> list[Block]:
    found = list(FENCE.finditer(page.read_text()))
    result = []
    for match, following in zip(found, [*found[1:], None]):
        text = page.read_text()
        follows = following and following[1] == "text" and not text[match.end():following.start()].strip()
        result.append(Block(match[1], match[2], following[2] if following and follows else None))
    return result


def tables(page: Path) -> list[list[list[str]]]:
    """Each table as its rows of cells, the heads first."""
    result: list[list[list[str]]] = []
    for run in re.findall(r"(?:^\|.*\|$\n?)+", page.read_text(), re.M):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in run.strip().splitlines()]
        result.append([row for row in rows if not all(re.fullmatch(r":?-+:?", cell) for cell in row)])
    return result


def column(page: Path, head: str) -> list[str]:
    """The cells under a head, of every table of the page that has it."""
    return [row[table[0].index(head)] for table in tables(page) if head in table[0] for row in table[1:]]


def code_words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)
