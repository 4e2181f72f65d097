"""Optimizely: decisions with variables from a datafile, without a network: python optimizely.py optimizely.json"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hoist import optimizely
from hoist.optimizely import NotificationKind, Option

DATAFILE = Path(sys.argv[1])


class Profiles(optimizely.ProfileService):
    """Who is in which variation, in a dict; a real one would be a database."""

    def __init__(self) -> None:
        self.by_user: dict[str, Any] = {}

    def lookup(self, user_id: str) -> Mapping[str, Any] | None:
        return self.by_user.get(user_id)

    def save(self, profile: dict[str, Any]) -> None:
        self.by_user[profile["user_id"]] = profile


profiles = Profiles()
settings = {"datafile.file": DATAFILE, "online": False, "store": "none", "dispatch": "manual"}
with optimizely.Client(settings, profiles=profiles) as client:
    client.wait_ready(1)

    decisions = []
    client.observe_notifications(NotificationKind.DECISION, decisions.append)

    user = client.user("user-7", {"plan": "pro", "age": 31})
    decision = user.decide("checkout", Option.INCLUDE_REASONS)
    print(f"checkout: {decision.variation_key} of {decision.rule_key}, {decision.variables}")
    print("  color:", decision.value("theme.color"))
    for reason in decision.reasons:
        print("  because", reason)

    user.set_forced_decision("checkout", "colorful")
    print("forced:", user.decide("checkout").variation_key)
    user.remove_all_forced_decisions()

    for key, each in client.user("user-42").decide_all().items():
        print(f"{key}: {'on' if each.enabled else 'off'}, {each.variation_key}")

    print("purchase:", user.track("purchase", {"revenue": 1990, "value": 19.9}).name)
    print("an unknown flag:", user.decide("no-such-flag").reasons[0])
    client.dispatch()
    print("observers were told of:", [told["decisionInfo"]["flagKey"] for told in decisions])

print("stays in:", profiles.by_user["user-7"]["experiment_bucket_map"])
assert len(decisions) == 4 and decision.enabled
