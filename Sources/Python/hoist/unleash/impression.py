"""Impression events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..observer import Notification


@dataclass(frozen=True, slots=True)
class Impression:
    """A flag with impression data was evaluated."""

    toggle_name: str
    enabled: bool
    variant: str | None
    """Name of the variant; None for `is_enabled`."""
    context: Mapping[str, Any]
    """The context at the time of the call."""
    event_type: str
    """isEnabled or getVariant."""
    event_id: str

    @classmethod
    def from_notification(cls, notification: Notification) -> Impression:
        """The impression that a notification of the topic IMPRESSION tells of."""
        data = notification.data if isinstance(notification.data, Mapping) else {}
        names = notification.keys or ("",)
        return cls(
            data.get("toggleName") or data.get("featureName") or names[0],
            bool(data.get("enabled")),
            data.get("variant"),
            data.get("context") or {},
            data.get("eventType", ""),
            data.get("eventId", ""),
        )
