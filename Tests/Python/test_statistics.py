"""What `hoist_client_statistics` counts is what its documentation says."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import hoist

HEADER = Path(__file__).resolve().parents[2] / "Include/hoist/client.h"
DATAFILE = (
    '{"version":"4","projectId":"1","accountId":"2","revision":"3","anonymizeIP":true,"featureFlags":[],'
    '"experiments":[],"rollouts":[],"audiences":[],"typedAudiences":[],"groups":[],"attributes":[],"events":[]}'
)


def documented() -> dict[str, set[str]]:
    """The groups in the comment of the declaration, with their counters."""
    comment = HEADER.read_text().split("hoist_client_statistics(")[0].rsplit("/**", 1)[1]
    groups: dict[str, str] = {}
    name = ""
    for line in comment.splitlines():
        row = re.fullmatch(r" \*   (\w+) {2,}(.+)", line)
        if row:
            name = row[1]
            groups[name] = row[2]
        elif name and (more := re.fullmatch(r" \* {10,}(.+)", line)):
            groups[name] += " " + more[1]
        else:
            name = ""
    return {name: counters(text) for name, text in groups.items()}


def counters(text: str) -> set[str]:
    """The names in a list with explanations: in front of it up to a colon, in brackets behind a name."""
    bare = re.sub(r" ?\([^)]*\)", "", text).rsplit(":", 1)[-1]
    return set(bare.replace(" ", "").split(","))


FOREIGN = hoist.Batch("events", "POST", "", [], b"{}", ("1",), "unleash", "/api", "5eed", "", 0, 1)


def groups_of(provider: str, store: str = "none", **properties: object) -> dict[str, set[str]]:
    with hoist.Client(provider, online=False, store=store, **properties) as client:
        asyncio.run(client.forward_async(FOREIGN))
        statistics = client.statistics()
    assert all(isinstance(value, int) for group in statistics.values() for value in group.values())
    return {name: set(group) for name, group in statistics.items()}


def test_the_documented_groups_are_those_that_appear() -> None:
    told = documented()
    assert told.pop("provider") and len(told) > 5  # of a service that is written in C
    unleash = groups_of("unleash", mode="backend", bootstrap={"version": 2, "features": []})
    optimizely = groups_of("optimizely", datafile=DATAFILE)
    shared = groups_of("optimizely", store="memory", datafile=DATAFILE, sdk_key="k", fetch_shared="leader")
    flagship = groups_of("flagship", mode="bucketing", env_id="e", api_key="k", bucketing='{"campaigns":[]}')
    kameleoon = groups_of("kameleoon", site_code="s", default_datafile={"featureFlags": []})
    launchdarkly = groups_of("launchdarkly", mobile_key="m", context={"kind": "user", "key": "anna"})
    services = [unleash, optimizely, shared, flagship, kameleoon, launchdarkly]
    found = {name: set().union(*(groups.get(name, set()) for groups in services)) for name in set().union(*services)}
    assert found == told
    assert launchdarkly["events"] - optimizely["events"] == {"summary_overflow"}
    assert "metrics" not in optimizely and "profiles" not in unleash
