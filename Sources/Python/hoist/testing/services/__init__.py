"""The five services, as far as a client of a test needs them."""

from .base import Service
from .flagship import Flagship
from .kameleoon import Kameleoon
from .launchdarkly import LaunchDarkly
from .optimizely import Optimizely
from .unleash import Unleash

SERVICES: dict[str, type[Service]] = {
    "unleash": Unleash,
    "optimizely": Optimizely,
    "launchdarkly": LaunchDarkly,
    "flagship": Flagship,
    "kameleoon": Kameleoon,
}

__all__ = ["SERVICES", "Service"]
