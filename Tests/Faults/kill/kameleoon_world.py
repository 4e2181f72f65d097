"""Hosts of Kameleoon on one store and one service."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kameleoon import KameleoonSimulator
from told_host import ToldWorld


def phones(number: int, key: str) -> dict[str, Any]:
    """A flag that is on for phones alone."""
    return {"id": number, "featureKey": key, "defaultVariationKey": "off", "environmentEnabled": True,
            "variations": [{"key": "off", "name": "Off", "variables": []}, {"key": "on", "name": "On", "variables": []}],
            "rules": [{"id": number * 10, "order": 0, "type": "TARGETED_DELIVERY", "exposition": 1.0,
                       "experimentId": number * 100, "segmentId": 5,
                       "variationByExposition": [{"variationKey": "on", "variationId": number * 1000, "exposition": 1.0}]}]}


# The mapping identifier at 3; consent is required.
DOCUMENT: dict[str, Any] = {
    "configuration": {"realTimeUpdate": False, "consentType": "REQUIRED", "consentOptOutBehavior": "PARTIALLY_BLOCK"},
    "customData": [{"id": 700, "index": 3, "name": "uid", "scope": "VISITOR", "localOnly": False,
                    "isMappingIdentifier": True}],
    "segments": [{"id": 5, "audienceTracking": False, "conditionsData": {"firstLevelOrOperators": [], "firstLevel": [
        {"orOperators": [], "conditions": [{"targetingType": "DEVICE_TYPE", "isInclude": True, "device": "PHONE"}]}]}}],
    "featureFlags": [phones(1, "phones")], "dateModified": 1767225600000}


class KameleoonWorld(ToldWorld):
    def __init__(self, program: Path, service: KameleoonSimulator, folder: Path) -> None:
        super().__init__(program, folder)
        self.service = service

    def properties(self) -> dict[str, Any]:
        service = self.service
        return {**super().properties(), "site_code": service.site_code, "configuration.url": service.configuration_url,
                "data.url": service.data_url, "stream.url": service.stream_url, "token.url": service.token_url,
                "default_datafile": json.dumps(DOCUMENT), "visitor_code": "own"}

    def renew(self) -> None:
        super().renew()
        self.service.reset()
