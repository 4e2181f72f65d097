"""The services by the names that the run script takes."""

from .unleash import UNLEASH

SERVICES = {"unleash": UNLEASH}
