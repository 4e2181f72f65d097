"""One build's turn at the calls of the Python package: reads a number of milliseconds, measures each call so long, answers in JSON.

Runs with the package's folder first in the path. Nothing here uses the network.
"""

import json
import sys
import time
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
sys.path[:1] = [str(CHECKOUT / "Tests" / name) for name in ("Simulators", "Python")]

import flagship as flagship_simulator  # noqa: E402
import kameleoon as kameleoon_simulator  # noqa: E402
from documents import TYPED  # noqa: E402

import hoist  # noqa: E402
from hoist import flagship, kameleoon, optimizely, unleash  # noqa: E402

QUIET = {"online": False, "store": "none", "log.level": "none"}
USER = {"targetingKey": "user-42", "plan": "pro", "country": "DE", "age": 31, "beta": True, "score": 0.5}


class Empty(hoist.Hook):
    """A hook that does nothing, around everything."""

    def before(self, call):
        pass

    def after(self, call, detail):
        pass


kept = []


def ready(client):
    kept.append(client)  # users and visitors do not keep their client
    if not client.wait_ready(20):
        raise SystemExit(f"{client!r} is not ready")
    return client


def calls():
    """By name, a call without arguments, and what it answers."""
    toggles = ready(unleash.Client(mode="backend", bootstrap=TYPED, **QUIET))
    hooked = ready(unleash.Client(mode="backend", bootstrap=TYPED, hooks=[Empty()], **QUIET))
    context, plain = hoist.Context.from_dict(USER), hoist.Context("user-42", plan="pro")
    datafile = (CHECKOUT / "Examples" / "data" / "optimizely.json").read_text()
    user = ready(optimizely.Client(datafile=datafile, user_profiles=False, **QUIET)).user("user-7", {"plan": "pro"})
    site = json.dumps(kameleoon_simulator.sample_configuration())
    visitor = ready(kameleoon.Client(site_code="a8st4f59bj", default_datafile=site, **QUIET)).visitor("visitor-1")
    campaigns = json.dumps(flagship_simulator.sample_bucketing())
    guest = ready(flagship.Client(
        env_id="benchmark00000000000", api_key="benchmark", mode="bucketing", usage_tracking=False, bucketing=campaigns, **QUIET,
    )).visitor("staff-1", context={"vip": True, "orders": 3})
    guest.fetch()
    no_event = optimizely.Option.DISABLE_DECISION_EVENT
    return {
        "client.bool": (lambda: toggles.bool("pro-only", context), True),
        "client.bool, dict of 5": (lambda: toggles.bool("pro-only", USER), True),
        "client.string": (lambda: toggles.string("text", plain), "grün"),
        "client.string, dict of 5": (lambda: toggles.string("text", USER), "grün"),
        "client.evaluate": (lambda: toggles.evaluate("pro-only", plain).enabled, True),
        "client.evaluate, variant": (lambda: toggles.evaluate("text", plain).value, "grün"),
        "client.evaluate, metadata": (lambda: bool(toggles.evaluate("text", plain).metadata), True),
        "client.detail": (lambda: toggles.detail("pro-only", plain, False).value, True),
        "client.json": (lambda: toggles.json("settings", plain)["colour"], "blue"),
        "client.bool, empty hook": (lambda: hooked.bool("pro-only", context), True),
        "client.evaluate, empty hook": (lambda: hooked.evaluate("pro-only", plain).enabled, True),
        "unleash.is_enabled": (lambda: toggles.is_enabled("pro-only", plain), True),
        "unleash.get_variant": (lambda: toggles.get_variant("text", plain).payload.value, "grün"),
        "optimizely.decide": (lambda: user.decide("checkout", no_event).enabled, True),
        "kameleoon.variation": (lambda: visitor.variation("checkout", False).key, visitor.variation("checkout", False).key),
        "flagship.value, text": (lambda: guest.value("welcome", "none", False), "welcome back"),
        "flagship.value, JSON": (lambda: guest.value("texts", {}, False)["title"], "Hei"),
        "flagship.value, bool": (lambda: guest.value("free_shipping", False, False), True),
    }


def time_of(call, milliseconds):
    """CPU ns of one call."""
    rounds, spent = 1, 0
    while True:
        turns = [None] * rounds
        before = time.thread_time_ns()
        for _ in turns:
            call()
        spent = time.thread_time_ns() - before
        if spent >= milliseconds * 1e6:
            return spent / rounds
        rounds = max(rounds * 2, int(rounds * milliseconds * 1e6 / max(spent, 1)) + 1)


def main():
    found = calls()
    for name, (call, answer) in found.items():
        if call() != answer:
            raise SystemExit(f"{name}: {call()!r} in place of {answer!r}")
    print(json.dumps({name: 0 for name in found}), flush=True)
    for line in sys.stdin:
        print(json.dumps({name: time_of(call, float(line)) for name, (call, _) in found.items()}), flush=True)


main()
