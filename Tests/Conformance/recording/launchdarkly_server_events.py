"""What the kit sends: payloads of events, the events that introduce contexts, and those of migrations."""
import json
import threading
from datetime import timedelta

from ldclient.evaluation import EvaluationDetail
from ldclient.impl.events.event_processor import DefaultEventProcessor, EventDispatcher
from ldclient.impl.events.event_processor_common import EventOutputFormatter
from ldclient.impl.model import FeatureFlag
from ldclient.config import Config
from ldclient.migrations.tracker import MigrationOpEvent, OpTracker
from ldclient.migrations.types import Operation, Origin, Stage

from . import launchdarkly_contexts
from . import launchdarkly_server_inputs as inputs
from .launchdarkly_rulings import Rulings, ruled, text
from .launchdarkly_server_client import NEVER, client, context

rng = inputs.rng
PRIVATE = ["plan", "/place/city", "/place/x~1y", "name", "\u00fc", "/nowhere", "key", "/a~2"]
STEPS = {"evaluate": 12, "track": 4, "identify": 2, "all_flags": 1, "flush": 3, "forget_contexts": 1, "server_time": 1}
TIMES = ("creationDate", "startDate", "endDate")
NAMES = {"capacity": "events_max_pending", "omit_anonymous": "omit_anonymous_contexts", "global_private": "private_attributes"}
UNKNOWN = {"flagKey": "nowhere", "default": 0, "detail": False, "eventKey": "e", "data": None, "metricValue": None}


class Answer:
    status, headers = 202, {}


class Service:
    """Takes what is posted, without a network."""

    def __init__(self):
        self.payloads = []

    def request(self, method, uri, headers, body, **_):
        self.payloads.append(json.loads(body))
        return Answer


class Kit:
    """A client whose events go to a service that keeps them."""

    def __init__(self, data, config):
        self.service, self.dispatcher, self.made = Service(), None, threading.Event()
        options = {NAMES.get(name, name): value for name, value in config.items()}
        self.client = client(data, make_events=self.make_events, flush_interval=NEVER, context_keys_flush_interval=NEVER, **options)
        self.events = self.client._event_processor

    def make_events(self, config):
        # The kit's queue before the buffer has the same capacity: what is to be seen is the buffer's.
        capacity, config._Config__events_max_pending = config.events_max_pending, 10_000
        processor = DefaultEventProcessor(config, http=self.service, dispatcher_class=self.make_dispatcher)
        self.dispatcher._outbox._capacity = capacity
        return processor

    def make_dispatcher(self, *given):
        self.dispatcher = EventDispatcher(*given)

    def play(self, step, contexts):
        """Carries out a step, and waits until all of it is done."""
        one = context(contexts[step["context"]]) if step.get("context") is not None else None
        what = step["do"]
        if what == "evaluate":
            (self.client.variation_detail if step["detail"] else self.client.variation)(step["flagKey"], one, step["default"])
        elif what == "track":
            self.client.track(step["eventKey"], one, step["data"], step["metricValue"])
        elif what == "identify":
            self.client.identify(one)
        elif what == "all_flags":
            self.client.all_flags_state(one)
        elif what == "forget_contexts":
            self.events._flush_contexts()
        elif what == "server_time":
            self.settle()
            self.dispatcher._last_known_past_time = step["ms"]
        else:
            return self.flush()
        self.settle()
        return None

    def settle(self):
        self.events._wait_until_inactive()

    def flush(self):
        before = len(self.service.payloads)
        self.client.flush()
        self.settle()
        (sent,) = self.service.payloads[before:] or [[]]
        return [comparable(event) for event in sent]


def comparable(event):
    """Without times, and in an order that does not depend on the kit's sets."""
    made = {name: value for name, value in event.items() if name not in TIMES and not (name == "default" and value is None)}
    if "context" in made:
        made["context"] = launchdarkly_contexts.with_names(made["context"])
    for key, feature in made.get("features", {}).items():
        counters = sorted(feature["counters"], key=text)
        default = {} if feature["default"] is None else {"default": feature["default"]}
        made["features"][key] = {**default, "contextKinds": sorted(feature["contextKinds"]), "counters": counters}
    if "reason" in made:
        made["reason"] = {name: value for name, value in made["reason"].items() if name != "ruleId" or value is not None}
    return made


def played(case):
    kit = Kit(case["data"], case["config"])
    payloads = [found for step in case["steps"] if (found := kit.play(step, case["contexts"])) is not None]
    stats = {"deduplicated": kit.dispatcher._deduplicated_contexts, "dropped": kit.dispatcher._outbox._dropped_events}
    kit.client.close()
    return {"payloads": payloads, "stats": stats}


def contexts(count):
    made = []
    while len(made) < count:
        document = inputs.context(rng.choice(["anna", "bob", "a:b%c", "\u65e5", None]))
        private = [rng.choice(PRIVATE) for _ in range(rng.randrange(3))]
        if private and document["kind"] != "multi":
            document["_meta"] = {"privateAttributes": private}
        if context(document).valid:
            made.append(document)
    return made


def step(flags, count):
    (what,) = rng.choices(list(STEPS), list(STEPS.values()))
    if what == "flush" or what == "forget_contexts":
        return {"do": what}
    if what == "server_time":
        return {"do": what, "ms": rng.choice([1000, 4102444799000, 4102444801000])}
    made = {"do": what, "context": rng.randrange(count)}
    if what == "evaluate":
        made |= {"flagKey": rng.choice([*flags, *flags, "nowhere"]), "default": rng.choice(["d", 3.0, None, {"\u00fc": 1}]),
                 "detail": rng.random() < 0.5}
    elif what == "track":
        made |= {"eventKey": rng.choice(["bought", "\u65e5", ""]), "data": rng.choice(inputs.VALUES),
                 "metricValue": rng.choice([None, 0, -1.5, 3.0])}
    return made


