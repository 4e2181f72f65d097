"""A whole service in Python, beside those that the library brings.

    class Shop(hoist.Provider):
        name = "shop"
        properties = (ProviderProperty("url", required=True, identity=True),)

        def start(self):
            self.host.send(hoist.Request("GET", self.host.get("url")), self.answered)

        def answered(self, answer):
            flags = json.loads(answer.body)
            self.host.publish(Flag.of(key, value) for key, value in flags.items())
            self.host.set_state(hoist.State.READY)

    Shop.register()
    with hoist.Client("shop", {"url": "https://flags.example.com/shop.json"}) as client: …

The service finds out what the flags are; the library evaluates them, announces what has changed, carries
requests, keeps what is recorded until it is delivered, and closes in time.
"""

from .events import Pipeline, ProviderBatch, ProviderEvent
from .flags import Flag, Variation
from .host import Answer, ProviderHost, Ticket
from .service import Evaluation, Provider, ProviderProperty, Reason, Reply, unregister_provider

__all__ = [
    "Answer",
    "Evaluation",
    "Flag",
    "Pipeline",
    "Provider",
    "ProviderBatch",
    "ProviderEvent",
    "ProviderHost",
    "ProviderProperty",
    "Reason",
    "Reply",
    "Ticket",
    "Variation",
    "unregister_provider",
]
