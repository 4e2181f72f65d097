"""Reads the declarations of Hoist's public headers.

It knows exactly the C that the headers use, and refuses everything else: a declaration that it
does not understand is an error, so that no function can slip through unseen.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[2] / "Include" / "hoist"


class DeclarationError(Exception):
    """Something in a header that this parser does not know."""


@dataclass(frozen=True)
class Pointer:
    """One star of a type, from the innermost outwards."""

    is_const: bool = False
    is_nullable: bool | None = None


@dataclass(frozen=True)
class Type:
    base: str
    is_const: bool = False
    pointers: tuple[Pointer, ...] = ()

    @property
    def depth(self) -> int:
        return len(self.pointers)

    def __str__(self) -> str:
        text = ("const " if self.is_const else "") + self.base
        for pointer in self.pointers:
            text += " *" + ("const" if pointer.is_const else "")
        return text


@dataclass(frozen=True)
class Callback:
    """A pointer to a function: a member of a table, or a typedef."""

    result: Type
    parameters: tuple["Parameter", ...]


@dataclass(frozen=True)
class Parameter:
    name: str
    type: Type


@dataclass(frozen=True)
class Function:
    name: str
    result: Type
    parameters: tuple[Parameter, ...]
    must_check: bool
    header: str


@dataclass(frozen=True)
class Member:
    name: str
    type: Type | None
    callback: Callback | None


@dataclass
class Interface:
    """All that the headers declare."""

    functions: dict[str, Function] = field(default_factory=dict)
    opaque: set[str] = field(default_factory=set)
    structs: dict[str, tuple[Member, ...]] = field(default_factory=dict)
    scalars: dict[str, str] = field(default_factory=dict)
    callbacks: dict[str, Callback] = field(default_factory=dict)
    constants: list[str] = field(default_factory=list)
    constant_types: dict[str, str] = field(default_factory=dict)
    headers: list[str] = field(default_factory=list)


def strip_preprocessor(text: str) -> str:
    """Removes comments, directives, and what only C++ sees."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", " ", text)
    text = re.sub(r"\\\n", " ", text)
    kept: list[str] = []
    nesting: list[bool] = []  # of each open #if: whether its lines are for C++ alone
    for line in text.splitlines():
        directive = re.match(r"\s*#\s*(\w+)(.*)", line)
        if not directive:
            if not any(nesting):
                kept.append(line)
            continue
        word, rest = directive.groups()
        if word in ("if", "ifdef", "ifndef"):
            nesting.append(word != "ifndef" and rest.strip() in ("__cplusplus", "defined(__cplusplus)"))
        elif word == "else" and nesting:
            nesting[-1] = False
        elif word == "endif" and nesting:
            nesting.pop()
    return "\n".join(kept)


TOKEN = re.compile(r"[A-Za-z_]\w*|0[xX][0-9a-fA-F]+\w*|\d+\w*|<<|>>|\.\.\.|[-+*(){}\[\],;=|&~]")


