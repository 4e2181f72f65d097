"""Gives each function of an object a section of its own, so that the linker can leave out those that nothing calls.

Swift's standard library has only its public functions in sections of their own. The others, 1.6 million bytes, are one section,
of which the linker keeps all, and with it everything that any of them refers to. Where a function begins is known from symbols,
from the tables for unwinding, and from what calls it or points to it. References within the section were resolved by the
assembler and are seen in the instructions alone: they become relocations again. Linked in the old order, the object that
is made here gives the same bytes as the old one. What is not understood raises `Unclear`, and nothing is split.
"""

from __future__ import annotations

import re
import struct
import subprocess
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path

PROGBITS, SYMTAB, RELA = 1, 2, 4
ALLOCATED_CODE, INFO_LINK, EXECUTABLE = 6, 0x40, 4
FUNCTION, SECTION, GLOBAL_FUNCTION, HIDDEN = 2, 3, 0x12, 2
ABSOLUTE, RELATIVE, CALL = 1, 2, 4  # R_X86_64_64, _PC32 and _PLT32
X86_64, MOST_SECTIONS, CODE_ALIGNMENT = 62, 0xFF00, 16
# Fields of a section's header.
TYPE, FLAGS, OFFSET, SIZE, LINK, INFO = 1, 2, 4, 5, 6, 7
# Fields of a symbol.
KIND, PLACE, VALUE = 1, 3, 4


class Unclear(Exception):
    """The object holds something that this file does not know."""


