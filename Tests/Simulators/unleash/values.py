"""Reading numbers, dates, semantic versions and address ranges as constraints do (protocol C.5, C.7).

`read_value` is the strict grammar of a rule's side, the `context_*` functions the lenient one
of the context's side.
"""

from __future__ import annotations

import ipaddress
import re
from datetime import datetime, timedelta, timezone
from functools import total_ordering

from loopback.text import SEMVER

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
_CONTEXT_NUMBER = re.compile(
    r"[+-]?(?:[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?|inf|infinity|nan)",
    re.IGNORECASE | re.ASCII)
_DATE = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]{3})?(Z|[+-][0-9]{2}:[0-9]{2})")
_CONTEXT_DATE = re.compile(
    r"\s*([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt]|\s+)([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(\.[0-9]+)?"
    r"\s*([Zz]|UTC|[+\-\u2212][0-9]{2}:?[0-9]{2})")
_VALUE_SEMVER = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")


class Unreadable(Exception):
    """A text that is no value of its kind."""


@total_ordering
class Version:
    """A semantic version, ordered by precedence; the build part does not count."""

    def __init__(self, text: str) -> None:
        if SEMVER.fullmatch(text) is None:
            raise Unreadable(text)
        core, _, pre_release = text.partition("+")[0].partition("-")
        self._numbers = tuple(int(part) for part in core.split("."))
        if any(number >= 2**64 for number in self._numbers):
            raise Unreadable(text)
        self._parts = pre_release.split(".") if pre_release else []

    @property
    def _key(self) -> tuple:
        parts = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in self._parts]
        return (self._numbers, 0 if parts else 1, parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._key == other._key

    def __lt__(self, other: Version) -> bool:
        return self._key < other._key


Value = datetime | Version | float


def read_value(text: str) -> Value:
    """A rule's value: date, version or number, tried in this order whatever the operator."""
    text = text.strip(" \t")
    if _DATE.fullmatch(text):
        return _date(_DATE.fullmatch(text))
    if _VALUE_SEMVER.fullmatch(text):
        return Version(text)
    if _NUMBER.fullmatch(text):
        return float(text)
    raise Unreadable(text)


def read_context(text: str, like: Value) -> Value:
    """The context's side of a comparison with `like`."""
    if isinstance(like, Version):
        return Version(text)
    if isinstance(like, datetime):
        match = _CONTEXT_DATE.fullmatch(text)
        if match is None:
            raise Unreadable(text)
        return _date(match)
    if _CONTEXT_NUMBER.fullmatch(text) is None:
        raise Unreadable(text)
    return float(text)


def _date(match: re.Match[str] | None) -> datetime:
    if match is None:
        raise Unreadable("")
    year, month, day, hour, minute, second = (int(match.group(index)) for index in range(1, 7))
    fraction, zone = match.group(7) or "", match.group(8).replace("\u2212", "-")
    leap = second == 60
    micros = int((fraction[1:] + "000000")[:6]) if fraction else 0
    try:
        moment = datetime(year, month, day, hour, minute, 59 if leap else second, micros)
        moment += timedelta(seconds=1) if leap else timedelta()
        if zone in ("Z", "z", "UTC"):
            return moment.replace(tzinfo=timezone.utc)
        hours, minutes = int(zone[1:3]), int(zone[-2:])
        if hours > 23 or minutes > 59:
            raise Unreadable(zone)
        offset = timedelta(hours=hours, minutes=minutes)
        return moment.replace(tzinfo=timezone(-offset if zone[0] == "-" else offset))
    except (ValueError, OverflowError):
        raise Unreadable(match.group(0)) from None


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def read_network(text: str) -> Network | None:
    """An address with an optional prefix length (or IPv4 mask); None when unreadable."""
    address, slash, size = text.partition("/")
    if "%" in address:
        return None
    try:
        if slash and "." in size:
            ipaddress.IPv4Address(address)
            return _masked(address, size)
        if slash and re.fullmatch("[0-9]{1,3}", size) is None:
            return None
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


def read_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    if "%" in text:
        return None
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _masked(address: str, mask: str) -> Network:
    bits = int(ipaddress.IPv4Address(mask))
    length = bits.bit_count()
    if bits != (0xFFFFFFFF << (32 - length)) & 0xFFFFFFFF:
        raise ValueError(mask)
    return ipaddress.ip_network(f"{address}/{length}", strict=False)
