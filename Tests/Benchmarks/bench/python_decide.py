"""W5 and W13 from Python: Optimizely's own kit, and Hoist through ctypes. Runs inside the virtual environment of the peers.

Prints one JSON record per line; times are thread CPU time in µs, median over the runs. A call decides and fetches whether
the flag is on, the variation, and the variables: the kit as objects, Hoist as their JSON text. The kit's events go to a dispatcher
that does nothing, Hoist's into a queue in memory.
"""

import argparse
import ctypes
import json
import logging
import os
import sys
import time

from bench.turns import rows_of, tell, time_in_turn
from bench.workload import PYTHON_PAIRS

DISABLE_EVENT, INCLUDE_REASONS = 1, 8
CASES = {
    "decide": DISABLE_EVENT, "decide, reasons": DISABLE_EVENT | INCLUDE_REASONS, "decide, event": 0,
    "decide, event, reasons": INCLUDE_REASONS,
}
MOST_FLAGS_OF_KIT = 1000  # of 10,000 flags the kit needs minutes to read the datafile


class Kit:
    name = "optimizely-sdk"

    def __init__(self, given, users):
        from optimizely import optimizely
        from optimizely.decision.optimizely_decide_option import OptimizelyDecideOption

        self.names = {DISABLE_EVENT: OptimizelyDecideOption.DISABLE_DECISION_EVENT,
                      INCLUDE_REASONS: OptimizelyDecideOption.INCLUDE_REASONS}
        datafile = open(f"{given.folder}/optimizely-rules.json").read()
        before = time.process_time()
        self.client = optimizely.Optimizely(datafile, event_dispatcher=self)
        self.load_ms = (time.process_time() - before) * 1e3
        self.users = [self.client.create_user_context(
            user[0], {"country": user[1], "plan": user[2], "age": int(user[3])}) for user in users]

    @staticmethod
    def dispatch_event(event):
        """Goes nowhere."""

    def decide(self, options):
        chosen = [option for bit, option in self.names.items() if options & bit]

        def call(key, user):
            decision = self.users[user].decide(key, chosen)
            return decision.enabled, decision.variation_key, decision.variables

        return call

    @staticmethod
    def read(answer):
        return answer

    def decide_all(self, user):
        return len(self.users[user].decide_all([self.names[DISABLE_EVENT]]))


class Hoist:
    name = "Hoist, ctypes"

    def __init__(self, given, users):
        self.library = library = ctypes.CDLL(given.hoist)
        pointer, text, truth, status = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_bool, ctypes.c_int32
        for name, result, arguments in [
            ("hoist_config_new", pointer, [text]), ("hoist_config_set", status, [pointer, text, text, pointer]),
            ("hoist_client_open", status, [pointer, pointer, pointer]),
            ("hoist_client_wait_ready", status, [pointer, ctypes.c_int64]),
            ("hoist_optimizely_user_new", pointer, [pointer, text, pointer]),
            ("hoist_optimizely_user_set_string", status, [pointer, text, text]),
            ("hoist_optimizely_user_set_int64", status, [pointer, text, ctypes.c_int64]),
            ("hoist_optimizely_user_decide", pointer, [pointer, text, ctypes.c_uint32]),
            ("hoist_optimizely_user_decide_all", pointer, [pointer, ctypes.c_uint32]),
            ("hoist_optimizely_decision_enabled", truth, [pointer]),
            ("hoist_optimizely_decision_variation_key", text, [pointer]),
            ("hoist_optimizely_decision_variables", text, [pointer]),
            ("hoist_optimizely_decision_free", None, [pointer]),
            ("hoist_optimizely_decisions_count", ctypes.c_size_t, [pointer]),
            ("hoist_optimizely_decisions_free", None, [pointer]),
        ]:
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        self.client = self._open(given)
        self.users = [self._user(user) for user in users]

    def _open(self, given):
        config, client = self.library.hoist_config_new(b"optimizely"), ctypes.c_void_p()
        for line in open(given.clients):
            purpose, provider, name, value = line.rstrip("\n").split("\t")
            if (purpose, provider) != ("track", "optimizely"):
                continue
            value = f"{given.folder}/optimizely-rules.json" if value == "FILE" else value
            if self.library.hoist_config_set(config, name.encode(), value.encode(), None):
                raise SystemExit(f"Hoist: property {name} refused")
        if self.library.hoist_client_open(config, ctypes.byref(client), None):
            raise SystemExit("Hoist: not opened")
        if self.library.hoist_client_wait_ready(client, 20000):
            raise SystemExit("Hoist: not ready")
        return client

    def _user(self, row):
        user = self.library.hoist_optimizely_user_new(self.client, row[0].encode(), None)
        for name, value in zip((b"country", b"plan"), row[1:3]):
            self.library.hoist_optimizely_user_set_string(user, name, value.encode())
        self.library.hoist_optimizely_user_set_int64(user, b"age", int(row[3]))
        return user

    def decide(self, options):
        library, users = self.library, self.users
        decide, enabled = library.hoist_optimizely_user_decide, library.hoist_optimizely_decision_enabled
        variation, variables = library.hoist_optimizely_decision_variation_key, library.hoist_optimizely_decision_variables
        free = library.hoist_optimizely_decision_free

        def call(key, user):
            decision = decide(users[user], key.encode(), options)
            result = enabled(decision), variation(decision), variables(decision)
            free(decision)
            return result

        return call

    @staticmethod
    def read(answer):
        return answer[0], answer[1].decode(), json.loads(answer[2])

    def decide_all(self, user):
        decisions = self.library.hoist_optimizely_user_decide_all(self.users[user], DISABLE_EVENT)
        count = self.library.hoist_optimizely_decisions_count(decisions)
        self.library.hoist_optimizely_decisions_free(decisions)
        return count


