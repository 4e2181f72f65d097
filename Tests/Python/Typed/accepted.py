"""Programs that type checkers have nothing to say against."""

from __future__ import annotations

import copy
import logging
from pathlib import Path

import hoist
from hoist import flagship, kameleoon, launchdarkly, optimizely, unleash


class Log(hoist.Logger):
    """A logger of the program's own."""

    def write(self, level: hoist.LogLevel, message: str) -> None:
        """Takes a line."""


KEYWORDS: hoist.properties.Unleash = {"url": "https://flags.example.com/api", "mode": "backend", "refresh_interval": 30}

hoist.Client("unleash", url="https://flags.example.com/api", key="k", fetch_mode="streaming", logger=Log())
hoist.Client("unleash", **KEYWORDS)
hoist.Client("optimizely", sdk_key="k", datafile={"version": "4"}, events_batch_size=20)
hoist.Client("launchdarkly", mobile_key="k", context={"targetingKey": "anna"}, private_context_attributes=["email"])
hoist.Client("flagship", env_id="e", api_key="k", log_level="exceptions", hits_strategy="no_batching")
hoist.Client("kameleoon", site_code="s", store_path=Path("/var/cache/shop"), logger=logging.getLogger("flags"))
hoist.Client("weather", {"city": "Lund", "every": 5}, hooks=[])
hoist.Client(hoist.Config("unleash", **KEYWORDS), online=False, logger=None)

unleash.Client(url="https://flags.example.com/api", bootstrap_file=Path("features.json"), strategies={})
optimizely.Client(sdk_key="k", vuid_enabled=True, store="memory")
launchdarkly.Client(mobile_key="k", context=launchdarkly.Context("anna"), evaluation_reasons=True)
launchdarkly.Client({"mode": "server"}, bootstrap_file=["flags.json", "segments.json"])
flagship.Client(env_id="e", api_key="k", mode="bucketing", visitor_cache=None)
flagship.start("e", "k", polling_interval=60, context={"vip": True})
kameleoon.Client(site_code="s", config_file="kameleoon.json", tracking_interval_millisecond=500)
kameleoon.create("s", "anna", environment="staging")

twin: flagship.Config = copy.copy(flagship.Config(env_id="e", events_capacity=100))


async def main(client: launchdarkly.Client, visitor: flagship.Visitor) -> hoist.Status:
    """Awaits."""
    status: hoist.Status = await client.identify_async(launchdarkly.Context("ben"), sheddable=False)
    await client.flush_async()
    await visitor.fetch_async(2)
    with hoist.aio.attach(client):
        return status
