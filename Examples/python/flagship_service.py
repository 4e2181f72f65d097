"""A shop with AB Tasty Flagship, against a strict simulator: flags, a purchase, consent, a run without the service."""

import json
import tempfile
import threading

from flagship import FlagshipSimulator

from hoist import flagship
from hoist.flagship import Category, Event, ExposedFlag, ExposedVisitor, FetchReason, Item, Transaction


def open_client(service: FlagshipSimulator, store: str) -> flagship.Client:
    addresses = {"decision.url": service.decision_url, "cdn.url": service.cdn_url, "events.url": service.events_url}
    properties = {**addresses, "env_id": service.environment_id, "api_key": service.api_key, "store.path": store}
    return flagship.Client({**properties, "mode": "bucketing", "usage_tracking": False})


def serve(service: FlagshipSimulator, store: str) -> None:
    seen = threading.Event()

    def exposed(visitor: ExposedVisitor, flag: ExposedFlag) -> None:
        print(visitor.id, "has seen", flag.key, "of campaign", flag.metadata.campaign_name)
        seen.set()

    with open_client(service, store) as client:
        client.observe_sdk(exposed=exposed)
        assert client.wait_ready(5)
        visitor = client.visitor("staff-anna", context={"vip": True, "orders": 0})
        assert visitor.fetch()
        print("welcome:", visitor.value("welcome", "hello", expose=False))
        visitor.set("orders", 3)
        assert visitor.fetch()
        welcome = visitor.flag("welcome")
        print("after three orders:", welcome.value("hello"))
        assert seen.wait(5)

        print("all flags:", {key: flag.value(None, expose=False) for key, flag in visitor.flags.items()})
        print("of another type, the default:", welcome.read(7, expose=False))

        visitor.send(Transaction("t-1", "purchase", revenue=19.9, currency="EUR", item_count=1))
        visitor.send(Item("t-1", "Ski", "sku-7", price=19.9))
        visitor.send(Event(Category.ACTION_TRACKING, "checkout", value=1))
        assert client.flush(5)

        visitor.set_consent(False)
        print("without consent:", visitor.send(Event(Category.ACTION_TRACKING, "secret")).name)


def serve_alone(service: FlagshipSimulator, store: str) -> None:
    with open_client(service, store) as client:
        visitor = client.visitor("staff-ben")
        print("without the service, the file of before decides:", visitor.fetch().name, visitor.value("maximum_items", 0))
        assert visitor.fetch_reason is FetchReason.NONE


with tempfile.TemporaryDirectory() as store:
    with FlagshipSimulator() as service:
        serve(service, store)
        print("the service has booked:", json.dumps(service.ledger.as_json()["kinds"]))
        assert service.ledger.consents("staff-anna") == [True, False]
        assert len(service.ledger.activations("staff-anna")) == 1
        assert service.violations == [], service.violations
    serve_alone(service, store)
