"""A service with LaunchDarkly, against a strict simulator: a flag that changes, another context, a run without the service."""

import json
import tempfile
import threading

from launchdarkly import LaunchDarklySimulator, sample_flags

from hoist import Status, launchdarkly
from hoist.launchdarkly import ChangedFlag, Context

ANNA = Context("anna", attributes={"plan": "pro"})
ACME = Context("acme", kind="org")


def open_client(service: LaunchDarklySimulator, store: str) -> launchdarkly.Client:
    addresses = {name: service.url for name in ("stream_url", "base_url", "events_url")}
    return launchdarkly.Client({**addresses, "mobile_key": service.mobile_key, "store.path": store}, context=ANNA)


def serve(service: LaunchDarklySimulator, store: str) -> None:
    with open_client(service, store) as client:
        assert client.wait_ready(5) is Status.OK
        print("maintenance:", client.bool_variation("maintenance", False))
        changes: list[ChangedFlag] = []
        changed = threading.Event()
        client.observe_flag("maintenance", lambda flag: (changes.append(flag), changed.set()))
        service.set_flag("maintenance", value=True, variation=0)
        assert changed.wait(1)
        print("it went from", changes[0].old_value, "to", changes[0].new_value)
        print("and is now:", client.bool_variation("maintenance", False))

        found = client.string_variation_detail("banner", "none")
        print("Anna's banner:", found.value, "is variation", found.variation_index)
        assert client.identify(ACME) is Status.OK
        print("Acme's banner:", client.string_variation("banner", "none"))
        client.track_event("purchase", {"currency": "EUR"}, 19.9)
        assert client.flush() is Status.OK


def serve_alone(service: LaunchDarklySimulator, store: str) -> None:
    with open_client(service, store) as client:
        assert client.wait_ready(0.5) is not None
        print("without the service, all that was known of Anna serves:", json.dumps(client.all_flag_values()))
        assert client.bool_variation("maintenance", False) is True


with tempfile.TemporaryDirectory() as store:
    flags = sample_flags(maintenance={"value": False, "version": 1, "variation": 1})
    with LaunchDarklySimulator(flags) as service:
        service.set_flag("banner", context="org:acme", value="Welcome, Acme")
        serve(service, store)
        print("the service has booked:", json.dumps(service.ledger.as_json()["counts"]))
        assert service.ledger.evaluations("maintenance") == 2 and service.ledger.custom()["purchase"]["count"] == 1
        assert service.violations == [], service.violations
    serve_alone(service, store)
