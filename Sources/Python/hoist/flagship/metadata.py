"""Metadata: where a flag's value came from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._native import lib
from .._text import take


@dataclass(frozen=True, slots=True)
class Metadata:
    """Where a value came from; empty for a flag that does not exist."""

    campaign_id: str = ""
    campaign_name: str = ""
    variation_group_id: str = ""
    variation_group_name: str = ""
    variation_id: str = ""
    variation_name: str = ""
    is_reference: bool = False
    """Whether the variation is the one that others are compared with."""
    campaign_type: str = ""
    """E.g. "ab"."""
    slug: str = ""

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Metadata:
        """Metadata from their members in JSON."""
        return cls(**{name: values[member] for name, member in _MEMBERS.items() if member in values})

    def to_dict(self) -> dict[str, Any]:
        """The nine members as JSON names them: "campaignId" and so on."""
        return {member: getattr(self, name) for name, member in _MEMBERS.items()}

    def to_json(self) -> str:
        """The same as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)


_MEMBERS = {name: _camel(name) for name in Metadata.__dataclass_fields__}


def metadata_of(pointer: Any) -> Metadata:
    """Metadata of the library's, which stay the caller's."""
    return Metadata.from_dict(json.loads(take(lib.hoist_flagship_metadata_to_json(pointer)) or b"{}"))
