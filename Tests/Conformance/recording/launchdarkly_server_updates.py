"""Updates as a stream brings them, and what they leave in the store."""
import json

from ldclient.config import Config
from ldclient.feature_store import InMemoryFeatureStore
from ldclient.impl.datasource.status import DataSourceUpdateSinkImpl
from ldclient.impl.datasource.streaming import StreamingUpdateProcessor
from ldclient.impl.listeners import Listeners
from ldclient.versioned_data_kind import FEATURES, SEGMENTS

from . import launchdarkly_server_inputs as inputs

rng = inputs.rng
KEYS = {"flags": ["a", "b", "c/d", "\u00fc", "x%2Fy"], "segments": ["s", "t", "s/t"]}
MALFORMED = [
    ("put", "{"), ("put", ""), ("put", '{"path":"/"}'), ("put", '{"data":{"flags":[],"segments":{}}}'), ("put", "[]"),
    ("put", '{"data":{"flags":{"a":{"key":"a"}},"segments":{}}}'), ("patch", '{"path":"/flags/a"}'),
    ("patch", '{"data":{"key":"a","version":9}}'), ("patch", '{"path":"/flags/a","data":{"key":"a","version":"9"}}'),
    ("patch", '{"path":"/segments/s","data":{"key":"s","version":9,"rules":{}}}'), ("delete", '{"path":"/flags/a"}'),
    ("delete", '{"version":99}'), ("delete", "nonsense")]
IGNORED = [("patch", '{"path":"/cats/Jack","data":{"a":1}}'), ("patch", '{"path":"/flag/a","data":{"key":"a","version":99}}'),
           ("delete", '{"path":"/cats/Jack","version":99}'), ("ping", "{"), ("Put", '{"data":{}}'), ("message", "x")]


class Stream:
    """The kit's reader of events, with a store of its own."""

    def __init__(self):
        self.store, self.changed, changes = InMemoryFeatureStore(), [], Listeners()
        changes.add(lambda change: self.changed.append(change.key))
        self.sink = DataSourceUpdateSinkImpl(self.store, Listeners(), changes)
        self.reader = StreamingUpdateProcessor(Config("sdk-key"), self.store, None, None)

    def versions(self, kind):
        items = self.store._items[kind].items()
        return {key: {"deleted": item["version"]} if item.get("deleted") else item["version"] for key, item in items}

    def take(self, event, data):
        self.changed.clear()
        before, refused = (self.versions(FEATURES), self.versions(SEGMENTS)), False
        try:
            self.reader._process_message(self.sink, Message(event, data))
        except Exception:
            refused = True
        flags, segments = self.versions(FEATURES), self.versions(SEGMENTS)
        applied = event == "put" or before != (flags, segments)
        changed = sorted(set(self.changed)) if applied and not refused else []
        return {"event": event, "data": data, "reconnect": refused, "flags": flags, "segments": segments, "changed": changed}


class Message:
    def __init__(self, event, data):
        self.event, self.data = event, data


def item(kind, key, version):
    uses = [{"attribute": "", "op": "segmentMatch", "values": inputs.some(KEYS["segments"], 1, 2)}]
    rules = [{"id": "r", "clauses": uses, **({"variation": 0} if kind == "flags" else {})}] if rng.random() < 0.4 else []
    made = {"key": key, "version": version, "rules": rules}
    if kind == "flags":
        wanted = [{"key": other, "variation": 0} for other in inputs.some(KEYS["flags"], 0, 2)]
        made |= {"on": True, "variations": [version], "fallthrough": {"variation": 0}, **inputs.maybe(0.4, prerequisites=wanted)}
    return made


def step():
    kind = rng.choice(["flags", "flags", "segments"])
    key, version, what = rng.choice(KEYS[kind]), rng.randrange(6), rng.random()
    if what < 0.12:
        return rng.choice(MALFORMED)
    if what < 0.2:
        return rng.choice(IGNORED)
    if what < 0.35:
        data = {kind: {key: item(kind, key, rng.randrange(6)) for key in inputs.some(keys, 0, 3)} for kind, keys in KEYS.items()}
        return "put", json.dumps({**inputs.maybe(0.7, path="/"), "data": {**data, **inputs.maybe(0.2, more=[])}}, ensure_ascii=False)
    if what < 0.6:
        return "delete", json.dumps({"path": f"/{kind}/{key}", "version": version}, ensure_ascii=False)
    gone = {"key": key, "version": version, "deleted": True}
    data = gone if rng.random() < 0.15 else item(kind, key, version)
    return "patch", json.dumps({"path": f"/{kind}/{key}", "data": data}, ensure_ascii=False)


def updates_file():
    """Also what comes before the first put: a patch is taken, and so is a deletion, until the put replaces both."""
    cases = []
    for _ in range(45):
        stream = Stream()
        cases.append({"steps": [stream.take(*step()) for _ in range(rng.randint(4, 8))]})
    return {"description": "put, patch and delete in any order", "cases": cases}
