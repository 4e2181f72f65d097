"""What a diagnostic event must be (protocol 7.10)."""

from __future__ import annotations

from launchdarkly.diagnostics import COMMON, INIT, SDK, STATISTICS, STATISTICS_MEMBERS
from loopback.findings import Shape, boolean, integer, literal, one_of, record, text

_TEXT, _FLAG, _COUNT = text(), boolean(), integer()
_CONFIGURATION: dict[str, Shape] = {
    "customBaseURI": _FLAG, "customEventsURI": _FLAG, "customStreamURI": _FLAG, "eventsCapacity": _COUNT,
    "connectTimeoutMillis": _COUNT, "socketTimeoutMillis": _COUNT, "eventsFlushIntervalMillis": _COUNT,
    "usingProxy": _FLAG, "streamingDisabled": _FLAG, "usingRelayDaemon": _FLAG, "allAttributesPrivate": _FLAG,
    "pollingIntervalMillis": _COUNT, "userKeysCapacity": _COUNT, "userKeysFlushIntervalMillis": _COUNT,
    "diagnosticRecordingIntervalMillis": _COUNT, "dataStoreType": one_of("memory", "Redis", "custom"),
}
_PLATFORM = record({"name": _TEXT, "osArch": _TEXT, "osName": _TEXT, "osVersion": text(empty=True)})
SHAPES: dict[str, Shape] = {
    INIT: record({**COMMON, "kind": literal(INIT), "sdk": SDK, "configuration": record(_CONFIGURATION),
                  "platform": _PLATFORM}),
    STATISTICS: record({**STATISTICS_MEMBERS, "deduplicatedUsers": _COUNT}),
}