class Code:
    """The section `.text` of an object, and all that refers to it."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        if struct.unpack_from("<H", content, 18) != (X86_64,):
            raise Unclear("another processor")
        table, = struct.unpack_from("<Q", content, 0x28)
        count, names = struct.unpack_from("<HH", content, 0x3C)
        self.sections = [list(struct.unpack_from("<IIQQQQIIQQ", content, table + 64 * i)) for i in range(count)]
        base = self.sections[names][OFFSET]
        self.names = [content[base + s[0] : content.index(b"\0", base + s[0])] for s in self.sections]
        if self.names.count(b".text") != 1:
            raise Unclear("not one section .text")
        self.index = self.names.index(b".text")
        self.size = self.sections[self.index][SIZE]
        self.symbol_table = next(i for i, section in enumerate(self.sections) if section[TYPE] == SYMTAB)
        self.symbols = [list(symbol) for symbol in struct.iter_unpack("<IBBHQQ", self.bytes_of(self.symbol_table))]
        self.section_symbols = {i: y[PLACE] for i, y in enumerate(self.symbols) if y[KIND] & 15 == SECTION}
        self.functions = [y for y in self.symbols if y[PLACE] == self.index and y[KIND] & 15 == FUNCTION]
        self.tables = {section[INFO]: i for i, section in enumerate(self.sections) if section[TYPE] == RELA}
        self.relocations = {place: list(struct.iter_unpack("<QQq", self.bytes_of(i))) for place, i in self.tables.items()}
        if self.index not in self.relocations:
            raise Unclear("no relocations in .text")
        self.starts: list[int] = []
        self.ends: list[int] = []

    def bytes_of(self, section: int) -> bytes:
        _, _, _, _, offset, size, *_ = self.sections[section]
        return self.content[offset : offset + size]

    def is_code(self, section: int) -> bool:
        return bool(self.sections[section][FLAGS] & EXECUTABLE)

    def refers(self, information: int) -> bool:
        """Whether a relocation is about a place in the section, and not about a symbol."""
        return self.section_symbols.get(information >> 32) == self.index

    def begin(self, starts: set[int]) -> None:
        self.starts = sorted(start for start in starts if start < self.size)
        self.ends = self.starts[1:] + [self.size]

    def function(self, place: int) -> int:
        return bisect_right(self.starts, place) - 1


def instructions(objdump: str, path: Path, size: int) -> list[tuple[int, int, str, str]]:
    """Start, end, name and operands of each."""
    command = [objdump, "-d", "--no-show-raw-insn", "-j", ".text", path]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    found = re.findall(r"^\s*([0-9a-f]+):\s+(\S+)[^\S\n]*(.*)$", done.stdout, re.MULTILINE)
    places = [int(place, 16) for place, _, _ in found]
    return [(start, end, name, operands) for start, end, (_, name, operands) in zip(places, places[1:] + [size], found)]


def resolved(code: Code, listing: list[tuple[int, int, str, str]]) -> list[tuple[int, int, int]]:
    """Instructions that refer to a place in the section without a relocation: start, end, and that place."""
    relocated = {offset for offset, _, _ in code.relocations[code.index]}
    references = []
    for start, end, name, operands in listing:
        jump = re.match(r"(?:0x)?([0-9a-f]+) <", operands)
        if not jump and "(%rip)" not in operands or any(place in relocated for place in range(start, end)):
            continue
        target = jump or re.search(r"# (?:0x)?([0-9a-f]+)", operands)
        if not target or not (jump or name.startswith("lea")):
            raise Unclear(f"{name} {operands}")
        references.append((start, end, int(target[1], 16)))
    return references


def find_starts(code: Code) -> set[int]:
    starts = {0} | {function[VALUE] for function in code.functions}
    bases = table_bases(code)
    for section, relocations in code.relocations.items():
        places = {offset for offset, information, _ in relocations if code.refers(information)}
        for offset, information, addend in relocations:
            if code.refers(information) and table_of(offset, places, bases[section]) is None:
                starts.add(addend + 4 if code.is_code(section) else addend)
    inside = sorted((function[VALUE], function[VALUE] + function[5]) for function in code.functions)
    for start in starts:
        begin, end = inside[max(0, bisect_right(inside, (start, code.size)) - 1)]
        if begin < start < end:
            raise Unclear(f"something refers to the middle of the function at {begin:#x}")
    return starts


def table_bases(code: Code) -> dict[int, dict[int, list[int]]]:
    """Where tables of jumps may begin, by section, with the places that load their address."""
    bases: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for offset, information, addend in code.relocations[code.index]:
        section = code.section_symbols.get(information >> 32)
        if section is not None and not code.is_code(section) and information & 0xFFFFFFFF == RELATIVE:
            bases[section][addend + 4].append(offset)
    return bases


def table_of(offset: int, places: set[int], bases: dict[int, list[int]]) -> int | None:
    """Where the table begins that has an entry here; entries are relative to that, and each has a relocation."""
    while offset in places and offset not in bases:
        offset -= 4
    return offset if offset in places else None


def targets(code: Code, starts: set[int]) -> dict[tuple[int, int], tuple[int, int]]:
    """For each relocation about a place in the section: that place, and what is to be added to it."""
    bases, found = table_bases(code), {}
    for section, relocations in code.relocations.items():
        places = {offset for offset, information, _ in relocations if code.refers(information)}
        for number, (offset, information, addend) in enumerate(relocations):
            if not code.refers(information):
                continue
            if information & 0xFFFFFFFF not in (ABSOLUTE, RELATIVE, CALL):
                raise Unclear(f"a relocation of type {information & 0xFFFFFFFF}")
            correction = 4 if code.is_code(section) else 0
            table = table_of(offset, places, bases[section])
            if table is not None and information & 0xFFFFFFFF == RELATIVE:
                target, owners = addend - (offset - table), {code.function(place) for place in bases[section][table]}
                if code.function(target) in owners:
                    found[section, number] = (target, offset - table)
                    continue
            if addend + correction not in starts:
                raise Unclear(f"{code.names[section]!r} refers to {addend:#x}, where no function begins")
            found[section, number] = (addend + correction, -correction)
    return found


def split(content: bytes, path: Path, objdump: str) -> bytes:
    """The object that `path` holds, made anew."""
    code = Code(content)
    references = resolved(code, instructions(objdump, path, code.size))
    starts = find_starts(code)
    code.begin(starts)
    together: set[int] = set()
    for start, end, target in references:
        # A short jump to the neighbour has no room for a relocation.
        low, high = sorted((code.function(start), code.function(target)))
        if end - start == 2:
            together.update(code.starts[low + 1 : high + 1])
    code.begin(starts - together)
    return written(code, targets(code, starts), [r for r in references if code.function(r[0]) != code.function(r[2])])


def written(code: Code, found: dict[tuple[int, int], tuple[int, int]], references: list[tuple[int, int, int]]) -> bytes:
    first, symbols, sections = len(code.sections), code.symbols, code.sections
    names = sections[code.symbol_table][LINK]
    texts, anchors = bytearray(code.bytes_of(names)), {}
    for number, symbol in enumerate(symbols):
        if symbol[PLACE] == code.index and symbol[KIND] & 15 == FUNCTION:
            function = code.function(symbol[VALUE])
            symbol[PLACE], symbol[VALUE] = first + function, symbol[VALUE] - code.starts[function]
            # A symbol that another object may have, too, is not sure to be this one.
            if symbol[VALUE] == 0 and symbol[KIND] == FUNCTION:
                anchors[function] = number

    def relocation(offset: int, target: int, kind: int, addition: int) -> tuple[int, int, int]:
        function = code.function(target)
        if function not in anchors:
            anchors[function] = len(symbols)
            symbols.append([len(texts), GLOBAL_FUNCTION, HIDDEN, first + function, 0, 0])
            texts.extend(b"function.%d\0" % function)
        return offset, anchors[function] << 32 | kind, target - code.starts[function] + addition

    for (section, number), (target, addition) in found.items():
        offset, information, _ = code.relocations[section][number]
        code.relocations[section][number] = relocation(offset, target, information & 0xFFFFFFFF, addition)
    own = code.relocations.pop(code.index) + [relocation(end - 4, target, RELATIVE, -4) for _, end, target in references]
    by_function: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for offset, information, addend in sorted(own):
        function = code.function(offset)
        by_function[function].append((offset - code.starts[function], information, addend))

    out = bytearray(code.content)

    def put(content: bytes) -> tuple[int, int]:
        out.extend(bytes(-len(out) % 8))
        out.extend(content)
        return len(out) - len(content), len(content)

    for section, relocations in code.relocations.items():
        offset = sections[code.tables[section]][OFFSET]
        content = b"".join(struct.pack("<QQq", *r) for r in relocations)
        out[offset : offset + len(content)] = content
    old, table = sections[code.index], sections[code.tables[code.index]]
    for start, end in zip(code.starts, code.ends):
        alignment = min(CODE_ALIGNMENT, start & -start or CODE_ALIGNMENT)
        sections.append([old[0], PROGBITS, ALLOCATED_CODE, 0, old[OFFSET] + start, end - start, 0, 0, alignment, 0])
    for function, relocations in by_function.items():
        place = put(b"".join(struct.pack("<QQq", *r) for r in relocations))
        sections.append([table[0], RELA, INFO_LINK, 0, *place, code.symbol_table, first + function, 8, 24])
    old[SIZE] = table[SIZE] = 0
    sections[code.symbol_table][OFFSET : SIZE + 1] = put(b"".join(struct.pack("<IBBHQQ", *symbol) for symbol in symbols))
    sections[names][OFFSET : SIZE + 1] = put(bytes(texts))
    if len(sections) >= MOST_SECTIONS:
        raise Unclear(f"{len(sections)} sections")
    offset, _ = put(b"".join(struct.pack("<IIQQQQIIQQ", *section) for section in sections))
    struct.pack_into("<Q", out, 0x28, offset)
    struct.pack_into("<H", out, 0x3C, len(sections))
    return bytes(out)
