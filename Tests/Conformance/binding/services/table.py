"""The services by the names that the run script takes."""

from .flagship import FLAGSHIP
from .kameleoon import KAMELEOON
from .launchdarkly import LAUNCHDARKLY
from .optimizely import OPTIMIZELY
from .unleash import UNLEASH

SERVICES = {
    "flagship": FLAGSHIP,
    "kameleoon": KAMELEOON,
    "launchdarkly": LAUNCHDARKLY,
    "optimizely": OPTIMIZELY,
    "unleash": UNLEASH,
}
