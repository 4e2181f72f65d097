"""Text forms that several protocols share, and the percent-encoding of query pairs."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from .findings import Findings

SEMVER_TEXT = (
    r"(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)"
    r"(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)
SEMVER = re.compile(SEMVER_TEXT, re.ASCII)
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
ANY_UUID4 = re.compile(f"{UUID4.pattern}|{UUID4.pattern.replace('a-f', 'A-F').replace('ab]', 'AB]')}")
"""A UUID of version 4, all in lower or all in upper case."""
UTC_SECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
ISO_8601 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)", re.ASCII)
ENTITY_TAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\U0010ffff]*"')
DECIMAL = re.compile(r"0|[1-9][0-9]*")
HTTP_DATE = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} "
    r"\d\d:\d\d:\d\d GMT", re.ASCII)

UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
COMPONENT = UNRESERVED | frozenset("!*'()")
"""What `encodeURIComponent` of JavaScript leaves as it is."""


def decode_pairs(findings: Findings, query: str, also_plain: str = "",
                 unreserved: frozenset[str] = UNRESERVED) -> list[tuple[str, str]]:
    """Splits a query and checks its encoding byte by byte.

    Every byte outside the unreserved set must be `%XX` in upper case, every byte inside must
    stand for itself; characters of `also_plain` may come in either form.
    """
    pairs = []
    for part in query.split("&") if query else []:
        name, equals, value = part.partition("=")
        if not equals:
            findings.add(f"query {part}", "has no '='")
            continue
        before = len(findings)
        decoded = [decode(findings, f"query {part}", text, also_plain, unreserved) for text in (name, value)]
        if len(findings) == before:
            pairs.append((decoded[0], decoded[1]))
    return pairs


def decode(findings: Findings, where: str, encoded: str, also_plain: str = "",
           unreserved: frozenset[str] = UNRESERVED) -> str:
    """Decodes one name, value or segment of a path under the rules of `decode_pairs`."""
    position = 0
    while position < len(encoded):
        character = encoded[position]
        if character != "%":
            plain = character in unreserved or character in also_plain
            findings.require(plain, where, f"{character!r} must be percent-encoded")
            position += 1
            continue
        escape = encoded[position + 1 : position + 3]
        if re.fullmatch("[0-9A-Fa-f]{2}", escape) is None:
            findings.add(where, f"'%{escape}' is not a percent escape")
        elif escape.upper() != escape:
            findings.add(where, f"'%{escape}' is not upper case")
        elif chr(int(escape, 16)) in unreserved:
            findings.add(where, f"'%{escape}' encodes a character that stands for itself")
        position += 3
    try:
        return unquote_to_bytes(encoded).decode("utf-8")
    except UnicodeDecodeError:
        findings.add(where, "is not UTF-8 after decoding")
        return ""
