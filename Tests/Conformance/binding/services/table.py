"""The services by the names that the run script takes."""

from .optimizely import OPTIMIZELY
from .unleash import UNLEASH

SERVICES = {"optimizely": OPTIMIZELY, "unleash": UNLEASH}
