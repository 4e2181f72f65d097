"""Hosts of Flagship on one store and one service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flagship import FlagshipSimulator
from told_host import ToldHost, ToldWorld

FlagshipHost = ToldHost


class FlagshipWorld(ToldWorld):
    def __init__(self, program: Path, service: FlagshipSimulator, folder: Path) -> None:
        super().__init__(program, folder)
        self.service = service

    def properties(self) -> dict[str, Any]:
        service = self.service
        return {**super().properties(), "env_id": service.environment_id, "api_key": service.api_key,
                "decision.url": service.decision_url, "cdn.url": service.cdn_url, "events.url": service.events_url,
                "mode": "bucketing", "usage_tracking": False}

    def renew(self) -> None:
        super().renew()
        self.service.reset()
