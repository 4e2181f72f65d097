"""W18 to W20 from Python: Flagship's own SDK, and Hoist's package. Runs inside the virtual environment of the peers.

Prints one JSON record per line; µs, median over the runs: thread CPU time of fetches and reads, wall time of hits, whose
storing may be another thread's work. The SDK gets the same campaigns in place of a download, and every request that it
makes is answered at once, by nobody; Hoist is offline and queues.
"""

import argparse
import os
import sys
import tempfile
import time

from bench.turns import rows_of, tell, time_in_turn
from bench.workload import PYTHON_PAIRS

VISITORS = 8
DEFAULTS = {"bool": False, "rule": "none", "vari": {}}
NAMES = {"bool": "bool", "rule": "text", "vari": "JSON"}
PURPOSES = ("continuous", "periodic", "continuous, stored", "periodic, stored")
HITS = {False: 500, True: 40}  # by whether each is stored before the call returns


class Kit:
    name = "flagship, Python"

    def __init__(self, given):
        from flagship.http_helper import HttpHelper

        self.campaigns = open(f"{given.folder}/flagship.json").read()
        self.work = given.folder

        class Accepted:
            status_code = 200

        HttpHelper.send_bucketing_request = staticmethod(
            lambda config, last_modified="": ("Mon, 01 Jan 2024 00:00:00 GMT", self.campaigns))
        HttpHelper.send_hit = HttpHelper.send_activates = staticmethod(lambda config, hits: Accepted)

    def open(self, purpose):
        from flagship import Flagship
        from flagship.cache_manager import SqliteCacheManager
        from flagship.config import Bucketing
        from flagship.log_manager import LogLevel
        from flagship.status import Status
        from flagship.tracking_manager import CacheStrategy, TrackingManagerConfig

        strategy = CacheStrategy.PERIODIC_CACHING if purpose.startswith("periodic") else CacheStrategy.CONTINUOUS_CACHING
        # What the SDK keeps is in its current folder.
        self.folder = tempfile.TemporaryDirectory(dir=self.work)
        os.chdir(self.folder.name)
        kept = {"cache_manager": SqliteCacheManager(local_db_path=self.folder.name)} if purpose.endswith("stored") else {}
        tracking = TrackingManagerConfig(cache_strategy=strategy, max_pool_size=5000, time_interval=10_800_000)
        Flagship.start("benchmark00000000000", "benchmark", Bucketing(
            log_level=LogLevel.NONE, polling_interval=86_400_000, tracking_manager_config=tracking, **kept))
        deadline = time.monotonic() + 60
        while Flagship.status() is not Status.READY:
            if time.monotonic() > deadline:
                raise SystemExit("flagship: not ready")
            time.sleep(0.01)

    def close(self):
        from flagship import Flagship

        Flagship.stop()

    def visitor(self, id, context):
        from flagship import Flagship
        from flagship.visitor import Visitor

        return Flagship.new_visitor(id, instance_type=Visitor.Instance.NEW_INSTANCE, context=context)

    @staticmethod
    def fetch_of(visitor):
        return visitor.fetch_flags

    @staticmethod
    def read_of(visitor, exposed):
        return lambda key, default: visitor.get_flag(key, default).value(exposed)

    @staticmethod
    def send_of(visitor):
        from flagship.hits import Event, EventCategory

        return lambda: visitor.send_hit(
            Event(EventCategory.ACTION_TRACKING, "basket").with_event_label("blue").with_event_value(19))

    def check(self, exposed):
        """Nothing waits for anybody."""


class Hoist:
    name = "Hoist, Python"

    def __init__(self, given):
        self.given = given

    def open(self, purpose):
        from hoist import flagship

        self.folder = tempfile.TemporaryDirectory(dir=self.given.folder)
        places = {"FILE": f"{self.given.folder}/flagship.json", "STORE": self.folder.name}
        lines = [line.rstrip("\n").split("\t") for line in open(self.given.clients)]
        self.client = flagship.Client({
            name: places.get(value, value) for wanted, provider, name, value in lines
            if (wanted, provider) == (purpose, "flagship")})
        if not self.client.wait_ready(20):
            raise SystemExit("Hoist: not ready")

    def close(self):
        self.client.close(0)

    def visitor(self, id, context):
        return self.client.visitor(id, shared=False, context=context)

    @staticmethod
    def fetch_of(visitor):
        return visitor.fetch

    @staticmethod
    def read_of(visitor, exposed):
        value = visitor.value
        return lambda key, default: value(key, default, exposed)

    @staticmethod
    def send_of(visitor):
        from hoist.flagship import Category, Event

        return lambda: visitor.send(Event(Category.ACTION_TRACKING, "basket", label="blue", value=19))

    def check(self, exposed):
        """An exposure for which there is no room would be quick for the wrong reason."""
        counters = self.client.statistics()["activates"]
        if counters["dropped"] or (counters["recorded"] > 0) != exposed:
            raise SystemExit(f"Hoist: exposures: {counters}")


