"""A realistic environment, `sample.json`, and visitors whose flags in it are known."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("sample.json")
ENVIRONMENT = "hoistsampleenv000001"
"""Twenty digits of base 32, as the service gives them out."""
API_KEY = "sample-api-key"


def sample_bucketing(**changes: Any) -> dict[str, Any]:
    """The bucketing file, as a fresh document; `changes` replace members of the top level, as in `panic=True`."""
    return {**copy.deepcopy(_DOCUMENT), **changes}


_DOCUMENT: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
