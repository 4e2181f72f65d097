"""The services by the names that the run script takes."""

from .flagship import FLAGSHIP
from .kameleoon import KAMELEOON
from .launchdarkly import LAUNCHDARKLY
from .launchdarkly_server import LAUNCHDARKLY_SERVER
from .optimizely import OPTIMIZELY
from .unleash import UNLEASH

SERVICES = {
    "flagship": FLAGSHIP,
    "kameleoon": KAMELEOON,
    "launchdarkly": LAUNCHDARKLY,
    "launchdarkly-server": LAUNCHDARKLY_SERVER,
    "optimizely": OPTIMIZELY,
    "unleash": UNLEASH,
}
