"""W21 to W23 from Python: Kameleoon's own SDK, Hoist's package, and Hoist through ctypes. Runs inside the virtual
environment of the peers.

Prints one JSON record per line; µs of thread CPU time, median over the runs. The SDK gets the same configuration in place of
a download, and every request that it makes is answered at once, by nobody; Hoist is offline and keeps what it would send.
"""

import argparse
import json
import os
import sys
import time

from bench import kameleoon_ctypes
from bench.turns import rows_of, tell, time_in_turn
from bench.workload import PYTHON_PAIRS

VISITORS = 8
FIRST = 256  # calls of a run of which each has a visitor of its own
EVENTS = 250  # calls of a run that leaves something to be sent
MODES = {"untracked": False, "tracked": True}


class Kit:
    name = "kameleoon, Python"

    def __init__(self, given):
        from kameleoon import KameleoonClientConfig, KameleoonClientFactory
        from kameleoon.network.net_provider import Response
        from kameleoon.network.net_provider_impl import NetProviderImpl

        with open(f"{given.folder}/kameleoon.json") as file:
            configuration = json.load(file)

        async def answer(provider, request):
            is_token = "oauth" in request.url
            token = {"access_token": "benchmark", "expires_in": 86_400}
            return Response(None, 200, token if is_token else configuration, {})

        NetProviderImpl.run_request = answer
        self.client = KameleoonClientFactory.create("a8st4f59bj", KameleoonClientConfig("benchmark", "benchmark"))
        if not self.client.wait_init(20_000):
            raise SystemExit("kameleoon: not ready")

    def visitor(self, code, values):
        from kameleoon.data import CustomData

        data = [CustomData(index, value) for index, value in enumerate(values)]
        self.client.add_data(code, *data, track=False)
        return code

    def decide_of(self, visitor, tracked):
        get = self.client.get_variation

        def decide(key):
            variation = get(visitor, key, tracked)
            return variation.key, variation.variables["value"].value

        return decide

    def decide_all_of(self, visitor, tracked):
        get = self.client.get_variations
        return lambda: [variation.key for variation in get(visitor, False, tracked).values()]

    def tell_of(self, visitor):
        from kameleoon.data import CustomData

        def tell(plan):
            self.client.add_data(visitor, CustomData(1, plan))
            self.client.track_conversion(visitor, 17, 19.5)

        return tell

    def check(self, tracked):
        """Nothing waits for anybody."""


class Hoist:
    name = "Hoist, Python"

    def __init__(self, given):
        from hoist import kameleoon

        places = {"FILE": f"{given.folder}/kameleoon.json"}
        lines = [line.rstrip("\n").split("\t") for line in open(given.clients)]
        self.client = kameleoon.Client({
            name: places.get(value, value) for purpose, provider, name, value in lines
            if (purpose, provider) == ("visitors", "kameleoon")})
        if not self.client.wait_ready(20):
            raise SystemExit("Hoist: not ready")

    def visitor(self, code, values):
        from hoist.kameleoon import CustomData

        visitor = self.client.visitor(code)
        visitor.add_data(*(CustomData(index, value) for index, value in enumerate(values)), track=False)
        return visitor

    @staticmethod
    def decide_of(visitor, tracked):
        get = visitor.variation

        def decide(key):
            variation = get(key, tracked)
            return variation.key, variation.variables["value"].value

        return decide

    @staticmethod
    def decide_all_of(visitor, tracked):
        get = visitor.variations
        return lambda: [variation.key for variation in get(False, tracked).values()]

    @staticmethod
    def tell_of(visitor):
        from hoist.kameleoon import CustomData

        def tell(plan):
            visitor.add_data(CustomData(1, plan))
            visitor.track_conversion(17, 19.5)

        return tell

    def check(self, tracked):
        """An event for which there is no room would be quick for the wrong reason."""
        counters = self.client.statistics()["tracking"]
        if counters["dropped"] or (counters["recorded"] > 0) != tracked:
            raise SystemExit(f"Hoist: events: {counters}")


def report(given, workload: str, case: str, subject: str, values: list[float]) -> None:
    tell(values, record="kameleoon", workload=workload, case=case, size=given.size, subject=subject)


def compare(given, workload: str, case: str, loops: dict, calls: int) -> None:
    for name, values in time_in_turn(loops, given.runs, given.run_ms, calls).items():
        report(given, workload, case, name, values)


