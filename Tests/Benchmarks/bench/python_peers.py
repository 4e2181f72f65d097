"""Each engine as a Python program calls it.

A peer's `prepare(kind, pairs)` gives a function that answers one pair (True or False for `bool` and `rule`, "a" or
"b" for `vari`), and a function that makes one call per pair and is timed. Contexts are made beforehand.
"""

import json
import logging

from bench.python_hoist import Floor, Hoist, HoistLaunchDarkly
from bench.workload import PYTHON_PAIRS


class Peer:
    """An engine whose calls are Python calls: `call(kind, key, user)`; `read` turns its result into an answer."""

    name = ""

    def call_of(self, kind: str):
        """A function (key, context) for this kind, with nothing of ours around the engine's call."""
        raise NotImplementedError

    def read(self, kind: str, result):
        raise NotImplementedError

    def prepare(self, kind, pairs):
        call = self.call_of(kind)
        arguments = [(key, self.contexts[user]) for key, user in pairs]

        def ask(index):
            return self.read(kind, call(*arguments[index]))

        def loop():
            for key, context in arguments:
                call(key, context)

        return ask, loop


def attributes(user: list[str]) -> dict:
    return {"country": user[1], "plan": user[2], "age": int(user[3])}


def texts(user: list[str]) -> dict:
    return {"country": user[1], "plan": user[2], "age": user[3]}


def variant_of(payload) -> str:
    return (json.loads(payload) if isinstance(payload, str) else payload)["variant"]


class Yggdrasil(Peer):
    name = "yggdrasil-engine"

    def __init__(self, given, users):
        from yggdrasil_engine.engine import UnleashEngine

        self.engine = UnleashEngine()
        self.engine.take_state(open(f"{given.folder}/unleash.json").read())
        self.contexts = [{"userId": user[0], "properties": texts(user)} for user in users]

    def call_of(self, kind):
        return self.engine.get_variant if kind == "vari" else self.engine.is_enabled

    def read(self, kind, result):
        return variant_of(result.variant.payload["value"]) if kind == "vari" else result.is_enabled


class UnleashClient(Peer):
    name = "UnleashClient"

    def __init__(self, given, users):
        from UnleashClient import UnleashClient as Client

        self.client = Client(
            url=f"{given.url}/unleash/1000", app_name="benchmark", custom_headers={"Authorization": "benchmark"},
            disable_registration=True, disable_metrics=True, refresh_interval=3600, cache_directory=f"{given.folder}/cache",
        )
        self.client.initialize_client()
        self.contexts = [{"userId": user[0], "properties": texts(user)} for user in users]

    def call_of(self, kind):
        return self.client.get_variant if kind == "vari" else self.client.is_enabled

    def read(self, kind, result):
        return variant_of(result["payload"]["value"]) if kind == "vari" else result


class GrowthBook(Peer):
    name = "growthbook"

    def __init__(self, given, users):
        from growthbook import GrowthBook as Client

        features = Client(features=json.load(open(f"{given.folder}/growthbook.json"))).get_features()
        self.contexts = [
            Client(attributes={"id": user[0], **attributes(user)}, features=features) for user in users[:PYTHON_PAIRS]
        ]

    def call_of(self, kind):
        if kind == "vari":
            return lambda key, client: client.get_feature_value(key, None)
        return lambda key, client: client.is_on(key)

    def read(self, kind, result):
        return variant_of(result) if kind == "vari" else result


class Flipt(Peer):
    name = "flipt-client"

    def __init__(self, given, users):
        from flipt_client import FliptClient
        from flipt_client.models import ClientOptions

        self.client = FliptClient(ClientOptions(url=f"{given.url}/1000"))
        self.contexts = [(user[0], texts(user)) for user in users]

    def call_of(self, kind):
        evaluate = self.client.evaluate_boolean if kind == "bool" else self.client.evaluate_variant
        return lambda key, context: evaluate(key, *context)

    def read(self, kind, result):
        return result.enabled if kind == "bool" else result.variant_key == "a" if kind == "rule" else result.variant_key


class LaunchDarkly(Peer):
    name = "launchdarkly"
    has_events = False

    def __init__(self, given, users):
        import ldclient
        from ldclient.config import Config
        from ldclient.integrations import Files

        source = Files.new_data_source(paths=[f"{given.folder}/launchdarkly.json"])
        self.client = ldclient.LDClient(Config(
            "benchmark", update_processor_class=source, send_events=self.has_events, events_uri=given.url,
            diagnostic_opt_out=True))
        self.contexts = [ldclient.Context.from_dict({"kind": "user", "key": u[0], **attributes(u)}) for u in users]

    def call_of(self, kind):
        variation = self.client.variation
        return lambda key, context: variation(key, context, None)

    def read(self, kind, result):
        return variant_of(result) if kind == "vari" else result


class CountingLaunchDarkly(LaunchDarkly):
    """Evaluates by itself, which the vendor's kits for clients do not; a kit of those is not to be had for Python."""

    has_events = True


class Optimizely(Peer):
    name = "optimizely"

    def __init__(self, given, users):
        from optimizely import optimizely
        from optimizely.decision.optimizely_decide_option import OptimizelyDecideOption

        self.client = optimizely.Optimizely(open(f"{given.folder}/optimizely.json").read())
        self.options = [OptimizelyDecideOption.DISABLE_DECISION_EVENT]
        self.contexts = [self.client.create_user_context(user[0], attributes(user)) for user in users]

    def call_of(self, kind):
        options = self.options
        return lambda key, user: user.decide(key, options)

    def read(self, kind, result):
        return variant_of(result.variables["payload"]) if kind == "vari" else result.enabled


def open_all(given, users) -> list:
    logging.disable(logging.CRITICAL)
    peers = [Floor(given, users)]
    if given.hoist:
        peers.append(Hoist(given, users))
    return peers + [make(given, users) for make in (Yggdrasil, UnleashClient, GrowthBook, Flipt, LaunchDarkly, Optimizely)]


def open_launchdarkly(given, users) -> list:
    logging.disable(logging.CRITICAL)
    hoist = [HoistLaunchDarkly(given, users)] if given.hoist else []
    return [Floor(given, users), *hoist, CountingLaunchDarkly(given, users)]