def config():
    return {**inputs.maybe(0.15, context_keys_capacity=2), **inputs.maybe(0.15, capacity=rng.randint(1, 4)),
            **inputs.maybe(0.25, omit_anonymous=True), **inputs.maybe(0.1, all_attributes_private=True),
            **inputs.maybe(0.25, global_private=[rng.choice(["plan", "/place/x~1y/~0", "age"])])}


def events_file():
    cases = []
    while len(cases) < 30:
        data = inputs.data(flags=2, segments=1)
        for flag in data["flags"].values():
            flag |= inputs.tracking()
        case = {"config": config(), "data": data, "contexts": contexts(3)}
        case["steps"] = [step(list(data["flags"]), 3) for _ in range(rng.randint(6, 14))] + [{"do": "flush"}]
        made = played(case)
        with ruled(set(Rulings.names)):
            if text(made) == text(played(case)):
                cases.append(case | made)
    return {"description": "event payloads per flush", "cases": cases}


def index_file():
    cases = []
    while len(cases) < 30:
        one = {"context_keys_capacity": rng.choice([1, 2, 3, 1000]), "omit_anonymous": rng.random() < 0.5}
        documents = [_bare() for _ in range(5)]
        sequence = [["forget_contexts", None] if rng.random() < 0.08 else
                    [rng.choice(["evaluate", "evaluate", "track", "identify"]), rng.randrange(5)] for _ in range(12)]
        kit, found = Kit({}, one), []
        for what, index in sequence:
            kit.play({"do": what, "context": index, **UNKNOWN}, documents)
            found.append(next((event["context"] for event in kit.flush() if event["kind"] == "index"), None))
        cases.append({**one, "contexts": documents, "sequence": sequence, "index_contexts": found,
                      "deduplicated": kit.dispatcher._deduplicated_contexts})
        kit.client.close()
    return {"description": "index event de-duplication", "cases": cases}


def _bare():
    """Keys that are told apart only by what their kinds and escapes make of them."""
    def part():
        return {"key": rng.choice(["a", "b", "a:b", "a%3Ab", "user:a"]), **inputs.maybe(0.3, anonymous=True)}

    kinds = inputs.some(inputs.KINDS, 1, 2)
    return {"kind": kinds[0], **part()} if len(kinds) == 1 else {"kind": "multi", **{kind: part() for kind in kinds}}


def migration_file():
    formatter = EventOutputFormatter(Config("sdk-key"))
    cases = []
    for _ in range(60):
        flag = None if rng.random() < 0.15 else {
            "key": "m", "version": rng.choice([0, 5]), **inputs.maybe(0.4, samplingRatio=rng.choice([0, 1, 7])),
            **inputs.maybe(0.4, migration=rng.choice([{}, {"checkRatio": 1}, {"checkRatio": 0}, None]))}
        stages = [stage.value for stage in Stage]
        reasons = [{"kind": "FALLTHROUGH"}, {"kind": "RULE_MATCH", "ruleIndex": 1, "ruleId": "\u00fc"}]
        detail = {"value": rng.choice(stages), "reason": rng.choice(reasons)}
        if flag is None:
            detail["reason"] = {"kind": "ERROR", "errorKind": "FLAG_NOT_FOUND"}
        elif rng.random() < 0.8:
            detail["variationIndex"] = rng.randrange(6)
        invoked = inputs.some(["old", "new"], 0 if rng.random() < 0.1 else 1, 2)
        others = invoked if rng.random() < 0.85 else ["old", "new"]
        case = {"key": rng.choice(["m", "m", "m", ""]), "flag": flag, "context": contexts(1)[0], "detail": detail,
                "defaultStage": rng.choice(stages),
                "calls": {"operation": rng.choice(["read", "write", "read", "write", None]), "invoked": invoked,
                          "errors": inputs.some(others, 0, 2),
                          "latency_ms": {origin: rng.choice([0, 12.5, 250, 3.0]) for origin in inputs.some(others, 0, 2)},
                          "consistent": rng.choice([None, None, True, False])}}
        built = _track(case).build()
        event = formatter.make_output_event(built) if isinstance(built, MigrationOpEvent) else None
        if event is not None:
            event = comparable(event)
            event["measurements"].sort(key=lambda measured: measured["key"])
        cases.append({**case, "expect": event})
    return {"description": "migration_op events", "cases": cases}


def _track(case):
    told, calls = case["detail"], case["calls"]
    detail = EvaluationDetail(told["value"], told.get("variationIndex"), told["reason"])
    tracker = OpTracker(case["key"], case["flag"] and FeatureFlag(case["flag"]), context(case["context"]), detail,
                        Stage.from_str(case["defaultStage"]))
    if calls["operation"] is not None:
        tracker.operation(Operation(calls["operation"]))
    for origin in calls["invoked"]:
        tracker.invoked(Origin(origin))
    for origin in calls["errors"]:
        tracker.error(Origin(origin))
    for origin, milliseconds in calls["latency_ms"].items():
        tracker.latency(Origin(origin), timedelta(milliseconds=milliseconds))
    if calls["consistent"] is not None:
        tracker.consistent(lambda: calls["consistent"])
    return tracker