def report(workload: str, case: str, size: int, subject: str, values: list[float]) -> None:
    tell(values, record="flagship", workload=workload, case=case, size=size, subject=subject)


def compare(given, workload: str, case: str, loops: dict, calls: int, run_ms: float) -> None:
    for name, values in time_in_turn(loops, given.runs, run_ms, calls).items():
        report(workload, case, given.size, name, values)


def fetch_loop(fetches):
    def loop():
        for fetch in fetches:
            fetch()

    return loop


def new_visitor_loop(subject, users):
    def loop():
        for user in users:
            subject.fetch_of(subject.visitor(*user))()

    return loop


def read_loop(calls):
    def loop():
        for read, key, default in calls:
            read(key, default)

    return loop


def measure_fetches(given, subjects, users, visitors) -> None:
    print(f"  W18 from Python, {given.size} campaigns", file=sys.stderr, flush=True)
    fetches = {name: [subject.fetch_of(one) for one in visitors[name]] for name, subject in subjects.items()}
    for each in fetches.values():
        fetch_loop(each)()
    keys = [(row[1], DEFAULTS[row[0]]) for row in rows_of(f"{given.folder}/flags.tsv")]
    answers = [
        [read(key, default) for read in (subject.read_of(one, False) for one in visitors[name]) for key, default in keys]
        for name, subject in subjects.items()]
    if any(found != answers[0] for found in answers) or any(found in ("none", {}) for found in answers[0]):
        raise SystemExit("Flagship: the flags differ")
    loops = {name: fetch_loop(each) for name, each in fetches.items()}
    compare(given, "W18", "fetched again", loops, VISITORS, given.run_ms)
    loops = {name: new_visitor_loop(subject, users) for name, subject in subjects.items()}
    compare(given, "W18", "new visitor, fetched", loops, VISITORS, given.run_ms)


def measure_reads(given, subjects, visitors) -> None:
    for exposed in (False, True):
        for kind, default in DEFAULTS.items():
            case = NAMES[kind] + (", exposed" if exposed else "")
            print(f"  W19 from Python, {case}", file=sys.stderr, flush=True)
            pairs = rows_of(f"{given.folder}/pairs-{kind}.tsv")[:PYTHON_PAIRS]
            loops = {}
            for name, subject in subjects.items():
                reads = [subject.read_of(one, exposed) for one in visitors[name]]
                loops[name] = read_loop([(reads[int(row[2]) % VISITORS], row[1], default) for row in pairs])
            # Exposures stay in memory: few calls are enough.
            compare(given, "W19", case, loops, len(pairs), min(given.run_ms, 4) if exposed else given.run_ms)
        for subject in subjects.values():
            subject.check(exposed)


def measure_hits(given, subjects, users) -> None:
    for purpose in PURPOSES:
        print(f"  W20 from Python, {purpose}", file=sys.stderr, flush=True)
        hits = HITS[purpose == "continuous, stored"]
        for name, subject in subjects.items():
            subject.open(purpose)
            send, values = subject.send_of(subject.visitor(*users[0])), []
            for run in range(given.runs + 1):
                before = time.perf_counter()
                for _ in range(hits):
                    send()
                values.append((time.perf_counter() - before) * 1e6 / hits)
            subject.close()
            report("W20", purpose, given.size, name, values[1:])


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("folder", "clients", "workloads"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--size", type=int)
    parser.add_argument("--hoist", action="store_true")
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--run-ms", type=float, default=40)
    given = parser.parse_args()
    workloads = given.workloads.split(",")
    users = [(row[0], {"country": row[1], "plan": row[2], "age": int(row[3])})
             for row in rows_of(f"{given.folder}/users.tsv")[:VISITORS]]
    subjects = {kind.name: kind(given) for kind in ([Hoist, Kit] if given.hoist else [Kit])}
    if "W20" in workloads:
        measure_hits(given, subjects, users)
    if {"W18", "W19"} & set(workloads):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        for subject in subjects.values():
            subject.open("continuous")
        visitors = {name: [subject.visitor(*user) for user in users] for name, subject in subjects.items()}
        measure_fetches(given, subjects, users, visitors)
        if "W19" in workloads:
            measure_reads(given, subjects, visitors)
    sys.stdout.flush()
    os._exit(0)  # background threads of the SDK need not be waited for


main()
