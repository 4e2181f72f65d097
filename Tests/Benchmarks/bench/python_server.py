"""W24 from Python: LaunchDarkly's kit for servers evaluates a bool flag by itself, with its events on.

Prints one JSON record per line; times are thread CPU time in µs, median over the runs. Runs inside the virtual environment of
the peers. The kit has its flags from a file; its events go to the loopback server, from a thread of its own.
"""

import argparse
import ctypes
import logging
import os
import sys

from bench.python_hoist import Hoist
from bench.python_peers import attributes
from bench.turns import rows_of, tell, time_in_turn
from bench.workload import PYTHON_PAIRS

LAST_RULE = 2


class Kit:
    name = "launchdarkly-server-sdk"

    def __init__(self, given, users):
        import ldclient
        from ldclient.config import Config
        from ldclient.integrations import Files

        source = Files.new_data_source(paths=[f"{given.folder}/launchdarkly-rules.json"])
        self.client = ldclient.LDClient(Config(
            "benchmark", update_processor_class=source, events_uri=given.url, diagnostic_opt_out=True))
        self.contexts = [ldclient.Context.from_dict({"kind": "user", "key": user[0], **attributes(user)}) for user in users]

    def calls(self):
        """By case, a function of key and user, and how its result reads: the value, and the index of the rule where it is told."""
        client, contexts = self.client, self.contexts
        return {
            "variation": (lambda key, user: client.variation(key, contexts[user], None), lambda value: (value, LAST_RULE)),
            "variation, reason": (lambda key, user: client.variation_detail(key, contexts[user], None),
                                  lambda detail: (detail.value, detail.reason.get("ruleIndex"))),
        }


class HoistServer(Hoist):
    name = "Hoist, ctypes"
    provider, purpose = "launchdarkly", "rules, poll"

    def _place(self, given):
        return given.url

    def _context(self, user):
        context, library = super()._context(user), self.library
        library.hoist_context_set_int64.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64]
        library.hoist_context_set_int64(context, b"age", int(user[3]))
        return context

    def calls(self):
        client, contexts, is_on = self.client, self.contexts, self.library.hoist_client_bool
        return {"variation": (lambda key, user: is_on(client, key.encode(), contexts[user], False, None), lambda value: (value, LAST_RULE))}


def check(name: str, answers: list[tuple]) -> None:
    """An answer that comes from anywhere but the last rule is quick for the wrong reason."""
    on = sum(1 for value, _ in answers if value is True)
    if any(rule != LAST_RULE or not isinstance(value, bool) for value, rule in answers) or not 0.42 <= on / len(answers) <= 0.58:
        raise SystemExit(f"{name}: {on} of {len(answers)} are on, or not by the last rule")


def measure(given, subjects: list) -> None:
    pairs = [(row[1], int(row[2])) for row in rows_of(f"{given.folder}/pairs-mix.tsv") if int(row[2]) < PYTHON_PAIRS][:PYTHON_PAIRS]

    def loop_of(call):
        def loop():
            for key, user in pairs:
                call(key, user)

        return loop

    calls = {subject.name: subject.calls() for subject in subjects}
    for case in next(iter(calls.values())):
        print(f"  W24, {case}, {given.size} flags", file=sys.stderr, flush=True)
        loops = {}
        for name, cases in calls.items():
            if case not in cases:
                continue
            call, read = cases[case]
            check(name, [read(call(*pair)) for pair in pairs])
            loops[name] = loop_of(call)
        for name, values in time_in_turn(loops, given.runs, given.run_ms, len(pairs)).items():
            tell(values, record="server", workload="W24", case=case, size=given.size, subject=name)


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("folder", "url", "hoist", "clients"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--size", type=int)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--run-ms", type=float, default=40)
    given = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    logging.disable(logging.CRITICAL)
    users = rows_of(f"{given.folder}/users.tsv")[:PYTHON_PAIRS]
    measure(given, [kind(given, users) for kind in ([Kit, HoistServer] if given.hoist else [Kit])])
    os._exit(0)  # background threads of the kit need not be waited for


main()
