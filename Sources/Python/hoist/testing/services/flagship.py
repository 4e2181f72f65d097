"""AB Tasty Flagship: every flag is a campaign of its own, for everybody."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ...client import Client
from ...config import Config
from ...plugins import Request
from ..records import Evaluated, Tracked
from .base import Record, Service, path_of


class Flagship(Service):
    """Both modes. The Decision API gives every visitor the same campaigns."""

    mode = "bucketing"
    accepted = 200
    needed = {"env_id": "hoisttesting00000000", "api_key": "hoist-testing"}
    given = {
        "usage_tracking": False,
        "expose": False,
        "events.flush_interval_ms": 3_600_000,
        "polling_interval": 86_400,
    }

    def __init__(self, config: Config, events: tuple[str, ...]) -> None:
        super().__init__(config, events)
        self._is_remote = config.get("mode") == "decision_api"
        self._flags: dict[str, tuple[str, Any]] = {}

    def fetches(self, client: Client) -> bool:
        """Without a context the Decision API is asked by visitors alone."""
        return not self._is_remote or client.current_context is not None

    def answer(self, request: Request, flags: Mapping[str, Any], number: int) -> bytes | None:
        """The bucketing file, the account's settings, or a decision."""
        path = path_of(request)
        campaigns = [_campaign(place, *flag) for place, flag in enumerate(flags.items())]
        self._flags.update({_id("grp", place): flag for place, flag in enumerate(flags.items())})
        if path.endswith("/bucketing.json"):
            return json.dumps(
                {"panic": False, "visitorConsolidation": False, "accountSettings": _SETTINGS, "campaigns": campaigns}
            ).encode()
        if path.endswith("/accountSettings.json"):
            return json.dumps({"accountSettings": _SETTINGS}).encode()
        if path.endswith("/campaigns"):
            whose = json.loads(request.body or b"{}").get("visitorId", "")
            return json.dumps(
                {"visitorId": whose, "campaigns": [_decided(campaign) for campaign in campaigns]}
            ).encode()
        return None if request.method == "POST" else b""

    def read(self, request: Request) -> Iterable[Record]:
        """Hits are events; activations are evaluations."""
        sent = json.loads(request.body or b"{}")
        if path_of(request).endswith("/activate"):
            for activation in reversed(sent.get("batch", [])):  # the youngest comes first
                key, value = self._flags.get(activation["caid"], (activation["caid"], None))
                yield Evaluated(key, value, "all", activation["vid"])
            return
        for hit in sent.get("h", [sent]):
            named = hit.get("t") == "EVENT"
            if hit.get("t") == "SEGMENT" or hit.get("ea") == "fs_consent":
                continue  # what the service is told by itself
            key = hit["ea"] if named else str(hit.get("t"))
            properties = {name: value for name, value in hit.items() if name not in _OWN}
            if named:
                properties = {name: hit[short] for name, short in (("category", "ec"), ("label", "el")) if short in hit}
            yield Tracked(key, hit.get("ev"), properties, hit.get("vid"))


_OWN = ("t", "cid", "ds", "vid", "qt", "cuid", "uip", "sr", "sd", "ul", "sn", "qa")
"""Members that every hit may have."""
_SETTINGS = {"enabledXPC": False, "enabled1V1T": False, "eaiCollectEnabled": False, "eaiActivationEnabled": False,
             "troubleshooting": None}  # fmt: skip


def _id(kind: str, place: int) -> str:
    return f"h{kind}{place:016d}"


def _campaign(place: int, key: str, value: Any) -> dict[str, Any]:
    targeting = [{"operator": "EQUALS", "key": "fs_all_users", "value": "", "provider": None}]
    variation = {"id": _id("var", place), "name": "all", "reference": False, "allocation": 100,
                 "modifications": {"type": "JSON", "value": {key: value}}}  # fmt: skip
    group = {"id": _id("grp", place), "name": "all", "targeting": {"targetingGroups": [{"targetings": targeting}]},
             "variations": [variation]}  # fmt: skip
    return {"id": _id("cmp", place), "name": key, "type": "toggle", "slug": "", "bucketRanges": [{"r": [0, 100]}],
            "variationGroups": [group]}  # fmt: skip


def _decided(campaign: Mapping[str, Any]) -> dict[str, Any]:
    group = campaign["variationGroups"][0]
    variation = {name: value for name, value in group["variations"][0].items() if name != "allocation"}
    about = {name: campaign[name] for name in ("id", "name", "slug", "type")}
    return {**about, "variationGroupId": group["id"], "variationGroupName": group["name"], "variation": variation}
