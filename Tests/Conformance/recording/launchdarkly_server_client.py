"""LaunchDarkly's Python kit for servers as a black box: a client whose data stand still, on no network."""
import logging

from ldclient import Context, LDClient
from ldclient.config import BigSegmentsConfig, Config
from ldclient.feature_store import InMemoryFeatureStore
from ldclient.impl.big_segments_common import _hash_for_user_key as context_hash
from ldclient.impl.events.types import EventInputEvaluation
from ldclient.interfaces import BigSegmentStore, BigSegmentStoreMetadata, EventProcessor
from ldclient.versioned_data_kind import FEATURES, SEGMENTS

logging.disable(logging.CRITICAL)
NEVER = 10**8  # seconds; also 4 years more than a date of 1 is old
AHEAD = 10**15  # milliseconds since 1970


class Recorder(EventProcessor):
    """Keeps what the kit would send."""

    def __init__(self, _):
        self.events = []

    def send_event(self, event):
        self.events.append(event)

    def flush(self):
        pass

    def stop(self):
        pass


class BigSegments(BigSegmentStore):
    """A store as a case describes it."""

    def __init__(self, told):
        self.told, self.queries = told, []

    def get_metadata(self):
        if self.told["status"] == "STORE_ERROR":
            raise OSError
        return BigSegmentStoreMetadata(1 if self.told["status"] == "STALE" else AHEAD)

    def get_membership(self, asked):
        self.queries.append(asked)
        if asked in self.told["failing"]:
            raise OSError
        return self.told["memberships"].get(asked)

    def stop(self):
        pass


def store_of(data):
    store = InMemoryFeatureStore()
    store.init({FEATURES: data.get("flags", {}), SEGMENTS: data.get("segments", {})})
    return store


def client(data, big_segments=None, make_events=Recorder, **options):
    """With these data, and no other."""
    if big_segments is not None:
        options["big_segments"] = BigSegmentsConfig(
            store=big_segments, context_cache_time=NEVER, status_poll_interval=NEVER, stale_after=NEVER)
    return LDClient(Config(
        "sdk-key", use_ldd=True, feature_store=store_of(data), event_processor_class=make_events, diagnostic_opt_out=True,
        **options), start_wait=0)


def plain(detail):
    """A detail as vectors have it."""
    reason = {name: value for name, value in detail.reason.items() if name != "ruleId" or value is not None}
    index = {} if detail.variation_index is None else {"variationIndex": detail.variation_index}
    return {"value": detail.value, "reason": reason, **index}


def context(document):
    return Context.from_dict(document)


def evaluate(data, evaluations, store=None):
    """The kit's answers to detail calls, with the events of prerequisites, and what a store of big segments was asked."""
    big_segments = None if store is None else BigSegments(store)
    kit, answers = client(data, big_segments), []
    if big_segments is not None:
        kit.big_segment_store_status_provider.status  # known before the first call, as it is where it is polled at the start
    for asked in evaluations:
        events = kit._event_processor.events
        events.clear()
        answer = plain(kit.variation_detail(asked["flagKey"], context(asked["context"]), asked["default"]))
        found = [[one.key, one.prereq_of.key, one.variation] for one in events
                 if isinstance(one, EventInputEvaluation) and one.prereq_of is not None]
        answer |= {"prerequisiteEvents": found} if found else {}
        if big_segments is not None:
            answer["queries"], big_segments.queries = big_segments.queries, []
        answers.append(answer)
    kit.close()
    return answers
