"""Flags to serve when a test brings none of its own."""

from __future__ import annotations

import json
from pathlib import Path

from .environment import Flag, Flags

_FILE = Path(__file__).with_name("sample.json")


def sample_flags(**changes: Flag | None) -> Flags:
    """The sample's flags with other ones in their place, or (None) without them; `_` in names stands for `-`."""
    flags = json.loads(_FILE.read_text(encoding="utf-8"))
    for name, flag in changes.items():
        key = name.replace("_", "-")
        if flag is None:
            flags.pop(key)
        else:
            flags[key] = flag
    return flags
