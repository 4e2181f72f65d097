"""Kameleoon: a flag is a delivery to everybody."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl

from ...config import Config
from ...plugins import Request
from ..records import Evaluated, Tracked
from .base import Record, Service, path_of

_TYPES = {str: "STRING", int: "NUMBER", float: "NUMBER", bool: "BOOLEAN"}
_FIRST = 1_767_225_600_000


class Kameleoon(Service):
    """Configurations, and the lines of tracking."""

    accepted = 200
    needed = {"site_code": "hoisttesting"}
    given = {"track_evaluations": False, "refresh_interval_minute": 1440}

    def __init__(self, config: Config, events: tuple[str, ...]) -> None:
        super().__init__(config, events)
        self._flags: dict[str, tuple[str, Any]] = {}

    def answer(self, request: Request, flags: Mapping[str, Any], number: int) -> bytes | None:
        """The site's configuration."""
        if "/v3/" in path_of(request):
            self._flags.update({str(place * 100 + 1): flag for place, flag in enumerate(flags.items(), 1)})
            return json.dumps(_configuration(flags, number)).encode()
        return None if path_of(request).endswith("/visit/events") else b""

    def read(self, request: Request) -> Iterable[Record]:
        """Conversions are events, by their goals; experiments are evaluations."""
        for line in (request.body or b"").decode().splitlines():
            said = dict(parse_qsl(line, keep_blank_values=True))
            whose = said.get("visitorCode") or said.get("mappingValue")
            if said.get("eventType") == "conversion":
                properties: dict[str, Any] = {"negative": True} if said.get("negative") == "true" else {}
                if "metadata" in said:
                    properties["metadata"] = json.loads(said["metadata"])
                yield Tracked(said["goalId"], float(said["revenue"]), properties, whose)
            elif said.get("eventType") == "experiment" and said.get("id") in self._flags:
                key, value = self._flags[said["id"]]
                yield Evaluated(key, value, _variation(value), whose)


def _variation(value: Any) -> str:
    return value if isinstance(value, str) and value else "on"


def _variables(value: Any) -> list[dict[str, Any]]:
    named = value if isinstance(value, dict) else {} if isinstance(value, bool) else {"value": value}
    return [{"key": name, "type": _TYPES.get(type(content), "JSON"),
             "value": content if type(content) in _TYPES else json.dumps(content)}
            for name, content in named.items()]  # fmt: skip


def _flag(place: int, key: str, value: Any) -> dict[str, Any]:
    number, variation = place * 100, _variation(value)
    rule = {"id": number, "order": 0, "type": "TARGETED_DELIVERY", "exposition": 1.0, "experimentId": number + 1,
            "respoolTime": None, "segmentId": None,
            "variationByExposition": [{"variationKey": variation, "variationId": number + 2, "exposition": 1.0}],
            }  # fmt: skip
    names = {"off": "Off", variation: "On"}
    return {"id": place, "featureKey": key, "defaultVariationKey": "off", "environmentEnabled": True,
            "rules": [] if value is False else [rule],
            "variations": [{"key": one, "name": name, "variables": _variables(value)} for one, name in names.items()],
            }  # fmt: skip


def _configuration(flags: Mapping[str, Any], number: int) -> dict[str, Any]:
    settings = {"realTimeUpdate": False, "consentType": "NO_CONSENT", "consentOptOutBehavior": "PARTIALLY_BLOCK"}
    return {"configuration": settings, "dateModified": _FIRST + number, "customData": [], "segments": [],
            "featureFlags": [_flag(place, *flag) for place, flag in enumerate(flags.items(), 1)]}  # fmt: skip