def check_answers(given, subjects, visitors) -> None:
    """All give the same visitors the same variations with the same values."""
    keys = [row[1] for row in rows_of(f"{given.folder}/flags.tsv")]

    def answers(name, subject):
        for visitor in visitors[name]:
            decide = subject.decide_of(visitor, False)
            answers = [decide(key) for key in keys]
            if subject.decide_all_of(visitor, False)() != [key for key, _ in answers]:
                raise SystemExit(f"{name}: the variations of all flags are others")
            yield from answers

    found = [list(answers(name, subject)) for name, subject in subjects.items()]
    if any(one != found[0] for one in found) or {key for key, *_ in found[0]} != {"a", "b"}:
        raise SystemExit("Kameleoon: the variations differ")


def decide_loop(calls):
    def loop():
        for decide, key in calls:
            decide(key)

    return loop


def decide_all_loop(calls):
    def loop():
        for decide_all in calls:
            decide_all()

    return loop


def measure_decisions(given, workloads, subjects, visitors) -> None:
    pairs = [(int(row[2]) % VISITORS, row[1]) for row in rows_of(f"{given.folder}/pairs-mix.tsv")[:PYTHON_PAIRS]]
    for mode, tracked in MODES.items():
        print(f"  {','.join(workloads)} from Python, {given.size} flags, {mode}", file=sys.stderr, flush=True)
        if "W21" in workloads:
            loops = {}
            for name, subject in subjects.items():
                calls = [subject.decide_of(one, tracked) for one in visitors[name]]
                loops[name] = decide_loop([(calls[place], key) for place, key in pairs])
            compare(given, "W21", mode, loops, len(pairs))
        if "W22" in workloads:
            loops = {
                name: decide_all_loop([subject.decide_all_of(one, tracked) for one in visitors[name]])
                for name, subject in subjects.items()}
            compare(given, "W22", mode, loops, VISITORS)
        for subject in subjects.values():
            subject.check(tracked)


def run_in_turn(given, workload: str, case: str, subjects: dict, run) -> None:
    """µs of CPU time per call, as `run` measures them for a subject; the first runs do not count."""
    samples = {name: [] for name in subjects}
    for number in range(given.runs + 1):
        for name in subjects:
            samples[name].append(run(name, number))
    for name, values in samples.items():
        report(given, workload, case, name, values[1:])


def measure_first(given, subjects, users) -> None:
    """The first call for a visitor; the visitors are made before the clock starts."""
    keys = [row[1] for row in rows_of(f"{given.folder}/pairs-mix.tsv")[:FIRST]]

    def run(name, number):
        subject = subjects[name]
        new_ones = [subject.visitor(f"first-{number:03}-{i:04}", users[i % VISITORS][1:4]) for i in range(FIRST)]
        loop = decide_loop([(subject.decide_of(one, True), key) for one, key in zip(new_ones, keys)])
        before = time.thread_time()
        loop()
        return (time.thread_time() - before) * 1e6 / FIRST

    run_in_turn(given, "W21", "tracked, first of a visitor", subjects, run)


def measure_events(given, subjects, visitors) -> None:
    tells = {name: [subject.tell_of(one) for one in visitors[name]] for name, subject in subjects.items()}

    def run(name, number):
        before = time.thread_time()
        for i in range(EVENTS):
            tells[name][i % VISITORS]("pro" if i & VISITORS else "free")
        return (time.thread_time() - before) * 1e6 / EVENTS

    run_in_turn(given, "W23", "datum added, conversion tracked", subjects, run)
    for subject in subjects.values():
        subject.check(True)


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("folder", "clients", "workloads", "hoist"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--size", type=int)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--run-ms", type=float, default=40)
    given = parser.parse_args()
    workloads = given.workloads.split(",")
    users = rows_of(f"{given.folder}/users.tsv")[:VISITORS]
    subjects = {kind.name: kind(given) for kind in ([kameleoon_ctypes.Hoist, Hoist, Kit] if given.hoist else [Kit])}
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    visitors = {name: [subject.visitor(user[0], user[1:4]) for user in users] for name, subject in subjects.items()}
    check_answers(given, subjects, visitors)
    if {"W21", "W22"} & set(workloads):
        measure_decisions(given, workloads, subjects, visitors)
    if "W21" in workloads:
        measure_first(given, subjects, users)
    if "W23" in workloads:
        measure_events(given, subjects, visitors)
    sys.stdout.flush()
    os._exit(0)  # background threads of the SDK need not be waited for


main()