def report(workload: str, case: str, size: int, subject: str, values: list[float]) -> None:
    tell(values, record="decide", workload=workload, case=case, size=size, subject=subject)


def measure(given, subjects: list) -> None:
    pairs = [(row[1], int(row[2])) for row in rows_of(f"{given.folder}/pairs-rule.tsv")[:PYTHON_PAIRS]]
    for case, options in CASES.items():
        print(f"  W13 from Python, {case}, {given.size} flags", file=sys.stderr, flush=True)
        calls = {subject.name: subject.decide(options) for subject in subjects}
        answers = {
            subject.name: [subject.read(calls[subject.name](*pair)) for pair in pairs] for subject in subjects}
        if any(found != answers[subjects[0].name] for found in answers.values()):
            raise SystemExit(f"{case}: the answers differ")

        def loop_of(call):
            def loop():
                for key, user in pairs:
                    call(key, user)

            return loop

        loops = {name: loop_of(call) for name, call in calls.items()}
        # Events stay in memory: few calls are enough.
        run_ms = given.run_ms if options & DISABLE_EVENT else min(given.run_ms, 4)
        for name, values in time_in_turn(loops, given.runs, run_ms).items():
            report("W13", case, given.size, name, [value / len(pairs) for value in values])
    if given.size <= MOST_FLAGS_OF_KIT:
        loops = {subject.name: lambda subject=subject: subject.decide_all(0) for subject in subjects}
        if any(loop() != given.size for loop in loops.values()):
            raise SystemExit("decide all: flags are missing")
        for name, values in time_in_turn(loops, 5, given.run_ms).items():
            report("W5", "decide all", given.size, name, values)


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("folder", "hoist", "clients"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--size", type=int)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--run-ms", type=float, default=40)
    given = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    logging.disable(logging.CRITICAL)
    users = rows_of(f"{given.folder}/users.tsv")[:PYTHON_PAIRS]
    subjects = [Hoist(given, users)] if given.hoist else []
    if given.size <= MOST_FLAGS_OF_KIT:
        kit = Kit(given, users)
        subjects.append(kit)
        print(json.dumps({
            "record": "load", "workload": "W7", "subject": "optimizely-sdk, datafile of rules", "size": given.size,
            "median": kit.load_ms, "minimum": kit.load_ms, "wall_median": kit.load_ms, "wall_minimum": kit.load_ms, "spread": 0,
        }), flush=True)
    if subjects:
        measure(given, subjects)
    os._exit(0)  # background threads of the kit need not be waited for


main()
