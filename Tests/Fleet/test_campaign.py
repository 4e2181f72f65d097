"""Many processes, one Redis, and all that may befall them, in the order that a seed gives (fleet_campaign.py)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fleet_campaign import Campaign

HERE = Path(__file__).resolve().parent


@pytest.fixture
def campaign_host(compiled: Callable[..., Path]) -> Path:
    return compiled(HERE / "campaign_host.c", "campaign_host")


def test_nothing_acknowledged_is_lost_and_nothing_told_of_who_refused(
        campaign_host: Path, redis_plugin: Path, folders: Callable[[], Path]) -> None:
    """(FS-18, FS-66, FS-67, contract 8; failing, no consent, second process)"""
    campaign = Campaign(campaign_host, redis_plugin, folders, processes=10, people=200, steps=10, rounds=8, seed=1, say=print)
    ledger = campaign.run()
    print("\n".join(ledger.lines(campaign.service)))
    assert ledger.flaws(campaign.service) == []


def test_a_machine_that_cannot_reach_redis_sends_nothing_of_who_has_refused_elsewhere(
        campaign_host: Path, redis_plugin: Path, folders: Callable[[], Path]) -> None:
    """(FS-66, FS-67, contract 8; failing, no consent, second process)"""
    with Campaign(campaign_host, redis_plugin, folders, processes=2, people=16, steps=0, rounds=0, seed=1) as campaign:
        here, there = campaign.workers
        for line in ("hold 1", "hold 2", "again"):
            campaign.ask(there, line)
        campaign.redis.stall(True, there.machine)
        campaign.ask(here, "refuse 1")
        campaign.note_refusals([1])
        assert campaign.ledger.refused
        campaign.ask(there, "flush")
        assert campaign.service.ledger.screens() == {}  # nor of the other person: it is not known who has refused
        campaign.redis.stall(False)
        while [hit.person for location, hit in campaign.ledger.hits.items() if campaign.service.ledger.screens()[location]].count(2) < 1:
            campaign.ask(there, "flush")
        assert campaign.ledger.told_of_refused(campaign.service) == []
