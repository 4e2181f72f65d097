"""A shop with Kameleoon, against a strict simulator: an experiment, a conversion, a new configuration, a run alone."""

import json
import tempfile
import threading

from kameleoon import KameleoonSimulator, sample_configuration

from hoist import kameleoon
from hoist.kameleoon import CustomData, Device, DeviceType, Filter, Geolocation


def open_client(service: KameleoonSimulator, store: str) -> kameleoon.Client:
    addresses = {"configuration.url": service.configuration_url, "data.url": service.data_url,
                 "stream.url": service.stream_url, "token.url": service.token_url}  # fmt: skip
    return kameleoon.Client({**addresses, "site_code": service.site_code, "store.path": store})


def serve(service: KameleoonSimulator, store: str) -> None:
    with open_client(service, store) as client:
        anna = client.visitor("anna")
        anna.add_data(Device(DeviceType.PHONE), Geolocation("Norway", city="Oslo"))
        assert client.wait_ready(5)
        checkout = anna.variation("checkout")
        print("anna's checkout:", checkout.key, {key: found.value for key, found in checkout.variables.items()})
        print("loyal:", anna.is_feature_active("loyal"))
        anna.add_data(CustomData("plan", "gold"))
        print("with the plan gold:", anna.is_feature_active("loyal"))
        print("all that is active:", list(anna.variations(only_active=True, track=False)))

        anna.track_conversion(17, 19.9)
        sent = threading.Event()
        assert anna.flush(instant=True, done=lambda status: sent.set()) and sent.wait(5)

        updated = threading.Event()
        client.observe_service(configuration_updated=updated.set)
        assert service.wait_for_streams(1)
        changed = sample_configuration(real_time=True, dateModified=1_767_225_600_001)
        changed["featureFlags"][2]["rules"] = []
        service.publish(changed, announce=True)
        assert updated.wait(5)
        print("after a real-time event:", anna.is_feature_active("loyal"))


def serve_another_device(service: KameleoonSimulator, store: str) -> None:
    with open_client(service, store) as client:
        assert client.wait_ready(5)
        anna = client.visitor("anna")
        print("on another device:", anna.remote_visitor_data(Filter(device=True, geolocation=True)))


def serve_alone(service: KameleoonSimulator, store: str) -> None:
    with open_client(service, store) as client:
        assert client.wait_ready(5)
        anna = client.visitor("anna")
        print("without the service, what is stored decides:", anna.variation("checkout", track=False).key)


with tempfile.TemporaryDirectory() as store, tempfile.TemporaryDirectory() as other:
    with KameleoonSimulator(sample_configuration(real_time=True)) as service:
        serve(service, store)
        print("the service has booked:", json.dumps(service.ledger.as_json()["kinds"]))
        assert service.ledger.conversions() == {"17": {"count": 1, "revenue": 19.9}}
        serve_another_device(service, other)
        assert service.violations == [], service.violations
    serve_alone(service, store)
