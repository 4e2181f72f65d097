"""The services that every scenario is run for."""

from __future__ import annotations

from . import flag_file, flagship, kameleoon, launchdarkly, optimizely, unleash
from .base import Service

ALL: dict[str, type[Service]] = {service.name: service for service in (
    unleash.Frontend, unleash.BackendPolling, unleash.BackendStreaming, optimizely.Optimizely, launchdarkly.Streaming,
    launchdarkly.Polling, launchdarkly.ServerStreaming, launchdarkly.ServerPolling, flagship.DecisionAPI, flagship.Bucketing, kameleoon.Polling, kameleoon.Streaming, flag_file.FlagFile)}
