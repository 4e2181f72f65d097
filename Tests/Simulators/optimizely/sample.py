"""A realistic project, `sample.json`, and visitors whose decisions in it are known.

Three flags with variables, an experiment with a typed audience of three conditions, delivery rules with everyone else,
a random group, a global and a local holdout, a contextual bandit, segments of the data platform, events, attributes.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("sample.json")
SDK_KEY = "sample-sdk-key"

MEMBER = {"country": "de", "age": 30, "member": True}
"""Attributes of the audience of `checkout_test`."""
NEW_APP = {"app_version": "2.2.0"}
"""Attributes of the audience of the delivery rule `checkout_new_app`."""


@dataclass(frozen=True)
class Visitor:
    """Somebody, and the (rule, variation) that `checkout_flow` and `banner` give them; None for neither."""

    name: str
    checkout: tuple[str, str]
    banner: tuple[str, str] | None
    attributes: dict[str, Any] = field(default_factory=dict)


VISITORS = (
    Visitor("anna", ("checkout_test", "control"), ("banner_short", "hello"), MEMBER),
    Visitor("carla", ("checkout_test", "short"), ("banner_short", "hello"), MEMBER),
    Visitor("ben", ("checkout_test", "express"), ("banner_long", "none"), MEMBER),
    Visitor("olga", ("checkout_new_app", "on"), ("banner_short", "hello"), NEW_APP),
    Visitor("nils", ("holdout_new_app", "ho_local_off"), None, NEW_APP),
    Visitor("mia", ("checkout_everyone_else", "off"), None),
    Visitor("fritz", ("holdout_spring", "ho_off"), ("holdout_spring", "ho_off"), MEMBER),
)
"""`search_ranking` asks the prediction server for all of them but olga, nils and mia, whose bucket is beyond the
bandit's traffic: those get `ranking_everyone_else`. Fritz is in the global holdout there too."""


def sample_datafile(**changes: Any) -> dict[str, Any]:
    """The project, as a fresh document; `changes` replace members of the top level, as in `revision="43"`."""
    return {**copy.deepcopy(_DOCUMENT), **changes}


_DOCUMENT: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
