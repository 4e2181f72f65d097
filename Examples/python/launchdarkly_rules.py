"""A service that decides by LaunchDarkly's rules itself: any context, rules that change, files, and flags of a test."""

import json
import tempfile
import threading
from pathlib import Path

from launchdarkly_server import LaunchDarklyServerSimulator, sample_data

import hoist
from hoist import Status, Topic, launchdarkly
from hoist.launchdarkly import TestData

ANNA, BOB = {"targetingKey": "anna", "plan": "pro"}, {"targetingKey": "bob", "plan": "free"}


def with_the_service() -> None:
    with LaunchDarklyServerSimulator(sample_data()) as service:
        addresses = {name: service.url for name in ("stream_url", "base_url", "events_url")}
        with hoist.Client("launchdarkly", {**addresses, "mode": "server", "mobile_key": service.sdk_key, "store": "none"}) as client:
            assert client.wait_ready(5) is Status.OK
            for who in (ANNA, BOB):
                print(who["targetingKey"], "gets pages of", client.float("page-size", who, 0.0), "and", client.string("banner", who, ""))
            changed = threading.Event()
            client.observe(Topic.FLAG_CHANGED, lambda _: changed.set(), key="banner")
            service.set_flag("banner", on=False)
            assert changed.wait(5)
            print("the banner is off:", client.string("banner", ANNA, ""))
            client.track("purchase", ANNA, value=19.9)
            assert client.flush(5) is Status.OK
        print("the service has booked:", json.dumps(service.ledger.as_json()["counts"]))
        assert service.ledger.evaluations("banner") == 3 and service.ledger.custom()["purchase"]["count"] == 1
        assert service.violations == [], service.violations


def with_files() -> None:
    with tempfile.TemporaryDirectory() as folder:
        common, local = Path(folder, "common.json"), Path(folder, "local.json")
        common.write_text(json.dumps(sample_data()))
        local.write_text('{"flagValues": {"colour": "red"}}')
        files = {"mode": "server", "bootstrap.file": [str(common), str(local)], "store": "none"}
        with hoist.Client("launchdarkly", files) as client:
            assert client.wait_ready(5) is Status.OK
            print("from files:", client.string("colour", ANNA, ""), client.float("page-size", ANNA, 0.0))
            changed = threading.Event()
            client.observe(Topic.FLAG_CHANGED, lambda _: changed.set(), key="colour")
            local.write_text('{"flagValues": {"colour": "green"}}')
            assert changed.wait(10)
            print("a file has changed:", client.string("colour", ANNA, ""))


def with_test_data() -> None:
    data = TestData()
    data.update(data.flag("checkout").variation_for_all(False).if_match("plan", "pro").then_return(True))
    with launchdarkly.Client(store="none", test_data=data) as client:
        assert client.wait_ready(5) is Status.OK
        print("set by a test:", client.bool("checkout", ANNA, False), client.bool("checkout", BOB, False))
        data.update(data.flag("checkout").variation_for_user("bob", True))
        assert client.bool("checkout", BOB, False) is True


with_the_service()
with_files()
with_test_data()
