"""LaunchDarkly for clients, in its words: contexts, variations, identify, observers, hooks.

from hoist import launchdarkly
from hoist.launchdarkly import Context

with launchdarkly.Client(mobile_key=…, context=Context("user-42", attributes={"plan": "pro"})) as client:
    client.wait_ready(5)
    if client.bool_variation("new-checkout", False):
        …
    client.observe_flag("banner", lambda flag: print(flag.old_value, flag.new_value))
    client.track_event("purchase", {"currency": "EUR"}, 19.9)
    client.identify(Context("user-43"))
"""

from .client import Client, get
from .connection import (
    ConnectionInformation,
    ConnectionMode,
    DataSourceState,
    DataSourceStatus,
    ErrorKind,
    FailureReason,
    RunMode,
)
from .context import AnyContext, Context, literal, reference_names
from .detail import EvaluationDetail
from .hooks import EvaluationSeries, Hook, IdentifySeries, TrackSeries
from .life import CacheUsage, IdentifyResult, version
from .migration import (
    MigrationOperation,
    MigrationOrder,
    MigrationOrigin,
    MigrationResult,
    MigrationStage,
    MigrationTracker,
    Migrator,
    OriginResult,
)
from .observers import ChangedFlag, ChangedFlags
from .plugins import EnvironmentMetadata, Plugin
from .server import FlagsState
from .stores import (
    BigSegmentStore,
    ItemKind,
    RulesStore,
    StoredItem,
    StoreStatus,
    set_big_segments,
    set_store,
)
from .test_data import FlagBuilder, RuleBuilder, TestData

__all__ = [
    "AnyContext",
    "BigSegmentStore",
    "CacheUsage",
    "ChangedFlag",
    "ChangedFlags",
    "Client",
    "ConnectionInformation",
    "ConnectionMode",
    "Context",
    "DataSourceState",
    "DataSourceStatus",
    "EnvironmentMetadata",
    "ErrorKind",
    "EvaluationDetail",
    "EvaluationSeries",
    "FailureReason",
    "FlagBuilder",
    "FlagsState",
    "Hook",
    "IdentifyResult",
    "IdentifySeries",
    "MigrationOperation",
    "MigrationOrder",
    "MigrationOrigin",
    "MigrationResult",
    "MigrationStage",
    "MigrationTracker",
    "Migrator",
    "OriginResult",
    "ItemKind",
    "Plugin",
    "RuleBuilder",
    "RulesStore",
    "RunMode",
    "StoreStatus",
    "StoredItem",
    "TestData",
    "TrackSeries",
    "get",
    "literal",
    "reference_names",
    "set_big_segments",
    "set_store",
    "version",
]
