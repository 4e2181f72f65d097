"""Values that several kinds of requests carry, and the predefined context keys (FS-109…FS-128, FS-200)."""

from __future__ import annotations

import ipaddress
import math
import re
from typing import Any
from urllib.parse import urlsplit

from loopback.findings import Findings, brief, text

TEXT = text()
ANY_TEXT = text(empty=True)

RESERVED = ("fs_client", "fs_version", "fs_users", "fs_all_users")
_TRUTHS = ("sdk_firstTimeInit", "sdk_devMode")
_NUMBERS = ("sdk_lat", "sdk_long")
_INTEGERS = ("sdk_versionCode",)
_TEXTS = ("sdk_deviceLanguage", "sdk_deviceType", "sdk_deviceModel", "sdk_city", "sdk_region", "sdk_country",
          "sdk_osName", "sdk_osVersionCode", "sdk_osVersionName", "sdk_carrierName", "sdk_internetConnection",
          "sdk_versionName", "sdk_fsVersion", "sdk_interfaceName", "sdk_ip")
INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII)
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def context_value(findings: Findings, where: str, value: Any) -> None:
    """Text, a truth or a finite number (FS-59)."""
    holds = isinstance(value, (str, bool)) or is_number(value)
    findings.require(holds, where, f"must be text, a truth or a number, is {brief(value)}")


def check_predefined(findings: Findings, where: str, context: dict[str, Any]) -> None:
    """Predefined keys hold what their type says (4.6)."""
    for key, value in context.items():
        place = f"{where}.{key}"
        if key in _TRUTHS:
            findings.require(isinstance(value, bool), place, f"must be a truth, is {brief(value)}")
        elif key in _INTEGERS:
            findings.require(is_integer(value), place, f"must be an integer, is {brief(value)}")
        elif key in _NUMBERS:
            findings.require(is_number(value), place, f"must be a number, is {brief(value)}")
        elif key in _TEXTS:
            findings.require(isinstance(value, str), place, f"must be text, is {brief(value)}")
            findings.require(key != "sdk_ip" or is_address(value), place, f"must be an IP address, is {brief(value)}")
        findings.require(key not in ("", "OS_VERSION_CODE"), place, "is no key")


def check_spelling(findings: Findings, where: str, segment: dict[str, str]) -> None:
    """Predefined keys as texts, as a SEGMENT hit has them (3.5)."""
    forms = {**dict.fromkeys(_TRUTHS, re.compile("true|false")), **dict.fromkeys(_INTEGERS, INTEGER),
             **dict.fromkeys(_NUMBERS, NUMBER)}
    for key, value in segment.items():
        if key in forms:
            findings.require(forms[key].fullmatch(value) is not None, f"{where}.{key}", f"is {brief(value)}")
        findings.require(key not in ("", "OS_VERSION_CODE"), f"{where}.{key}", "is no key")


def is_address(value: Any) -> bool:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return isinstance(value, str)


def page_location(findings: Findings, where: str, value: Any) -> None:
    """A URL with a scheme and a host, or of a file (FS-93)."""
    before = len(findings)
    TEXT(findings, where, value)
    if len(findings) == before:
        try:
            parts = urlsplit(value)
            holds = bool(parts.hostname if parts.scheme != "file" else parts.path) and bool(parts.scheme)
        except ValueError:
            holds = False
        findings.require(holds, where, f"must be a URL with a scheme and a host, is {brief(value)}")
