"""The single events inside an event request (protocol 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator

IMPRESSION = "campaign_activated"


@dataclass(frozen=True)
class Happening:
    """What one visitor did: saw a variation, or converted. `where` is the visitor's place in the body."""

    where: str
    visitor: dict[str, Any]

    @property
    def snapshot(self) -> dict[str, Any]:
        return self.visitor["snapshots"][0]

    @property
    def event(self) -> dict[str, Any]:
        return self.snapshot["events"][0]

    @property
    def uuid(self) -> str:
        """In lower case, as it is compared."""
        return self.event["uuid"].lower()

    @property
    def decision(self) -> dict[str, Any] | None:
        """That of an impression."""
        return self.snapshot["decisions"][0] if "decisions" in self.snapshot else None

    @property
    def variation(self) -> str:
        """Flag, rule and variation of an impression, with slashes between."""
        metadata = (self.decision or {}).get("metadata", {})
        return "/".join(metadata.get(name, "") for name in ("flag_key", "rule_key", "variation_key"))

    def as_json(self) -> dict[str, Any]:
        attributes = {attribute["key"]: attribute["value"] for attribute in self.visitor["attributes"]}
        return {"visitor": self.visitor["visitor_id"], "attributes": attributes, **self.event,
                "decision": self.decision}


def happenings(document: dict[str, Any]) -> Iterator[Happening]:
    """The events of a body of the right shape, in order."""
    for index, visitor in enumerate(document["visitors"]):
        yield Happening(f"body.visitors[{index}]", visitor)
