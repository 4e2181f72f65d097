"""W9 and W16: what one call costs a Python program. Runs inside the virtual environment of the peers.

Prints one JSON record per line. All subjects take turns; times are thread CPU time, median over the runs.
"""

import argparse
import os
import sys

from bench import python_peers
from bench.turns import rows_of, tell, time_in_turn
from bench.workload import KINDS, PYTHON_PAIRS


def check(kind: str, name: str, answers: list) -> None:
    """An error reply is fast and must not be timed."""
    first = sum(1 for answer in answers if answer in (True, "a"))
    if kind == "bool" and first != len(answers):
        raise SystemExit(f"{name}: {len(answers) - first} bool flags are off")
    if kind != "bool" and not 0.42 <= first / len(answers) <= 0.58:
        raise SystemExit(f"{name}: {first} of {len(answers)} {kind}: not half")
    if any(answer is None for answer in answers):
        raise SystemExit(f"{name}: no answer for a {kind} flag")


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("folder", "url", "hoist", "clients", "yggdrasil"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--workload", choices=("W9", "W16"), default="W9")
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--run-ms", type=float, default=40)
    given = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    users = rows_of(f"{given.folder}/users.tsv")[:PYTHON_PAIRS]
    is_launchdarkly = given.workload == "W16"
    peers = (python_peers.open_launchdarkly if is_launchdarkly else python_peers.open_all)(given, users)
    for kind in ("bool", "vari") if is_launchdarkly else KINDS:
        pairs = [(row[1], int(row[2])) for row in rows_of(f"{given.folder}/pairs-{kind}.tsv")[:PYTHON_PAIRS]]
        print(f"  {given.workload}, {kind}", file=sys.stderr, flush=True)
        subjects = {}
        for peer in peers:
            ask, loop = peer.prepare(kind, pairs)
            if ask is not None:
                check(kind, peer.name, [ask(index) for index in range(len(pairs))])
            subjects[peer.name] = loop
        for name, values in time_in_turn(subjects, given.runs, given.run_ms, PYTHON_PAIRS).items():
            tell(values, record="python", workload=given.workload, kind=kind, subject=name)
    os._exit(0)  # background threads of the peers need not be waited for


main()