class Parser:
    def __init__(self, text: str, header: str, interface: Interface) -> None:
        stripped = strip_preprocessor(text)
        rest = TOKEN.sub(" ", stripped).strip()
        if rest:
            raise DeclarationError(f"{header}: cannot read {rest.split()[0]!r}")
        self.tokens = TOKEN.findall(stripped)
        self.position = 0
        self.header = header
        self.interface = interface

    def fail(self, message: str) -> DeclarationError:
        around = " ".join(self.tokens[max(0, self.position - 8) : self.position + 8])
        return DeclarationError(f"{self.header}: {message} near: {around}")

    @property
    def token(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self, expected: str | None = None) -> str:
        token = self.token
        if not token or (expected is not None and token != expected):
            raise self.fail(f"expected {expected or 'more'}, found {token or 'the end'}")
        self.position += 1
        return token

    def accept(self, token: str) -> bool:
        if self.token == token:
            self.position += 1
            return True
        return False

    def name(self) -> str:
        if not re.fullmatch(r"[A-Za-z_]\w*", self.token):
            raise self.fail(f"expected a name, found {self.token!r}")
        return self.take()

    def parse(self) -> None:
        while self.token:
            if self.accept("typedef"):
                self.typedef()
            elif self.token == "enum":
                self.enumeration()
                self.take(";")
            else:
                self.function()

    def type(self) -> Type:
        is_const = self.accept("const")
        self.accept("struct")
        words = [self.name()]
        while words[-1] in ("unsigned", "signed", "long", "short") and self.token in ("long", "int", "char", "short"):
            words.append(self.name())
        is_const = self.accept("const") or is_const
        pointers: list[Pointer] = []
        nullable: bool | None = None
        base_nullable = self.nullability()
        while self.accept("*"):
            nullable = self.nullability()
            pointers.append(Pointer(self.accept("const"), nullable))
        if base_nullable is not None and not pointers and words[0] not in self.interface.callbacks:
            raise self.fail("nullability without a pointer")
        return Type(" ".join(words), is_const, tuple(pointers))

    def nullability(self) -> bool | None:
        if self.accept("HOIST_NULLABLE"):
            return True
        if self.accept("HOIST_NONNULL"):
            return False
        return None

    def parameters(self) -> tuple[Parameter, ...]:
        self.take("(")
        if self.token == "void" and self.tokens[self.position + 1] == ")":
            self.take()
            self.take(")")
            return ()
        result: list[Parameter] = []
        while True:
            type_ = self.type()
            result.append(Parameter(self.name(), type_))
            if self.accept(")"):
                return tuple(result)
            self.take(",")

    def callback(self, result: Type) -> tuple[str, Callback]:
        """`(*name)(parameters)`, behind the type of its result."""
        self.take("(")
        self.take("*")
        self.nullability()
        name = self.name()
        self.take(")")
        return name, Callback(result, self.parameters())

    def typedef(self) -> None:
        if self.token == "struct" and self.tokens[self.position + 2] == "{":
            self.take("struct")
            self.name()
            members = self.members()
            self.interface.structs[self.name()] = members
        elif self.token == "struct" and self.tokens[self.position + 3] == ";":
            self.take("struct")
            self.name()
            self.interface.opaque.add(self.name())
        elif self.token == "enum":
            raise self.fail("a typedef of an enum has no fixed size")
        else:
            type_ = self.type()
            if self.token == "(":
                name, callback = self.callback(type_)
                self.interface.callbacks[name] = callback
            else:
                self.interface.scalars[self.name()] = str(type_)
        self.take(";")

    def members(self) -> tuple[Member, ...]:
        self.take("{")
        result: list[Member] = []
        while not self.accept("}"):
            type_ = self.type()
            if self.token == "(":
                name, callback = self.callback(type_)
                result.append(Member(name, None, callback))
            else:
                result.append(Member(self.name(), type_, None))
                if self.accept("["):  # a text of a fixed size
                    self.take()
                    self.take("]")
            self.take(";")
        return tuple(result)

    def enumeration(self) -> None:
        # Behind the typedef whose values these are; statuses of a service's own stand alone.
        before = self.tokens[max(0, self.position - 4) : self.position]
        kind = before[2] if before[:2] == ["typedef", "int32_t"] else "hoist_status"
        self.take("enum")
        self.take("{")
        while not self.accept("}"):
            name = self.name()
            self.interface.constants.append(name)
            self.interface.constant_types[name] = kind
            if self.accept("="):
                while self.token not in (",", "}"):
                    self.take()
            self.accept(",")

    def function(self) -> None:
        is_plugins = self.accept("HOIST_PLUGIN_EXPORT")
        if not is_plugins and not self.accept("HOIST_API"):
            raise self.fail("a declaration without HOIST_API")
        must_check = self.accept("HOIST_MUST_CHECK")
        self.accept("HOIST_DEPRECATED")
        result = self.type()
        name = self.name()
        if not name.startswith("hoist_"):
            raise self.fail(f"{name} does not begin with hoist_")
        if name in self.interface.functions:
            raise self.fail(f"{name} is declared twice")
        parameters = self.parameters()
        self.take(";")
        if is_plugins:  # it is theirs to define
            return
        self.interface.functions[name] = Function(name, result, parameters, must_check, self.header)


def in_order(folder: Path) -> list[Path]:
    """The headers, each after those that it includes."""
    ordered: list[Path] = []

    def visit(path: Path) -> None:
        if path in ordered or not path.exists():
            return
        for included in re.findall(r'^\s*#\s*include\s+"([\w./]+)"', path.read_text(), flags=re.M):
            visit((path.parent / included).resolve())
        ordered.append(path)

    for path in sorted(folder.resolve().rglob("*.h")):
        visit(path)
    return ordered


def read_headers(folder: Path = INCLUDE) -> Interface:
    interface = Interface()
    for path in in_order(folder):
        name = path.relative_to(folder.resolve()).as_posix()
        interface.headers.append(name)
        Parser(path.read_text(), name, interface).parse()
    return interface


if __name__ == "__main__":
    try:
        found = read_headers()
    except DeclarationError as error:
        sys.exit(str(error))
    print(f"{len(found.functions)} functions, {len(found.opaque)} handles, {len(found.structs)} structs, "
          f"{len(found.callbacks)} callbacks, {len(found.constants)} constants in {len(found.headers)} headers")
