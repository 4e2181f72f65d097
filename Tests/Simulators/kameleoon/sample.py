"""A realistic site, `sample.json`."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("sample.json")
SITE = "hoistsite1"
"""Ten characters, as the service gives them out."""
CLIENT_ID, CLIENT_SECRET = "sample-client", "sample-secret"


def sample_configuration(*, real_time: bool = False, consent: str | None = None, **changes: Any) -> dict[str, Any]:
    """The configuration, as a fresh document; `changes` replace members of the top level.

    `real_time` has clients open the stream; `consent` makes it required, and says what is blocked without it.
    """
    document = {**copy.deepcopy(_DOCUMENT), **changes}
    document["configuration"]["realTimeUpdate"] = real_time
    if consent is not None:
        document["configuration"] |= {"consentType": "REQUIRED", "consentOptOutBehavior": consent}
    return document


_DOCUMENT: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
