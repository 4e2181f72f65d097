"""Programs with one mistake in each line that says so."""

from __future__ import annotations

import hoist
from hoist import flagship, kameleoon, launchdarkly, optimizely, unleash

hoist.Client("unleash", refresh_intervall=30)  # wrong: misspelt
hoist.Client("unleash", mode="server")  # wrong: another service's mode
hoist.Client("unleash", sdk_key="k")  # wrong: another service's property
hoist.Client("optimizely", events_batch_size="many")  # wrong: no number
hoist.Client("launchdarkly", mode="backend")  # wrong: another service's mode
hoist.Client("flagship", log_level="warn")  # wrong: no level of Flagship's
hoist.Client("kameleoon", sitecode="s")  # wrong: misspelt
hoist.Client("kameleoon", logger="flags")  # wrong: the name of a logger
hoist.Client(hoist.Config("unleash"), hooks=5)  # wrong: no hooks

hoist.Config("unleash", events_durability="always")  # wrong: no durability
hoist.Config("optimizely", datafile_retries=2.5)  # wrong: no whole number
flagship.Config(env="e")  # wrong: misspelt

unleash.Client(refresh_intervall=30)  # wrong: misspelt
unleash.Client(fetch_mode="push")  # wrong: no such mode
optimizely.Client(vuid_enabled="yes")  # wrong: no boolean
launchdarkly.Client(mobile_keys="k")  # wrong: misspelt
launchdarkly.Client(streaming_mode="poll")  # wrong: no such mode
flagship.Client(mode="decision-api")  # wrong: no such mode
flagship.start("e", "k", poling_interval=60)  # wrong: misspelt
kameleoon.Client(store="redis")  # wrong: no such store
kameleoon.create("s", enviroment="staging")  # wrong: misspelt

KEYWORDS: hoist.properties.Unleash = {"url": "https://flags.example.com/api", "modes": "backend"}  # wrong: misspelt
