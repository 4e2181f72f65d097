"""A store of big segments that asks the harness."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hoist.launchdarkly import BigSegmentStore

from .callbacks import post


class StoreFailure(Exception):
    """What the store raises where the harness answers with a failure."""


class CallbackBigSegments(BigSegmentStore):
    """Asks an address of the harness."""

    def __init__(self, url: str) -> None:
        self._url = url

    def metadata(self) -> int | None:
        """When the store was brought up to date, in milliseconds since 1970."""
        found: int | None = self._ask("getMetadata").get("lastUpToDate")
        return found

    def memberships(self, context_hash: str) -> Mapping[str, bool] | None:
        """What is known of a context, by references."""
        found: Mapping[str, bool] | None = self._ask("getMembership", {"contextHash": context_hash}).get("values")
        return found

    def _ask(self, what: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        status, answer = post(f"{self._url}/{what}", body)
        if status != 200:
            raise StoreFailure(f"{what}: {status}")
        found: dict[str, Any] = json.loads(answer)
        return found
