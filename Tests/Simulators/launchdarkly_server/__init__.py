"""A strict simulator of LaunchDarkly's service for servers: rule sets by stream and poll, events, diagnostics."""

from .sample import sample_data
from .simulator import LaunchDarklyServerSimulator

__all__ = ["LaunchDarklyServerSimulator", "sample_data"]
