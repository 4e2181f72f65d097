"""Unleash, in Unleash's words: toggles, variants, payloads, strategies, impact metrics.

from hoist import unleash

with unleash.Client(url="https://…/api/frontend", key=…) as client:
    if client.is_enabled("new-checkout"):
        colour = client.get_variant("colour").name
"""

from .bootstrap import Bootstrap, Toggle
from .client import Client, ToggleInfo, context_from_json, version
from .impact import ImpactMetrics
from .impression import Impression
from .storage import Storage
from .strategy import Strategy, StrategyFunction
from .variant import Payload, Variant

__all__ = [
    "Bootstrap",
    "Client",
    "ImpactMetrics",
    "Impression",
    "Payload",
    "Storage",
    "Strategy",
    "StrategyFunction",
    "Toggle",
    "ToggleInfo",
    "Variant",
    "context_from_json",
    "version",
]
