"""The services by the names that the run script takes."""

from .launchdarkly import LAUNCHDARKLY
from .optimizely import OPTIMIZELY
from .unleash import UNLEASH

SERVICES = {"launchdarkly": LAUNCHDARKLY, "optimizely": OPTIMIZELY, "unleash": UNLEASH}
