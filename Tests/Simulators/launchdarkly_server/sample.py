"""What is served when a test brings no data of its own."""

from __future__ import annotations

import json
from pathlib import Path

from .environment import FLAGS, Data, Item

_FILE = Path(__file__).with_name("sample.json")


def sample_data(**changes: Item | None) -> Data:
    """The sample with other flags in their place, or (None) without them; `_` in names stands for `-`."""
    data = json.loads(_FILE.read_text(encoding="utf-8"))
    for name, flag in changes.items():
        key = name.replace("_", "-")
        if flag is None:
            data[FLAGS].pop(key)
        else:
            data[FLAGS][key] = flag
    return data
