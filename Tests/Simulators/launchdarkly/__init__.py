"""A strict simulator of LaunchDarkly's client-side services: flags by stream and poll, events, diagnostics."""

from .sample import sample_flags
from .simulator import LaunchDarklySimulator

__all__ = ["LaunchDarklySimulator", "sample_flags"]
